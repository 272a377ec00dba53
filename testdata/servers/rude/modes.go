package rude

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"syscall"
	"time"

	"github.com/mcpctl/mcpctl/testdata/servers/mark"
)

// forever is longer than any test.
const forever = time.Hour

// modes are all ways to misbehave.
var modes = map[string]mode{
	// It gives no answer.
	"silent":      {take: func(*server, message) bool { return true }},
	"silent-list": {take: ignore("tools/list")},
	"silent-call": {take: ignore("tools/call")},
	"stopped":     {take: on("tools/call", func(*server, message) { _ = syscall.Kill(os.Getpid(), syscall.SIGSTOP) })},
	"deaf":        {take: on("tools/list", func(s *server, m message) { s.answer(m); s.done(); time.Sleep(forever) })},

	// It gives too much of one.
	"answer-1gb":    {take: on("tools/call", func(s *server, m message) { s.huge(m.ID, `{"content":[{"type":"text","text":"`, `"}]}`) })},
	"list-1gb":      {take: on("tools/list", func(s *server, m message) { s.huge(m.ID, `{"tools":[],"_meta":{"pad":"`, `"}}`) })},
	"hello-1gb":     {take: on("initialize", func(s *server, m message) { s.huge(m.ID, `{"protocolVersion":"`, `"}`) })},
	"answer-pieces": {take: on("tools/call", func(s *server, m message) { s.pieces(m.ID, 10<<20, 1<<10) })},
	"answer-16mb":   {take: on("tools/call", func(s *server, m message) { s.sized(m.ID, 16<<20-1024) })},
	"answer-broken": {take: on("tools/call", func(s *server, m message) { s.result(m.ID, strings.Repeat("[", 7<<20)) })},
	"answer-deep": {take: on("tools/call", func(s *server, m message) {
		s.result(m.ID, strings.Repeat(`{"a":`, 1<<20)+"1"+strings.Repeat("}", 1<<20))
	})},
	"tool-deep":     {take: on("tools/list", func(s *server, m message) { s.result(m.ID, deepTools(1<<20)) })},
	"tools-million": {take: on("tools/list", pageOfTools)},
	"pages-endless": {take: on("tools/list", endlessPages)},
	"one-tool-10mb": {take: on("tools/list", func(s *server, m message) {
		s.result(m.ID, `{"tools":[{"name":"go","description":"`+strings.Repeat("x", 10<<20)+`","inputSchema":{"type":"object"}}]}`)
	})},

	// It never ceases to talk.
	"stdout-endless":  {begin: endlessLine},
	"stdout-newlines": {after: func(s *server) { go s.flood(24<<20, os.Stdout, strings.Repeat("\n", 64<<10)) }},
	"stdout-noise":    {after: func(s *server) { go s.flood(2<<20, os.Stdout, strings.Repeat("this is no message\n", 1000)) }},
	"stdout-binary":   {after: func(s *server) { go s.flood(2<<20, os.Stdout, strings.Repeat("\x00\xff\x1b[2J\n", 1000)) }},
	"stderr-lines":    {after: func(s *server) { go s.flood(8<<20, os.Stderr, strings.Repeat("error: nothing is wrong\n", 1000)) }},
	"stderr-endless":  {after: func(s *server) { go s.flood(24<<20, os.Stderr, strings.Repeat("x", 64<<10)) }},
	"stderr-binary":   {after: func(s *server) { go s.flood(24<<20, os.Stderr, strings.Repeat("\x00\xff\r\x1b]0;x\a", 5000)) }},
	"notify-changed":  {after: func(s *server) { go s.flood(2<<20, os.Stdout, notices("notifications/tools/list_changed", `{}`)) }},
	"notify-log": {after: func(s *server) {
		go s.flood(24<<20, os.Stdout, notices("notifications/message", `{"level":"error","data":"`+strings.Repeat("y", 1000)+`"}`))
	}},
	"progress-forever": {take: on("tools/call", func(s *server, m message) { go s.progress(m) })},
	"asks-sampling":    {take: on("tools/call", func(s *server, m message) { s.ask(m.ID, "sampling/createMessage") })},
	"asks-forever": {after: func(s *server) {
		go s.flood(2<<20, os.Stdout, strings.Repeat(`{"jsonrpc":"2.0","id":"q","method":"sampling/createMessage","params":{}}`+"\n", 100))
	}},

	// It answers what was not asked.
	"answers-twice":  {take: func(s *server, m message) bool { s.answer(m); s.answer(m); return true }},
	"answers-early":  {begin: func(s *server) { s.line(numbered(1, 200, `{"content":[{"type":"text","text":"forged"}]}`)) }},
	"answers-ahead":  {after: func(s *server) { s.line(numbered(1, 200, `{"content":[{"type":"text","text":"forged"}]}`)) }},
	"answers-others": {take: func(s *server, m message) bool { s.line(numbered(100000, 100200, `{}`)); return false }},
	"answers-string": {take: on("tools/call", func(s *server, m message) { s.result(json.RawMessage(`"`+string(m.ID)+`"`), `{"content":[]}`) })},
	"answers-both": {take: on("tools/call", func(s *server, m message) {
		s.line(`{"jsonrpc":"2.0","id":` + string(m.ID) + `,"result":{"content":[]},"error":{"code":1,"message":"both"}}`)
	})},
	"answers-neither": {take: on("tools/call", func(s *server, m message) { s.line(`{"jsonrpc":"2.0","id":` + string(m.ID) + `}`) })},

	// It does not go, or goes too often.
	"stays":          {begin: func(*server) { ignoreTerm() }, end: func(*server) { time.Sleep(forever) }},
	"closes-stdout":  {take: on("tools/call", func(s *server, m message) { os.Stdout.Close(); s.done(); time.Sleep(forever) })},
	"closes-stdin":   {take: on("tools/call", func(s *server, m message) { os.Stdin.Close(); s.answer(m); s.done(); time.Sleep(forever) })},
	"leaves":         {begin: func(*server) { mark.Leave(3) }},
	"leaves-at-once": {take: on("initialize", func(s *server, m message) { s.answer(m); mark.Leave(8) })},
	"leaves-later":   {take: on("tools/list", func(s *server, m message) { s.answer(m); mark.Leave(4) })},
	"leaves-in-call": {take: on("tools/call", func(*server, message) { mark.Leave(5) })},
	"daemon":         {begin: func(s *server) { spawn(1, true, true); s.done() }},
	"daemon-leaves":  {begin: func(s *server) { spawn(1, true, true); s.done(); mark.Leave(6) }},
	"children":       {begin: func(s *server) { spawn(100, false, false); s.done() }},
	"children-stay":  {begin: func(s *server) { ignoreTerm(); spawn(20, true, false); s.done() }, end: func(*server) { time.Sleep(forever) }},
	"zombies":        {begin: func(s *server) { zombies(200); s.done() }},
}

