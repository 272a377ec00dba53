package supervisor

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpctl/mcpctl/internal/engine/wire"
)

// owner is a client with a session of its own, and what it was told.
type owner struct {
	*Client
	session string
	mu      sync.Mutex
	heard   []told
	news    chan struct{}
}

type told struct {
	method string
	params json.RawMessage
}

// owner opens a session of its own in the test's workspace.
func (p place) owner(t *testing.T, open wire.SessionOpen) *owner {
	t.Helper()
	dir := filepath.Join(p.dir, "work")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	open.ID, open.Workspace, open.Client, open.Env = "own", dir, "native", p.env
	own := &owner{news: make(chan struct{}, 1)}
	options := p.options(false)
	options.Notified = func(method string, params json.RawMessage) {
		own.mu.Lock()
		own.heard = append(own.heard, told{method, slices.Clone(params)})
		own.mu.Unlock()
		select {
		case own.news <- struct{}{}:
		default:
		}
	}
	c, err := Dial(t.Context(), options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	own.Client = c
	opened, err := c.Open(t.Context(), open)
	if err != nil {
		t.Fatal(err)
	}
	own.session = opened.Session
	return own
}

// all are the notifications of a method so far.
func (o *owner) all(method string) (out []string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, n := range o.heard {
		if n.method == method {
			out = append(out, string(n.params))
		}
	}
	return out
}

// await waits for a notification that has want in it, behind those before.
func (o *owner) await(t *testing.T, method, want string) json.RawMessage {
	t.Helper()
	deadline := time.After(testTimeout)
	for {
		for _, params := range o.all(method) {
			if strings.Contains(params, want) {
				return json.RawMessage(params)
			}
		}
		select {
		case <-o.news:
		case <-deadline:
			t.Fatalf("no %s with %q: %q", method, want, o.all(method))
		}
	}
}

func (o *owner) forget() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.heard = nil
}

func (o *owner) call(t *testing.T, server string, call wire.CallTool) wire.CallResult {
	t.Helper()
	call.Session, call.Server, call.Tool = o.session, server, "echo"
	return must[wire.CallResult](t, o.Client, wire.MethodCallTool, call)
}

// answerSamples answers every mcp.sample with reply.
func (o *owner) answerSamples(t *testing.T, reply wire.SampleReply) {
	t.Helper()
	go func() { // ends with the test
		for done := 0; ; {
			for _, params := range o.all(wire.NotifySample)[done:] {
				done++
				var q wire.Sample
				if json.Unmarshal([]byte(params), &q) == nil {
					reply.ID = q.ID
					_ = o.Client.Call(t.Context(), wire.MethodSampleReply, reply, nil)
				}
			}
			select {
			case <-o.news:
			case <-t.Context().Done():
				return
			}
		}
	}()
}

var sampling = &wire.ClientCapabilities{Sampling: &wire.SamplingCapability{Tools: &wire.None{}}}

// TestSampling reaches the model of the client whose request caused it, in both eras,
// byte for byte, and no other.
func TestSampling(t *testing.T) {
	const ask = `{"messages":[{"role":"user","content":{"type":"text","text":"é"}}],"maxTokens":10,"x":1.50}`
	const answer = `{"role":"assistant","content":{"type":"text","text":"yes"},"model":"m","y":1.50}`
	p := newPlace(t)
	record := filepath.Join(p.dir, "record")
	flags := []string{"-ask", "sampling/createMessage", "-ask-params", ask}
	p.stubs(t, map[string][]string{
		"old": flags, "new": append([]string{"-modern"}, flags...),
		"other": append([]string{"-ask-on", "resources/read", "-resources", "stub://a", "-record", record}, flags...),
	})
	p.serve(t, nil, nil)
	for name, reply := range map[string]wire.SampleReply{
		"result": {Result: json.RawMessage(answer)},
		"error":  {Error: &wire.RPCError{Code: wire.CodeRejected, Message: "the user said no", Data: json.RawMessage(`{"z":1.50}`)}},
	} {
		t.Run(name, func(t *testing.T) {
			c := p.owner(t, wire.SessionOpen{Capabilities: sampling})
			c.answerSamples(t, reply)
			want := answer
			if reply.Error != nil {
				want = `{"code":-1,"message":"the user said no","data":{"z":1.50}}`
			}
			if got := text(t, c.call(t, "old", wire.CallTool{Sample: true, ProgressToken: "t1"})); got != want {
				t.Errorf("%s, want %s", got, want)
			}
			var q wire.Sample
			if err := json.Unmarshal(c.await(t, wire.NotifySample, "old"), &q); err != nil || string(q.Params) != ask || q.Token != "t1" {
				t.Errorf("%+v %v", q, err)
			}
			result, err := asks[wire.CallResult](t, c.Client, wire.MethodCallTool, wire.CallTool{Session: c.session, Server: "new", Tool: "echo", Sample: true})
			if reply.Error != nil {
				wantCode(t, err, wire.ToolError)
			} else if err != nil || text(t, result) != `{"q2":`+answer+`}` {
				t.Errorf("%s %v", result.Result, err)
			}
			must[wire.ResourceResult](t, c.Client, wire.MethodReadResource, wire.ReadResource{Session: c.session, Server: "other", URI: "stub://a", Sample: true})
			if data, _ := os.ReadFile(record); !strings.Contains(string(data), `"id":"ask-1"`) || !strings.Contains(string(data), strings.TrimPrefix(want, "{")) {
				t.Errorf("%s", data)
			}
			_ = os.Remove(record)
		})
	}
	t.Run("unasked", func(t *testing.T) { // a request that does not say so is not asked
		c := p.owner(t, wire.SessionOpen{Capabilities: sampling})
		if got := text(t, c.call(t, "old", wire.CallTool{})); !strings.Contains(got, "the caller cannot be asked") || len(c.all(wire.NotifySample)) > 0 {
			t.Error(got)
		}
	})
	t.Run("default", func(t *testing.T) { // and the default session does not offer it
		c := p.join(t)
		got, err := c.CallTool(t.Context(), wire.CallTool{Session: inDefault, Server: "old", Tool: "echo", Sample: true})
		if err != nil || !strings.Contains(text(t, got), "-32601") {
			t.Errorf("%s %v", got.Result, err)
		}
	})
}

