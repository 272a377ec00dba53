package store

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
)

// The names of these tests are those of the published attacks they replay.

// approve gives the user's word on an entry of the project, as approve does.
func (w *world) approve(s *Store, name string) {
	w.t.Helper()
	e := s.ReadSource(Project).entry(name)
	if e == nil {
		w.t.Fatalf("there is no entry %s", name)
	}
	if err := s.Approve(context.Background(), e, false); err != nil {
		w.t.Fatal(err)
	}
}

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
	w.approve(s, "a")
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
	w.approve(s, "x")
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
		{`"bad":{"command":"safe"},"bad":{"command":"evil"}`, "falls together with \"bad\" at line 1"},
		{`"bad":{"command":"safe"},"\u0062ad":{"command":"evil"}`, "falls together with \"bad\" at line 1"},
		{`"bad":{"command":"safe"},"BAD":{"command":"evil"}`, "falls together with"},
		{`"bad":{"command":"safe","enabled":false,"ENABLED":true}`, "only by case"},
	}
	for _, tt := range entries {
		w := newWorld(t)
		w.project(`{"mcpServers":{"good":{"command":"x"},` + tt.bad + `}}`)
		s := w.open()
		w.approve(s, "good")
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
	w.approve(s, "x")
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
			if err := errorsOf(os.Chmod(script, 0o700), os.Symlink("tools/srv.js", filepath.Join(w.repo, "link.js"))); err != nil {
				t.Fatal(err)
			}
			w.project(`{"mcpServers":{"x":` + strings.ReplaceAll(tt.entry, "$REPO", w.repo) + `}}`)
			s := w.open()
			w.approve(s, "x")
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

// TestA18ForeignParents: a directory above that belongs to somebody else, or that
// everybody may write, supplies nothing.
func TestA18ForeignParents(t *testing.T) {
	w := newWorld(t)
	w.project(`{"mcpServers":{"evil":{"command":"x"}}}`)
	below := filepath.Join(w.repo, "y")
	if err := os.Mkdir(below, 0o700); err != nil {
		t.Fatal(err)
	}
	supplied := func() bool {
		s, err := Open(w.env, below, "")
		if err != nil {
			t.Fatal(err)
		}
		return len(s.Load().Rows) > 0
	}
	if !supplied() {
		t.Fatal("a parent of the user's own is not seen; the test proves nothing")
	}
	if err := os.Chmod(w.repo, 0o777); err != nil {
		t.Fatal(err)
	}
	if supplied() {
		t.Error("a parent that everybody may write supplied a server")
	}
	if os.Getuid() != 0 {
		t.Skip("only root can give a directory away")
	}
	if err := errorsOf(os.Chmod(w.repo, 0o755), os.Chown(w.repo, 1001, 1001)); err != nil {
		t.Fatal(err)
	}
	if supplied() {
		t.Error("somebody else's parent supplied a server")
	}
}

// TestA20NoPrefixes: an approval is for one file, not for what begins like it.
func TestA20NoPrefixes(t *testing.T) {
	w := newWorld(t)
	const text = `{"mcpServers":{"x":{"command":"x"}}}`
	w.project(text)
	w.approve(w.open(), "x")
	state := func(dir string) Approval {
		s, err := Open(w.env, dir, "")
		if err != nil {
			t.Fatal(err)
		}
		return w.state(s, "x")
	}
	link := filepath.Join(w.home, "link")
	if err := os.Symlink(w.repo, link); err != nil {
		t.Fatal(err)
	}
	for _, same := range []string{w.repo, w.repo + "//", w.repo + "/./", filepath.Dir(w.repo) + "/home/../repo", link} {
		if got := state(same); got != Approved {
			t.Errorf("%s: %s", same, got)
		}
	}
	for _, other := range []string{w.repo + "-evil", filepath.Join(w.repo, "sub"), filepath.Join(filepath.Dir(w.repo), "rep"), w.repo + " "} {
		w.write(filepath.Join(other, ".mcp.json"), text)
		if got := state(other); got != Pending {
			t.Errorf("%s: %s", other, got)
		}
	}
}

// TestA22WritesApproveNothing: no write over a repository's content blesses it.
func TestA22WritesApproveNothing(t *testing.T) {
	ctx := context.Background()
	for _, value := range []string{`5`, `null`, `[]`, `{}`, `{"command":1}`} {
		w := newWorld(t)
		text := `{"mcpServers":{"x":` + value + `,"y":{"command":"y"}}}`
		path := w.project(text)
		s := w.open()
		_, err := s.Add(ctx, AddRequest{Scope: Project, Name: "x", Entry: json.RawMessage(`{"command":"mine"}`)})
		if code(err) != CodeNameTaken {
			t.Errorf("add over %s: %v", value, err)
		}
		if data, _ := os.ReadFile(path); string(data) != text {
			t.Errorf("the file changed to %s", data)
		}
		if _, err := os.Stat(s.approvalsPath()); err == nil {
			t.Error("something was approved")
		}
	}
	w := newWorld(t)
	path := w.project(`{"mcpServers":{"x":{"command":"a"}}}`)
	s := w.open()
	seen := s.ReadSource(Project).entry("x").Fingerprint
	text := `{"mcpServers":{"x":{"command":"b"}}}`
	w.project(text)
	if _, err := s.Remove(ctx, RemoveRequest{Scope: Project, Name: "x", Expect: seen}); code(err) != CodeConflict {
		t.Errorf("removed what was not seen: %v", err)
	}
	if data, _ := os.ReadFile(path); string(data) != text {
		t.Errorf("the file changed to %s", data)
	}
}

// TestA23DamageIsNoYes: whatever happens to the record of approvals, nothing
// becomes approved by it, and what is damaged is kept aside.
func TestA23DamageIsNoYes(t *testing.T) {
	w := newWorld(t)
	w.project(`{"mcpServers":{"x":{"command":"x"},"y":{"command":"x"},"no":{"command":"x"}}}`)
	s := w.open()
	w.approve(s, "x")
	if err := s.Deny(context.Background(), s.ReadSource(Project).Real, "no"); err != nil {
		t.Fatal(err)
	}
	path := s.approvalsPath()
	good, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	src := s.ReadSource(Project)
	// Layout is not content: the file may be read all the same, and then says the same.
	check := func(what string) {
		t.Helper()
		a := s.ReadApprovals()
		for name, allowed := range map[string][]Approval{"x": {Pending, Approved}, "y": {Pending}, "no": {Pending, Denied}} {
			state, _, _ := a.State(s, src.entry(name))
			if !slices.Contains(allowed, state) || a.Problem != nil && state != Pending || a.Problem == nil && state == Pending && name != "y" {
				t.Errorf("%s: %s is %s (problem: %v)", what, name, state, a.Problem)
			}
		}
	}
	r := rand.New(rand.NewPCG(5, 6))
	read := 0
	for range 1000 {
		bad := bytes.Clone(good)
		bit := r.IntN(len(bad) * 8)
		bad[bit/8] ^= 1 << (bit % 8)
		w.write(path, string(bad))
		check(fmt.Sprintf("bit %d (%q)", bit, bad[max(0, bit/8-8):min(len(bad), bit/8+8)]))
		if s.ReadApprovals().Problem == nil {
			read++
		}
	}
	if read > 500 {
		t.Errorf("%d of 1000 damaged files were read; the sum does not work", read)
	}
	for _, n := range []int{0, 1, len(good) / 2, len(good) - 2} {
		w.write(path, string(good[:n]))
		if n == 0 || s.ReadApprovals().Problem != nil {
			check(fmt.Sprintf("cut to %d", n))
		}
	}
	for what, text := range map[string]string{
		"zeros": strings.Repeat("\x00", len(good)), "newer": strings.Replace(string(good), `"version": 1`, `"version": 2`, 1),
		"older": strings.Replace(string(good), `"version": 1`, `"version": 0`, 1), "no sum": `{"version":1,"approvals":[]}`,
		"another list": strings.Replace(string(good), `"name": "x"`, `"name": "y"`, 1),
	} {
		w.write(path, text)
		if s.ReadApprovals().Problem == nil {
			t.Errorf("%s: no problem", what)
		}
		check(what)
	}
	w.write(path, string(good[1:]))
	if err := s.Approve(context.Background(), src.entry("y"), false); code(err) != CodeIO {
		t.Errorf("approve went on over a damaged record: %v", err)
	}
	if aside, _ := filepath.Glob(path + ".corrupt-*"); len(aside) != 1 {
		t.Errorf("the damaged record is not kept aside: %v", aside)
	}
	w.write(path, string(good))
	if got := w.state(s, "x"); got != Approved {
		t.Fatalf("the good record is not read: %s", got)
	}
	if err := os.Chmod(path, 0o666); err != nil {
		t.Fatal(err)
	}
	if got := w.state(s, "x"); got != Pending {
		t.Errorf("a record that others may write counts: %s", got)
	}
	if os.Getuid() == 0 {
		if err := errorsOf(os.Chmod(path, 0o600), os.Chown(path, 1001, 1001)); err != nil {
			t.Fatal(err)
		}
		if got := w.state(s, "x"); got != Pending {
			t.Errorf("somebody else's record counts: %s", got)
		}
	}
}

// TestB2NamesAreInjective: no two workspaces share a state directory, however
// alike their paths are.
func TestB2NamesAreInjective(t *testing.T) {
	seen := map[string]string{}
	check := func(dir string) {
		id := Workspace{Dir: dir}.ID()
		if other, ok := seen[id]; ok && other != dir || len(id) != 16 || strings.Trim(id, "0123456789abcdef") != "" {
			t.Fatalf("%q and %q: %s", dir, other, id)
		}
		seen[id] = dir
	}
	for _, dir := range []string{"/my-server", "/my.server", "/my_server", "/My-Server", "/../etc", "/________etc", "/a/b", "/a_b", "/a\x00b", "/ä", "/ä"} {
		check(dir)
	}
	r := rand.New(rand.NewPCG(7, 8))
	for range 100000 {
		check(fmt.Sprintf("/%x/%x", r.Uint32(), r.Uint32()))
	}
}

// TestB3BytesComeBack: what is added is what is read, carriage returns and all.
func TestB3BytesComeBack(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	pool := []rune("ab \r\n\t\\\"/'${}!\u00e9\u202e\u2028\ufeff\U0001f600\x7f\x1b~-")
	var args []string
	for range 10000 {
		var b strings.Builder
		for range r.IntN(12) {
			b.WriteRune(pool[r.IntN(len(pool))])
		}
		args = append(args, b.String()+[]string{"", "\r", " ", "."}[r.IntN(4)])
	}
	w := newWorld(t)
	s := w.open()
	entry, err := json.Marshal(map[string]any{"command": "x\r", "args": args, "env": map[string]string{"A": "v\r\n"}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Add(context.Background(), AddRequest{Scope: User, Name: "x", Entry: entry}); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Add(context.Background(), AddRequest{Scope: User, Name: "y", Entry: json.RawMessage(`{"command":"y"}`)}); err != nil {
		t.Fatal(err)
	}
	d := s.ReadSource(User).entry("x").Definition
	if d.Command != "x\r" || !slices.Equal(d.Args, args) || d.Env["A"] != "v\r\n" {
		t.Error("not every byte came back")
	}
}

// TestC6NoCommandsAsValues: a value that is a command is never run from a project
// file, approved or not, wherever it stands.
func TestC6NoCommandsAsValues(t *testing.T) {
	for _, entry := range []string{
		`{"command":"!touch PWNED"}`, `{"command":"x","args":["!touch PWNED"]}`, `{"command":"x","env":{"A":"!touch PWNED"}}`,
		`{"command":"x","cwd":"!touch PWNED"}`, `{"url":"!touch PWNED"}`, `{"url":"https://h/","headers":{"A":"!touch PWNED"}}`,
	} {
		w := newWorld(t)
		w.project(`{"mcpServers":{"x":` + entry + `}}`)
		s := w.open()
		e := s.ReadSource(Project).entry("x")
		if err := s.Approve(context.Background(), e, false); code(err) != CodeInvalid {
			t.Errorf("approved %s: %v", entry, err)
		}
		w.force(s, e)
		if _, err := s.Load().Admit("x"); code(err) != CodeInvalid {
			t.Errorf("%s: %v", entry, err)
		}
	}
}

// TestC7PathIntoTheProject: a program that PATH finds inside the project is told
// of and covered; and so is a PATH that leads there only later.
func TestC7PathIntoTheProject(t *testing.T) {
	w := newWorld(t)
	bin := filepath.Join(w.repo, "node_modules/.bin")
	tool := w.write(filepath.Join(bin, "tool"), "#!/bin/sh\n")
	if err := os.Chmod(tool, 0o755); err != nil {
		t.Fatal(err)
	}
	outside := w.write(filepath.Join(w.home, "bin/tool"), "#!/bin/sh\n")
	if err := os.Chmod(outside, 0o755); err != nil {
		t.Fatal(err)
	}
	w.project(`{"mcpServers":{"x":{"command":"tool"}}}`)
	first := bin + ":" + filepath.Dir(outside)
	w.env["PATH"] = first
	s := w.open()
	e := s.ReadSource(Project).entry("x")
	if got := strings.Join(s.Risks(e), "; "); !strings.Contains(got, "inside the project: "+tool) {
		t.Errorf("risks: %s", got)
	}
	if got := strings.Join(s.Facts(e), "; "); !strings.Contains(got, "runs "+tool+", owned by") {
		t.Errorf("facts: %s", got)
	}
	if got := s.CoveredPaths(e); !slices.Equal(got, []string{"node_modules/.bin/tool"}) {
		t.Errorf("covers %v", got)
	}
	w.approve(s, "x")
	w.write(tool, "#!/bin/sh\nevil\n")
	if got := w.state(s, "x"); got != Changed {
		t.Errorf("%s after the program changed", got)
	}
	// Approved while PATH led outside; then it leads into the project.
	w.env["PATH"] = filepath.Dir(outside)
	w.approve(s, "x")
	w.env["PATH"] = first
	if got := w.state(s, "x"); got != Changed {
		t.Errorf("%s after PATH led into the project", got)
	}
	// A relative element of PATH never finds a program of the project.
	w.env["PATH"] = "node_modules/.bin:."
	if _, err := s.program(e.Definition); err == nil {
		t.Error("a relative PATH found the program")
	}
}

// TestC8CwdStaysInside: the working directory of a project entry cannot lead out.
func TestC8CwdStaysInside(t *testing.T) {
	for _, cwd := range []string{"/", "../..", "..", "out", "sub/../..", "~", "${HOME}", "${NOT_SET:-/}"} {
		w := newWorld(t)
		if err := errorsOf(os.Symlink(w.home, filepath.Join(w.repo, "out")), os.Mkdir(filepath.Join(w.repo, "sub"), 0o700)); err != nil {
			t.Fatal(err)
		}
		w.project(`{"mcpServers":{"x":{"command":"x","cwd":"` + cwd + `"},"in":{"command":"x","cwd":"sub"}}}`)
		s := w.open()
		w.approve(s, "x")
		w.approve(s, "in")
		a, err := s.Load().Admit("x")
		if err != nil {
			t.Fatal(err)
		}
		if l, err := a.Resolve(s.Env); code(err) != CodeInvalid {
			t.Errorf("cwd %s: started in %q, %v", cwd, l.Dir, err)
		}
		if a, err = s.Load().Admit("in"); err != nil {
			t.Fatal(err)
		}
		if l, err := a.Resolve(s.Env); err != nil || l.Dir != filepath.Join(w.repo, "sub") {
			t.Errorf("started in %q, %v", l.Dir, err)
		}
		// Swapped for a link after the approval.
		if err := errorsOf(os.Remove(filepath.Join(w.repo, "sub")), os.Symlink("/", filepath.Join(w.repo, "sub"))); err != nil {
			t.Fatal(err)
		}
		if a, err = s.Load().Admit("in"); err == nil {
			if l, err := a.Resolve(s.Env); err == nil {
				t.Errorf("started in %q", l.Dir)
			}
		}
	}
}

// TestG2NothingHiddenIsApproved: characters that cannot be seen, or that reorder
// text, are refused where they decide what runs.
func TestG2NothingHiddenIsApproved(t *testing.T) {
	odd := []rune{0x061C, 0x00AD, 0x200B, 0x200F, 0x2028, 0x2029, 0x202A, 0x202E, 0x2060, 0x2064, 0x2066, 0x2069, 0xFEFF, 0x180E, 0xE0041, 0xFE0F, 0x1b, 0x7f, 0x9b, '\n', '\r', '\t'}
	for _, r := range odd {
		c := strings.Trim(string(plainJSON("a"+string(r)+"b")), `"`)
		for _, entry := range []string{
			`{"command":"` + c + `"}`, `{"command":"x","env":{"` + c + `":"1"}}`, `{"command":"x","inheritEnv":["` + c + `"]}`,
			`{"url":"https://` + c + `.example/"}`, `{"url":"https://${X}` + c + `/"}`, `{"url":"https://h/","headers":{"` + c + `":"1"}}`,
		} {
			w := newWorld(t)
			w.project(`{"mcpServers":{"x":` + entry + `}}`)
			s := w.open()
			if err := s.Approve(context.Background(), s.ReadSource(Project).entry("x"), false); code(err) != CodeInvalid {
				t.Errorf("%U: approved %s: %v", r, entry, err)
			} else if strings.ContainsRune(err.Error(), r) {
				t.Errorf("%U: the message has it raw: %q", r, err)
			}
		}
	}
	w := newWorld(t)
	w.project(`{"mcpServers":{"x":{"command":"x","args":["a\u202eb"]},"n\u200b":{"command":"x"}}}`)
	s := w.open()
	w.approve(s, "x") // elsewhere they are shown, and may be approved
	if _, err := s.Load().Admit("n\u200b"); code(err) != CodeInvalid {
		t.Errorf("the name: %v", err)
	}
}

// TestG3LookAlikes: letters that pass for others are pointed out.
func TestG3LookAlikes(t *testing.T) {
	for entry, want := range map[string]string{
		`{"command":"n\u043ede"}`:                "U+043E, Cyrillic",
		`{"url":"https://\u0430pple.com/x"}`:     "xn--pple-43d.com in ASCII; it has letters that can pass for others: \u0430 (U+0430, Cyrillic)",
		`{"url":"https://xn--pple-43d.com:1/x"}`: "is shown elsewhere as \u0430pple.com",
		`{"url":"https://m\u00fcnchen.example"}`: "xn--mnchen-3ya.example",
		`{"url":"https://plain.example/"}`:       "",
		`{"command":"/opt/gr\u00fcn/node"}`:      "",
	} {
		w := newWorld(t)
		w.project(`{"mcpServers":{"x":` + entry + `}}`)
		s := w.open()
		got := strings.Join(lookAlikeRisks(s.ReadSource(Project).entry("x").Definition), "; ")
		if (want == "") != (got == "") || !strings.Contains(got, want) {
			t.Errorf("%s: %q, want %q", entry, got, want)
		}
	}
}
