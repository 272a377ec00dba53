package store

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A denial of a name survives whatever is written under the name; only an approval
// lifts it.
func TestDenialSurvivesWrites(t *testing.T) {
	for what, write := range map[string]func(*world, *Store) (Change, error){
		"rename": func(w *world, s *Store) (Change, error) {
			return s.Rename(w.t.Context(), RenameRequest{Scope: Project, From: "a", To: "b"})
		},
		"add": func(w *world, s *Store) (Change, error) {
			return s.Add(w.t.Context(), AddRequest{Scope: Project, Name: "b", Entry: json.RawMessage(`{"command":"x"}`)})
		},
		"apply add": func(w *world, s *Store) (Change, error) {
			a, err := w.apply(s, Project, `{"op": "add", "name": "b", "entry": {"command": "x"}}`)
			return a.Change, err
		},
		"apply rename": func(w *world, s *Store) (Change, error) {
			a, err := w.apply(s, Project, `{"op": "rename", "name": "a", "to": "b"}`)
			return a.Change, err
		},
	} {
		t.Run(what, func(t *testing.T) {
			w := newWorld(t)
			s := w.open()
			w.project(`{"mcpServers":{"a":{"command":"1"},"b":{"command":"2"}}}`)
			w.approve("a")
			e, _ := w.entryOf("b")
			w.must(s.Deny(t.Context(), e.Source.Real, "b"))
			_, err := s.Remove(t.Context(), RemoveRequest{Scope: Project, Name: "b"})
			w.must(err)
			change, err := write(w, s)
			w.must(err)
			if _, state := w.entryOf("b"); state != Denied {
				t.Errorf("b is %s", state)
			}
			if len(change.Warnings) != 1 || !strings.Contains(change.Warnings[0].Hint, "mcpctl approve b") {
				t.Errorf("warnings: %+v", change.Warnings)
			}
			w.approve("b")
			if _, state := w.entryOf("b"); state != Approved {
				t.Errorf("approved, b is %s", state)
			}
		})
	}
}

// What approve refuses is refused before it is written.
func TestUnapprovableIsNotWritten(t *testing.T) {
	const disguised = `{"command":"x\u202ey"}`
	for what, write := range map[string]func(*world, *Store) error{
		"add": func(w *world, s *Store) error {
			_, err := s.Add(w.t.Context(), AddRequest{Scope: Project, Name: "b", Entry: json.RawMessage(disguised)})
			return err
		},
		"add of a large file": func(w *world, s *Store) error {
			_, err := s.Add(w.t.Context(), AddRequest{Scope: Project, Name: "b", Entry: json.RawMessage(`{"command":"x","args":["big"]}`)})
			return err
		},
		"update": func(w *world, s *Store) error {
			_, err := s.Update(w.t.Context(), UpdateRequest{Scope: Project, Name: "a", Edits: []FieldEdit{set("command", `"x\u202ey"`)}})
			return err
		},
		"update of a large file": func(w *world, s *Store) error {
			_, err := s.Update(w.t.Context(), UpdateRequest{Scope: Project, Name: "a", Edits: []FieldEdit{set("args", `["big"]`)}})
			return err
		},
		"apply add": func(w *world, s *Store) error {
			_, err := w.apply(s, Project, `{"op": "add", "name": "b", "entry": `+disguised+`}`)
			return err
		},
		"apply add of a large file": func(w *world, s *Store) error {
			_, err := w.apply(s, Project, `{"op": "add", "name": "b", "entry": {"command":"x","args":["big"]}}`)
			return err
		},
		"apply update": func(w *world, s *Store) error {
			_, err := w.apply(s, Project, `{"op": "update", "name": "a", "set": {"command": "x\u202ey"}}`)
			return err
		},
	} {
		t.Run(what, func(t *testing.T) {
			w := newWorld(t)
			s := w.open()
			path := w.project(`{"mcpServers":{"a":{"command":"1"}}}`)
			w.must(os.Truncate(w.write(filepath.Join(w.repo, "big"), ""), coveredLimit+1))
			w.approve("a")
			before := w.text(path)
			if err := write(w, s); code(err) != CodeInvalid {
				t.Errorf("written: %v", err)
			}
			if w.text(path) != before {
				t.Errorf("the file is now %s", w.text(path))
			}
			if _, state := w.entryOf("a"); state != Approved {
				t.Errorf("a is %s", state)
			}
		})
	}
}

// An apply covers the content of the files that its entries name.
func TestApplyCoversFiles(t *testing.T) {
	w := newWorld(t)
	s := w.open()
	script := w.write(filepath.Join(w.repo, "srv.js"), "good")
	w.project(`{"mcpServers":{"a":{"command":"node"}}}`)
	w.approve("a")
	_, err := w.apply(s, Project, `{"op": "add", "name": "b", "entry": {"command":"node","args":["srv.js"]}},
		{"op": "update", "name": "a", "set": {"args": ["srv.js"]}}`)
	w.must(err)
	for _, name := range []string{"a", "b"} {
		if _, state := w.entryOf(name); state != Approved {
			t.Errorf("%s is %s", name, state)
		}
	}
	w.write(script, "evil")
	for _, name := range []string{"a", "b"} {
		if _, state := w.entryOf(name); state != Changed {
			t.Errorf("changed, %s is %s", name, state)
		}
	}
}

// A file that cannot be read is equal to none.
func TestUnreadableIsNotEqual(t *testing.T) {
	gone := coveredFile{Path: "x", Size: 1, real: filepath.Join(t.TempDir(), "gone")}
	if len(changedFiles([]coveredFile{gone}, []coveredFile{gone})) != 1 {
		t.Error("two files that could not be read are the same")
	}
}