// TestSamplingEnds with the call, and its client is told; a reply is taken once, from
// the one who was asked, and has one of two.
func TestSamplingEnds(t *testing.T) {
	p := newPlace(t)
	// The server keeps its answer: one that has come is told, cancelled or not.
	p.stubs(t, map[string][]string{"s": {"-ask", "sampling/createMessage", "-gather", "2"}})
	p.serve(t, nil, nil)
	c, other := p.owner(t, wire.SessionOpen{Capabilities: sampling}), p.owner(t, wire.SessionOpen{Capabilities: sampling})
	pending, err := c.Client.current().conn.Send(t.Context(), wire.MethodCallTool, wire.CallTool{Session: c.session, Server: "s", Tool: "echo", Sample: true})
	if err != nil {
		t.Fatal(err)
	}
	var q wire.Sample
	if err := json.Unmarshal(c.await(t, wire.NotifySample, ""), &q); err != nil {
		t.Fatal(err)
	}
	reply := wire.SampleReply{ID: q.ID, Result: json.RawMessage("{}")}
	_, err = asks[wire.None](t, other.Client, wire.MethodSampleReply, reply)
	wantCode(t, err, wire.NotFound)
	_, err = asks[wire.None](t, c.Client, wire.MethodElicitReply, wire.ElicitReply{ID: q.ID, Action: "accept"})
	wantCode(t, err, wire.NotFound)
	for _, wrong := range []wire.SampleReply{{ID: q.ID}, {ID: q.ID, Result: json.RawMessage("[]")}, {ID: q.ID, Result: json.RawMessage("{}"), Error: &wire.RPCError{}}} {
		_, err = asks[wire.None](t, c.Client, wire.MethodSampleReply, wrong)
		wantCode(t, err, wire.Usage)
	}
	if err := c.Client.current().conn.Cancel(t.Context(), pending); err != nil {
		t.Fatal(err)
	}
	wantCode(t, pending.Wait(t.Context(), nil), wire.Interrupted)
	c.await(t, wire.NotifyOver, q.ID)
	_, err = asks[wire.None](t, c.Client, wire.MethodSampleReply, reply)
	wantCode(t, err, wire.NotFound)
}

// TestSamplingOfOneOfSeveral: where two calls are under way and it cannot be told whose
// question it is, nobody is asked.
func TestSamplingOfOneOfSeveral(t *testing.T) {
	p := newPlace(t)
	read := filepath.Join(t.TempDir(), "read")
	p.stubs(t, map[string][]string{"s": {"-ask", "sampling/createMessage", "-ask-on", "prompts/list", "-prompts", "a", "-gather", "3", "-record", read}})
	p.serve(t, nil, nil)
	c := p.owner(t, wire.SessionOpen{Capabilities: sampling})
	var calls sync.WaitGroup
	for range 2 {
		calls.Go(func() {
			_, _ = asks[wire.CallResult](t, c.Client, wire.MethodCallTool, wire.CallTool{Session: c.session, Server: "s", Tool: "echo", Sample: true})
		})
	}
	eventually(t, "two calls are under way", func() bool {
		lines, _ := os.ReadFile(read)
		return bytes.Count(lines, []byte(`"tools/call"`)) == 2
	})
	// The third lets the two go on; before it the server asks, and is told no.
	must[wire.Prompts](t, c.Client, wire.MethodListPrompts, wire.InServer{Session: c.session, Server: "s"})
	c.call(t, "s", wire.CallTool{})
	calls.Wait()
	if asked := c.all(wire.NotifySample); len(asked) > 0 {
		t.Errorf("%q", asked)
	}
}

