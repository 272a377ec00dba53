package supervisor

import (
	"context"
	"encoding/json"
	"errors"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpctl/mcpctl/internal/engine/wire"
)

// TestDefaultSession is shared by the clients of a workspace, refreshed by each,
// and outlives them; one of another workspace, or of another configuration, is
// another.
func TestDefaultSession(t *testing.T) {
	p := newPlace(t)
	f := &fakes{}
	r := p.serve(t, f.make, nil)
	a, b := p.workspace(t, "a"), p.workspace(t, "b")
	elsewhere := p.open(a)
	elsewhere.Env = append(slices.Clone(elsewhere.Env), "MCPCTL_CONFIG_HOME="+filepath.Join(p.dir, "other"))
	for i, open := range []wire.SessionOpen{p.open(a), p.open(a), p.open(b), elsewhere, p.open(filepath.Join(a, "."))} {
		c := p.dial(t, false)
		got, err := c.Open(t.Context(), open)
		if err != nil {
			t.Fatal(err)
		}
		if want := (wire.SessionOpened{Session: "default", Workspace: filepath.Clean(open.Workspace), Epoch: r.s.epoch, Generation: 1}); got != want {
			t.Errorf("%d: %+v, want %+v", i, got, want)
		}
		c.Close()
	}
	var got []string
	for _, s := range f.all() {
		got = append(got, filepath.Base(s.o.Store.Workspace.Dir)+" "+filepath.Base(s.o.Store.Places.ConfigHome))
	}
	if diff := cmp.Diff([]string{"a config", "b config", "a other"}, got); diff != "" {
		t.Error(diff)
	}
	first := f.all()[0]
	if n := len(first.refresh); n != 2 {
		t.Errorf("refreshed %d times", n)
	}
	select {
	case <-first.closed:
		t.Error("it ended with its clients")
	default:
	}
	info, err := Status(t.Context(), p.places)
	if err != nil || len(info.Sessions) != 3 || info.Sessions[1] != (wire.SessionInfo{Session: "default", Workspace: b, Kind: wire.KindDefault}) {
		t.Errorf("%+v, %v", info, err)
	}
}

