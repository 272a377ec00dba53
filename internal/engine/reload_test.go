package engine

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpctl/mcpctl/internal/engine/wire"
	"github.com/mcpctl/mcpctl/internal/store"
)

// did is what a reload tells, in short.
func did(r wire.Reloaded) string {
	return strings.Join([]string{"+" + strings.Join(r.Started, ","), "~" + strings.Join(r.Restarted, ","), "-" + strings.Join(r.Stopped, ",")}, " ")
}

// TestReloadTells what it did and waits for no server.
func TestReloadTells(t *testing.T) {
	h := newHome(t)
	file := func(entries ...string) { h.write(h.user, `{"mcpServers": {`+strings.Join(entries, ",")+`}}`) }
	a, b := `"a": `+stubEntry(t, false), `"b": `+stubEntry(t, false, "-description", "b")
	file(a)
	s := h.session(true)
	for _, step := range []struct {
		entries []string
		want    string
	}{
		{[]string{a}, "+ ~ -"},
		{[]string{a, b}, "+b ~ -"},
		{[]string{"/* a comment */ " + b, a}, "+ ~ -"},
		{[]string{a, `"b": ` + stubEntry(t, false, "-tools", "x")}, "+ ~b -"},
		{[]string{`"c": ` + stubEntry(t, true, "-description", "c"), a}, "+ ~ -b"},
		{[]string{`"d": ` + stubEntry(t, false, "-hang", "initialize")}, "+d ~ -a"},
	} {
		file(step.entries...)
		r := s.Reload(t.Context(), false)
		if got := did(r); got != step.want || r.Schema != wire.Schema || r.Session != "s" || len(r.Pending)+len(r.Problems) > 0 {
			t.Errorf("%q: %+v, want %s", step.entries, r, step.want)
		}
	}
	file(a)
	s.Reload(t.Context(), false)
	if got := did(s.Reload(t.Context(), true)); got != "+ ~a -" {
		t.Errorf("all: %s", got)
	}
	if got := did(s.Reload(WithEnviron(t.Context(), store.Environ{"HOME": h.dir, "OTHER": "x"}), false)); got != "+ ~ -" {
		t.Errorf("another variable: %s", got)
	}
}

// TestReloadOfABrokenFile keeps what ran, says so in the answer each time and in the
// log once.
func TestReloadOfABrokenFile(t *testing.T) {
	h := newHome(t)
	h.servers("a")
	s := h.session(true)
	h.write(h.user, `{"mcpServers": {`)
	for range 3 {
		r := s.Reload(t.Context(), false)
		if len(r.Problems) != 1 || r.Problems[0].Line != 1 || did(r) != "+ ~ -" {
			t.Errorf("%+v", r)
		}
	}
	if stateOf(s, "a") != wire.NotRunning {
		t.Errorf("a is %s", stateOf(s, "a"))
	}
	told := slices.DeleteFunc(s.opts.Log.(*notes).lines(), func(l string) bool { return !strings.Contains(l, "what ran before goes on") })
	if len(told) != 1 {
		t.Errorf("told %q", told)
	}
}

// TestInTheMiddleOfASave: what is missing, empty or broken does not count at once for
// one who happens to look; it does for one who asks.
func TestInTheMiddleOfASave(t *testing.T) {
	h := newHome(t)
	h.servers("a")
	s := h.session(true)
	for what, spoil := range map[string]func(){
		"missing": func() { _ = os.Remove(h.user) },
		"empty":   func() { h.write(h.user, "") },
		"broken":  func() { h.write(h.user, "{") },
	} {
		s.doubts = doubts{}
		spoil()
		s.Refresh(nil)
		st := s.Status()
		if stateOf(s, "a") != wire.NotRunning || len(st.Problems) > 0 {
			t.Errorf("%s: it counts at once: %+v", what, st)
		}
		if d := s.doubts[h.user]; string(d.what) != what {
			t.Errorf("%s is taken for %q", what, d.what)
		}
		s.doubts[h.user] = doubt{suspicion(what), time.Now()} // its time is over
		s.reload(unsettled, false)
		if gone := stateOf(s, "a") == ""; gone == (what == "broken") {
			t.Errorf("%s, and its time is over: a is %q", what, stateOf(s, "a"))
		}
		h.servers("a")
		s.Reload(t.Context(), false)
	}
	_ = os.Remove(h.user)
	if s.Reload(t.Context(), false); stateOf(s, "a") != "" {
		t.Error("a missing file does not count for one who asks")
	}

	// A file that was broken for long, and is found empty, is being saved.
	h.servers("a")
	s.Reload(t.Context(), false)
	h.write(h.user, "{")
	s.Reload(t.Context(), false)
	h.write(h.user, "")
	if s.Refresh(nil); stateOf(s, "a") != wire.NotRunning {
		t.Error("an empty file counts at once because it was broken before")
	}
}