// TestRounds: what a server asks in one answer is put to the client at the same time, its
// roots among it, and nothing is put to one that does not say so.
func TestRounds(t *testing.T) {
	const roots = `{"roots":[{"uri":"file:///client","x":1.50}]}`
	p := newPlace(t)
	p.stubs(t, map[string][]string{"s": {"-modern", "-ask", "sampling/createMessage", "-embed", "roots/list"}})
	p.serve(t, nil, nil)
	c := p.owner(t, wire.SessionOpen{Capabilities: &wire.ClientCapabilities{Sampling: &wire.SamplingCapability{}, Roots: &wire.RootsCapability{}}})
	for name, reply := range map[string]wire.RootsReply{"result": {Result: json.RawMessage(roots)}, "error": {Error: &wire.RPCError{Code: -1, Message: "none of your business"}}} {
		c.forget()
		pending, err := c.Client.current().conn.Send(t.Context(), wire.MethodCallTool,
			wire.CallTool{Session: c.session, Server: "s", Tool: "echo", ProgressToken: "t1", Sample: true, Roots: true, Together: true})
		if err != nil {
			t.Fatal(err)
		}
		var q wire.RootsQuestion
		var s wire.Sample
		if err := errors.Join(json.Unmarshal(c.await(t, wire.NotifyRoots, "q0"), &q), json.Unmarshal(c.await(t, wire.NotifySample, "q2"), &s)); err != nil {
			t.Fatal(err)
		}
		if q.Server != "s" || q.Token != "t1" || q.Input != (wire.Input{Key: "q0", Together: 2}) || s.Input != (wire.Input{Key: "q2", Together: 2}) {
			t.Errorf("%+v %+v", q, s)
		}
		// A reply of another kind is none, and neither is one with both, or neither.
		for _, wrong := range []struct {
			method string
			params any
			code   wire.Code
		}{
			{wire.MethodSampleReply, wire.SampleReply{ID: q.ID, Result: json.RawMessage(roots)}, wire.NotFound},
			{wire.MethodRootsReply, wire.RootsReply{ID: s.ID, Result: json.RawMessage(roots)}, wire.NotFound},
			{wire.MethodRootsReply, wire.RootsReply{ID: q.ID}, wire.Usage},
			{wire.MethodRootsReply, wire.RootsReply{ID: q.ID, Result: json.RawMessage(`[]`)}, wire.Usage},
		} {
			wantCode(t, c.Client.Call(t.Context(), wrong.method, wrong.params, nil), wrong.code)
		}
		reply.ID = q.ID
		must[wire.None](t, c.Client, wire.MethodRootsReply, reply)
		if reply.Error == nil {
			must[wire.None](t, c.Client, wire.MethodSampleReply, wire.SampleReply{ID: s.ID, Result: json.RawMessage(`{"role":"assistant"}`)})
		} else {
			c.await(t, wire.NotifyOver, s.ID)
		}
		var result wire.CallResult
		switch err := pending.Wait(t.Context(), &result); {
		case reply.Error != nil:
			wantCode(t, err, wire.ToolError)
		case err != nil || text(t, result) != `{"q0":`+roots+`,"q2":{"role":"assistant"}}`:
			t.Errorf("%s: %s %v", name, result.Result, err)
		}
	}
	c.forget()
	c.answerSamples(t, wire.SampleReply{Result: json.RawMessage(`{"role":"assistant"}`)})
	got := text(t, c.call(t, "s", wire.CallTool{Sample: true}))
	if !strings.Contains(got, filepath.Join(p.dir, "work")) || len(c.all(wire.NotifyRoots)) > 0 || strings.Contains(c.all(wire.NotifySample)[0], "together") {
		t.Errorf("%s %q", got, c.all(wire.NotifySample))
	}
}

// TestEraOfTheOwner: a server of both eras is spoken to in the one of the owner's client.
func TestEraOfTheOwner(t *testing.T) {
	p := newPlace(t)
	p.stubs(t, map[string][]string{"s": {"-modern"}})
	p.serve(t, nil, nil)
	for version, want := range map[string]string{"": "2026-07-28", "2026-07-28": "2026-07-28", "2025-06-18": "2025-11-25"} {
		c := p.owner(t, wire.SessionOpen{ProtocolVersion: version})
		about := must[wire.Descriptions](t, c.Client, wire.MethodDescribe, wire.InServer{Session: c.session, Server: "s"})
		if got := about.Servers[0].ProtocolVersion; got != want {
			t.Errorf("%q: %s, want %s", version, got, want)
		}
	}
}

