package servers_test

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

const term = syscall.SIGTERM

func TestStubStdout(t *testing.T) {
	for _, c := range []struct {
		flags []string
		want  []string // the lines that are no answers
	}{
		{nil, nil},
		{[]string{"-noise", "Server running"}, []string{"Server running"}},
		{[]string{"-noise", ""}, []string{""}},
		{[]string{"-noise-json"}, []string{`{"level":"info","msg":"starting"}`}},
		{[]string{"-noise-each", "tick"}, []string{"tick", "tick"}},
		{[]string{"-log-text", "a <b>"}, []string{
			`{"jsonrpc":"2.0","method":"notifications/message","params":{"data":"a <b>","level":"error"}}`,
		}},
	} {
		p := start(t, "stub-server", c.flags...)
		p.hello()
		p.call("ping", "{}")
		p.end()
		if !reflect.DeepEqual(p.other, c.want) {
			t.Errorf("%q: %q", c.flags, p.other)
		}
	}

	p := start(t, "stub-server", "-crlf")
	if r := p.hello(); !strings.HasSuffix(r.line, "}\r") {
		t.Errorf("-crlf: %q", r.line)
	}

	p = start(t, "stub-server", "-stderr-text", "WARN x", "-stderr-bytes", "200001")
	p.hello()
	p.end()
	if want := len("WARN x\n") + 200001; p.stderr.Len() != want {
		t.Errorf("%d bytes on stderr, want %d", p.stderr.Len(), want)
	}
}

func TestStubPages(t *testing.T) {
	for _, c := range []struct {
		cursor  string
		cursors []string // the one of each page, in order
		names   string
	}{
		{"advance", []string{`"2"`, `"4"`, ""}, "[[a b] [c d] [e]]"},
		{"empty", []string{`"2"`, `"4"`, `""`}, "[[a b] [c d] [e]]"},
		{"null", []string{`"2"`, `"4"`, "null"}, "[[a b] [c d] [e]]"},
		{"stuck", []string{`"0"`, `"0"`, `"0"`}, "[[a b] [a b] [a b]]"},
		{"endless", []string{`"2"`, `"4"`, `"6"`, `"8"`}, "[[a b] [c d] [e more-5] [more-6 more-7]]"},
	} {
		p := start(t, "stub-server", "-tools", "a,b,c,d,e", "-page", "2", "-cursor", c.cursor)
		p.hello()
		var pages [][]string
		cursor := ""
		for _, want := range c.cursors {
			names, next := p.tools(cursor)
			pages = append(pages, names)
			if next != want {
				t.Errorf("%s: cursor %s, want %s", c.cursor, next, want)
			}
			cursor = next
		}
		if got := fmt.Sprint(pages); got != c.names {
			t.Errorf("%s: %s", c.cursor, got)
		}
		p.end()
	}
}

func TestStubLeaves(t *testing.T) {
	for _, c := range []struct {
		flags  string
		method string // sent before the server is waited for
		status int    // -1: by a signal
	}{
		{"-exit 0", "", 0},
		{"-exit 3", "", 3},
		{"-exit-after 50ms", "", 0},
		{"-exit-after 50ms -exit 4", "", 4},
		{"-exit-on tools/list", "tools/list", 7},
		{"-exit-on tools/list,ping", "ping", 7},
		{"-exit-on-discover", "server/discover", 1},
		{"-kill-self", "", -1},
		{"-no-such-flag", "", 2},
		{"-schema {", "", 2},
		{"-cursor x", "", 2},
		{"-exit x", "", 2},
		{"-mark /no/such/folder/m", "", 2},
	} {
		t.Run(c.flags, func(t *testing.T) {
			t.Parallel()
			p := start(t, "stub-server", strings.Fields(c.flags)...)
			if c.method != "" {
				p.request(c.method, "{}")
			}
			if state := p.wait(); state.ExitCode() != c.status {
				t.Errorf("%v; stderr: %s", state, &p.stderr)
			}
		})
	}
	p := start(t, "crash-server")
	if p.wait().ExitCode() != 3 || p.stderr.String() != "missing API_KEY\n" {
		t.Errorf("crash-server: %v, %q", p.cmd.ProcessState, &p.stderr)
	}
}

