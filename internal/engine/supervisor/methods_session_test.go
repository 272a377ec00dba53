package supervisor

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/mcpctl/mcpctl/internal/engine/wire"
)

// keep opens a session that outlives its connection.
func (p place) keep(t *testing.T, c *Client, workspace string) string {
	t.Helper()
	open := p.open(workspace)
	open.ID, open.Keep = "new", true
	got, err := c.Open(t.Context(), open)
	if err != nil {
		t.Fatal(err)
	}
	return got.Session
}

// TestKeptSession outlives its connection, and the idle time; others join it by its
// id, and somebody closes it.
func TestKeptSession(t *testing.T) {
	p := newPlace(t)
	f := &fakes{}
	r := p.serve(t, f.make, func(s *server) { s.idle = testIdle })
	dir := p.workspace(t, "a")
	opener := p.dial(t, false)
	id := p.keep(t, opener, dir)
	opener.Close()
	select {
	case <-r.done:
		t.Fatal("it left, and the session with it")
	case <-time.After(3 * testIdle / 2):
	}
	c := p.dial(t, false)
	got, err := c.Open(t.Context(), wire.SessionOpen{ID: id, Existing: true})
	if err != nil || got.Session != id || got.Workspace != dir {
		t.Fatalf("%+v, %v", got, err)
	}
	var st wire.Status
	if err := c.Call(t.Context(), wire.MethodStatus, wire.InSession{Session: id}, &st); err != nil || st.Session != id {
		t.Errorf("%+v, %v", st, err)
	}
	// "default" is another session, unless it was asked to mean this one.
	wantCode(t, c.Call(t.Context(), wire.MethodStatus, wire.InSession{Session: wire.DefaultSession}, &st), wire.NotFound)
	if err := c.SendOpen(t.Context(), wire.SessionOpen{ID: id, Existing: true, AsDefault: true}); err != nil {
		t.Fatal(err)
	}
	if err := c.Call(t.Context(), wire.MethodStatus, wire.InSession{Session: wire.DefaultSession}, &st); err != nil || st.Session != id {
		t.Errorf("%+v, %v", st, err)
	}
	var list wire.Sessions
	if err := c.Call(t.Context(), wire.MethodSessionList, nil, &list); err != nil || len(list.Sessions) != 1 || list.Sessions[0].Kind != wire.KindKept {
		t.Errorf("%+v, %v", list, err)
	}
	other := p.dial(t, false)
	if err := other.Call(t.Context(), wire.MethodSessionClose, wire.InSession{Session: id}, nil); err != nil {
		t.Error(err)
	}
	<-f.all()[0].closed
	wantCode(t, c.Call(t.Context(), wire.MethodStatus, wire.InSession{Session: id}, &st), wire.NotFound)
	wantCode(t, c.Call(t.Context(), wire.MethodStatus, wire.InSession{Session: wire.DefaultSession}, &st), wire.NotFound)
	c.Close()
	other.Close()
	if why := r.wait(t); !strings.Contains(why, "nobody needed it") {
		t.Errorf("it left because %s", why)
	}
}

// TestKeptSessionsEnd with the supervisor, and there are not too many of them.
func TestKeptSessionsEnd(t *testing.T) {
	p := newPlace(t)
	f := &fakes{}
	r := p.serve(t, f.make, nil)
	c := p.dial(t, false)
	dir := p.workspace(t, "a")
	for range maxKept {
		p.keep(t, c, dir)
	}
	open := p.open(dir)
	open.ID, open.Keep = "new", true
	_, err := c.Open(t.Context(), open)
	wantCode(t, err, wire.Failure)
	r.stop(t)
	for _, s := range f.all() {
		<-s.closed
	}
}

// TestOnesOwnIsOnesOwn: a session of a connection is neither joined nor closed by
// another, and its id does not tell whether it is there.
func TestOnesOwnIsOnesOwn(t *testing.T) {
	p := newPlace(t)
	f := &fakes{}
	p.serve(t, f.make, nil)
	a, b := p.dial(t, false), p.dial(t, false)
	open := p.open(p.workspace(t, "a"))
	open.ID = "x"
	own, err := a.Open(t.Context(), open)
	if err != nil {
		t.Fatal(err)
	}
	_, err = b.Open(t.Context(), wire.SessionOpen{ID: own.Session, Existing: true})
	wantCode(t, err, wire.NotFound)
	for _, method := range []string{wire.MethodSessionClose, wire.MethodReload, wire.MethodList} {
		wantCode(t, b.Call(t.Context(), method, wire.InSession{Session: own.Session}, nil), wire.NotFound)
	}
	wantCode(t, b.Call(t.Context(), wire.MethodRegister, wire.Register{Session: own.Session, Name: "x", Entry: json.RawMessage("{}")}, nil), wire.NotFound)
	if err := a.Call(t.Context(), wire.MethodSessionClose, wire.InSession{Session: own.Session}, nil); err != nil {
		t.Error(err)
	}
	<-f.all()[0].closed
	wantCode(t, a.Call(t.Context(), wire.MethodSessionClose, wire.InSession{Session: own.Session}, nil), wire.NotFound)
}