// TestCapabilities: servers are told what the owner of the session can do, and nothing
// else; what he cannot do is refused.
func TestCapabilities(t *testing.T) {
	p := newPlace(t)
	record := filepath.Join(p.dir, "record")
	p.stubs(t, map[string][]string{"s": {"-record", record, "-elicit", "url"}})
	p.serve(t, nil, nil)
	yes := &wire.None{}
	for _, tt := range []struct {
		able *wire.ClientCapabilities
		want string
	}{
		{nil, `{"elicitation":{"form":{},"url":{}},"roots":{}}`},
		{&wire.ClientCapabilities{}, `{}`},
		{&wire.ClientCapabilities{Elicitation: &wire.ElicitationCapability{}}, `{"elicitation":{"form":{}}}`},
		{&wire.ClientCapabilities{Elicitation: &wire.ElicitationCapability{URL: yes}, Roots: &wire.RootsCapability{}}, `{"elicitation":{"url":{}},"roots":{}}`},
		{&wire.ClientCapabilities{Sampling: &wire.SamplingCapability{Context: yes}, Roots: &wire.RootsCapability{ListChanged: true}},
			`{"roots":{"listChanged":true},"sampling":{"context":{}}}`},
	} {
		_ = os.Remove(record)
		c := p.owner(t, wire.SessionOpen{Capabilities: tt.able})
		got := text(t, c.call(t, "s", wire.CallTool{Elicit: true}))
		var hello struct {
			Params struct{ Capabilities map[string]any }
		}
		data, _ := os.ReadFile(record)
		for line := range strings.Lines(string(data)) {
			if strings.Contains(line, `"initialize"`) {
				_ = json.Unmarshal([]byte(line), &hello)
			}
		}
		if told, _ := json.Marshal(hello.Params.Capabilities); string(told) != tt.want {
			t.Errorf("%s, want %s", told, tt.want)
		}
		switch e := tt.able; {
		case e == nil || e.Elicitation != nil && e.Elicitation.URL != nil:
			if len(c.all(wire.NotifyElicit)) != 1 {
				t.Error(got)
			}
		case e.Elicitation != nil:
			if !strings.Contains(got, "-32602") {
				t.Error(got)
			}
		default:
			if !strings.Contains(got, "-32601") {
				t.Error(got)
			}
		}
		c.Close()
	}
}

// TestServersOfASession: one of its own has those it names, and knows of no others.
func TestServersOfASession(t *testing.T) {
	p := newPlace(t)
	p.stubs(t, map[string][]string{"a": nil, "db-1": nil, "db-2": nil, "z": nil})
	p.serve(t, nil, nil)
	c := p.owner(t, wire.SessionOpen{Servers: []string{"a", "db-*"}, Exclude: []string{"*-2"}})
	want := []string{"a", "db-1"}
	var got [5][]string
	for _, sv := range must[wire.Tools](t, c.Client, wire.MethodListTools, wire.InServer{Session: c.session}).Servers {
		got[0] = append(got[0], sv.Name)
	}
	for i, all := range []bool{false, true} {
		for _, sv := range must[wire.List](t, c.Client, wire.MethodList, wire.ListServers{Session: c.session, All: all}).Servers {
			got[1+i] = append(got[1+i], sv.Name)
		}
	}
	for _, sv := range must[wire.Status](t, c.Client, wire.MethodStatus, wire.InSession{Session: c.session}).Servers {
		got[3] = append(got[3], sv.Name)
	}
	for _, sv := range must[wire.Descriptions](t, c.Client, wire.MethodDescribe, wire.InServer{Session: c.session}).Servers {
		got[4] = append(got[4], sv.Name)
	}
	for i, names := range got {
		if !slices.Equal(names, want) {
			t.Errorf("%d: %q", i, names)
		}
	}
	for method, params := range map[string]any{
		wire.MethodCallTool:    wire.CallTool{Session: c.session, Server: "z", Tool: "echo"},
		wire.MethodSubscribe:   wire.Resource{Session: c.session, Server: "db-2", URI: "x:y"},
		wire.MethodSetLogLevel: wire.SetLogLevel{Session: c.session, Server: "z", Level: "info"},
		wire.MethodReconnect:   wire.InServer{Session: c.session, Server: "z"},
	} {
		_, err := asks[wire.None](t, c.Client, method, params)
		wantCode(t, err, wire.NotFound)
	}
	// A server that the session itself registers is meant.
	must[wire.None](t, c.Client, wire.MethodRegister, wire.Register{Session: c.session, Name: "z", Entry: json.RawMessage(
		fmt.Sprintf(`{"command":%q,"env":{%q:"1"}}`, ownFile(), asStub))})
	c.call(t, "z", wire.CallTool{})
}

