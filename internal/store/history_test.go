package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// historyJob makes the test binary do one of the jobs of TestHistoryJob instead.
const historyJob = "MCPCTL_TEST_HISTORY"

// TestHistoryJob is not a test: it is what the processes do that tests below start.
func TestHistoryJob(t *testing.T) {
	job := strings.Fields(os.Getenv(historyJob))
	if len(job) == 0 {
		t.Skip("only for processes that other tests start")
	}
	s, err := Open(NewEnviron(os.Environ()), os.Getenv("REPO"), "")
	if err != nil {
		t.Fatal(err)
	}
	if job[0] == "kill" { // in front of step N
		left, _ := strconv.Atoi(job[2])
		s.before = func(string) error {
			if left--; left < 0 {
				_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
				select {}
			}
			return nil
		}
	}
	if job[1] == "undo" {
		_, err = s.Undo(t.Context(), UndoRequest{Scope: User})
	} else {
		_, err = s.Add(t.Context(), AddRequest{Scope: User, Name: job[1], Entry: json.RawMessage(`{"command":"x"}`)})
	}
	if err != nil {
		t.Fatal(err)
	}
}

func (w *world) job(words ...string) *exec.Cmd {
	w.t.Helper()
	self, err := os.Executable()
	if err != nil {
		w.t.Fatal(err)
	}
	cmd := exec.Command(self, "-test.run=^TestHistoryJob$")
	cmd.Env = append(w.env.List(), historyJob+"="+strings.Join(words, " "), "REPO="+w.repo)
	return cmd
}

func (w *world) add(s *Store, scope Scope, name string) error {
	_, err := s.Add(context.Background(), AddRequest{Scope: scope, Name: name, Entry: json.RawMessage(`{"command":"x"}`)})
	return err
}

