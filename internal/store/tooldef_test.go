package store

import (
	"encoding/json"
	"strings"
	"testing"
)

// TestToolsMeanTheSameElsewhere: order of keys, spelling of numbers and the folders of a
// machine make no difference; whatever else does.
func TestToolsMeanTheSameElsewhere(t *testing.T) {
	at := func(workspace, home string) *Store {
		return &Store{Workspace: Workspace{Dir: workspace}, Places: Places{Home: home}}
	}
	ann, bob := at("/home/ann/src/app", "/home/ann"), at("/work/app", "/home/bob")
	same := [][2]string{
		{`{"name":"t","d":"reads /home/ann/src/app/x and /home/ann/.ssh"}`, `{"d":"reads /work/app/x and /home/bob/.ssh","name":"t"}`},
		{`{"name":"t","a":[30,{"b":"/home/ann"}]}`, `{"name":"t","a":[3.0e1,{"b":"/home/bob"}]}`},
		{`{"name":"t","a":"\u0041"}`, `{"name":"t","a":"A"}`},
	}
	for _, c := range same {
		x, y := ann.DefineTool("t", json.RawMessage(c[0])), bob.DefineTool("t", json.RawMessage(c[1]))
		if x.Hash != y.Hash {
			t.Errorf("%s and %s differ:\n%s\n%s", c[0], c[1], x.Definition, y.Definition)
		}
	}
	for _, c := range [][2]string{
		{`{"d":"/home/anna"}`, `{"d":"<home>a"}`}, {`{"d":"x/home/ann"}`, `{"d":"x<home>"}`}, {`{"d":["a","b"]}`, `{"d":["b","a"]}`},
		{`{"a":1,"a":2}`, `{"a":2}`}, {`{"a":1,"a":2}`, `{"a":2,"a":1}`}, {`{"d":"a"}`, `{"d":"a "}`}, {`{"d":null}`, `{}`}, {`{"d":12345678901234567890}`, `{"d":12345678901234567891}`},
	} {
		if x, y := ann.DefineTool("t", json.RawMessage(c[0])), ann.DefineTool("t", json.RawMessage(c[1])); x.Hash == y.Hash {
			t.Errorf("%s and %s are one", c[0], c[1])
		}
	}
	if ann.DefineTool("t", json.RawMessage(`{}`)).Hash == ann.DefineTool("u", json.RawMessage(`{}`)).Hash {
		t.Error("the name does not count")
	}
}

// TestToolsStayReadable: what hides or reorders is escaped in the form that is kept, and
// what cannot be read is kept as a text.
func TestToolsStayReadable(t *testing.T) {
	s := &Store{Workspace: Workspace{Dir: "/w"}, Places: Places{Home: "/h"}}
	d := s.DefineTool("t", json.RawMessage("{\"d\":\"a\u202eb\u200b\"}"))
	if got := string(d.Definition); got != `{"d":"a\u202eb\u200b"}` {
		t.Errorf("%s", got)
	}
	if !json.Valid(d.Definition) || EntryFingerprint("t", d.Definition) != d.Hash {
		t.Errorf("the hash is not of what is kept: %s", d.Definition)
	}
	deep := strings.Repeat("[", 200) + strings.Repeat("]", 200)
	d = s.DefineTool("t", json.RawMessage(deep))
	if !json.Valid(d.Definition) || d.Hash == s.DefineTool("t", json.RawMessage("["+deep+"]")).Hash {
		t.Errorf("%.40s", d.Definition)
	}
	if why := (LockedTool{Hash: d.Hash, Definition: d.Definition}).fault("t"); why != "" {
		t.Errorf("a definition that is too deep %s", why)
	}
}

// TestToolSets: the set is one whatever its order, and changes are told by name.
func TestToolSets(t *testing.T) {
	s := &Store{Workspace: Workspace{Dir: "/w"}, Places: Places{Home: "/h"}}
	a, b, b2, c := s.DefineTool("a", []byte(`{}`)), s.DefineTool("b", []byte(`{}`)), s.DefineTool("b", []byte(`{"x":1}`)), s.DefineTool("c", []byte(`{}`))
	if ToolSetFingerprint([]ToolDefinition{a, b}) != ToolSetFingerprint([]ToolDefinition{b, a}) {
		t.Error("the order of tools counts")
	}
	if ToolSetFingerprint([]ToolDefinition{a, b}) == ToolSetFingerprint([]ToolDefinition{a, b2}) {
		t.Error("a definition does not count")
	}
	var got []string
	for _, change := range CompareTools([]ToolDefinition{b, a}, []ToolDefinition{c, b2}) {
		got = append(got, change.Name+" "+change.What())
	}
	if want := "a gone,b changed,c new"; strings.Join(got, ",") != want {
		t.Errorf("%v, want %s", got, want)
	}
	if diff := ToolDiff(ToolChange{"b", &b, &b2}, nil); !strings.Contains(diff, `+  "x": 1`) {
		t.Errorf("%s", diff)
	}
}