// TestOwnSessionsOnly: the default session is not changed by who uses it.
func TestOwnSessionsOnly(t *testing.T) {
	p := newPlace(t)
	c := p.session(t, map[string][]string{"s": nil})
	dir := filepath.Join(p.dir, "work")
	for _, change := range []func(*wire.SessionOpen){
		func(o *wire.SessionOpen) { o.Servers = []string{"a"} },
		func(o *wire.SessionOpen) { o.Exclude = []string{"a"} },
		func(o *wire.SessionOpen) { o.Roots = []wire.Root{} },
		func(o *wire.SessionOpen) { o.Capabilities = &wire.ClientCapabilities{} },
		func(o *wire.SessionOpen) { o.ID, o.Roots = "own", []wire.Root{{URI: "/no/uri"}} },
	} {
		open := p.open(dir)
		change(&open)
		_, err := p.dial(t, false).Open(t.Context(), open)
		wantCode(t, err, wire.Usage)
	}
	_, err := asks[wire.None](t, c, wire.MethodSetRoots, wire.SetRoots{Session: inDefault, Roots: []wire.Root{}})
	wantCode(t, err, wire.Usage)
	_, err = asks[wire.None](t, c, wire.MethodSetLogLevel, wire.SetLogLevel{Session: inDefault, Level: "loud"})
	wantCode(t, err, wire.Usage)
}

// TestSessionRoots take the place of the workspace; servers that were told they may
// change are told when they do.
func TestSessionRoots(t *testing.T) {
	p := newPlace(t)
	record := filepath.Join(p.dir, "record")
	named := t.TempDir()
	p.stubs(t, map[string][]string{
		"s":     {"-ask", "roots/list", "-record", record},
		"new":   {"-ask", "roots/list", "-modern"},
		"named": {"-ask", "roots/list", "-record", record + "-named", named},
	})
	p.serve(t, nil, nil)
	roots := func(c *owner, server string) string { return text(t, c.call(t, server, wire.CallTool{})) }
	notices := func(file string) int {
		data, _ := os.ReadFile(file)
		return strings.Count(string(data), "notifications/roots/list_changed")
	}
	first, second := []wire.Root{{URI: "file:///a%20b", Name: "a b"}, {URI: "file:///c"}}, []wire.Root{{URI: "file:///d"}}
	c := p.owner(t, wire.SessionOpen{Roots: first, Capabilities: &wire.ClientCapabilities{Roots: &wire.RootsCapability{ListChanged: true}}})
	const wantFirst, wantSecond = `{"roots":[{"name":"a b","uri":"file:///a%20b"},{"uri":"file:///c"}]}`, `{"roots":[{"uri":"file:///d"}]}`
	if a, b := roots(c, "s"), roots(c, "new"); a != wantFirst || b != `{"q2":`+wantFirst+`}` {
		t.Error(a, b)
	}
	must[wire.None](t, c.Client, wire.MethodSetRoots, wire.SetRoots{Session: c.session, Roots: second})
	if a, b := roots(c, "s"), roots(c, "new"); a != wantSecond || b != `{"q2":`+wantSecond+`}` {
		t.Error(a, b)
	}
	if n := notices(record); n != 1 {
		t.Errorf("%d notices", n)
	}
	must[wire.None](t, c.Client, wire.MethodSetRoots, wire.SetRoots{Session: c.session, Roots: second})
	must[wire.None](t, c.Client, wire.MethodReconnect, wire.InServer{Session: c.session, Server: "s"})
	if a := roots(c, "s"); a != wantSecond || notices(record) != 1 {
		t.Error(a, notices(record))
	}
	// What the user wrote into the entry stays.
	if a := roots(c, "named"); !strings.Contains(a, filepath.Base(named)) || notices(record+"-named") != 0 {
		t.Error(a)
	}
	none := p.owner(t, wire.SessionOpen{Roots: []wire.Root{}})
	if a := roots(none, "s"); a != `{"roots":[]}` {
		t.Error(a)
	}
}

// TestSubscriptions tell their own client, in both eras, go on over the next connection
// of the server, and end.
func TestSubscriptions(t *testing.T) {
	p := newPlace(t)
	flags := []string{"-subscribe", "-resources", "stub://a,stub://b"}
	p.stubs(t, map[string][]string{"old": flags, "new": append([]string{"-modern"}, flags...), "none": {"-resources", "stub://a"}})
	p.serve(t, nil, nil)
	c, other := p.owner(t, wire.SessionOpen{}), p.owner(t, wire.SessionOpen{})
	for _, server := range []string{"old", "new"} {
		at := wire.Resource{Session: c.session, Server: server, URI: "stub://a"}
		want := fmt.Sprintf(`{"session":%q,"server":%q,"uri":"stub://a"}`, c.session, server)
		must[wire.None](t, c.Client, wire.MethodSubscribe, at)
		must[wire.None](t, c.Client, wire.MethodSubscribe, at) // once more is the same
		c.call(t, server, wire.CallTool{})
		c.await(t, wire.NotifyResourceUpdated, want)
		c.forget()
		must[wire.None](t, c.Client, wire.MethodReconnect, wire.InServer{Session: c.session, Server: server})
		c.await(t, wire.NotifyResourceUpdated, want) // something may have been missed
		c.forget()
		c.call(t, server, wire.CallTool{})
		c.await(t, wire.NotifyResourceUpdated, want)
		must[wire.None](t, c.Client, wire.MethodUnsubscribe, at)
		must[wire.None](t, c.Client, wire.MethodUnsubscribe, at)
		c.call(t, server, wire.CallTool{})
		c.forget()
		c.call(t, server, wire.CallTool{})
		if got := c.all(wire.NotifyResourceUpdated); len(got) > 0 {
			t.Errorf("%s: %q", server, got)
		}
	}
	if got := other.all(wire.NotifyResourceUpdated); len(got) > 0 {
		t.Errorf("%q", got)
	}
	_, err := asks[wire.None](t, c.Client, wire.MethodSubscribe, wire.Resource{Session: c.session, Server: "none", URI: "stub://a"})
	wantCode(t, err, wire.NotFound)
	_, err = asks[wire.None](t, c.Client, wire.MethodSubscribe, wire.Resource{Session: c.session, Server: "old", URI: "stub://missing"})
	wantCode(t, err, wire.NotFound)
	_, err = asks[wire.None](t, c.Client, wire.MethodSubscribe, wire.Resource{Session: c.session, Server: "old"})
	wantCode(t, err, wire.Usage)
}