func (w *world) must(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

// commits lists the history and checks what must be true of it whatever happened:
// the bytes kept are those the headers name, and each change begins where the one
// before it ended.
func (w *world) commits(s *Store, scope Scope) []*Commit {
	w.t.Helper()
	list, problems, err := s.History(scope)
	if err != nil || len(problems) > 0 {
		w.t.Fatalf("History: %v %v", err, problems)
	}
	for i, c := range list {
		data, err := s.Kept(c)
		if err != nil || !stateOf(data).same(c.Before) {
			w.t.Errorf("%s: kept %q, %v", c.ID(), data, err)
		}
		if i+1 < len(list) && !list[i+1].After.same(c.Before) {
			w.t.Errorf("%s does not begin where %s ended", c.ID(), list[i+1].ID())
		}
	}
	return list
}

func words(list []*Commit) (out []string) {
	for _, c := range list {
		word := c.Verb + " " + strings.Join(c.Names, ",")
		if c.Interrupted {
			word += " (interrupted)"
		}
		out = append(out, word)
	}
	return out
}

func TestHistoryOfEdits(t *testing.T) {
	w := newWorld(t)
	s := w.open()
	path := s.Path(User)
	w.must(w.add(s, User, "a"))
	first, _ := os.ReadFile(path)
	w.must(w.add(s, User, "b"))
	if err := w.add(s, User, "b"); code(err) != CodeNameTaken {
		t.Errorf("add again: %v", err)
	}
	_, err := s.Add(t.Context(), AddRequest{Scope: User, Name: "a", Entry: json.RawMessage(`{"command":"y"}`), Replace: true})
	w.must(err)
	_, err = s.Remove(t.Context(), RemoveRequest{Scope: User, Name: "b"})
	w.must(err)
	list := w.commits(s, User)
	if diff := cmp.Diff([]string{"remove b", "update a", "add b", "add a"}, words(list)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if kept, err := s.Kept(list[2]); err != nil || string(kept) != string(first) {
		t.Errorf("before user-2: %q, %v", kept, err)
	}
	if c := list[3]; c.ID() != "user-1" || c.Before != nil || c.Path != path {
		t.Errorf("the first: %+v", c)
	}
	for _, scope := range []Scope{Project, Local} {
		if list := w.commits(s, scope); len(list) > 0 {
			t.Errorf("%s has a history: %q", scope, words(list))
		}
	}
}

func TestHistoryIsPruned(t *testing.T) {
	dir, err := os.MkdirTemp("/dev/shm", "history") // in memory, for so many syncs
	if err != nil {
		dir = t.TempDir()
	}
	defer os.RemoveAll(dir)
	h := history{dir: dir, real: "/x", scope: User}
	for i := range historyKept + 7 {
		w := write{before: []byte(strconv.Itoa(i)), after: []byte(strconv.Itoa(i + 1))}
		if err := h.prepare(w, stateOf(w.before), stateOf(w.after)); err != nil {
			t.Fatal(err)
		}
		if err := h.settle(stateOf(w.after)); err != nil {
			t.Fatal(err)
		}
	}
	list, problems, err := h.list(func() *FileState { return nil })
	if err != nil || len(problems) > 0 || len(list) != historyKept {
		t.Fatalf("%d kept, %v, %v", len(list), problems, err)
	}
	oldest := list[historyKept-1]
	if data, err := h.bytes(oldest); list[0].Number != historyKept+7 || oldest.Number != 8 || string(data) != "7" || err != nil {
		t.Errorf("from %s with %q, %v, to %s", oldest.ID(), data, err, list[0].ID())
	}
}

// What one command did is undone as a whole, however much it was; the next change prunes.
func TestHistoryKeepsAWholeGroup(t *testing.T) {
	dir, err := os.MkdirTemp("/dev/shm", "history")
	if err != nil {
		dir = t.TempDir()
	}
	defer os.RemoveAll(dir)
	h := history{dir: dir, real: "/x", scope: User}
	change := func(i int, group string) {
		w := write{before: []byte(strconv.Itoa(i)), after: []byte(strconv.Itoa(i + 1)), group: group}
		if err := errors.Join(h.prepare(w, stateOf(w.before), stateOf(w.after)), h.settle(stateOf(w.after))); err != nil {
			t.Fatal(err)
		}
	}
	most := historyKept + 7
	change(0, "")
	for i := range most {
		change(i+1, "g")
	}
	kept := func() int {
		list, problems, err := h.list(func() *FileState { return nil })
		if err != nil || len(problems) > 0 {
			t.Fatal(problems, err)
		}
		return len(list)
	}
	if n := kept(); n != most {
		t.Errorf("%d kept of a group of %d", n, most)
	}
	if change(most+1, "later"); kept() != historyKept {
		t.Errorf("%d kept after the next change", kept())
	}
}

// Names of malformed entries may be of any length and number; the change is kept all
// the same.
func TestHistoryOfLongNames(t *testing.T) {
	w := newWorld(t)
	s := w.open()
	long := strings.Repeat("é", 3<<20)
	text := `{"mcpServers":{"` + long + `":{"command":"x"}}}`
	path := w.user(text)
	_, err := s.Remove(t.Context(), RemoveRequest{Scope: User, Name: long})
	w.must(err)
	if list := w.commits(s, User); len(list) != 1 || len(list[0].Names[0]) > 300 {
		t.Errorf("history: %d", len(list))
	}
	if w.undo(s, UndoRequest{Scope: User}); w.text(path) != text {
		t.Error("not put back")
	}
}

// Nothing of the history can be read by others, whatever the umask and the mode of
// the file.
func TestHistoryIsPrivate(t *testing.T) {
	defer syscall.Umask(syscall.Umask(0))
	w := newWorld(t)
	s := w.open()
	for _, scope := range []Scope{User, Project} {
		w.must(os.MkdirAll(filepath.Dir(s.Path(scope)), 0o755))
		w.must(os.WriteFile(s.Path(scope), []byte("{}"), 0o666))
		w.must(w.add(s, scope, "a"))
		_, err := s.Undo(t.Context(), UndoRequest{Scope: scope})
		w.must(err)
	}
	s.before = func(step string) error { return map[string]error{"replace": syscall.EIO, "settle": nil}[step] }
	_ = w.add(s, User, "b")
	seen := 0
	w.must(filepath.WalkDir(filepath.Join(s.Places.State(), "history"), func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s has mode %v", path, info.Mode())
		}
		seen++
		return err
	}))
	if seen < 6 {
		t.Errorf("only %d files and directories seen", seen)
	}
}