// TestSameSessionOpenedAtOnce is made once.
func TestSameSessionOpenedAtOnce(t *testing.T) {
	p := newPlace(t)
	f := &fakes{}
	p.serve(t, f.make, nil)
	dir := p.workspace(t, "a")
	var wg sync.WaitGroup
	for range 10 {
		c := p.dial(t, false)
		wg.Go(func() {
			if _, err := c.Open(t.Context(), p.open(dir)); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if n := len(f.all()); n != 1 {
		t.Errorf("%d sessions", n)
	}
}

// TestOwnSession belongs to the connection that opened it and ends with it.
func TestOwnSession(t *testing.T) {
	p := newPlace(t)
	f := &fakes{}
	p.serve(t, f.make, nil)
	a, b := p.dial(t, false), p.dial(t, false)
	open := p.open(p.workspace(t, "a"))
	open.ID = "editor"
	got, err := a.Open(t.Context(), open)
	if err != nil || got.Session == "editor" || len(got.Session) < 16 {
		t.Fatalf("%+v, %v", got, err)
	}
	var list wire.List
	if err := a.Call(t.Context(), wire.MethodList, wire.InSession{Session: got.Session}, &list); err != nil || !list.Supervisor.Running || list.Supervisor.PID != os.Getpid() {
		t.Errorf("%+v, %v", list, err)
	}
	for _, id := range []string{got.Session, "editor", "", wire.DefaultSession} {
		wantCode(t, b.Call(t.Context(), wire.MethodList, wire.InSession{Session: id}, &list), wire.NotFound)
		wantCode(t, b.Call(t.Context(), wire.MethodWatch, wire.InSession{Session: id}, nil), wire.NotFound)
	}
	wantCode(t, b.Call(t.Context(), wire.MethodList, nil, &list), wire.Usage)
	a.Close()
	<-f.all()[0].closed
	eventually(t, "the session is not listed", func() bool {
		info, err := Status(t.Context(), p.places)
		return err == nil && len(info.Sessions) == 0
	})
}

// TestOneRoundTrip: hello, session.open and a call are sent in one go, answered
// in order, and the call is in the session that was just opened.
func TestOneRoundTrip(t *testing.T) {
	p := newPlace(t)
	f := &fakes{}
	p.serve(t, f.make, nil)
	a, b := p.workspace(t, "a"), p.workspace(t, "b")
	open := func(dir string) string {
		params, _ := json.Marshal(p.open(dir))
		return `{"jsonrpc":"2.0","id":2,"method":"session.open","params":` + string(params) + "}\n"
	}
	const list = `{"jsonrpc":"2.0","id":3,"method":"mcp.list","params":{"session":"default"}}` + "\n"
	got := ask(t, p.raw(t), 5, helloLine, open(a), list, open(b), list)
	if len(got) != 5 || !strings.Contains(got[2], `"workspace":"`+a+`"`) || !strings.Contains(got[4], `"workspace":"`+b+`"`) {
		t.Errorf("%q", got)
	}
	// A call must not land in another session when its own did not open.
	got = ask(t, p.raw(t), 4, helloLine, open(a), open("/no/such/place"), list)
	if len(got) != 4 || !strings.Contains(got[2], `"error"`) || !strings.Contains(got[3], `"code":"MCP_NOT_FOUND"`) {
		t.Errorf("%q", got)
	}

	// Spelling of numbers and text, order and unknown keys go through unchanged.
	const awkward = `{"z":1.0,"a":123456789012345678901234567890,"html":"<b>&amp;</b>","kept":"\\\\u003c \u00e9 \"","":null}`
	c := p.dial(t, false)
	if err := c.SendOpen(t.Context(), p.open(a)); err != nil {
		t.Fatal(err)
	}
	result, err := c.CallTool(t.Context(), wire.CallTool{Session: wire.DefaultSession, Server: "s", Tool: "t", Arguments: json.RawMessage(awkward)})
	if err != nil || string(result.Result) != awkward {
		t.Errorf("%s, %v; want %s", result.Result, err, awkward)
	}
	bad := p.open("relative")
	if err := c.SendOpen(t.Context(), bad); err != nil {
		t.Fatal(err)
	}
	_, err = c.CallTool(t.Context(), wire.CallTool{Session: wire.DefaultSession})
	if e := wantCode(t, err, wire.Usage); !strings.Contains(e.Text, "'relative' is not an absolute path") {
		t.Error(e.Text)
	}
	_, err = c.CallTool(t.Context(), wire.CallTool{Session: wire.DefaultSession})
	wantCode(t, err, wire.NotFound)
	own := p.open(a)
	own.ID = "x"
	wantCode(t, c.SendOpen(t.Context(), own), wire.Usage)
}

// TestExisting looks for a session and neither makes nor refreshes one.
func TestExisting(t *testing.T) {
	p := newPlace(t)
	f := &fakes{}
	p.serve(t, f.make, nil)
	dir := p.workspace(t, "a")
	look := wire.SessionOpen{ID: wire.DefaultSession, Workspace: dir, Client: "native", Existing: true}
	c := p.dial(t, false)
	_, err := c.Open(t.Context(), look)
	wantCode(t, err, wire.NotFound)
	if _, err := p.dial(t, false).Open(t.Context(), p.open(dir)); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := c.SendOpen(t.Context(), look); err != nil {
			t.Fatal(err)
		}
		var st wire.Status
		if err := c.Call(t.Context(), wire.MethodStatus, wire.InSession{Session: wire.DefaultSession}, &st); err != nil || st.Workspace != dir {
			t.Errorf("%+v, %v", st, err)
		}
		look.Env = p.env
	}
	look.Env = append(slices.Clone(p.env), "MCPCTL_STATE_HOME="+p.dir)
	_, err = c.Open(t.Context(), look)
	wantCode(t, err, wire.NotFound)
	if s := f.all(); len(s) != 1 || len(s[0].refresh) != 0 {
		t.Errorf("%d sessions", len(s))
	}
}

// TestUnanswered: who reached a supervisor that was just leaving reaches the next
// one, with all that was sent.
func TestUnanswered(t *testing.T) {
	p := newPlace(t)
	f := &fakes{}
	socket := p.socket(t)
	if err := makeDir(filepath.Dir(socket)); err != nil {
		t.Fatal(err)
	}
	leaving, err := net.ListenUnix("unix", &net.UnixAddr{Name: socket})
	if err != nil {
		t.Fatal(err)
	}
	c := p.dial(t, true)
	if err := c.SendOpen(t.Context(), p.open(p.workspace(t, "a"))); err != nil {
		t.Fatal(err)
	}
	leaving.Close() // without having accepted
	p.serve(t, f.make, nil)
	var list wire.List
	if err := c.Call(t.Context(), wire.MethodList, wire.InSession{Session: wire.DefaultSession}, &list); err != nil || filepath.Base(list.Workspace) != "a" {
		t.Errorf("%+v, %v", list, err)
	}
	if hello, err := c.Hello(t.Context()); err != nil || hello.PID != os.Getpid() {
		t.Errorf("%+v, %v", hello, err)
	}
}

// TestSilence: a supervisor that accepts and closes is not retried by who would
// not start one, and says what may be the reason.
func TestSilence(t *testing.T) {
	p := newPlace(t)
	socket := p.socket(t)
	if err := makeDir(filepath.Dir(socket)); err != nil {
		t.Fatal(err)
	}
	ln, err := net.ListenUnix("unix", &net.UnixAddr{Name: socket})
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	p.lock(t)
	go func() { // ends with ln
		for {
			c, err := ln.Accept()
			if err != nil {
				return
			}
			c.Close()
		}
	}()
	_, err = p.dial(t, false).Hello(t.Context())
	if e := wantCode(t, err, wire.SupervisorUnreachable); !strings.Contains(e.Advice, "its own servers") {
		t.Error(e.Advice)
	}
	_, err = Status(t.Context(), p.places)
	wantCode(t, err, wire.SupervisorUnreachable)
}

// TestWatch: the present status at once, then newer ones, until somebody ends it.
func TestWatch(t *testing.T) {
	p := newPlace(t)
	r := p.serve(t, nil, nil)
	dir := p.workspace(t, "a")
	c := p.dial(t, false)
	if err := c.SendOpen(t.Context(), p.open(dir)); err != nil {
		t.Fatal(err)
	}
	var names [][]string
	var last uint64
	enough := errors.New("enough")
	err := c.Watch(t.Context(), wire.DefaultSession, func(st wire.Status) error {
		var got []string
		for _, s := range st.Servers {
			got = append(got, s.Name)
		}
		if len(names) > 0 && st.Generation <= last {
			t.Errorf("generation %d after %d", st.Generation, last)
		}
		last = st.Generation
		names = append(names, got)
		if slices.Equal(got, []string{"b"}) {
			return enough
		}
		return os.WriteFile(filepath.Join(dir, ".mcp.json"), []byte(`{"mcpServers":{"b":{"command":"true"}}}`), 0o644)
	})
	if !errors.Is(err, enough) || !slices.Equal(names[0], []string{"a"}) {
		t.Errorf("%v, %v", names, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	err = c.Watch(ctx, wire.DefaultSession, func(wire.Status) error { cancel(); return nil })
	if !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	err = c.Watch(t.Context(), wire.DefaultSession, func(wire.Status) error { r.cancel(); return nil })
	wantCode(t, err, wire.SupervisorUnreachable)
}

// TestUnsendable: an answer that does not fit on a line, or is no JSON, is
// answered with an error; parameters that do not fit are refused before sending.
func TestUnsendable(t *testing.T) {
	p := newPlace(t)
	long := json.RawMessage(`"` + strings.Repeat("x", wire.MaxLine) + `"`)
	f := &fakes{call: func(_ context.Context, call wire.CallTool) (wire.CallResult, error) {
		if call.Tool == "long" {
			return wire.CallResult{Result: long}, nil
		}
		return wire.CallResult{Result: json.RawMessage(`{`)}, nil
	}}
	p.serve(t, f.make, nil)
	c := p.dial(t, false)
	if _, err := c.Open(t.Context(), p.open(p.workspace(t, "a"))); err != nil {
		t.Fatal(err)
	}
	for _, tool := range []string{"long", "broken"} {
		_, err := c.CallTool(t.Context(), wire.CallTool{Session: wire.DefaultSession, Tool: tool})
		if e := wantCode(t, err, wire.Failure); !strings.Contains(e.Text, "cannot be sent") {
			t.Errorf("%s: %s", tool, e.Text)
		}
	}
	_, err := c.CallTool(t.Context(), wire.CallTool{Session: wire.DefaultSession, Arguments: long})
	wantCode(t, err, wire.Usage)
	if _, err := c.Hello(t.Context()); err != nil {
		t.Errorf("the connection did not survive: %v", err)
	}
}
