package supervisor

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/mcpctl/mcpctl/internal/engine/wire"
)

const helloLine = `{"jsonrpc":"2.0","id":1,"method":"supervisor.hello","params":{"client":{"name":"x","version":"1"},"protocol":{"min":1,"max":1}}}` + "\n"

// ask writes lines to a raw connection and returns the answers until it is
// closed or n have come.
func ask(t *testing.T, c io.ReadWriter, n int, lines ...string) (answers []string) {
	t.Helper()
	if _, err := io.WriteString(c, strings.Join(lines, "")); err != nil {
		t.Fatal(err)
	}
	r := bufio.NewReader(c)
	for range n {
		line, err := r.ReadString('\n')
		if err != nil {
			return answers
		}
		answers = append(answers, line)
	}
	return answers
}

func TestHelloIsRequired(t *testing.T) {
	p := newPlace(t)
	p.serve(t, nil, nil)
	got := ask(t, p.raw(t), 3, `{"jsonrpc":"2.0","id":1,"method":"supervisor.shutdown"}`+"\n", helloLine)
	if len(got) != 1 || !strings.Contains(got[0], "the first message has to be 'supervisor.hello'") {
		t.Errorf("%q", got)
	}
	got = ask(t, p.raw(t), 3, helloLine, helloLine, `{"jsonrpc":"2.0","id":3,"method":"mcp.nothing"}`+"\n")
	if len(got) != 3 || !strings.Contains(got[0], `"protocol":1`) || !strings.Contains(got[1], "was said already") || !strings.Contains(got[2], "-32601") {
		t.Errorf("%q", got)
	}
}

func TestNoCommonProtocol(t *testing.T) {
	p := newPlace(t)
	p.serve(t, nil, nil)
	newer := strings.Replace(helloLine, `"min":1,"max":1`, `"min":2,"max":3`, 1)
	got := ask(t, p.raw(t), 2, newer, `{"jsonrpc":"2.0","id":2,"method":"supervisor.info"}`+"\n")
	if len(got) != 2 {
		t.Fatalf("%q", got)
	}
	for _, line := range got {
		if !strings.Contains(line, `"code":"SUPERVISOR_PROTOCOL"`) || !strings.Contains(line, "the supervisor speaks protocol 1, the client 2 to 3") ||
			!strings.Contains(line, "mcpctl supervisor restart") {
			t.Error(line)
		}
	}
	if version, err := common(wire.ProtocolRange{Min: 1, Max: 9}); version != 1 || err != nil {
		t.Errorf("%d, %v", version, err)
	}
	if _, err := common(wire.ProtocolRange{Min: 0, Max: 0}); err == nil {
		t.Error("protocol 0 was accepted")
	}
}

// TestRudeClient: a line without an end, and lines that are no messages, cost
// their sender the connection and nobody else anything (B141).
func TestRudeClient(t *testing.T) {
	p := newPlace(t)
	p.serve(t, new(fakes).make, nil)
	polite := p.dial(t, false)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	rude := p.raw(t)
	chunk := []byte(strings.Repeat("x", 1<<20))
	sent := 0
	for ; sent < 300; sent++ {
		if _, err := rude.Write(chunk); err != nil {
			break
		}
	}
	if sent > 20 {
		t.Errorf("%d MiB were taken without a line end", sent)
	}
	runtime.ReadMemStats(&after)
	if grown := int64(after.HeapSys - before.HeapSys); grown > 100<<20 {
		t.Errorf("the heap has grown by %d MiB", grown>>20)
	}
	for _, bad := range []string{"{\n", "null\n", "[]\n", "[1]\n", `{"id":1}` + "\n", strings.Repeat("[", 1<<20) + "\n", "\xff\xfe\n", `{"jsonrpc":"2.0","id":{},"method":"x"}` + "\n"} {
		if got := ask(t, p.raw(t), 1, bad); len(got) != 0 {
			t.Errorf("%.20q was answered: %q", bad, got)
		}
		if got := ask(t, p.raw(t), 2, helloLine, bad); len(got) > 2 {
			t.Errorf("%.20q after hello: %q", bad, got)
		}
	}
	if _, err := Status(t.Context(), p.places); err != nil {
		t.Errorf("another client: %v", err)
	}
	if _, err := polite.Hello(t.Context()); err != nil {
		t.Errorf("a client from before: %v", err)
	}
}

