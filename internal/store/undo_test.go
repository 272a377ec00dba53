package store

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// undo fails the test when it does not work.
func (w *world) undo(s *Store, req UndoRequest) Undone {
	w.t.Helper()
	u, err := s.Undo(w.t.Context(), req)
	w.must(err)
	return u
}

func (w *world) text(path string) string {
	w.t.Helper()
	data, err := os.ReadFile(path)
	if err != nil && !os.IsNotExist(err) {
		w.t.Fatal(err)
	}
	return string(data)
}

func TestUndoRoundTrips(t *testing.T) {
	for name, text := range map[string]string{
		"crlf":          "{\r\n  \"mcpServers\": {\r\n    \"a\": {\"command\": \"one\"}\r\n  }\r\n}",
		"bom":           "\xef\xbb\xbf{\n\t\"mcpServers\": {}\n}\n",
		"tabs":          "{\n\t\"mcpServers\": {\n\t\t\"a\": {\n\t\t\t\"command\": \"x\", // why\n\t\t},\n\t},\n}\n\n\n",
		"one line":      `{"n":1e400,"mcpServers":{"\u0061":{"command":"x"}}}`,
		"empty":         "",
		"only comments": "// nothing yet\n",
		"other keys":    "{\"theme\": \"dark\"}\r\n",
	} {
		for _, scope := range []Scope{User, Project} {
			w := newWorld(t)
			s := w.open()
			path := w.write(s.Path(scope), text)
			w.must(w.add(s, scope, "new"))
			edited := w.text(path)
			for range 2 { // and undo of undo, and undo of that
				if w.undo(s, UndoRequest{Scope: scope}); w.text(path) != text {
					t.Errorf("%s, %s: undone: %q", name, scope, w.text(path))
				}
				if w.undo(s, UndoRequest{Scope: scope}); w.text(path) != edited {
					t.Errorf("%s, %s: done again: %q", name, scope, w.text(path))
				}
			}
			if u := w.undo(s, UndoRequest{Scope: scope, Number: 1}); u.Commit.Number != 1 || w.text(path) != text {
				t.Errorf("%s, %s: before the first: %q", name, scope, w.text(path))
			}
			if u := w.undo(s, UndoRequest{Scope: scope, Number: 1}); !u.Unchanged {
				t.Errorf("%s, %s: not unchanged", name, scope)
			}
			want := []string{"undo new", "undo new", "undo new", "undo new", "undo new", "add new"}
			if diff := cmp.Diff(want, words(w.commits(s, scope))); diff != "" {
				t.Errorf("%s, %s: -want +got:\n%s", name, scope, diff)
			}
		}
	}
}

// A file that a change made is removed, and comes back with its mode.
func TestUndoOfANewFile(t *testing.T) {
	for scope, mode := range map[Scope]fs.FileMode{User: 0o640, Project: 0o604} {
		w := newWorld(t)
		s := w.open()
		path := s.Path(scope)
		w.must(w.add(s, scope, "a"))
		w.must(os.Chmod(path, mode))
		if u := w.undo(s, UndoRequest{Scope: scope, DryRun: true}); u.After != nil || !strings.Contains(w.text(path), `"a"`) {
			t.Errorf("%s: a dry run wrote", scope)
		}
		w.undo(s, UndoRequest{Scope: scope})
		if _, err := os.Stat(path); !os.IsNotExist(err) {
			t.Errorf("%s: the file is still there: %v", scope, err)
		}
		w.undo(s, UndoRequest{Scope: scope})
		if info, err := os.Stat(path); err != nil || info.Mode() != mode {
			t.Errorf("%s: came back as %v, %v", scope, info, err)
		}
		// What somebody else has written to is not removed, not even with force.
		w.write(path, `{"mcpServers":{"theirs":{"command":"x"}}}`)
		for _, force := range []bool{false, true} {
			_, err := s.Undo(t.Context(), UndoRequest{Scope: scope, Number: 1, Force: force})
			if code(err) != CodeConflict || !strings.Contains(w.text(path), "theirs") {
				t.Errorf("%s: force=%v: %v", scope, force, err)
			}
		}
		w.commits(s, Local)
	}
}

func TestUndoConflict(t *testing.T) {
	w := newWorld(t)
	s := w.open()
	path := w.user(`{"mcpServers":{"a":{"command":"1"}}}`)
	w.must(w.add(s, User, "b"))
	for _, theirs := range []string{`{"mcpServers":{"c":{"command":"3"}}}`, `{ not JSON`, ``} {
		w.write(path, theirs)
		if _, err := s.Undo(t.Context(), UndoRequest{Scope: User}); code(err) != CodeConflict || w.text(path) != theirs {
			t.Errorf("%q: %v, file is %q", theirs, err, w.text(path))
		}
	}
	w.write(path, "{ not JSON")
	w.undo(s, UndoRequest{Scope: User, Force: true})
	if got := w.text(path); got != `{"mcpServers":{"a":{"command":"1"}}}` {
		t.Errorf("forced: %q", got)
	}
	w.undo(s, UndoRequest{Scope: User})
	if got := w.text(path); got != "{ not JSON" {
		t.Errorf("forced and undone: %q", got)
	}
	w.must(os.Remove(path))
	if _, err := s.Undo(t.Context(), UndoRequest{Scope: User}); code(err) != CodeConflict {
		t.Errorf("the file is gone: %v", err)
	}
	w.undo(s, UndoRequest{Scope: User, Number: 1, Force: true})
	if got := w.text(path); got != `{"mcpServers":{"a":{"command":"1"}}}` {
		t.Errorf("forced after it was gone: %q", got)
	}
}

