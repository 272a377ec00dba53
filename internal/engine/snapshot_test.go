package engine

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpctl/mcpctl/internal/engine/wire"
)

func register(t *testing.T, s *Session, name string) {
	t.Helper()
	if err := s.Register(wire.Register{Name: name, Entry: json.RawMessage(stubEntry(t, true))}); err != nil {
		t.Fatal(err)
	}
}

// TestSlowReader gets the newest snapshot, whole, and no queue of older ones.
func TestSlowReader(t *testing.T) {
	h := newHome(t)
	h.servers("a")
	s := h.session(true)
	w := s.Watch()
	defer w.Close()
	const changes = 50
	for i := range changes {
		register(t, s, fmt.Sprint("n", i))
	}
	<-w.C
	got := w.Next()
	if len(got.Servers) != 1+changes || got.Session != "s" || got.Epoch != "epoch" {
		t.Errorf("%d servers, session %s, epoch %s", len(got.Servers), got.Session, got.Epoch)
	}
	select {
	case <-w.C:
		t.Error("there is more, for a reader that has the newest")
	default:
	}
	if diff := cmp.Diff(s.Status(), got); diff != "" {
		t.Error(diff)
	}
}

// TestGenerationGrows with every change, and with nothing else.
func TestGenerationGrows(t *testing.T) {
	h := newHome(t)
	h.servers("a")
	s := h.session(true)
	last := s.Status().Generation
	for i, step := range []func(){
		func() { register(t, s, "x") },
		func() { h.servers("a", "b"); s.Refresh(nil) },
		func() { s.Reload(t.Context(), false) },
		func() { h.write(h.user, "{"); s.Reload(t.Context(), false) },
		func() {
			if err := s.Unregister("x"); err != nil {
				t.Error(err)
			}
		},
	} {
		step()
		if now := s.Status().Generation; now <= last {
			t.Errorf("step %d: %d after %d", i, now, last)
		} else {
			last = now
		}
	}
	s.Refresh(nil)
	s.List(true)
	if now := s.Status().Generation; now != last {
		t.Errorf("a look changed it: %d after %d", now, last)
	}
}

// TestReaderComesBack: who subscribes is told the present state at once.
func TestReaderComesBack(t *testing.T) {
	h := newHome(t)
	h.servers("a")
	s := h.session(true)
	first := s.Watch()
	<-first.C
	seen := first.Next()
	first.Close()
	if _, open := <-first.C; open {
		t.Error("a subscription that was ended still tells")
	}
	register(t, s, "meanwhile")
	again := s.Watch()
	defer again.Close()
	<-again.C
	if got := again.Next(); got.Generation <= seen.Generation || len(got.Servers) != 2 {
		t.Errorf("%+v", got)
	}
}

// TestClosedSessionSaysSo: who watches gets a last snapshot, in which all is stopped.
func TestClosedSessionSaysSo(t *testing.T) {
	h := newHome(t)
	h.write(h.user, `{"mcpServers": {"a": `+stubEntry(t, false)+`}}`)
	s := h.session(true)
	eventually(t, "a is connected", func() bool { return stateOf(s, "a") == wire.Connected })
	w := s.Watch()
	<-w.C
	w.Next()
	s.Close()
	for range w.C { // until it is closed with the session
	}
	got := w.Next()
	if !got.Ended || len(got.Servers) != 1 || got.Servers[0].State != wire.Stopped {
		t.Errorf("%+v", got)
	}
	if err := s.Register(wire.Register{Name: "late", Entry: json.RawMessage(`{"command": "x"}`)}); err == nil {
		t.Error("a closed session took a server")
	}
}
