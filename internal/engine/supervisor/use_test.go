package supervisor

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mcpctl/mcpctl/internal/engine/wire"
)

// stubs writes a user's file with servers: name to the flags of the stub.
func (p place) stubs(t *testing.T, servers map[string][]string) {
	t.Helper()
	entries := map[string]any{}
	for name, flags := range servers {
		entries[name] = map[string]any{"command": ownFile(), "args": append([]string{}, flags...), "env": map[string]string{asStub: "1"}, "timeout": "10s"}
	}
	p.entries(t, entries)
}

// entries writes a user's file.
func (p place) entries(t *testing.T, entries map[string]any) {
	t.Helper()
	data, err := json.Marshal(map[string]any{"mcpServers": entries})
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(p.places.ConfigHome, "mcp", "mcp.json")
	if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o700), os.WriteFile(file, data, 0o600)); err != nil {
		t.Fatal(err)
	}
}

// session is a client with the default session of a workspace of these servers.
func (p place) session(t *testing.T, servers map[string][]string) *Client {
	t.Helper()
	p.stubs(t, servers)
	p.serve(t, nil, nil)
	return p.join(t)
}

// join is another client of that session.
func (p place) join(t *testing.T) *Client {
	t.Helper()
	dir := filepath.Join(p.dir, "work")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	c := p.dial(t, false)
	if _, err := c.Open(t.Context(), p.open(dir)); err != nil {
		t.Fatal(err)
	}
	return c
}

// asks sends a request on the default session.
func asks[R any](t *testing.T, c *Client, method string, params any) (R, error) {
	t.Helper()
	var out R
	ctx, cancel := context.WithTimeout(t.Context(), testTimeout)
	defer cancel()
	err := c.Call(ctx, method, params, &out)
	return out, err
}

func must[R any](t *testing.T, c *Client, method string, params any) R {
	t.Helper()
	out, err := asks[R](t, c, method, params)
	if err != nil {
		t.Fatal(method, err)
	}
	return out
}

const inDefault = wire.DefaultSession

// TestResourcesAndPrompts over the socket, of several servers of which one is bad.
func TestResourcesAndPrompts(t *testing.T) {
	c := newPlace(t).session(t, map[string][]string{
		"docs": {"-resources", "stub://a,urn:x:y", "-templates", "stub://item/{id}", "-prompts", "greet", "-complete", "red,green"},
		"bad":  {"-exit", "3"}, "none": {}, "hangs": {"-resources", "stub://a", "-hang", "resources/list"},
		"half": {"-resources", "stub://b", "-hang", "resources/templates/list"},
	})
	resources := must[wire.Resources](t, c, wire.MethodListResources, wire.InServer{Session: inDefault, TimeoutMS: 2000})
	found := map[string]wire.ServerResources{}
	for _, sv := range resources.Servers {
		found[sv.Name] = sv
	}
	if d := found["docs"]; len(d.Resources) != 2 || len(d.Templates) != 1 || d.Error != nil || d.State != wire.Connected || !strings.Contains(string(d.Resources[1]), `"x-unknown":1.50`) {
		t.Errorf("docs: %+v", d)
	}
	if n := found["none"]; n.Error != nil || n.Resources == nil || len(n.Resources)+len(n.Templates) != 0 {
		t.Errorf("none: %+v", n)
	}
	if b := found["bad"]; b.Error == nil || b.Error.Word != wire.ConnectFailed {
		t.Errorf("bad: %+v", b)
	}
	if h := found["hangs"]; h.Error == nil || h.Error.Word != wire.Timeout {
		t.Errorf("hangs: %+v", h)
	}
	if h := found["half"]; h.Error != nil || len(h.Resources) != 1 || h.TemplatesError == nil || h.TemplatesError.Word != wire.Timeout {
		t.Errorf("half: %+v", h)
	}

	read := must[wire.ResourceResult](t, c, wire.MethodReadResource, wire.ReadResource{Session: inDefault, Server: "docs", URI: "urn:x:y"})
	if !strings.Contains(string(read.Result), `"text":"content of urn:x:y"`) || read.URI != "urn:x:y" || read.Server != "docs" {
		t.Errorf("%+v %s", read, read.Result)
	}
	_, err := asks[wire.ResourceResult](t, c, wire.MethodReadResource, wire.ReadResource{Session: inDefault, Server: "docs", URI: "urn:none"})
	wantCode(t, err, wire.NotFound)
	_, err = asks[wire.ResourceResult](t, c, wire.MethodReadResource, wire.ReadResource{Session: inDefault, Server: "nobody", URI: "urn:none"})
	wantCode(t, err, wire.NotFound)

	prompts := must[wire.Prompts](t, c, wire.MethodListPrompts, wire.InServer{Session: inDefault, Server: "docs"})
	if len(prompts.Servers) != 1 || len(prompts.Servers[0].Prompts) != 1 {
		t.Errorf("%+v", prompts)
	}
	get := wire.GetPrompt{Session: inDefault, Server: "docs", Prompt: "greet", Arguments: map[string]string{"name": "Ann"}}
	prompt := must[wire.PromptResult](t, c, wire.MethodGetPrompt, get)
	if !strings.Contains(string(prompt.Result), "Ann") {
		t.Errorf("%s", prompt.Result)
	}
	get.Arguments = nil
	_, err = asks[wire.PromptResult](t, c, wire.MethodGetPrompt, get)
	wantCode(t, err, wire.Usage)
	get.Prompt = "great"
	_, err = asks[wire.PromptResult](t, c, wire.MethodGetPrompt, get)
	if e := wantCode(t, err, wire.NotFound); !strings.Contains(e.Advice, "did you mean 'greet'?") {
		t.Error(e.Advice)
	}

	done := must[wire.Completions](t, c, wire.MethodComplete, wire.Complete{Session: inDefault, Server: "docs", Prompt: "greet", Argument: "style", Value: "g"})
	if len(done.Values) != 1 || done.Values[0] != "green" || done.Total == nil || *done.Total != 1 {
		t.Errorf("%+v", done)
	}
	_, err = asks[wire.Completions](t, c, wire.MethodComplete, wire.Complete{Session: inDefault, Server: "docs", Argument: "style"})
	wantCode(t, err, wire.Usage)
}

