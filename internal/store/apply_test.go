package store

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const applied = "// ours\r\n{\r\n\t\"mcpServers\": {\r\n\t\t\"a\": {\"command\": \"one\", \"args\": [\"x\"], \"env\": {\"K\": \"1\"}, \"x-note\": 1.50}, // first\r\n" +
	"\t\t\"b\\u0062\": {\"command\": \"two\"},\r\n\t\t\"c\": 7\r\n\t},\r\n\t\"theme\": \"dark\"\r\n}"

// apply parses the edits and applies them to the file of scope.
func (w *world) apply(s *Store, scope Scope, edits string) (Applied, error) {
	w.t.Helper()
	_, list, err := ParseEdits([]byte(`{"edits": [` + edits + `]}`))
	w.must(err)
	return s.Apply(w.t.Context(), ApplyRequest{Scope: scope, Edits: list})
}

func TestApply(t *testing.T) {
	w := newWorld(t)
	s := w.open()
	path := w.user(applied)
	a, err := w.apply(s, User, `
		{"op": "update", "name": "a", "set": {"env.K2": "${V}", "timeout": 30}, "unset": ["args", "cwd", "env.K"]},
		{"op": "rename", "name": "bb", "to": "b2"},
		{"op": "remove", "name": "c"},
		{"op": "add", "name": "d", "entry": {"command": "four"}}, // comments are fine
		{"op": "update", "name": "b2", "set": {"command": "2"}},`)
	w.must(err)
	want := "// ours\r\n{\r\n\t\"mcpServers\": {\r\n\t\t\"a\": {\"command\": \"one\", \"env\": {\"K2\": \"${V}\"}, \"x-note\": 1.50, \"timeout\": 30}, // first\r\n" +
		"\t\t\"b2\": {\"command\": \"2\"},\r\n\t\t\"d\": {\"command\": \"four\"}\r\n\t},\r\n\t\"theme\": \"dark\"\r\n}"
	if diff := cmp.Diff(want, w.text(path)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	src := s.ReadSource(User)
	fp := func(name string) Fingerprint { return src.entry(name).Fingerprint }
	if diff := cmp.Diff([]Fingerprint{fp("a"), fp("b2"), "", fp("d"), fp("b2")}, a.Fingerprints); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if list := w.commits(s, User); len(list) != 1 || words(list)[0] != "edit bb,c,b2,d,a" {
		t.Errorf("history: %q", words(list))
	}
	w.undo(s, UndoRequest{Scope: User})
	if got := w.text(path); got != applied {
		t.Errorf("undone: %q", got)
	}
}

// The first edit that fails is named, and nothing is written.
func TestApplyAllOrNothing(t *testing.T) {
	const good = `{"op": "add", "name": "new", "entry": {"command": "x"}}, `
	for _, tc := range []struct{ edit, code, says string }{
		{`{"op": "add", "name": "a", "entry": {"command": "x"}}`, CodeNameTaken, "edits[1] (add 'a'): the name 'a' is taken"},
		{`{"op": "add", "name": "NEW", "entry": {"command": "x"}}`, CodeNameTaken, "falls together with 'new'"},
		{`{"op": "add", "name": "-x", "entry": {"command": "x"}}`, CodeUsage, "begins with '-'"},
		{`{"op": "add", "name": "x", "entry": {"args": []}}`, CodeInvalid, "edits[1] (add 'x'): neither 'command' nor 'url'"},
		{`{"op": "update", "name": "z", "set": {"x": 1}}`, CodeNotFound, "edits[1] (update 'z'): no server is called \"z\""},
		{`{"op": "update", "name": "a", "set": {"command": 7}}`, CodeInvalid, "edits[1] (update 'a'): 'command' is a string"},
		{`{"op": "update", "name": "a", "set": {"command.x": 7}}`, CodeInvalid, "edits[1] (update 'a'): "},
		{`{"op": "update", "name": "a", "unset": ["command"]}`, CodeInvalid, "neither 'command' nor 'url'"},
		{`{"op": "update", "name": "c", "set": {"command": "x"}}`, CodeInvalid, "edits[1] (update 'c'): "},
		{`{"op": "rename", "name": "a", "to": "bb"}`, CodeNameTaken, "edits[1] (rename 'a'): the name 'bb' is taken"},
		{`{"op": "rename", "name": "a", "to": "a"}`, CodeNameTaken, "is taken"},
		{`{"op": "rename", "name": "a", "to": "New"}`, CodeNameTaken, "falls together"},
		{`{"op": "rename", "name": "a", "to": "/"}`, CodeUsage, "has characters other than"},
		{`{"op": "remove", "name": "aa"}`, CodeNotFound, "edits[1] (remove 'aa'): no server is called"},
		{`{"op": "remove", "name": "a", "expectFingerprint": "sha256:` + strings.Repeat("0", 64) + `"}`, CodeConflict, "edits[1] (remove 'a'): 'a' is not the entry that was reviewed"},
	} {
		w := newWorld(t)
		s := w.open()
		path := w.user(applied)
		before, err := os.Stat(path)
		w.must(err)
		_, err = w.apply(s, User, good+tc.edit)
		if code(err) != tc.code || !strings.Contains(err.Error(), tc.says) {
			t.Errorf("%s: %v", tc.edit, err)
		}
		after, err := os.Stat(path)
		if err != nil || w.text(path) != applied || !os.SameFile(before, after) || len(w.commits(s, User)) > 0 {
			t.Errorf("%s: something was written: %q, %v", tc.edit, w.text(path), err)
		}
	}
}

// Names that fall together in a file made by others: an edit of the one that cannot
// be used is refused, one that ends it is not.
func TestApplyFallingTogether(t *testing.T) {
	w := newWorld(t)
	s := w.open()
	path := w.user(`{"mcpServers":{"a-b":{"command":"1"},"a_b":{"command":"2"}}}`)
	_, err := w.apply(s, User, `{"op": "add", "name": "x", "entry": {"command": "3"}}, {"op": "update", "name": "a_b", "set": {"timeout": 5}}`)
	if code(err) != CodeInvalid || !strings.Contains(err.Error(), "edits[1] (update 'a_b'): ") {
		t.Errorf("update: %v", err)
	}
	_, err = w.apply(s, User, `{"op": "update", "name": "a_b", "set": {"timeout": 5}}, {"op": "rename", "name": "a-b", "to": "c"}`)
	w.must(err)
	if got := w.text(path); got != `{"mcpServers":{"c":{"command":"1"},"a_b":{"command":"2","timeout":5}}}` {
		t.Errorf("got %s", got)
	}
}

func TestApplyUnchanged(t *testing.T) {
	w := newWorld(t)
	s := w.open()
	w.user(applied)
	for _, edits := range []string{
		``, `{"op": "update", "name": "a", "unset": ["cwd", "oauth.scope"]}`, `{"op": "update", "name": "a", "set": {"command": "one"}}`,
		`{"op": "rename", "name": "a", "to": "z"}, {"op": "rename", "name": "z", "to": "a"}`,
	} {
		if a, err := w.apply(s, User, edits); err != nil || !a.Unchanged {
			t.Errorf("%s: %v", edits, err)
		}
	}
	if list := w.commits(s, User); len(list) > 0 {
		t.Errorf("history: %q", words(list))
	}
}

// What each edit does to the user's word on the entries of a project.
func TestApplyApprovals(t *testing.T) {
	w := newWorld(t)
	s := w.open()
	w.project(`{"mcpServers":{"yes":{"command":"1"},"new":{"command":"2"},"no":{"command":"3"},"moved":{"command":"4"},"entry":{"command":"5"},"late":{"command":"6"},"bad":{"command":"7"}}}`)
	entry := func(name string) *Entry { return s.ReadSource(Project).entry(name) }
	for _, name := range []string{"yes", "moved", "entry"} {
		w.must(s.Approve(t.Context(), entry(name), name == "entry"))
	}
	w.must(s.Deny(t.Context(), entry("no").Source.Real, "no"))
	w.must(s.Deny(t.Context(), entry("no").Source.Real, "never"))
	w.must(s.Deny(t.Context(), entry("no").Source.Real, "bad"))
	_, err := w.apply(s, Project, `
		{"op": "update", "name": "yes", "set": {"args": ["x"]}},
		{"op": "update", "name": "yes", "set": {"cwd": "."}},
		{"op": "update", "name": "new", "set": {"args": ["x"]}},
		{"op": "update", "name": "no", "set": {"args": ["x"]}},
		{"op": "update", "name": "entry", "set": {"args": ["x"]}},
		{"op": "rename", "name": "moved", "to": "there"},
		{"op": "rename", "name": "late", "to": "later"},
		{"op": "rename", "name": "bad", "to": "worse"},
		{"op": "add", "name": "mine", "entry": {"command": "x"}},
		{"op": "add", "name": "gone", "entry": {"command": "x"}},
		{"op": "remove", "name": "gone"},
		{"op": "add", "name": "again", "entry": {"command": "x"}},
		{"op": "rename", "name": "again", "to": "never"}`)
	w.must(err)
	got := map[string]Approval{}
	for _, e := range s.ReadSource(Project).Entries {
		got[e.Name], _, _ = s.ReadApprovals().State(s, e)
	}
	want := map[string]Approval{"yes": Approved, "new": Pending, "no": Denied, "entry": Approved, "there": Approved,
		"later": Pending, "mine": Approved, "never": Denied, "worse": Denied}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if r := s.ReadApprovals().find(s.ReadSource(Project), "entry"); r == nil || !r.EntryOnly {
		t.Errorf("entry-only was lost: %+v", r)
	}
	if r := s.ReadApprovals().find(s.ReadSource(Project), "gone"); r != nil {
		t.Errorf("an entry that is not there was approved: %+v", r)
	}
	if r := s.ReadApprovals().find(s.ReadSource(Project), "moved"); r != nil {
		t.Errorf("the old name is still approved: %+v", r)
	}
	_, err = w.apply(s, Project, `{"op": "rename", "name": "yes", "to": "x"}, {"op": "rename", "name": "x", "to": "yes"}, {"op": "remove", "name": "gone2"}`)
	if code(err) != CodeNotFound {
		t.Errorf("a failing edit: %v", err)
	}
	_, err = w.apply(s, Project, `{"op": "rename", "name": "yes", "to": "x"}, {"op": "rename", "name": "x", "to": "yes"}, {"op": "remove", "name": "mine"}`)
	w.must(err)
	if state, _, _ := s.ReadApprovals().State(s, entry("yes")); state != Approved {
		t.Errorf("renamed there and back: %s", state)
	}
	// A changed entry is not approved by the way.
	w.project(strings.Replace(w.text(s.Path(Project)), `"1"`, `"evil"`, 1))
	_, err = w.apply(s, Project, `{"op": "update", "name": "yes", "unset": ["cwd"]}`)
	w.must(err)
	if state, _, _ := s.ReadApprovals().State(s, entry("yes")); state != Changed {
		t.Errorf("changed by somebody else and updated: %s", state)
	}
	// What the user writes as it stands already is the user's word all the same.
	a, err := w.apply(s, Project, `{"op": "add", "name": "new", "replace": true, "entry": {"command":"2","args":["x"]}}`)
	w.must(err)
	if state, _, _ := s.ReadApprovals().State(s, entry("new")); state != Approved || !a.Unchanged {
		t.Errorf("added as it stood: %s, unchanged=%v", state, a.Unchanged)
	}
	// A dry run approves nothing.
	word := w.text(s.approvalsPath())
	_, err = s.Apply(t.Context(), ApplyRequest{Scope: Project, DryRun: true,
		Edits: []Edit{{Op: OpAdd, Name: "dry", Entry: json.RawMessage(`{"command":"x"}`)}}})
	if err != nil || w.text(s.approvalsPath()) != word || entry("dry") != nil {
		t.Errorf("a dry run wrote: %v", err)
	}
}

func TestParseEditsFaults(t *testing.T) {
	for _, tc := range []struct{ text, says string }{
		{``, "there is nothing"}, {`[]`, "the document is an object, found array"}, {`{`, ""},
		{`{}`, "no list 'edits'"}, {`{"edits": {}}`, "no list 'edits'"},
		{`{"scope": "session", "edits": []}`, "1:11: the scope is"}, {`{"scope": 1, "edits": []}`, "the scope is"},
		{`{"edits": [], "edits": []}`, "stands twice"}, {`{"Scope": "user", "edits": []}`, `unknown key "Scope"`},
		{`{"edits": [1]}`, "edits[0]: an edit is an object, found number"},
		{`{"edits": [{}]}`, "edits[0]: 'op' is"}, {`{"edits": [{"op": "Add"}]}`, "'op' is"},
		{`{"edits": [{"op": "remove"}]}`, "remove needs 'name'"},
		{`{"edits": [{"op": "remove", "name": 1}]}`, "'name' is a string"},
		{`{"edits": [{"op": "remove", "name": "a", "set": {}}]}`, `unknown key "set"`},
		{`{"edits": [{"op": "remove", "name": "a", "name": "b"}]}`, `"name" stands twice`},
		{`{"edits": [{"op": "remove", "name": "a", "expectFingerprint": "sha256:0"}]}`, "64 hex digits"},
		{`{"edits": [{"op": "add", "name": "a"}]}`, "add needs 'entry'"},
		{`{"edits": [{"op": "add", "name": "a", "entry": "x"}]}`, "'entry' is an object"},
		{`{"edits": [{"op": "add", "name": "a", "entry": {}, "replace": "yes"}]}`, "'replace' is true or false"},
		{`{"edits": [{"op": "rename", "name": "a"}]}`, "rename needs 'to'"},
		{`{"edits": [{"op": "update", "name": "a"}]}`, "update needs 'set'"},
		{`{"edits": [{"op": "update", "name": "a", "set": {"env..K": 1}}]}`, `"env..K" is not the path`},
		{`{"edits": [{"op": "update", "name": "a", "set": {"x": 1, "x": 2}}]}`, `"x" stands twice`},
		{`{"edits": [{"op": "update", "name": "a", "unset": "x"}]}`, "'unset' is a list"},
		{`{"edits": [{"op": "update", "name": "a", "unset": [1]}]}`, "'unset' is a list"},
		{`{"edits": [{"op": "update", "name": "a", "unset": ["x"], "ste": {}}]}`, `unknown key "ste"`},
	} {
		_, _, err := ParseEdits([]byte(tc.text))
		if code(err) != CodeInvalid {
			t.Errorf("%s: %v", tc.text, err)
			continue
		}
		e := err.(*Error)
		if place := fmt.Sprintf("%d:%d: ", e.Line, e.Column); !strings.Contains(place+e.Message, tc.says) {
			t.Errorf("%s: %s%s, want %q", tc.text, place, e.Message, tc.says)
		}
	}
}