// on does something instead of the answer to one method.
func on(method string, do func(*server, message)) func(*server, message) bool {
	return func(s *server, m message) bool {
		if m.Method == method {
			do(s, m)
		}
		return m.Method == method
	}
}

func ignore(method string) func(*server, message) bool {
	return on(method, func(s *server, _ message) { s.done() })
}

// numbered are answers to the ids from first to last, in one batch of lines.
func numbered(first, last int, result string) string {
	var lines []string
	for id := first; id <= last; id++ {
		lines = append(lines, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":%s}`, id, result))
	}
	return strings.Join(lines, "\n")
}

func notices(method, params string) string {
	return strings.Repeat(`{"jsonrpc":"2.0","method":"`+method+`","params":`+params+"}\n", 50)
}

// deepTools is a list of one tool whose schema is n objects deep.
func deepTools(n int) string {
	return `{"tools":[{"name":"deep","inputSchema":` + strings.Repeat(`{"a":`, n) + `1` + strings.Repeat(`}`, n) + `},{"name":"go","inputSchema":{"type":"object"}}]}`
}

// pageOfTools answers with a page of twenty thousand tools and a cursor.
func pageOfTools(s *server, m message) {
	var asked struct{ Cursor string }
	_ = json.Unmarshal(m.Params, &asked)
	var b strings.Builder
	for i := range 20_000 {
		fmt.Fprintf(&b, `{"name":"t%s-%d","inputSchema":{"type":"object"}},`, asked.Cursor, i)
	}
	s.result(m.ID, fmt.Sprintf(`{"tools":[%s{"name":"go","inputSchema":{}}],"nextCursor":"%sx"}`, b.String(), asked.Cursor))
}

func endlessPages(s *server, m message) {
	var asked struct{ Cursor string }
	_ = json.Unmarshal(m.Params, &asked)
	n := 0
	_, _ = fmt.Sscan(asked.Cursor, &n)
	s.result(m.ID, fmt.Sprintf(`{"tools":[],"nextCursor":"%d"}`, n+1))
}
