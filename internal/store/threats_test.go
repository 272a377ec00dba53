package store

import (
	"context"
	"encoding/json"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// The names of these tests are those of the published attacks they replay.

// force records an approval that approve would refuse.
func (w *world) force(s *Store, e *Entry) {
	w.t.Helper()
	if err := s.ApproveReview(context.Background(), Review{Entry: e}); err != nil {
		w.t.Fatal(err)
	}
}

// state is the approval of a project entry as a new reading finds it.
func (w *world) state(s *Store, name string) Approval {
	w.t.Helper()
	e := s.ReadSource(Project).entry(name)
	if e == nil {
		w.t.Fatalf("there is no entry %s", name)
	}
	state, _, _ := s.ReadApprovals().State(s, e)
	return state
}

// TestA2NothingFutureIsApproved, and A24: one of three entries is approved, and
// the others, and those that come later, are not.
func TestA2NothingFutureIsApproved(t *testing.T) {
	w := newWorld(t)
	w.project(`{"mcpServers":{"a":{"command":"a"},"b":{"command":"b"},"c":{"command":"c"}}}`)
	s := w.open()
	w.approveOf(s, "native", "a")
	w.project(`{"mcpServers":{"a":{"command":"a"},"b":{"command":"b"},"c":{"command":"c"},"d":{"command":"a"}}}`)
	for name, want := range map[string]Approval{"a": Approved, "b": Pending, "c": Pending, "d": Pending} {
		if got := w.state(s, name); got != want {
			t.Errorf("%s is %s, want %s", name, got, want)
		}
	}
}

// TestA3EveryLeafEndsTheApproval: no part of an entry can be changed, moved, added
// or removed without the approval ending.
func TestA3EveryLeafEndsTheApproval(t *testing.T) {
	const entry = `{"type":"stdio","command":"npx","args":["a b","p@1",""],"env":{"A":"1","B":"${X}"},"timeout":30,"enabled":true,
		"headers":{"H":"v"},"url":"https://h:1/p?q=1","oauth":{"scope":"a b"},"toolExposure":{"t":"direct"},"x-unknown":{"deep":[null,{"y":[1,{"z":"s"}]}]}}`
	w := newWorld(t)
	w.project(`{"mcpServers":{"x":` + entry + `}}`)
	s := w.open()
	w.approveOf(s, "native", "x")
	approvals := s.ReadApprovals()
	check := func(raw string) {
		src := s.parsed(Project, filepath.Join(w.repo, ".mcp.json"), []byte(`{"mcpServers":{"x":`+raw+`}}`))
		if e := src.entry("x"); e == nil {
			t.Fatalf("does not parse: %s", raw)
		} else if state, _, _ := approvals.State(s, e); state != Changed {
			t.Errorf("%s after: %s", state, raw)
		}
	}
	for _, moved := range [][2]string{
		{`["a b","p@1",""]`, `["a","b","p@1",""]`}, {`["a b","p@1",""]`, `["a b","p@1"]`}, {`"A":"1","B":"${X}"`, `"A":"1B=${X}"`},
		{`:1/p`, `:2/p`}, {`https:`, `http:`}, {`/p?`, `/P?`}, {`q=1`, `q=2`}, {`"H"`, `"h"`}, {`"scope"`, `"scopes"`}, {`true`, `false`}, {`null`, `0`},
	} {
		check(strings.Replace(entry, moved[0], moved[1], 1))
	}
	r := rand.New(rand.NewPCG(3, 4))
	for range 500 {
		var v any
		if err := json.Unmarshal([]byte(entry), &v); err != nil {
			t.Fatal(err)
		}
		raw, err := json.Marshal(mutate(r, v))
		if err != nil {
			t.Fatal(err)
		}
		check(string(raw))
	}
}

// TestA4NoTwoReadings: an entry that two readers could read differently is invalid
// with both places named, is never admitted, approved or not, and the others stay.
func TestA4NoTwoReadings(t *testing.T) {
	entries := []struct{ bad, want string }{
		{`"bad":{"command":"safe","command":"evil"}`, "stands twice, first at line 1"},
		{`"bad":{"command":"safe","Command":"evil"}`, "only by case, which stands at line 1"},
		{`"bad":{"command":"safe","COMMAND":"evil"}`, "only by case, which stands at line 1"},
		{`"bad":{"command":"safe","arg\u017f":["evil"]}`, "only by case"},
		{`"bad":{"command":"safe","args":[],"args":["evil"]}`, "stands twice, first at line 1"},
		{`"bad":{"command":"safe","env":{"A":"1","A":"2"}}`, "stands twice, first at line 1"},
		{`"bad":{"url":"https://safe/","\u0055RL":"https://evil/"}`, "only by case, which stands at line 1"},
		{`"bad":{"url":"https://safe/","headers":{"X":"1","x":"2"}}`, "repeats"},
		{`"bad":{"command":"safe"},"bad":{"command":"evil"}`, "the name \"bad\" stands twice, first at line 1"},
		{`"bad":{"command":"safe"},"\u0062ad":{"command":"evil"}`, "the name \"bad\" stands twice, first at line 1"},
		{`"bad":{"command":"safe"},"BAD":{"command":"evil"}`, "falls together with"},
		{`"bad":{"command":"safe","enabled":false,"ENABLED":true}`, "only by case"},
	}
	for _, tt := range entries {
		w := newWorld(t)
		w.project(`{"mcpServers":{"good":{"command":"x"},` + tt.bad + `}}`)
		s := w.open()
		w.approveOf(s, "native", "good")
		for _, e := range s.ReadSource(Project).Entries {
			w.force(s, e)
		}
		c := s.Load()
		if got := strings.Join(faults(c, "bad"), "; "); !strings.Contains(got, tt.want) {
			t.Errorf("%s: %q, want %q", tt.bad, got, tt.want)
		}
		for _, name := range []string{"bad", "BAD"} {
			if a, err := c.Admit(name); err == nil {
				t.Errorf("%s: admitted %s: %+v", tt.bad, name, a.entry.Definition)
			}
		}
		if _, err := c.Admit("good"); err != nil {
			t.Errorf("%s takes another entry with it: %v", tt.bad, err)
		}
	}
	for _, text := range []string{
		`{"mcpServers":{"x":{"command":"safe"}},"mcpServers":{"x":{"command":"evil"}}}`,
		`{"mcpServers":{"x":{"command":"safe"}},"mcpservers":{"x":{"command":"evil"}}}`,
		`{"mcpServers":{"x":{"command":"safe"}},"mcpServer\u017f":{"x":{"command":"evil"}}}`,
	} {
		w := newWorld(t)
		w.project(text)
		c := w.open().Load()
		if len(c.Rows) != 0 || len(faults(c, "")) == 0 {
			t.Errorf("%s: %d rows, faults %v", text, len(c.Rows), faults(c, ""))
		}
	}
}

// TestA13NoGapBetweenCheckAndUse: while somebody flips the file as fast as they
// can, only what was approved is ever admitted.
func TestA13NoGapBetweenCheckAndUse(t *testing.T) {
	const good, evil = `{"mcpServers":{"x":{"command":"/good","args":["1"]}}}`, `{"mcpServers":{"x":{"command":"/evil","args":["1"]}}}`
	w := newWorld(t)
	path := w.project(good)
	s := w.open()
	w.approveOf(s, "native", "x")
	stop := make(chan struct{})
	var flipping sync.WaitGroup
	flipping.Go(func() {
		for i := 0; ; i++ {
			select {
			case <-stop:
				return
			default:
			}
			next := path + ".next"
			_ = os.WriteFile(next, []byte([]string{evil, good}[i%2]), 0o600)
			_ = os.Rename(next, path)
		}
	})
	admitted, refused := 0, 0
	for i := 0; i < 100000 && (i < 2000 || admitted == 0 || refused == 0); i++ {
		a, err := s.Load().Admit("x")
		if err != nil {
			refused++
			continue
		}
		admitted++
		l, err := a.Resolve(s.Env)
		if err != nil || l.Command != "/good" {
			t.Errorf("admitted %q, %v", l.Command, err)
			break
		}
	}
	close(stop)
	flipping.Wait()
	if admitted == 0 || refused == 0 {
		t.Errorf("the race did not take place: %d admitted, %d refused", admitted, refused)
	}
}

// TestA14CoveredFiles: a file of the project that the entry runs is part of what
// was approved, through links, by its executable bit, and in whatever way the
// entry names it.
func TestA14CoveredFiles(t *testing.T) {
	tests := []struct {
		name, entry string
		change      func(w *world) error
	}{
		{"argument", `{"command":"node","args":["tools/srv.js"]}`, nil},
		{"option", `{"command":"node","args":["--config=./tools/srv.js"]}`, nil},
		{"command", `{"command":"./tools/srv.js"}`, nil},
		{"absolute", `{"command":"node","args":["$REPO/tools/srv.js"]}`, nil},
		{"file-url", `{"command":"node","args":["--import","file://$REPO/tools/srv.js"]}`, nil},
		{"cwd", `{"command":"node","args":["srv.js"],"cwd":"tools"}`, nil},
		{"dots", `{"command":"node","args":["x/../tools//srv.js"]}`, nil},
		{"default", `{"command":"node","args":["${NOT_SET:-tools/srv.js}"]}`, nil},
		{"pwd", `{"command":"node","args":["${PWD}/tools/srv.js"]}`, nil},
		{"own-path", `{"command":"srv.js","env":{"PATH":"${PWD}/tools:${PATH}"}}`, nil},
		{"link", `{"command":"node","args":["link.js"]}`, nil},
		{"link-from-outside", `{"command":"node","args":["$HOME/in.js"]}`, nil},
		{"grown", `{"command":"node","args":["tools/srv.js"]}`, func(w *world) error { return os.Truncate(filepath.Join(w.repo, "tools/srv.js"), 1<<40) }},
		{"mode", `{"command":"./tools/srv.js"}`, func(w *world) error { return os.Chmod(filepath.Join(w.repo, "tools/srv.js"), 0o600) }},
		{"gone", `{"command":"node","args":["tools/srv.js"]}`, func(w *world) error { return os.Remove(filepath.Join(w.repo, "tools/srv.js")) }},
		{"new", `{"command":"node","args":["tools/srv.js","later.js"]}`, func(w *world) error {
			return os.WriteFile(filepath.Join(w.repo, "later.js"), nil, 0o600)
		}},
		{"pipe", `{"command":"node","args":["tools/srv.js"]}`, func(w *world) error {
			path := filepath.Join(w.repo, "tools/srv.js")
			return errorsOf(os.Remove(path), mkfifo(path))
		}},
		{"link-elsewhere", `{"command":"node","args":["link.js"]}`, func(w *world) error {
			other := filepath.Join(w.home, "other.js")
			return errorsOf(os.WriteFile(other, []byte("evil"), 0o700), os.Remove(filepath.Join(w.repo, "link.js")), os.Symlink(other, filepath.Join(w.repo, "link.js")))
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t)
			w.env["PWD"] = w.repo
			script := w.write(filepath.Join(w.repo, "tools/srv.js"), "good")
			if err := errorsOf(os.Chmod(script, 0o700), os.Symlink("tools/srv.js", filepath.Join(w.repo, "link.js")), os.Symlink(script, filepath.Join(w.home, "in.js"))); err != nil {
				t.Fatal(err)
			}
			w.project(`{"mcpServers":{"x":` + strings.NewReplacer("$REPO", w.repo, "$HOME", w.home).Replace(tt.entry) + `}}`)
			s := w.open()
			w.approveOf(s, "native", "x")
			if got := w.state(s, "x"); got != Approved {
				t.Fatalf("%s at once", got)
			}
			change := tt.change
			if change == nil {
				change = func(*world) error { return os.WriteFile(script, []byte("evil"), 0o700) }
			}
			if err := change(w); err != nil {
				t.Fatal(err)
			}
			if got := w.state(s, "x"); got != Changed {
				t.Errorf("%s after the file changed", got)
			}
			if _, err := s.Load().Admit("x"); code(err) != CodeNotApproved || !strings.Contains(err.Error(), "since you approved it") {
				t.Errorf("admitted: %v", err)
			}
		})
	}
}

