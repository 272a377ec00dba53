package store

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// entryOf is the entry of a name in the project's file, and the state of the
// user's word on it.
func (w *world) entryOf(name string) (*Entry, Approval) {
	w.t.Helper()
	s := w.open()
	e := s.ReadSource(Project).entry(name)
	if e == nil {
		w.t.Fatalf("the project has no %s", name)
	}
	state, _, _ := s.ReadApprovals().State(s, e)
	return e, state
}

func (w *world) approve(name string) {
	w.t.Helper()
	e, _ := w.entryOf(name)
	if err := w.open().Approve(context.Background(), e, false); err != nil {
		w.t.Fatal(err)
	}
}

func set(path, value string) FieldEdit {
	return FieldEdit{Path: strings.Split(path, "."), Value: json.RawMessage(value)}
}

// Many writers at once lose neither a field nor the approval: what the word was
// is decided under the file's lock.
func TestUpdatesAtOnce(t *testing.T) {
	w := newWorld(t)
	w.project(`{"mcpServers":{"yes":{"command":"x"},"no":{"command":"x"}}}`)
	w.approve("yes")
	const writers = 12
	var wg sync.WaitGroup
	for i := range writers {
		wg.Go(func() {
			for _, name := range []string{"yes", "no"} {
				_, err := w.open().Update(context.Background(), UpdateRequest{Scope: Project, Name: name,
					Edits: []FieldEdit{set(fmt.Sprintf("env.K%d", i), `"v"`)}})
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	for name, want := range map[string]Approval{"yes": Approved, "no": Pending} {
		e, state := w.entryOf(name)
		if state != want || len(e.Definition.Env) != writers {
			t.Errorf("%s is %s with %d of %d variables", name, state, len(e.Definition.Env), writers)
		}
	}
}

// A file that is swapped while an edit of its entry is under way is not approved
// by that edit.
func TestCarryKeepsHashes(t *testing.T) {
	w := newWorld(t)
	w.project(`{"mcpServers":{"p":{"command":"sh","args":["./a.sh"]}}}`)
	w.write(filepath.Join(w.repo, "a.sh"), "good")
	w.write(filepath.Join(w.repo, "b.sh"), "good")
	w.approve("p")
	e, state := w.entryOf("p")
	s := w.open()
	word := s.wordOn(e)
	if state != Approved || word == nil {
		t.Fatalf("p is %s", state)
	}
	w.write(filepath.Join(w.repo, "a.sh"), "evil")
	w.project(`{"mcpServers":{"p":{"command":"sh","args":["./a.sh","./b.sh"]}}}`)
	e, _ = w.entryOf("p")
	if err := s.carry(context.Background(), word, e); err != nil {
		t.Fatal(err)
	}
	if _, state = w.entryOf("p"); state != Changed {
		t.Errorf("the swapped file is %s", state)
	}
	w.write(filepath.Join(w.repo, "a.sh"), "good")
	if _, state = w.entryOf("p"); state != Approved {
		t.Errorf("the file that was approved is %s", state)
	}
}

// What the user says while an edit is under way counts more than what was carried.
func TestCarryYields(t *testing.T) {
	w := newWorld(t)
	w.project(`{"mcpServers":{"p":{"command":"x"},"q":{"command":"x"}}}`)
	for name, say := range map[string]func(*Store, *Entry) error{
		"p": func(s *Store, e *Entry) error { return s.Deny(context.Background(), e.Source.Real, e.Name) },
		"q": func(s *Store, e *Entry) error {
			_, err := s.Revoke(context.Background(), e.Source.Real, e.Name)
			return err
		},
	} {
		w.approve(name)
		s := w.open()
		e, _ := w.entryOf(name)
		word := s.wordOn(e)
		if err := say(s, e); err != nil {
			t.Fatal(err)
		}
		_, before := w.entryOf(name)
		if err := s.carry(context.Background(), word, e); err != nil {
			t.Fatal(err)
		}
		if _, after := w.entryOf(name); after != before || after == Approved {
			t.Errorf("%s was %s and is %s", name, before, after)
		}
	}
}

func TestDraftConflict(t *testing.T) {
	w := newWorld(t)
	path := w.user("{\"mcpServers\":{\"a\":{\n  // one\n  \"command\":\"x\"\n}}}")
	s := w.open()
	d, err := s.Draft(User, "a", "")
	if err != nil {
		t.Fatal(err)
	}
	if want := "{\n  // one\n  \"command\":\"x\"\n}"; string(d.Text) != want {
		t.Errorf("the draft is %q, want %q", d.Text, want)
	}
	other := "{\"mcpServers\":{\"a\":{\n  // two\n  \"command\":\"x\"\n}}}"
	w.user(other) // only a comment: the fingerprint is the same
	d.Text = []byte(`{"command":"y"}`)
	if _, err := s.Update(context.Background(), UpdateRequest{Scope: User, Name: "a", Draft: d}); code(err) != CodeConflict {
		t.Errorf("a comment of somebody else was overwritten: %v", err)
	}
	if data, _ := os.ReadFile(path); string(data) != other {
		t.Errorf("the file is %q", data)
	}
	if _, err := s.Draft(User, "a", RevisionOf(nil)); code(err) != CodeConflict {
		t.Errorf("another fingerprint was taken: %v", err)
	}
	if _, err := s.Draft(User, "b", ""); code(err) != CodeNotFound {
		t.Errorf("Draft of nothing: %v", err)
	}
}

// Whatever is refused leaves the file and the approvals as they were.
func TestUpdateRefusals(t *testing.T) {
	const text = `{"mcpServers":{"s":{"command":"x","env":{"A":"1"},"list":[1]},"twice":{"command":"x"},"twice":{"command":"y"},"n":7}}`
	for name, tt := range map[string]struct {
		server string
		edits  []FieldEdit
		want   string
	}{
		"not there":       {"nobody", []FieldEdit{set("timeout", "1")}, CodeNotFound},
		"below a list":    {"s", []FieldEdit{set("list.a", "1")}, CodeInvalid},
		"below a number":  {"n", []FieldEdit{set("command", `"x"`)}, CodeInvalid},
		"wrong type":      {"s", []FieldEdit{set("args", `"x"`)}, CodeInvalid},
		"look-alike":      {"s", []FieldEdit{set("ARGS", `[]`)}, CodeInvalid},
		"no effect":       {"s", []FieldEdit{set("headers.A", `"x"`)}, CodeInvalid},
		"twice":           {"twice", []FieldEdit{set("timeout", "1")}, CodeInvalid},
		"not JSON":        {"s", []FieldEdit{set("x", "{")}, CodeInvalid},
		"comment":         {"s", []FieldEdit{set("x", "1 // c")}, CodeInvalid},
		"too deep":        {"s", []FieldEdit{set("x", strings.Repeat("[", 70)+strings.Repeat("]", 70))}, CodeInvalid},
		"second of two":   {"s", []FieldEdit{set("timeout", "1"), set("env", "[]")}, CodeInvalid},
		"not an object":   {"s", []FieldEdit{{Value: json.RawMessage("[]")}}, CodeInvalid},
		"command in vain": {"s", []FieldEdit{{Path: []string{"command"}}, {Path: []string{"env"}}}, CodeInvalid},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			path := w.project(text)
			_, err := w.open().Update(context.Background(), UpdateRequest{Scope: Project, Name: tt.server, Edits: tt.edits})
			if code(err) != tt.want {
				t.Errorf("%v, want %s", err, tt.want)
			}
			if data, _ := os.ReadFile(path); string(data) != text {
				t.Errorf("the file is %s", data)
			}
		})
	}
}