// Each step of a commit fails: the file is old or new, the history tells which, and
// what comes next works.
func TestCommitFaults(t *testing.T) {
	for n := 0; ; n++ {
		w := newWorld(t)
		s := w.open()
		w.must(w.add(s, User, "a"))
		failed, steps := "", 0
		s.before = func(step string) error {
			if steps++; steps-1 == n {
				failed = step
				return ioError("do this", "x", syscall.ENOSPC)
			}
			return nil
		}
		before, _ := os.ReadFile(s.Path(User))
		err := w.add(s, User, "b")
		if failed == "" {
			if n < 4 {
				t.Errorf("only %d steps", n)
			}
			break
		}
		last := n == 3 // everything is done by then
		if got := code(err); last && got != "" || !last && got != CodeIO {
			t.Errorf("step %d, %s fails: %v", n, failed, err)
		}
		w.afterCrash(s, string(before), last)
	}
}

// A process is killed in front of each step.
func TestCommitKilled(t *testing.T) {
	for n := 0; ; n++ {
		w := newWorld(t)
		s := w.open()
		w.must(w.add(s, User, "a"))
		before, _ := os.ReadFile(s.Path(User))
		out, err := w.job("kill", "b", strconv.Itoa(n)).CombinedOutput()
		if err == nil {
			if n < 4 {
				t.Errorf("only %d steps", n)
			}
			break
		}
		if exit, ok := errors.AsType[*exec.ExitError](err); !ok || exit.Sys().(syscall.WaitStatus).Signal() != syscall.SIGKILL {
			t.Fatalf("step %d: %v\n%s", n, err, out)
		}
		w.afterCrash(s, string(before), n == 3)
	}
}

// afterCrash checks file and history after "b" was perhaps added to before, which
// had "a", and that they can be used.
func (w *world) afterCrash(s *Store, before string, made bool) {
	w.t.Helper()
	s.before = nil
	present, _ := os.ReadFile(s.Path(User))
	want := []string{"add a"}
	if made {
		want = []string{"add b", "add a"}
	}
	if (string(present) != before) != made {
		w.t.Errorf("made=%v, but the file is %q", made, present)
	}
	for _, when := range []string{"at once", "after the next edit"} {
		if diff := cmp.Diff(want, words(w.commits(s, User))); diff != "" {
			w.t.Errorf("%s: -want +got:\n%s", when, diff)
		}
		if when == "at once" {
			w.must(w.add(s, User, "c"))
			want = append([]string{"add c"}, want...)
		}
	}
	for range 2 { // undo, and undo of that
		_, err := s.Undo(w.t.Context(), UndoRequest{Scope: User})
		w.must(err)
	}
	if _, err := os.Stat(filepath.Join(s.historyOf(User, s.realPath(User)).dir, pendingName)); !os.IsNotExist(err) {
		w.t.Errorf("something is pending still: %v", err)
	}
	w.commits(s, User)
}

// Killed on the way, and then somebody else writes: whether the change was made
// cannot be known, but the bytes from before are kept.
func TestCommitKilledAndOverwritten(t *testing.T) {
	for n, last := range map[int]string{2: "prepared", 3: "replaced"} {
		w := newWorld(t)
		s := w.open()
		w.user(`{"mcpServers":{"mine":{"command":"1"}}}`)
		if err := w.job("kill", "b", strconv.Itoa(n)).Run(); err == nil {
			t.Fatal("not killed")
		}
		w.user(`{"mcpServers":{"other":{"command":"2"}}}`)
		for range 2 {
			list, _, err := s.History(User)
			w.must(err)
			i := slices.IndexFunc(list, func(c *Commit) bool { return c.Interrupted })
			if i < 0 || words(list)[i] != "add b (interrupted)" || list[i].ID() != "user-1" {
				t.Fatalf("%s: %q", last, words(list))
			}
			if kept, err := s.Kept(list[i]); string(kept) != `{"mcpServers":{"mine":{"command":"1"}}}` {
				t.Errorf("%s: kept %q, %v", last, kept, err)
			}
			if i == 0 {
				if _, err := s.Undo(t.Context(), UndoRequest{Scope: User}); code(err) != CodeConflict {
					t.Errorf("%s: undo: %v", last, err)
				}
			}
			_ = w.add(s, User, "c")
		}
	}
}