// TestNoHello: who says nothing, or half of it, is cut off; who said it stays.
func TestNoHello(t *testing.T) {
	p := newPlace(t)
	p.serve(t, nil, func(s *server) { s.helloWait = 100 * time.Millisecond })
	polite := p.raw(t)
	if got := ask(t, polite, 1, helloLine); len(got) != 1 {
		t.Fatalf("%q", got)
	}
	for _, start := range []string{"", helloLine[:20]} {
		if got := ask(t, p.raw(t), 1, start); len(got) != 0 {
			t.Errorf("%q", got)
		}
	}
	if got := ask(t, polite, 1, helloLine); len(got) != 1 {
		t.Errorf("a client that said hello was cut off: %q", got)
	}
}

// TestFlood: idle connections do not keep a client out.
func TestFlood(t *testing.T) {
	p := newPlace(t)
	r := p.serve(t, nil, nil)
	for range maxConnections + 50 {
		p.raw(t)
	}
	start := time.Now()
	info, err := Status(t.Context(), p.places)
	if err != nil || time.Since(start) > time.Second {
		t.Errorf("%v after %s", err, time.Since(start))
	}
	if info.Clients > maxConnections {
		t.Errorf("%d clients", info.Clients)
	}
	r.s.mu.Lock()
	for _, c := range r.s.conns {
		c.greeted.Store(true)
	}
	r.s.mu.Unlock()
	eventually(t, "too many clients are turned away", func() bool {
		for range 10 {
			if _, err := p.dial(t, false).Hello(t.Context()); err != nil {
				return wire.FromError(err).Word == wire.SupervisorUnreachable
			}
		}
		return false
	})
}

func TestPanicsAreOneRequestsFailure(t *testing.T) {
	p := newPlace(t)
	p.serve(t, new(fakes).make, nil)
	c := p.dial(t, false)
	if _, err := c.Open(t.Context(), p.open(p.workspace(t, "a"))); err != nil {
		t.Fatal(err)
	}
	err := c.Call(t.Context(), wire.MethodListTools, wire.InServer{Session: wire.DefaultSession}, nil)
	if e := wantCode(t, err, wire.Failure); strings.Contains(e.Text, "went wrong") {
		t.Errorf("the panic was told to the client: %s", e.Text)
	}
	if _, err := c.CallTool(t.Context(), wire.CallTool{Session: wire.DefaultSession, Arguments: json.RawMessage(`1`)}); err != nil {
		t.Errorf("the same connection: %v", err)
	}
	if log := p.log(t); !strings.Contains(log, "listTools went wrong") || !strings.Contains(log, "goroutine ") {
		t.Errorf("not in the log:\n%s", log)
	}
}

// TestGoneClientCancelsItsCalls, and only its own.
func TestGoneClientCancelsItsCalls(t *testing.T) {
	p := newPlace(t)
	began, ended := make(chan string, 2), make(chan string, 2)
	f := &fakes{call: func(ctx context.Context, call wire.CallTool) (wire.CallResult, error) {
		began <- call.Tool
		<-ctx.Done()
		ended <- call.Tool
		return wire.CallResult{}, ctx.Err()
	}}
	r := p.serve(t, f.make, nil)
	open := p.open(p.workspace(t, "a"))
	a, b := p.dial(t, false), p.dial(t, false)
	result := make(chan error, 2)
	for tool, c := range map[string]*Client{"a": a, "b": b} {
		if err := c.SendOpen(t.Context(), open); err != nil {
			t.Fatal(err)
		}
		go func() { // ends with the call
			_, err := c.CallTool(t.Context(), wire.CallTool{Session: wire.DefaultSession, Tool: tool})
			result <- err
		}()
		<-began
	}
	a.Close()
	if got := <-ended; got != "a" {
		t.Errorf("%s was cancelled", got)
	}
	wantCode(t, <-result, wire.CallOutcomeUnknown)
	if n := len(f.all()); n != 1 {
		t.Errorf("%d sessions for one workspace", n)
	}
	r.cancel()
	if got := <-ended; got != "b" {
		t.Errorf("%s was cancelled", got)
	}
	wantCode(t, <-result, wire.CallOutcomeUnknown)
	r.stop(t)
	<-f.all()[0].closed
}
