package dial

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/mcpctl/mcpctl/testdata/servers/mark"
)

// oddMain is a server for what the shared ones do not do. Its argument says what
// that is; see odd.
func oddMain() {
	o := odd{mode: os.Args[1], in: bufio.NewReader(os.Stdin)}
	if o.mode == "slow-modern" { // not up before the probe has run out of patience
		time.Sleep(silentProbe + 500*time.Millisecond)
	}
	if o.mode == "deaf" {
		o.handshake()
		time.Sleep(time.Hour) // takes nothing off its input from here on
	}
	for {
		line, err := o.in.ReadString('\n')
		if err != nil {
			mark.Leave(0)
		}
		o.take(line)
	}
}

type odd struct {
	mode string
	in   *bufio.Reader
	seen int

	called bool
}

type oddMessage struct {
	raw    string
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params struct {
		Meta struct {
			Token json.RawMessage `json:"progressToken"`
		} `json:"_meta"`
	} `json:"params"`
}

func (o *odd) handshake() {
	for o.seen < 2 {
		line, _ := o.in.ReadString('\n')
		o.take(line)
	}
}

func say(format string, args ...any) { fmt.Printf(format+"\n", args...) }

func (o *odd) take(line string) {
	var m oddMessage
	_ = json.Unmarshal([]byte(line), &m) // what comes from the SDK is JSON
	answer := func(result string) { say(`{"jsonrpc":"2.0","id":%s,"result":%s}`, m.ID, result) }
	switch m.Method {
	case "server/discover":
		if strings.HasSuffix(o.mode, "modern") {
			answer(`{"supportedVersions":["2026-07-28"],"capabilities":{"tools":{}},"resultType":"complete"}`)
			return
		}
		say(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"no"}}`, m.ID)
	case "initialize":
		if strings.HasSuffix(o.mode, "modern") {
			say(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"gone"}}`, m.ID)
			return
		}
		version := "2025-11-25"
		if o.mode == "future" {
			version = "2099-01-01"
		}
		answer(`{"protocolVersion":"` + version + `","capabilities":{"tools":{}},"serverInfo":{"name":"odd","version":"1"}}`)
	case "notifications/initialized":
		o.closing()
	case "notifications/cancelled":
		fmt.Fprintln(os.Stderr, "cancelled:", strings.TrimSpace(line))
	case "tools/list":
		o.list(answer)
	case "tools/call":
		o.call(m, answer)
	}
	if m.Method != "server/discover" {
		o.seen++
	}
}

// closing ends stdout after the handshake, alive.
func (o *odd) closing() {
	if o.mode == "closes-stdout" {
		os.Stdout.Close()
		time.Sleep(time.Hour)
	}
}

func (o *odd) list(answer func(string)) {
	if o.mode != "bad-tools" {
		answer(`{"tools":[]}`)
		return
	}
	answer(strings.ReplaceAll(`{"tools":[
		{"name":"good","inputSchema":{"type":"object"},"x-unknown":1.50},
		null, 7, {"inputSchema":{}}, {"name":5,"inputSchema":{}},
		{"name":"good","inputSchema":{}}, {"name":"none"},
		{"name":"null","inputSchema":null}, {"name":"list","inputSchema":[]},
		{"name":"string","inputSchema":{"type":"string"}},
		{"name":"either","inputSchema":{"type":["object","null"]}},
		{"name":"bare","inputSchema":{}},
		{"name":"required","inputSchema":{"type":"object","required":null}},
		{"name":"a\u001bb","inputSchema":{}}, {"name":"text","description":9,"inputSchema":{}}]}`, "\n", ""))
}

func (o *odd) call(m oddMessage, answer func(string)) {
	switch o.mode {
	case "progress":
		for range 24 {
			time.Sleep(250 * time.Millisecond)
			say(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":%s,"progress":1}}`, m.Params.Meta.Token)
		}
		answer(`{"content":[{"type":"text","text":"done"}]}`)
	case "endless-progress":
		for {
			time.Sleep(20 * time.Millisecond)
			say(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":%s,"progress":1}}`, m.Params.Meta.Token)
		}
	case "refuse":
		say(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32602,"message":"no such tool, key is hunter2-secret-value"}}`, m.ID)
	case "wrong-id":
		say(`{"jsonrpc":"2.0","id":"other","result":{"content":[]}}`)
		answer(`{"content":[]}`)
		answer(`{"content":["a second answer"]}`)
	case "answer-and-leave":
		answer(`{"content":[],"last":true}`)
		mark.Leave(0)
	case "strange-result":
		answer(`{"content":[{"type":"hologram"}],"resultType":"poem"}`)
	case "input":
		answer(`{"resultType":"input_required","inputRequests":{}}`)
	case "input-then-leave-modern":
		if o.called {
			mark.Leave(3)
		}
		o.called = true
		answer(`{"resultType":"input_required","inputRequests":{"q":{"method":"elicitation/create","params":{"message":"?"}}}}`)
	case "odd-notifications":
		for _, method := range []string{"elicitation/complete", "progress", "message", "cancelled", "resources/updated", "resources/list_changed",
			"prompts/list_changed", "tools/list_changed", "nothing/known", "subscriptions/acknowledged"} {
			for _, params := range []string{"", `,"params":null`, `,"params":{}`, `,"params":[]`, `,"params":{"elicitationId":1,"progressToken":{},"level":7,"requestId":[]}`} {
				say(`{"jsonrpc":"2.0","method":"notifications/%s"%s}`, method, params)
			}
		}
		answer(`{"content":[]}`)
	case "odd-progress":
		for _, params := range []string{`{"progressToken":%s,"progress":0.5,"message":"key hunter2-secret-value"}`, `{"progressToken":"other","progress":9}`,
			`{"progressToken":%s,"progress":"many"}`, `{"progressToken":%s,"progress":1,"total":2}`} {
			say(`{"jsonrpc":"2.0","method":"notifications/progress","params":%s}`, strings.ReplaceAll(params, "%s", string(m.Params.Meta.Token)))
		}
		answer(`{"content":[]}`)
	case "text-result":
		answer(`"yes"`)
	case "log":
		say(`{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"shout\n","logger":"a\nb","data":{"n":1}}}`)
		say(`{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"warning","logger":"core","data":"key hunter2-secret-value"}}`)
		answer(`{"content":[]}`)
	}
}