// TestSubscriptionEndsWithItsClient, on a session that does not.
func TestSubscriptionEndsWithItsClient(t *testing.T) {
	p := newPlace(t)
	record := filepath.Join(p.dir, "record")
	first := p.session(t, map[string][]string{"s": {"-subscribe", "-resources", "stub://a", "-record", record}})
	at := wire.Resource{Session: inDefault, Server: "s", URI: "stub://a"}
	second := p.join(t)
	must[wire.None](t, first, wire.MethodSubscribe, at)
	must[wire.None](t, second, wire.MethodSubscribe, at)
	first.Close()
	<-first.Done()
	second.Close()
	waitFor(t, "the subscription is taken back", func() bool {
		data, _ := os.ReadFile(record)
		return strings.Count(string(data), `"resources/unsubscribe"`) == 1
	})
}

// alive tells whether a process is there.
func alive(pid int) bool { return syscall.Kill(pid, 0) == nil }

func waitFor(t *testing.T, what string, f func() bool) {
	t.Helper()
	for deadline := time.Now().Add(testTimeout); !f(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("never: " + what)
		}
	}
}

// TestListChanged reaches those who watch the session, for what a server says and for
// what the configuration does.
func TestListChanged(t *testing.T) {
	p := newPlace(t)
	grows := []string{"-grow-on-call", "-notify", "50"}
	changes := []string{"-changes", "prompts,resources", "-prompts", "a", "-resources", "stub://a", "-notify", "50"}
	p.stubs(t, map[string][]string{"grows": grows, "changes": changes})
	p.serve(t, nil, nil)
	c, deaf := p.owner(t, wire.SessionOpen{}), p.owner(t, wire.SessionOpen{})
	must[wire.Status](t, deaf.Client, wire.MethodWatch, wire.Watch{Session: deaf.session})
	must[wire.Status](t, c.Client, wire.MethodWatch, wire.Watch{Session: c.session, Lists: true})
	must[wire.Tools](t, c.Client, wire.MethodListTools, wire.InServer{Session: c.session})
	c.forget()
	c.call(t, "grows", wire.CallTool{})
	c.await(t, wire.NotifyListChanged, `"server":"grows","list":"tools"`)
	if n := len(must[wire.Tools](t, c.Client, wire.MethodListTools, wire.InServer{Session: c.session, Server: "grows"}).Servers[0].Tools); n != 2 {
		t.Errorf("%d tools", n) // the list is the new one when it is told
	}
	c.call(t, "changes", wire.CallTool{})
	c.await(t, wire.NotifyListChanged, `"server":"changes","list":"prompts"`)
	c.await(t, wire.NotifyListChanged, `"server":"changes","list":"resources"`)
	if n := len(c.all(wire.NotifyListChanged)); n > 12 {
		t.Errorf("%d notices", n)
	}
	c.forget()
	p.stubs(t, map[string][]string{"grows": grows, "more": nil})
	must[wire.Reloaded](t, c.Client, wire.MethodReload, wire.Reload{Session: c.session})
	for _, list := range []string{"tools", "prompts", "resources"} {
		c.await(t, wire.NotifyListChanged, `"server":"changes","list":"`+list+`"`)
		c.await(t, wire.NotifyListChanged, `"server":"more","list":"`+list+`"`)
	}
	if got := deaf.all(wire.NotifyListChanged); len(got) > 0 {
		t.Errorf("%q", got)
	}
}