// TestDefaultSessionClosed is made again when somebody needs it, also over a
// connection that had it open.
func TestDefaultSessionClosed(t *testing.T) {
	p := newPlace(t)
	f := &fakes{}
	p.serve(t, f.make, nil)
	dir := p.workspace(t, "a")
	a, b := p.dial(t, false), p.dial(t, false)
	for _, c := range []*Client{a, b} {
		if _, err := c.Open(t.Context(), p.open(dir)); err != nil {
			t.Fatal(err)
		}
	}
	in := wire.InSession{Session: wire.DefaultSession}
	if err := b.Call(t.Context(), wire.MethodSessionClose, in, nil); err != nil {
		t.Fatal(err)
	}
	<-f.all()[0].closed
	if n := len(f.all()); n != 1 {
		t.Fatalf("%d sessions", n)
	}
	wantCode(t, b.Call(t.Context(), wire.MethodSessionClose, in, nil), wire.NotFound)
	var st wire.Status
	if err := a.Call(t.Context(), wire.MethodStatus, in, &st); err != nil || st.Workspace != dir {
		t.Errorf("%+v, %v", st, err)
	}
	if n := len(f.all()); n != 2 {
		t.Errorf("%d sessions were made", n)
	}
}

// TestOpenFaults: what does not go together in session.open.
func TestOpenFaults(t *testing.T) {
	p := newPlace(t)
	p.serve(t, (&fakes{}).make, nil)
	c := p.dial(t, false)
	dir := p.workspace(t, "a")
	for _, open := range []wire.SessionOpen{
		{ID: wire.DefaultSession, Workspace: dir, Keep: true},
		{ID: "x", Existing: true, Keep: true},
		{ID: "x", Workspace: dir, AsDefault: true},
		{ID: wire.DefaultSession, Workspace: dir, Existing: true, AsDefault: true},
		{ID: "x", Workspace: "relative"},
	} {
		open.Env = p.env
		_, err := c.Open(t.Context(), open)
		wantCode(t, err, wire.Usage)
	}
	id := p.keep(t, c, dir)
	near := "x" + id[1:]
	_, err := c.Open(t.Context(), wire.SessionOpen{ID: near, Existing: true})
	if e := wantCode(t, err, wire.NotFound); !strings.Contains(e.Advice, id) {
		t.Errorf("%s: %s", e.Text, e.Advice)
	}
}

// TestUnknownFields of what changes a session are refused: one that is misspelt would
// change nothing, in silence.
func TestUnknownFields(t *testing.T) {
	p := newPlace(t)
	p.serve(t, (&fakes{}).make, nil)
	c := p.dial(t, false)
	if _, err := c.Open(t.Context(), p.open(p.workspace(t, "a"))); err != nil {
		t.Fatal(err)
	}
	for method, params := range map[string]string{
		wire.MethodSetSessionOverride: `{"session":"default","server":"a","enable":false}`,
		wire.MethodRegister:           `{"session":"default","name":"a","entry":{},"scope":"user"}`,
		wire.MethodUnregister:         `{"session":"default","server":"a"}`,
		wire.MethodReload:             `{"session":"default","servers":["a"]}`,
		wire.MethodSessionClose:       `{"id":"default"}`,
	} {
		wantCode(t, c.Call(t.Context(), method, json.RawMessage(params), nil), wire.Usage)
	}
	ok := wire.SetOverride{Session: "default", Server: "a", Enabled: json.RawMessage("null")}
	if err := c.Call(t.Context(), wire.MethodSetSessionOverride, ok, nil); err != nil {
		t.Error(err)
	}
}

// TestKeptIsTheOpenersToo: the connection that opened a kept session uses it under
// its id, as any other may once it has joined it.
func TestKeptIsTheOpenersToo(t *testing.T) {
	p := newPlace(t)
	f := &fakes{}
	p.serve(t, f.make, nil)
	c := p.dial(t, false)
	open := p.open(p.workspace(t, "a"))
	open.ID, open.Keep = "", true
	got, err := c.Open(t.Context(), open)
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Call(t.Context(), wire.MethodStatus, wire.InSession{Session: got.Session}, nil); err != nil {
		t.Error(err)
	}
}