func TestStubStays(t *testing.T) {
	ended := filepath.Join(t.TempDir(), "ended")
	p := start(t, "stub-server", "-ignore-eof", "-ignore-term", "-mark-end", ended)
	p.hello()
	p.cmd.Process.Signal(term)
	p.call("ping", "{}")
	p.in.Close()
	waitFor(t, ended)
	p.cmd.Process.Signal(term)
	time.Sleep(100 * time.Millisecond) // there is no event for "did not end"
	if err := p.cmd.Process.Signal(syscall.Signal(0)); err != nil {
		t.Errorf("the server is gone: %v", err)
	}
}

func TestStubChild(t *testing.T) {
	for _, flag := range []string{"-child", "-child-setsid"} {
		file := filepath.Join(t.TempDir(), "child")
		p := start(t, "stub-server", flag, file)
		p.hello()
		pid, err := strconv.Atoi(read(t, file)[0])
		if err != nil {
			t.Fatal(err)
		}
		child, _ := os.FindProcess(pid)
		t.Cleanup(func() { child.Kill() })
		server, err := syscall.Getpgid(p.cmd.Process.Pid)
		if err != nil {
			t.Fatal(err)
		}
		group, err := syscall.Getpgid(pid)
		if err != nil {
			t.Fatal(err)
		}
		if own := flag == "-child-setsid"; own && group != pid || !own && group != server {
			t.Errorf("%s: child %d in group %d, server in %d", flag, pid, group, server)
		}
		p.in.Close()
		if state, err := p.cmd.Process.Wait(); err != nil || state.ExitCode() != 0 {
			t.Errorf("%s: %v, %v", flag, state, err)
		}
		if err := child.Signal(syscall.Signal(0)); err != nil {
			t.Errorf("%s: the child is gone: %v", flag, err)
		}
		child.Kill()
	}
}

func TestStubSilence(t *testing.T) {
	record := filepath.Join(t.TempDir(), "record")
	p := start(t, "stub-server", "-silent-before-init", "-hang", "resources/list,tools/call",
		"-no-ping", "-deny", "prompts/list", "-caps", "tools,resources,prompts", "-record", record)
	p.request("server/discover", "{}")
	p.hello()
	p.request("resources/list", "{}")
	p.request("tools/call", `{"name":"echo"}`)
	for _, method := range []string{"ping", "prompts/list", "server/discover", "no/such"} {
		if r := p.call(method, "{}"); r.Error == nil || r.Error.Code != -32601 {
			t.Errorf("%s: %s", method, r.line)
		}
	}
	if r := p.call("resources/templates/list", "{}"); !strings.Contains(r.line, `"resourceTemplates":[]`) {
		t.Errorf("templates: %s", r.line)
	}
	p.end()
	if p.other != nil {
		t.Errorf("answered: %q", p.other)
	}
	lines := read(t, record)
	if len(lines) != 10 || !strings.Contains(lines[2], "notifications/initialized") {
		t.Errorf("record: %q", lines)
	}
}