// TestMessages: log messages come whole, masked, in order and before the result of the
// call; levels are told and stay.
func TestMessages(t *testing.T) {
	const each = 200
	p := newPlace(t)
	flags := []string{"-logs", fmt.Sprint(each), "-caps", "tools,logging"}
	p.stubs(t, map[string][]string{"old": flags, "new": append([]string{"-modern"}, flags...)})
	p.serve(t, nil, nil)
	c, deaf := p.owner(t, wire.SessionOpen{}), p.owner(t, wire.SessionOpen{})
	must[wire.Status](t, deaf.Client, wire.MethodWatch, wire.Watch{Session: deaf.session, Lists: true})
	must[wire.Status](t, c.Client, wire.MethodWatch, wire.Watch{Session: c.session})
	must[wire.Status](t, c.Client, wire.MethodWatch, wire.Watch{Session: c.session, Messages: true})
	must[wire.None](t, c.Client, wire.MethodSetLogLevel, wire.SetLogLevel{Session: c.session, Level: "debug"})
	for _, server := range []string{"old", "new"} {
		for _, level := range []string{"debug", "warning"} {
			want := []string{}
			for i := range each {
				if said := []string{"debug", "warning"}[i%2]; said == "warning" || level == "debug" {
					want = append(want, fmt.Sprintf(`{"session":%q,"server":%q,"params":{"data":{"n":%d,"x":1.50},"level":%q,"logger":"stub"}}`, c.session, server, i, said))
				}
			}
			must[wire.None](t, c.Client, wire.MethodSetLogLevel, wire.SetLogLevel{Session: c.session, Server: server, Level: level})
			for range 2 {
				c.forget()
				c.call(t, server, wire.CallTool{})
				if diff := cmp.Diff(want, c.all(wire.NotifyMessage)); diff != "" {
					t.Fatal(server, level, diff)
				}
				must[wire.None](t, c.Client, wire.MethodReconnect, wire.InServer{Session: c.session, Server: server})
			}
		}
	}
	if got := deaf.all(wire.NotifyMessage); len(got) > 0 {
		t.Errorf("%q", got)
	}
}

// TestMessagesAreMasked.
func TestMessagesAreMasked(t *testing.T) {
	const secret = "hunter2-secret-value-of-the-entry"
	p := newPlace(t)
	p.entries(t, map[string]any{"s": map[string]any{"command": ownFile(), "args": []string{"-log-text", "it is " + secret},
		"env": map[string]string{asStub: "1", "KEY": secret}, "lifecycle": "lazy"}})
	p.serve(t, nil, nil)
	c := p.owner(t, wire.SessionOpen{})
	must[wire.Status](t, c.Client, wire.MethodWatch, wire.Watch{Session: c.session, Messages: true})
	c.call(t, "s", wire.CallTool{})
	if got := string(c.await(t, wire.NotifyMessage, "it is")); strings.Contains(got, secret) {
		t.Error(got)
	}
}

// TestDescribe says what servers said of themselves, in their own bytes.
func TestDescribe(t *testing.T) {
	p := newPlace(t)
	c := p.session(t, map[string][]string{"old": {"-caps", "tools,logging"}, "new": {"-modern"}, "broken": {"-exit", "3"}})
	byName := map[string]wire.Description{}
	for _, d := range must[wire.Descriptions](t, c, wire.MethodDescribe, wire.InServer{Session: inDefault}).Servers {
		byName[d.Name] = d
	}
	for name, version := range map[string]string{"old": "2025-11-25", "new": "2026-07-28"} {
		d := byName[name]
		if string(d.Info) != `{"name":"stub","version":"1.0.0"}` || d.ProtocolVersion != version || d.State != wire.Connected || d.Error != nil {
			t.Errorf("%+v", d)
		}
	}
	if got := string(byName["old"].Capabilities); got != `{"logging":{},"tools":{}}` {
		t.Error(got)
	}
	if d := byName["broken"]; d.Error == nil || d.Error.Word != wire.ConnectFailed || string(d.Info) != "null" {
		t.Errorf("%+v", d)
	}
	_, err := asks[wire.Descriptions](t, c, wire.MethodDescribe, wire.InServer{Session: inDefault, Server: "broken"})
	wantCode(t, err, wire.ConnectFailed)
}