// TestChangeWhileReading: what changes between the reading of a file and the note of
// how it was is not missed.
func TestChangeWhileReading(t *testing.T) {
	h := newHome(t)
	h.servers("a")
	s := h.session(true)
	h.servers("a", "b")
	s.opts.afterRead = func() { h.servers("a", "b", "c") }
	s.Refresh(nil)
	s.opts.afterRead = nil
	if stateOf(s, "b") == "" || stateOf(s, "c") != "" {
		t.Fatalf("%+v", s.Status())
	}
	if !s.filesChanged() {
		t.Error("the change is missed for good")
	}
}

// TestOverrideOfTheSession: on, off, and what it is refused for.
func TestOverrideOfTheSession(t *testing.T) {
	h := newHome(t)
	h.write(h.user, `{"mcpServers": {"a": `+stubEntry(t, false)+`}}`)
	s := h.session(true)
	eventually(t, "a is connected", func() bool { return stateOf(s, "a") == wire.Connected })
	set := func(in wire.SetOverride) error { in.Server = "a"; return s.SetOverride(in) }
	if err := set(wire.SetOverride{Timeout: json.RawMessage("60")}); err != nil || stateOf(s, "a") != wire.Connected {
		t.Errorf("what holds anyway restarts it: %v, %s", err, stateOf(s, "a"))
	}
	if err := set(wire.SetOverride{Timeout: json.RawMessage("5")}); err != nil || stateOf(s, "a") != wire.Starting {
		t.Errorf("another timeout: %v, %s", err, stateOf(s, "a"))
	}
	eventually(t, "a is connected again", func() bool { return stateOf(s, "a") == wire.Connected })
	if err := set(wire.SetOverride{Enabled: json.RawMessage("false")}); err != nil || stateOf(s, "a") != wire.DisabledInSession {
		t.Errorf("%v, %s", err, stateOf(s, "a"))
	}
	over := s.List(false).Servers[0].Overrides
	want := []wire.Overriding{{Scope: "session", Source: "session:s", Fields: map[string]any{"enabled": false, "timeout": "5s"}}}
	if diff := cmp.Diff(want, over); diff != "" {
		t.Error(diff)
	}
	if !s.Busy() {
		t.Error("nothing keeps what the session says")
	}
	null := json.RawMessage("null")
	if err := set(wire.SetOverride{Enabled: null, Timeout: null}); err != nil || s.Busy() {
		t.Errorf("%v, busy %v", err, s.Busy())
	}
	for _, c := range []struct {
		in   wire.SetOverride
		code wire.Code
	}{
		{wire.SetOverride{Server: "nobody", Enabled: null}, wire.NotFound},
		{wire.SetOverride{Server: "a", Enabled: null, ExpectFingerprint: "sha256:00"}, wire.ConfigConflict},
		{wire.SetOverride{Server: "a", Enabled: json.RawMessage(`"x"`)}, wire.ConfigInvalid},
	} {
		if err := s.SetOverride(c.in); err == nil || wire.FromError(err).Word != c.code {
			t.Errorf("%+v: %v", c.in, err)
		}
	}
}

// TestFilesOfEveryPlace: each file that decides is looked after.
func TestFilesOfEveryPlace(t *testing.T) {
	h := newHome(t)
	h.servers("a")
	s := h.session(true)
	for _, want := range []string{h.user, filepath.Join(h.repo, ".mcp.json"), s.store.Path(store.Local),
		filepath.Join(h.dir, ".local/state/mcpctl/approvals.json"), filepath.Join(h.dir, ".config/mcpctl/config.json"), "/etc/mcpctl/config.json"} {
		if !slices.Contains(s.knownFiles, want) {
			t.Errorf("%s is not among %q", want, s.knownFiles)
		}
	}
}