// TestReadingIsAskedAgain when the connection was lost, and only once.
func TestReadingIsAskedAgain(t *testing.T) {
	p := newPlace(t)
	record := filepath.Join(p.dir, "record")
	c := p.session(t, map[string][]string{"s": {"-resources", "stub://a", "-exit-on", "resources/read", "-record", record}})
	_, err := asks[wire.ResourceResult](t, c, wire.MethodReadResource, wire.ReadResource{Session: inDefault, Server: "s", URI: "stub://a"})
	wantCode(t, err, wire.ConnectFailed)
	sent, _ := os.ReadFile(record)
	if n := strings.Count(string(sent), "resources/read"); n != 2 {
		t.Errorf("sent %d times", n)
	}
}

// TestNothingIsListedAtConnect beside the tools (LC-01, B170).
func TestNothingIsListedAtConnect(t *testing.T) {
	p := newPlace(t)
	record := filepath.Join(p.dir, "record")
	c := p.session(t, map[string][]string{"s": {"-caps", "tools,resources,prompts", "-resources", "stub://a", "-hang", "resources/list,prompts/list", "-record", record}})
	tools := must[wire.Tools](t, c, wire.MethodListTools, wire.InServer{Session: inDefault, Server: "s"})
	if len(tools.Servers[0].Tools) != 1 {
		t.Errorf("%+v", tools)
	}
	if _, err := c.CallTool(t.Context(), wire.CallTool{Session: inDefault, Server: "s", Tool: "echo"}); err != nil {
		t.Error(err)
	}
	if sent, _ := os.ReadFile(record); strings.Contains(string(sent), "resources/") || strings.Contains(string(sent), "prompts/") {
		t.Errorf("%s", sent)
	}
}

// heard collects what a client hears.
type heard struct {
	mu   sync.Mutex
	news []wire.Progress
	over bool // the result is there
	late int
}

func (h *heard) take(p wire.Progress) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.news = append(h.news, p)
	if h.over {
		h.late++
	}
}

// TestProgress is told to who asked for it, a storm of it rarely, the last of it
// always and never behind the result (F5).
func TestProgress(t *testing.T) {
	p := newPlace(t)
	c := p.session(t, map[string][]string{"s": {"-progress", "3000"}})
	other := p.join(t)
	for range 3 {
		h := &heard{}
		stop := c.OnProgress("p1", h.take)
		other.OnProgress("p1", func(wire.Progress) { t.Error("another client is told") })
		_, err := c.CallTool(t.Context(), wire.CallTool{Session: inDefault, Server: "s", Tool: "echo", ProgressToken: "p1"})
		h.mu.Lock()
		h.over = true
		if n := len(h.news); err != nil || n == 0 || n > 200 || h.news[n-1].Progress != 3000 || *h.news[n-1].Total != 3000 ||
			h.news[n-1].Message != "step 3000" || h.news[n-1].Server != "s" {
			t.Errorf("%d of them, the last of %+v, %v", n, h.news, err)
		}
		for i := 1; i < len(h.news); i++ {
			if h.news[i].Progress <= h.news[i-1].Progress {
				t.Error("out of order")
			}
		}
		h.mu.Unlock()
		if _, err := c.CallTool(t.Context(), wire.CallTool{Session: inDefault, Server: "s", Tool: "echo"}); err != nil { // without a token nobody is told
			t.Error(err)
		}
		stop()
		if h.late > 0 {
			t.Errorf("%d came behind the result", h.late)
		}
	}
}