// Twenty processes edit one file at once.
func TestCommitsOfTwentyProcesses(t *testing.T) {
	w := newWorld(t)
	s := w.open()
	var jobs []*exec.Cmd
	for i := range 20 {
		job := w.job("add", fmt.Sprintf("s%02d", i))
		w.must(job.Start())
		jobs = append(jobs, job)
	}
	for range 20 { // a reader between them never sees a history that does not hold together
		w.commits(s, User)
	}
	for _, job := range jobs {
		w.must(job.Wait())
	}
	list := w.commits(s, User)
	if len(list) != 20 || list[19].Before != nil {
		t.Errorf("%d changes: %q", len(list), words(list))
	}
	data, err := os.ReadFile(s.Path(User))
	if src := s.ReadSource(User); err != nil || len(src.Entries) != 20 || !list[0].After.same(stateOf(data)) {
		t.Errorf("%d servers, at %s, %v", len(src.Entries), RevisionOf(data), err)
	}
}

// When the history cannot be written, the edit fails and the file stays.
func TestHistoryCannotBeWritten(t *testing.T) {
	w := newWorld(t)
	s := w.open()
	w.must(w.add(s, User, "a"))
	dir := filepath.Join(s.Places.State(), "history")
	w.must(os.RemoveAll(dir))
	w.must(os.WriteFile(dir, nil, 0o600)) // a file where the directory should be
	before, _ := os.ReadFile(s.Path(User))
	if err := w.add(s, User, "b"); code(err) != CodeIO {
		t.Errorf("add: %v", err)
	}
	if after, _ := os.ReadFile(s.Path(User)); string(after) != string(before) {
		t.Errorf("the file changed to %q", after)
	}
}

// Damage to one entry costs that entry only, and is told.
func TestHistoryDamaged(t *testing.T) {
	for name, damage := range map[string]func(path string) error{
		"empty":     func(path string) error { return os.WriteFile(path, nil, 0o600) },
		"cut":       func(path string) error { return os.Truncate(path, 400) },
		"no header": func(path string) error { return os.WriteFile(path, []byte("{}"), 0o600) },
		"newer":     func(path string) error { return os.WriteFile(path, []byte(`{"version":2}`+"\n"), 0o600) },
		"elsewhere": func(path string) error { return os.WriteFile(path, []byte(`{"version":1,"path":"/x"}`+"\n"), 0o600) },
	} {
		w := newWorld(t)
		s := w.open()
		for _, name := range []string{"a", "b", "c"} {
			w.must(w.add(s, User, name))
		}
		h := s.historyOf(User, s.realPath(User))
		w.must(damage(filepath.Join(h.dir, numbered(2))))
		list, problems, err := s.History(User)
		w.must(err)
		if len(problems) != 1 || len(list) != 2 || list[1].Number != 1 {
			t.Errorf("%s: %v %q", name, problems, words(list))
		}
		if _, err := s.Undo(t.Context(), UndoRequest{Scope: User, Number: 2}); code(err) != CodeNotFound {
			t.Errorf("%s: undo of it: %v", name, err)
		}
		w.must(w.add(s, User, "d"))
	}
	w := newWorld(t)
	s := w.open()
	w.must(w.add(s, User, "a"))
	w.must(w.add(s, User, "b"))
	path := filepath.Join(s.historyOf(User, s.realPath(User)).dir, numbered(2))
	data, _ := os.ReadFile(path)
	data[len(data)-3] ^= 1 // one bit of the bytes kept
	w.must(os.WriteFile(path, data, 0o600))
	before, _ := os.ReadFile(s.Path(User))
	if _, err := s.Undo(t.Context(), UndoRequest{Scope: User}); code(err) != CodeIO {
		t.Errorf("undo to damaged bytes: %v", err)
	}
	if after, _ := os.ReadFile(s.Path(User)); string(after) != string(before) {
		t.Errorf("the file changed to %q", after)
	}
}