// TestA14ReviewIsWhatWasShown: a file that changes between the showing and the
// answer is not approved by the answer.
func TestA14ReviewIsWhatWasShown(t *testing.T) {
	w := newWorld(t)
	script := w.write(filepath.Join(w.repo, "srv.js"), "good")
	w.project(`{"mcpServers":{"x":{"command":"node","args":["srv.js"]}}}`)
	s := w.open()
	review, err := s.Review(s.ReadSource(Project).entry("x"), false)
	if err != nil {
		t.Fatal(err)
	}
	w.write(script, "evil")
	if err := s.ApproveReview(context.Background(), review); err != nil {
		t.Fatal(err)
	}
	if got := w.state(s, "x"); got != Changed {
		t.Errorf("%s, though the file is another one than was shown", got)
	}
}

// TestA14TooLarge: what is too large to be hashed is not left out in silence.
func TestA14TooLarge(t *testing.T) {
	w := newWorld(t)
	if err := os.Truncate(w.write(filepath.Join(w.repo, "big"), ""), coveredLimit+1); err != nil {
		t.Fatal(err)
	}
	w.project(`{"mcpServers":{"x":{"command":"node","args":["big"]}}}`)
	s := w.open()
	e := s.ReadSource(Project).entry("x")
	if err := s.Approve(context.Background(), e, false); code(err) != CodeInvalid {
		t.Errorf("approved: %v", err)
	}
	if err := s.Approve(context.Background(), e, true); err != nil {
		t.Error(err)
	}
}