// TestCancelRequest ends a request of the same connection, and the server is told.
func TestCancelRequest(t *testing.T) {
	p := newPlace(t)
	record := filepath.Join(p.dir, "record")
	c := p.session(t, map[string][]string{"s": {"-hang", "tools/call", "-record", record}})
	ctx, cancel := context.WithCancel(t.Context())
	call := wire.CallTool{Session: inDefault, Server: "s", Tool: "echo"}
	failed := make(chan error, 1)
	go func() { _, err := c.CallTool(ctx, call); failed <- err }()
	contains(t, record, "tools/call")
	cancel()
	if err := <-failed; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	contains(t, record, "notifications/cancelled")

	// By hand, for the answer.
	l := c.current()
	first, err := l.conn.Send(t.Context(), wire.MethodCallTool, call)
	if err != nil {
		t.Fatal(err)
	}
	if err := p.join(t).current().conn.Cancel(t.Context(), first); err != nil { // another connection has no such request
		t.Fatal(err)
	}
	if err := l.conn.Cancel(t.Context(), first); err != nil {
		t.Fatal(err)
	}
	err = first.Wait(t.Context(), nil)
	if e := wantCode(t, err, wire.Interrupted); e.Exit != 130 {
		t.Error(e.Exit)
	}
	for _, id := range []string{`99`, `"x"`, `null`, `{}`, `-1`} { // nothing is meant, nothing happens
		if err := l.conn.Notify(t.Context(), wire.NotifyCancel, wire.Cancel{ID: json.RawMessage(id)}); err != nil {
			t.Fatal(err)
		}
	}
	if err := c.Call(t.Context(), wire.MethodStatus, wire.InSession{Session: inDefault}, nil); err != nil {
		t.Error(err)
	}
}