// TestMeta of a request is passed on, but for what is between the ends of a connection;
// progress of reading comes before the answer, as that of a call.
func TestMeta(t *testing.T) {
	p := newPlace(t)
	record := filepath.Join(p.dir, "record")
	p.stubs(t, map[string][]string{"s": {"-record", record, "-resources", "stub://a", "-prompts", "p"}})
	p.serve(t, nil, nil)
	c := p.owner(t, wire.SessionOpen{})
	meta := json.RawMessage(`{"traceparent":"00-1","n":12345678901234567890.10,"progressToken":"theirs","io.modelcontextprotocol/protocolVersion":"2030-01-01"}`)
	c.call(t, "s", wire.CallTool{Meta: meta})
	must[wire.ResourceResult](t, c.Client, wire.MethodReadResource, wire.ReadResource{Session: c.session, Server: "s", URI: "stub://a", Meta: meta})
	must[wire.PromptResult](t, c.Client, wire.MethodGetPrompt, wire.GetPrompt{Session: c.session, Server: "s", Prompt: "p", Arguments: map[string]string{"name": "x"}, Meta: meta})
	data, _ := os.ReadFile(record)
	for _, method := range []string{"tools/call", "resources/read", "prompts/get"} {
		i := strings.Index(string(data), `"`+method+`"`)
		line, _, _ := strings.Cut(string(data[max(i, 0):]), "\n")
		if !strings.Contains(line, `"traceparent":"00-1"`) || !strings.Contains(line, "12345678901234567890.10") ||
			strings.Contains(line, "theirs") || strings.Contains(line, "2030") || !strings.Contains(line, `"progressToken":"call-`) {
			t.Errorf("%s: %s", method, line)
		}
	}
	_, err := asks[wire.CallResult](t, c.Client, wire.MethodCallTool, wire.CallTool{Session: c.session, Server: "s", Tool: "echo", Meta: json.RawMessage(`[]`)})
	wantCode(t, err, wire.Usage)
}

// pids are the processes of a server in the sessions of clients.
func pids(t *testing.T, server string, clients ...*owner) (out []int) {
	t.Helper()
	for _, c := range clients {
		for _, sv := range must[wire.Status](t, c.Client, wire.MethodStatus, wire.InSession{Session: c.session}).Servers {
			if sv.Name == server {
				out = append(out, sv.PID)
			}
		}
	}
	return out
}

// TestShared: sessions have processes of their own, unless the entry says shared and the
// values come out the same; and end with their connections.
func TestShared(t *testing.T) {
	p := newPlace(t)
	record := filepath.Join(p.dir, "record")
	stub := func(shared bool, flags ...string) map[string]any {
		return map[string]any{"command": ownFile(), "args": append([]string{}, flags...), "env": map[string]string{asStub: "1", "V": "${V:-x}"}, "shared": shared}
	}
	p.entries(t, map[string]any{"own": stub(false), "shared": stub(true, "-grow-on-call", "-logs", "3", "-subscribe", "-resources", "stub://a", "-record", record)})
	p.serve(t, nil, nil)
	a, b := p.owner(t, wire.SessionOpen{}), p.owner(t, wire.SessionOpen{})
	other := p
	other.env = append(slices.Clone(p.env), "V=y")
	differs := other.owner(t, wire.SessionOpen{})
	for _, c := range []*owner{a, b, differs} {
		must[wire.Status](t, c.Client, wire.MethodWatch, wire.Watch{Session: c.session, Lists: true, Messages: true})
		must[wire.Tools](t, c.Client, wire.MethodListTools, wire.InServer{Session: c.session})
	}
	if got := pids(t, "own", a, b, differs); got[0] == 0 || got[0] == got[1] || got[1] == got[2] || got[0] == got[2] {
		t.Errorf("%v", got)
	}
	got := pids(t, "shared", a, b, differs)
	if got[0] == 0 || got[0] != got[1] || got[2] == 0 || got[1] == got[2] {
		t.Errorf("%v", got)
	}
	for _, c := range []*owner{a, b, differs} {
		c.forget()
	}
	a.call(t, "shared", wire.CallTool{})
	if n := len(a.all(wire.NotifyMessage)); n != 3 {
		t.Errorf("%d messages", n)
	}
	a.await(t, wire.NotifyListChanged, `"server":"shared","list":"tools"`)
	b.await(t, wire.NotifyListChanged, `"server":"shared","list":"tools"`)
	tools := must[wire.Tools](t, b.Client, wire.MethodListTools, wire.InServer{Session: b.session, Server: "shared"}).Servers[0].Tools
	if len(tools) != 2 || tools[1].Joined == "" {
		t.Errorf("%+v", tools)
	}
	if n := len(b.all(wire.NotifyMessage)) + len(differs.all(wire.NotifyMessage)) + len(differs.all(wire.NotifyListChanged)); n != 0 {
		t.Errorf("%d notices of another's call: %q %q %q", n, b.all(wire.NotifyMessage), differs.all(wire.NotifyMessage), differs.all(wire.NotifyListChanged))
	}
	// What the one subscribed to, over the connection of all, ends with him.
	must[wire.None](t, a.Client, wire.MethodSubscribe, wire.Resource{Session: a.session, Server: "shared", URI: "stub://a"})
	gone := pids(t, "own", a)[0]
	a.Close()
	waitFor(t, "the subscription is taken back", func() bool {
		data, _ := os.ReadFile(record)
		return strings.Count(string(data), `"resources/unsubscribe"`) == 1
	})
	waitFor(t, "its servers are gone", func() bool { return !alive(gone) })
	if now := pids(t, "shared", b); now[0] != got[0] || !alive(now[0]) {
		t.Errorf("%v", now)
	}
	b.call(t, "shared", wire.CallTool{})
}
