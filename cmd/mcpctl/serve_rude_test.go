package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Clients that do not keep to the protocol, or leave in the middle of it.

// rudeClient speaks to a gateway on stdio line by line.
type rudeClient struct {
	t     *testing.T
	cmd   *exec.Cmd
	in    io.WriteCloser
	out   io.ReadCloser
	lines *bufio.Scanner
}

func (p *place) rude() *rudeClient {
	p.t.Helper()
	ctx, stop := context.WithTimeout(context.Background(), 3*patience) // else a test that waits for a line waits for ever
	p.t.Cleanup(stop)
	c := &rudeClient{t: p.t, cmd: p.command(ctx, "serve")}
	c.cmd.Stderr = os.Stderr
	var err error
	if c.in, err = c.cmd.StdinPipe(); err == nil {
		c.out, err = c.cmd.StdoutPipe()
	}
	if err == nil {
		err = c.cmd.Start()
	}
	if err != nil {
		p.t.Fatal(err)
	}
	c.lines = bufio.NewScanner(c.out)
	c.lines.Buffer(nil, 32<<20)
	return c
}

// hello begins a session of one version.
func (c *rudeClient) hello(version string) *rudeClient {
	c.t.Helper()
	c.say(`{"jsonrpc":"2.0","id":"hello","method":"initialize","params":{"protocolVersion":"` + version + `","capabilities":{},"clientInfo":{"name":"rude","version":"1"}}}`)
	c.hears(`"protocolVersion":"` + version + `"`)
	c.say(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	return c
}

func (c *rudeClient) say(line string) {
	c.t.Helper()
	if _, err := io.WriteString(c.in, line+"\n"); err != nil {
		c.t.Fatal(err)
	}
}

// hears reads lines until one that has all of the texts.
func (c *rudeClient) hears(texts ...string) {
	c.t.Helper()
	for c.lines.Scan() {
		line := c.lines.Text()
		if !json.Valid([]byte(line)) {
			c.t.Fatalf("not the protocol: %.300s", line)
		}
		missing := ""
		for _, text := range texts {
			if !strings.Contains(line, text) {
				missing = text
			}
		}
		if missing == "" {
			return
		}
	}
	c.t.Fatalf("nothing has %q", texts)
}

// ends waits for the gateway to end.
func (c *rudeClient) ends() error {
	done := make(chan error, 1)
	go func() { done <- c.cmd.Wait() }()
	select {
	case err := <-done:
		return err
	case <-time.After(patience):
		return fmt.Errorf("the gateway does not end")
	}
}

func echoCall(id, text string) string {
	return `{"jsonrpc":"2.0","id":` + id + `,"method":"tools/call","params":{"name":"echo__echo","arguments":{"text":"` + text + `"}}}`
}

// TestServeSurvivesWhatIsNoMessage: what cannot be answered by its id is answered without
// one, and what comes behind it is served.
func TestServeSurvivesWhatIsNoMessage(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.write(p.userFile(), `{"mcpServers":{"echo":{"command":"echo-server"}}}`)
	c := p.rude().hello("2025-11-25")
	const parse, invalid = `"id":null,"error":{"code":-32700`, `"id":null,"error":{"code":-32600`
	nested := strings.Repeat("[", 5000) + strings.Repeat("]", 5000)
	for i, bad := range []struct{ line, answer string }{
		{"this is no json", parse}, {`{"jsonrpc":`, parse}, {"\x00\xff\xfe", parse}, {`{"jsonrpc":"2.0","id":1,"method":"ping"} {}`, parse},
		{"5", invalid}, {"null", invalid}, {`"text"`, invalid}, {"{}", invalid}, {`{"id":1,"method":"ping"}`, invalid},
		{`{"jsonrpc":"1.0","id":1,"method":"ping"}`, invalid}, {`{"jsonrpc":"2.0","id":{},"method":"ping"}`, invalid},
		{`{"jsonrpc":"2.0","id":1,"method":"ping","params":` + nested + `}`, invalid},
		{"[]", invalid}, {`[{"jsonrpc":"2.0","id":1,"method":"ping"}]`, invalid},
		{echoCall("1", strings.Repeat("a", 17<<20)), invalid},
		{"", ""}, {"\r", ""}, {`{"jsonrpc":"2.0","id":"nobody's","result":{}}`, ""}, {`{"jsonrpc":"2.0","method":"notifications/unheard"}`, ""},
		{`{"jsonrpc":"2.0","id":1,"method":"un/known"}`, `"id":1,"error":{"code":-32601`},
	} {
		c.say(bad.line)
		if bad.answer != "" {
			c.hears(bad.answer)
		}
		id := fmt.Sprint(100 + i)
		c.say(echoCall(id, "still "+id))
		c.hears(`"id":`+id, "still "+id)
	}
	long := strings.Repeat("b", 7<<20)
	c.say(echoCall("7", long))
	c.hears(`"id":7`, "bbbb", "mcpctl output ")
	io.WriteString(c.in, echoCall("8", "the last line has no end")) //nolint:errcheck // hears tells
	c.in.Close()
	if err := c.ends(); err != nil {
		t.Error(err)
	}
}

// TestServeOldBatches: versions that have lists of messages get lists of answers.
func TestServeOldBatches(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.write(p.userFile(), `{"mcpServers":{"echo":{"command":"echo-server"}}}`)
	c := p.rude().hello("2025-03-26")
	c.say("[" + echoCall("1", "one") + "," + echoCall("2", "two") + "]")
	c.hears("one", "two")
	c.say("[]")
	c.hears(`"id":null,"error":{"code":-32600`)
	c.say("[" + echoCall("3", "three") + ",5]")
	c.hears(`"id":null,"error":{"code":-32600`)
	c.say(echoCall("4", "four"))
	c.hears(`"id":4`, "four")
	c.in.Close()
	if err := c.ends(); err != nil {
		t.Error(err)
	}
}

// TestServeSameIDTwice: a request with an id that is in use is refused, and the one that
// has it goes on.
func TestServeSameIDTwice(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.write(p.userFile(), `{"mcpServers":{"echo":{"command":"echo-server"}}}`)
	const slow = `{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"echo__sleep","arguments":{"ms":1000}}}`
	c := p.rude().hello("2025-11-25")
	c.say(slow)
	c.say(echoCall("3", "second"))
	c.hears(`"id":3,"error":{"code":-32600`)
	c.say(echoCall(`"3"`, "a text is another id"))
	c.hears(`"id":"3"`, "another id")
	c.hears(`"id":3,"result"`)
	c.say(echoCall("3", "free again"))
	c.hears(`"id":3`, "free again")
	c.in.Close()
	if err := c.ends(); err != nil {
		t.Error(err)
	}
	c = p.rude().hello("2025-03-26")
	c.say("[" + echoCall("5", "one") + "," + echoCall("5", "two") + "]")
	c.hears(`"id":null,"error":{"code":-32600`)
	c.say(echoCall("5", "alone"))
	c.hears(`"id":5`, "alone")

	h := p.serveHTTP()
	_, _, header := h.post(t, helloMessage, func(*http.Request) {})
	in := func(r *http.Request) { r.Header.Set("Mcp-Session-Id", header.Get("Mcp-Session-Id")) }
	h.post(t, `{"jsonrpc":"2.0","method":"notifications/initialized"}`, in)
	done := make(chan string, 1)
	go func() { // ends with the answer
		for {
			if status, answer, _ := h.post(t, slow, in); status != http.StatusBadRequest { // it came while the other was under way
				done <- answer
				return
			}
		}
	}()
	for { // until the slow one is under way
		status, answer, _ := h.post(t, echoCall("3", "second"), in)
		if status == http.StatusBadRequest && strings.Contains(answer, `"id":3,"error":{"code":-32600`) {
			break
		} else if !strings.Contains(answer, "second") {
			t.Fatalf("%d %s", status, answer)
		}
	}
	if answer := <-done; !strings.Contains(answer, `"result"`) {
		t.Error(answer)
	}
	if _, answer, _ := h.post(t, echoCall("3", "free again"), in); !strings.Contains(answer, "free again") {
		t.Error(answer)
	}
}

// TestServeNeverRead: a client that asks and never reads stops itself, and neither another
// one nor the supervisor; when it goes, its gateway goes.
func TestServeNeverRead(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.write(p.userFile(), `{"mcpServers":{"echo":{"command":"echo-server"}}}`)
	c := p.rude().hello("2025-11-25")
	stuck := make(chan struct{})
	go func() { // ends when the gateway does
		defer close(stuck)
		text := strings.Repeat("x", 16<<10)
		for i := range 4000 { // more than pipes and buffers hold
			if _, err := io.WriteString(c.in, echoCall(fmt.Sprint(i), text)+"\n"); err != nil {
				return
			}
		}
	}()
	other := p.serveStdio("2025-11-25", "other")
	for i := range 20 {
		other.wants("another client", other.call("echo__echo", map[string]any{"text": fmt.Sprint(i)}), fmt.Sprint(i))
	}
	p.exits([]int{0}, "status")
	c.out.Close()
	c.in.Close()
	if err := c.ends(); err != nil && !strings.Contains(err.Error(), "exit status") && !strings.Contains(err.Error(), "signal: broken pipe") {
		t.Error(err)
	}
	<-stuck
	other.wants("another client", other.call("echo__echo", map[string]any{"text": "after"}), "after")
}

// TestServeLeftInTheMiddle: a client that goes in the middle of a line, of a call or at
// once leaves no process behind.
func TestServeLeftInTheMiddle(t *testing.T) {
	for name, leave := range map[string]func(c *rudeClient){
		"at once":           func(c *rudeClient) {},
		"before a greeting": func(c *rudeClient) { c.say(echoCall("1", "x")) },
		"in a line": func(c *rudeClient) {
			c.hello("2025-11-25")
			_, _ = io.WriteString(c.in, `{"jsonrpc":"2.0","id":1,"meth`)
		},
		"in a call": func(c *rudeClient) {
			c.hello("2025-11-25")
			c.say(`{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"echo__sleep","arguments":{"ms":60000}}}`)
		},
		"killed": func(c *rudeClient) {
			c.hello("2025-11-25")
			c.say(echoCall("1", "up"))
			c.hears("up")
			_ = c.cmd.Process.Signal(syscall.SIGKILL)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t)
			ends := filepath.Join(p.work, "ends")
			p.write(p.userFile(), `{"mcpServers":{"echo":{"command":"echo-server","args":["-mark-end","`+ends+`"]}}}`)
			c := p.rude()
			leave(c)
			c.in.Close()
			c.out.Close()
			if err := c.ends(); err != nil && name != "killed" && !strings.Contains(err.Error(), "signal: broken pipe") {
				t.Error(err)
			}
			if err := until(func() error { // its server goes with it, and newPlace finds what else is left
				var sessions struct{ Sessions []struct{ Session string } }
				p.decode(p.exits([]int{0}, "session", "list", "--json").out, &sessions)
				if len(sessions.Sessions) > 0 {
					return fmt.Errorf("%v", sessions)
				}
				return nil
			}); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestServeSupervisorKilledInACall: the call may have run and says so, and what is asked
// next finds a new supervisor.
func TestServeSupervisorKilledInACall(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	gate := filepath.Join(p.work, "gate")
	p.write(p.userFile(), `{"mcpServers":{"a":{"command":"echo-server"}}}`)
	s := p.serveHTTP()
	clients := map[string]*gatewayClient{"stdio": p.serveStdio("2025-11-25", "stdio"), "http": s.connect(t, "2025-11-25", "http"), "modern": s.connect(t, "2026-07-28", "modern")}
	failed := make(chan string, len(clients))
	for name, c := range clients {
		go func() {
			_, err := c.cs.CallTool(context.Background(), &mcp.CallToolParams{Name: "a__hold", Arguments: map[string]any{"path": gate + name}})
			failed <- fmt.Sprint(name, ": ", err)
		}()
		if err := until(func() error { _, err := os.Stat(gate + name + ".held"); return err }); err != nil {
			t.Fatal(err)
		}
	}
	kill(t, p.info("status").PID)
	for range clients {
		if err := <-failed; !strings.Contains(err, "CALL_OUTCOME_UNKNOWN") {
			t.Errorf("the call in flight: %s", err)
		}
	}
	for name, c := range clients {
		c.wants(name, c.call("a__echo", map[string]any{"text": name}), name)
	}
}

// TestServeHTTPSurvivesWhatIsNoMessage: a body that is no message is refused, and costs
// neither its sender nor another client anything.
func TestServeHTTPSurvivesWhatIsNoMessage(t *testing.T) {
	t.Parallel()
	p, s := echoing(t)
	c, modern := s.connect(t, "2025-11-25", "one"), s.connect(t, "2026-07-28", "two")
	for _, body := range []string{"", "garbage", `{"jsonrpc":`, "5", "null", "[]", "{}", "[" + echoCall("1", "x") + ",5]", strings.Repeat("[", 100_000), echoCall("1", strings.Repeat("a", 17<<20))} {
		for _, version := range []string{"", "2026-07-28"} {
			for _, session := range []string{"", c.cs.ID(), "no-such-session"} {
				status, answer, _ := s.post(t, body, func(r *http.Request) {
					r.Header.Set("Mcp-Session-Id", session)
					r.Header.Set("Mcp-Protocol-Version", version)
				})
				if status < 400 || status >= 500 {
					t.Errorf("%.20q %q %q: %d %.200s", body, version, session, status, answer)
				}
			}
		}
	}
	for _, c := range []*gatewayClient{c, modern} {
		c.wants("a call", c.call("echo__echo", map[string]any{"text": "still"}), "still")
	}
	p.exits([]int{0}, "status")
}