// contains waits for a text in a file that a server writes.
func contains(t *testing.T, file, text string) {
	t.Helper()
	deadline := time.Now().Add(testTimeout)
	for {
		data, _ := os.ReadFile(file)
		if strings.Contains(string(data), text) {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("never: %s in %s", text, data)
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// text is what the stub said.
func text(t *testing.T, result wire.CallResult) string {
	t.Helper()
	var r struct {
		Content []struct{ Text string }
	}
	if err := json.Unmarshal(result.Result, &r); err != nil || len(r.Content) != 1 {
		t.Fatalf("%s %v", result.Result, err)
	}
	return r.Content[0].Text
}

// TestElicitation reaches the caller that can answer, and no other.
func TestElicitation(t *testing.T) {
	schema := `{"type":"object","properties":{"name":{"type":"string"},"n":{"type":"integer","default":30},"x":{"type":"number","default":1.50},` +
		`"e":{"type":"string","enum":["a","b"],"default":"b"},"ok":{"type":"boolean","default":true},"s":{"type":"string","default":"<&>"},` +
		`"many":{"type":"array","items":{"type":"string","anyOf":[{"const":"a","title":"A"}]},"default":["a"]},"bad":{"type":"integer","default":"x"}},"required":["name","n"]}`
	p := newPlace(t)
	c := p.session(t, map[string][]string{
		"form": {"-elicit", "form", "-elicit-schema", schema}, "modern": {"-modern", "-elicit", "form", "-elicit-schema", schema},
		"url": {"-elicit", "url"}, "required": {"-elicit", "required"}, "evil": {"-elicit", "url", "-elicit-url", "javascript:alert(1)"},
	})
	const defaults = `"n":30,"x":1.50,"e":"b","ok":true,"s":"<&>","many":["a"]}`
	for _, try := range []struct {
		server string
		elicit bool
		reply  wire.ElicitReply
		want   string
	}{
		{"form", true, wire.ElicitReply{Action: "accept", Content: json.RawMessage(`{"name":"Bob","n":7}`)}, `{"action":"accept","content":{"name":"Bob","n":7,"x":1.50,"e":"b","ok":true,"s":"<&>","many":["a"]}}`},
		{"form", true, wire.ElicitReply{Action: "accept", Content: json.RawMessage(`{"name":"Bob"}`)}, `{"action":"accept","content":{"name":"Bob",` + defaults + `}`},
		{"form", true, wire.ElicitReply{Action: "accept"}, `{"action":"cancel"}`},
		{"form", true, wire.ElicitReply{Action: "accept", Content: json.RawMessage(`{"name":7}`)}, `{"action":"cancel"}`},
		{"form", true, wire.ElicitReply{Action: "decline"}, `{"action":"decline"}`},
		{"form", true, wire.ElicitReply{Action: "cancel"}, `{"action":"cancel"}`},
		{"form", false, wire.ElicitReply{Action: "accept"}, `{"action":"decline"}`},
		{"modern", true, wire.ElicitReply{Action: "accept", Content: json.RawMessage(`{"name":"Bob"}`)}, `{"q1":{"action":"accept","content":{"name":"Bob",` + defaults + `}}`},
		{"modern", false, wire.ElicitReply{Action: "accept"}, `{"q1":{"action":"decline"}}`},
		{"url", true, wire.ElicitReply{Action: "accept", Content: json.RawMessage(`{"a":1}`)}, `{"action":"accept"}`},
		{"evil", true, wire.ElicitReply{Action: "accept"}, `"the URL is not https"`},
		{"required", true, wire.ElicitReply{Action: "accept"}, `{}`},
	} {
		var asked []wire.Elicitation
		c.OnElicit(func(_ context.Context, q wire.Elicitation) wire.ElicitReply {
			asked = append(asked, q)
			return try.reply
		})
		got, err := c.CallTool(t.Context(), wire.CallTool{Session: inDefault, Server: try.server, Tool: "echo", Elicit: try.elicit})
		if err != nil || !strings.Contains(text(t, got), try.want) {
			t.Errorf("%+v: %s %v", try, got.Result, err)
		}
		if want := try.elicit && try.server != "evil"; (len(asked) == 1) != want {
			t.Errorf("%+v: asked %+v", try, asked)
			continue
		} else if !want {
			continue
		}
		q := asked[0]
		form := try.server == "form" || try.server == "modern"
		if q.Server != try.server || q.Message != "What is your name?" || form != (q.Mode == "form") || form && string(q.Schema) != schema ||
			!form && q.URL != "https://example.com/visit?id=1" {
			t.Errorf("%+v", q)
		}
	}
	c.OnElicit(nil)
	got, err := c.CallTool(t.Context(), wire.CallTool{Session: inDefault, Server: "form", Tool: "echo", Elicit: true})
	if err != nil || text(t, got) != `{"action":"decline"}` {
		t.Errorf("%s %v", got.Result, err)
	}
}

// TestElicitationIsAnsweredByItsOwner, once.
func TestElicitationIsAnsweredByItsOwner(t *testing.T) {
	p := newPlace(t)
	c := p.session(t, map[string][]string{"s": {"-elicit", "form"}})
	other := p.join(t)
	asked, release := make(chan wire.Elicitation, 1), make(chan struct{})
	c.OnElicit(func(_ context.Context, q wire.Elicitation) wire.ElicitReply {
		asked <- q
		<-release
		return wire.ElicitReply{Action: "accept", Content: json.RawMessage(`{"name":"owner"}`)}
	})
	done := make(chan string, 1)
	go func() {
		got, err := c.CallTool(t.Context(), wire.CallTool{Session: inDefault, Server: "s", Tool: "echo", Elicit: true})
		if err != nil {
			t.Error(err)
		}
		done <- string(got.Result)
	}()
	q := <-asked
	_, err := asks[struct{}](t, other, wire.MethodElicitReply, wire.ElicitReply{ID: q.ID, Action: "accept"})
	wantCode(t, err, wire.NotFound)
	for _, wrong := range []wire.ElicitReply{{ID: q.ID, Action: "yes"}, {ID: q.ID, Action: "accept", Content: json.RawMessage(`[]`)}} {
		_, err = asks[struct{}](t, c, wire.MethodElicitReply, wrong)
		wantCode(t, err, wire.Usage)
	}
	close(release)
	if got := <-done; !strings.Contains(got, "owner") {
		t.Error(got)
	}
	_, err = asks[struct{}](t, c, wire.MethodElicitReply, wire.ElicitReply{ID: q.ID, Action: "accept"})
	wantCode(t, err, wire.NotFound)
}

// TestElicitationEnds with its call, and with its client.
func TestElicitationEnds(t *testing.T) {
	p := newPlace(t)
	record := filepath.Join(p.dir, "record")
	first := p.session(t, map[string][]string{"s": {"-elicit", "form", "-record", record}})
	for name, end := range map[string]func(*Client, func()){
		"call":   func(_ *Client, cancel func()) { cancel() },
		"client": func(c *Client, _ func()) { c.Close() },
	} {
		_ = os.Remove(record)
		c := p.join(t)
		asked := make(chan bool, 1)
		c.OnElicit(func(ctx context.Context, _ wire.Elicitation) wire.ElicitReply {
			asked <- true
			<-ctx.Done()
			return wire.ElicitReply{Action: "accept"}
		})
		ctx, cancel := context.WithCancel(t.Context())
		failed := make(chan error, 1)
		go func() {
			_, err := c.CallTool(ctx, wire.CallTool{Session: inDefault, Server: "s", Tool: "echo", Elicit: true})
			failed <- err
		}()
		select {
		case <-asked:
		case err := <-failed:
			t.Fatal(name, "nobody is asked", err)
		}
		end(c, cancel)
		if err := <-failed; err == nil {
			t.Error(name, "no error")
		}
		cancel()
		c.Close()
		contains(t, record, `"action":"cancel"`)
	}
	got, err := first.CallTool(t.Context(), wire.CallTool{Session: inDefault, Server: "s", Tool: "echo"})
	if err != nil || text(t, got) != `{"action":"decline"}` {
		t.Errorf("%s %v", got.Result, err)
	}
}

// TestElicitationOfSeveralCalls: a pipe does not say which of them it belongs to,
// so nobody is asked.
func TestElicitationOfSeveralCalls(t *testing.T) {
	p := newPlace(t)
	record := filepath.Join(p.dir, "record")
	c := p.session(t, map[string][]string{"s": {"-elicit", "form", "-record", record, "-hang", "tools/call", "-elicit-on", "notifications/cancelled"}})
	c.OnElicit(func(context.Context, wire.Elicitation) wire.ElicitReply {
		t.Error("somebody is asked")
		return wire.ElicitReply{}
	})
	ctx, cancel := context.WithCancel(t.Context())
	var calls sync.WaitGroup
	call := wire.CallTool{Session: inDefault, Server: "s", Tool: "echo", Elicit: true}
	for range 2 {
		calls.Go(func() { _, _ = c.CallTool(ctx, call) })
	}
	one, stop := context.WithCancel(t.Context())
	calls.Go(func() { _, _ = c.CallTool(one, call) })
	deadline := time.Now().Add(testTimeout)
	for {
		sent, _ := os.ReadFile(record)
		if strings.Count(string(sent), `"tools/call"`) == 3 {
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("the calls were never sent")
		}
		time.Sleep(5 * time.Millisecond)
	}
	stop() // one is cancelled, then the server asks
	contains(t, record, `"action":"decline"`)
	c.OnElicit(nil) // of the two that are left one ends first
	cancel()
	calls.Wait()
	contains(t, filepath.Join(p.places.State(), "mcp.log"), "2 calls are under way and it does not say which of them it belongs to")
}

// TestOU25ReadingWaits for a server that is still connecting.
func TestOU25ReadingWaits(t *testing.T) {
	c := newPlace(t).session(t, map[string][]string{"s": {"-sleep", "1s", "-resources", "stub://a"}})
	read := must[wire.ResourceResult](t, c, wire.MethodReadResource, wire.ReadResource{Session: inDefault, Server: "s", URI: "stub://a"})
	if !strings.Contains(string(read.Result), "content of stub://a") {
		t.Errorf("%s", read.Result)
	}
	_, err := asks[wire.ResourceResult](t, newPlace(t).session(t, map[string][]string{"s": {"-sleep", "1m", "-resources", "stub://a"}}),
		wire.MethodReadResource, wire.ReadResource{Session: inDefault, Server: "s", URI: "stub://a", TimeoutMS: 100})
	wantCode(t, err, wire.Timeout)
}

// TestHT25HandshakeIsTriedAgain when it took too long the first time.
func TestHT25HandshakeIsTriedAgain(t *testing.T) {
	p := newPlace(t)
	p.entries(t, map[string]any{"s": map[string]any{"command": "sh", "timeout": "1s", "env": map[string]string{asStub: "1"},
		"args": []string{"-c", `if [ -e "$1" ]; then exec "$0"; fi; touch "$1"; exec sleep 600`, ownFile(), filepath.Join(p.dir, "second")}}})
	p.serve(t, nil, nil)
	c := p.join(t)
	deadline := time.Now().Add(testTimeout)
	for {
		st := must[wire.Status](t, c, wire.MethodStatus, wire.InSession{Session: inDefault})
		if len(st.Servers) == 1 && st.Servers[0].State == wire.Connected {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("%+v", st)
		}
		time.Sleep(20 * time.Millisecond)
	}
}