func TestStubAnswers(t *testing.T) {
	t.Setenv("STUB_TEST", "value")
	p := start(t, "stub-server", "-version", "2099-01-01", "-caps", "resources", "-pad", "70000",
		"-schema", `{"type":"string","max":9007199254740993}`, "-output-schema", "null", "-description", "a\x1bb")
	r := p.hello()
	for _, want := range []string{`"2099-01-01"`, `"capabilities":{"resources":{}}`} {
		if !strings.Contains(r.line, want) {
			t.Errorf("no %s: %s", want, r.line)
		}
	}
	r = p.call("tools/list", "{}")
	for _, want := range []string{
		`"description":"a\u001bb","inputSchema":{"type":"string","max":9007199254740993},"outputSchema":null`,
		`"pad":"` + strings.Repeat("x", 70000) + `"`,
	} {
		if !strings.Contains(r.line, want) {
			t.Errorf("no %.100s: %.300s", want, r.line)
		}
	}
	for arguments, want := range map[string]string{
		`{"env":"STUB_TEST"}`:      "value",
		`{"env":"STUB_TEST_NONE"}`: "<unset>",
		`{"bytes":200000}`:         strings.Repeat("x", 200000),
		`{"bytes":7,"unit":"é"}`:   "ééé",
		`{"b":30.0, "a":[ ]}`:      `{"b":30.0, "a":[ ]}`,
	} {
		if text, _ := p.callTool("echo", arguments); text != want {
			t.Errorf("%s: %.100q", arguments, text)
		}
	}
	if r := p.call("tools/call", `{"name":"nope"}`); r.Error == nil || r.Error.Code != -32602 {
		t.Errorf("unknown tool: %s", r.line)
	}
	p.end()

	p = start(t, "stub-server", "-raw-result", `{"content":"no list","isError":1}`)
	p.hello()
	if r := p.call("tools/call", `{"name":"echo"}`); string(r.Result) != `{"content":"no list","isError":1}` {
		t.Errorf("-raw-result: %s", r.line)
	}

	const size = 17 << 20
	p = start(t, "stub-server", "-huge-line", strconv.Itoa(size))
	p.hello()
	if r := p.call("tools/call", `{"name":"echo"}`); len(r.line) != size {
		t.Errorf("-huge-line: %d bytes", len(r.line))
	}
	if text, _ := p.callTool("echo", "{}"); text != "{}" {
		t.Errorf("after -huge-line: %.100q", text)
	}
}

func TestStubChanges(t *testing.T) {
	for flags, want := range map[string]string{
		"-grow-on-call -notify 3":     "[a b] [a b extra-1] [a b extra-1 extra-2] 6",
		"-shrink-on-call":             "[a b] [a] [] 2",
		"-grow-on-call -hang no/such": "[a b] [a b extra-1] [a b extra-1 extra-2] 2",
	} {
		p := start(t, "stub-server", append(strings.Fields(flags), "-tools", "a,b")...)
		p.hello()
		got := ""
		for range 2 {
			names, _ := p.tools("")
			got += fmt.Sprint(names) + " "
			p.callTool("a", "{}")
		}
		names, _ := p.tools("")
		got += fmt.Sprintf("%v %d", names, strings.Count(strings.Join(p.other, "\n"), "tools/list_changed"))
		if got != want {
			t.Errorf("%s: %s", flags, got)
		}
		p.end()
	}
}

// waitFor returns when the file is there.
func waitFor(t *testing.T, path string) {
	t.Helper()
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
		if _, err := os.Stat(path); err == nil {
			return
		}
	}
	t.Fatalf("no %s", path)
}

// TestStubGathers: the answers come when the last call has, and not in its order
// alone.
func TestStubGathers(t *testing.T) {
	const n = 8
	inOrder := 0
	for range 5 { // all of them in order would be no shuffle
		p := start(t, "stub-server", "-gather", strconv.Itoa(n), "-pause", "1ms")
		p.hello()
		for i := range n {
			p.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"echo","arguments":{"n":%d}}}`, 100+i, i))
		}
		seen, before := map[int]bool{}, -1
		sorted := true
		for range n {
			var id, said int
			line, _ := p.next()
			if _, err := fmt.Sscanf(line, `{"jsonrpc":"2.0","id":%d,"result":{"content":[{"text":"{\"n\":%d}"`, &id, &said); err != nil || id != 100+said || seen[said] {
				t.Fatalf("%s: %v", line, err)
			}
			sorted = sorted && said > before
			seen[said], before = true, said
		}
		if sorted {
			inOrder++
		}
		p.end()
	}
	if inOrder == 5 {
		t.Error("they always came in order")
	}
}
