// Package edittest holds the edits of a format other than JSON to what every edit promises, for the tests of the
// formats: it reads back as meant, and leaves the rest of the text alone.
package edittest

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	udiff "github.com/aymanbagabas/go-udiff"

	"github.com/mcpctl/mcpctl/internal/store/jsonc"
)

// Read parses a text that has to parse.
func Read(t *testing.T, f jsonc.Format, text string) *jsonc.Document {
	t.Helper()
	doc, err := jsonc.ParseAs(f, []byte(text))
	if err != nil {
		t.Fatalf("%s\n%v", text, err)
	}
	return doc
}

// Changed are the lines that went (-) and came (+).
func Changed(before, after string) string {
	var out []string
	for i, line := range strings.Split(udiff.Unified("", "", before, after), "\n") {
		if i > 1 && (strings.HasPrefix(line, "-") || strings.HasPrefix(line, "+")) {
			out = append(out, line)
		}
	}
	return strings.Join(out, "\n")
}

// Files are the texts below testdata/configs that a pattern names and that parse.
func Files(t testing.TB, f jsonc.Format, pattern string) (texts []string) {
	t.Helper()
	paths, _ := filepath.Glob("../../../testdata/configs/" + pattern)
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := jsonc.ParseAs(f, data); err == nil {
			texts = append(texts, string(data))
		}
	}
	if len(texts) < 2 {
		t.Fatalf("%s: %d texts that parse", pattern, len(texts))
	}
	return texts
}

// edit is one edit of one member.
type edit struct {
	op    string // "set", "remove" or "rename"
	path  []string
	value string // to set, as JSON; or the new name
}

func (e edit) make(doc *jsonc.Document) ([]byte, error) {
	switch e.op {
	case "set":
		return doc.Set(e.path, json.RawMessage(e.value))
	case "remove":
		return doc.Remove(e.path)
	}
	return doc.Rename(e.path, e.value)
}

// after is the path of the member when the edit is made.
func (e edit) after() []string {
	if e.op == "rename" {
		return append(slices.Clone(e.path[:len(e.path)-1]), e.value)
	}
	return e.path
}

var values = []string{`"x y"`, `7`, `["a","b: #"]`, `{"k":"v","l":{"m":true}}`, `"yes"`, `{}`, `[]`, `"a\\b\n'\""`, `{"e":{},"l":[]}`, `"x=1#"`}

// reads checks that the result of an edit means what the edit says, and nothing else.
func (e edit) reads(t *testing.T, f jsonc.Format, src, out []byte) *jsonc.Document {
	t.Helper()
	after, err := jsonc.ParseAs(f, out)
	if err != nil {
		t.Fatalf("%v of\n%s\n gives\n%s\n%v", e, src, out, err)
	}
	before, _ := jsonc.ParseAs(f, src)
	want, got := plain(t, before), plain(t, after)
	was := take(want, e.path)
	is := take(got, e.after())
	switch e.op {
	case "set":
		var value any
		_ = json.Unmarshal([]byte(e.value), &value)
		if !reflect.DeepEqual(is, value) {
			t.Fatalf("%v of\n%s\n gives\n%s", e, src, out)
		}
	case "rename":
		if !reflect.DeepEqual(is, was) {
			t.Fatalf("%v of\n%s\n gives\n%s", e, src, out)
		}
	default:
		if is != nil {
			t.Fatalf("%v of\n%s\n is still there:\n%s", e, src, out)
		}
	}
	if prune(want, e.path); !reflect.DeepEqual(prune(got, e.path), want) {
		t.Fatalf("%v of\n%s\n changes something else:\n%s", e, src, out)
	}
	return after
}

// plain is what a document says; never nil.
func plain(t *testing.T, d *jsonc.Document) map[string]any {
	t.Helper()
	out := map[string]any{}
	if root := d.Root(); root != nil && root.Kind() == jsonc.Object {
		dec := json.NewDecoder(strings.NewReader(string(root.Raw())))
		if err := dec.Decode(&out); err != nil {
			t.Fatal(err)
		}
	}
	return out
}

// take cuts what is at a path, and returns it.
func take(in map[string]any, path []string) any {
	for _, key := range path[:len(path)-1] {
		in, _ = in[key].(map[string]any)
	}
	last := path[len(path)-1]
	v := in[last]
	delete(in, last)
	return v
}

// prune takes objects on the way of a path that hold nothing: whether they are there is the format's choice.
func prune(in map[string]any, path []string) map[string]any {
	if len(path) > 1 {
		if below, ok := in[path[0]].(map[string]any); ok && len(prune(below, path[1:])) == 0 {
			delete(in, path[0])
		}
	}
	return in
}