func TestUndoNotFound(t *testing.T) {
	w := newWorld(t)
	s := w.open()
	w.user(`{}`)
	if _, err := s.Undo(t.Context(), UndoRequest{Scope: User}); code(err) != CodeNotFound {
		t.Errorf("without a history: %v", err)
	}
	w.must(w.add(s, User, "a"))
	if _, err := s.Undo(t.Context(), UndoRequest{Scope: User, Number: 2}); code(err) != CodeNotFound {
		t.Errorf("no such change: %v", err)
	}
}

// Undo approves nothing; an entry that comes back as it was approved is approved,
// because approval is by content.
func TestUndoApprovesNothing(t *testing.T) {
	w := newWorld(t)
	s := w.open()
	approval := func(name string) Approval {
		for _, e := range s.ReadSource(Project).Entries {
			if e.Name == name {
				state, _, _ := s.ReadApprovals().State(s, e)
				return state
			}
		}
		return ""
	}
	w.project(`{"mcpServers":{"theirs":{"command":"x"}}}`)
	w.must(w.add(s, Project, "mine"))
	for _, name := range []string{"mine", "theirs"} {
		_, err := s.Remove(t.Context(), RemoveRequest{Scope: Project, Name: name})
		w.must(err)
	}
	word := w.text(s.approvalsPath())
	w.undo(s, UndoRequest{Scope: Project, Number: 2})
	if got := [2]Approval{approval("mine"), approval("theirs")}; got != [2]Approval{Approved, Pending} {
		t.Errorf("approvals are %v", got)
	}
	if w.text(s.approvalsPath()) != word {
		t.Error("the approvals were written")
	}
}

// The history of a file that is reached over a link is that of the real file, and
// undo leaves the link.
func TestHistoryBehindALink(t *testing.T) {
	w := newWorld(t)
	s := w.open()
	real := w.write(filepath.Join(w.home, "dotfiles", "mcp.json"), `{"mcpServers":{}}`)
	w.must(os.MkdirAll(filepath.Dir(s.Path(User)), 0o700))
	w.must(os.Symlink(real, s.Path(User)))
	w.must(w.add(s, User, "a"))
	list := w.commits(s, User)
	if len(list) != 1 || list[0].Path != real {
		t.Errorf("history: %+v", list)
	}
	env := Environ{"HOME": w.home, "MCPCTL_CONFIG_HOME": filepath.Join(w.home, "elsewhere")}
	w.must(os.MkdirAll(filepath.Join(w.home, "elsewhere", "mcp"), 0o700))
	w.must(os.Symlink(real, filepath.Join(w.home, "elsewhere", "mcp", "mcp.json")))
	other, err := Open(env, w.repo, "")
	w.must(err)
	if got := w.commits(other, User); len(got) != 1 {
		t.Errorf("over another link: %+v", got)
	}
	w.undo(other, UndoRequest{Scope: User})
	if to, err := os.Readlink(s.Path(User)); to != real || err != nil || w.text(real) != `{"mcpServers":{}}` {
		t.Errorf("link to %q, %v; file %q", to, err, w.text(real))
	}
	// A new file behind a link is removed where it is, and the link would then dangle:
	// the change is refused before, since a dangling link is an error.
	w.must(os.Remove(real))
	if _, err := s.Undo(t.Context(), UndoRequest{Scope: User}); code(err) != CodePathUnsafe {
		t.Errorf("over a dangling link: %v", err)
	}
}

func TestWhatChanged(t *testing.T) {
	s := newWorld(t).open()
	for _, tc := range []struct{ before, after, want string }{
		{`{}`, `{"a":{"command":"x"}}`, "add a"},
		{`{}`, `{"a":{},"b":{}}`, "add a,b"},
		{`{"a":{},"b":{}}`, `{"a":{}}`, "remove b"},
		{`{"a":{"command":"x"}}`, `{"a":{"command":"y"}}`, "update a"},
		{`{"a":{"command":"x"}}`, `{"b":{"command":"x"}}`, "rename a,b"},
		{`{"a":{"command":"x"}}`, `{"b":{"command":"y"}}`, "edit a,b"},
		{`{"a":{}}`, `{ "a": {} }`, "edit "},
	} {
		read := func(servers string) *Source {
			return s.parsed(User, "/x", []byte(`{"mcpServers":`+servers+`}`))
		}
		verb, names := whatChanged(read(tc.before), read(tc.after))
		if got := verb + " " + strings.Join(names, ","); got != tc.want {
			t.Errorf("%s to %s: %q, want %q", tc.before, tc.after, got, tc.want)
		}
	}
}

func TestParseCommitID(t *testing.T) {
	type id struct {
		scope  Scope
		number int
	}
	for text, want := range map[string]id{"user-7": {User, 7}, "project-12": {Project, 12}, "local-1": {Local, 1}, "7": {"", 7}} {
		if scope, number, ok := ParseCommitID(text); !ok || (id{scope, number}) != want {
			t.Errorf("%q: %q %d %v", text, scope, number, ok)
		}
	}
	for _, text := range []string{"", "0", "-7", "user", "user-", "user-0", "User-7", "user-7-1", "session-1", "user--7"} {
		if scope, number, ok := ParseCommitID(text); ok {
			t.Errorf("%q is taken for %q %d", text, scope, number)
		}
	}
}
