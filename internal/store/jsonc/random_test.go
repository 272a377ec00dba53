package jsonc

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
)

// writer makes random JSON with comments.
type writer struct {
	*rand.Rand
	out strings.Builder
	eol string
}

func randomText(r *rand.Rand) string {
	w := &writer{Rand: r, eol: []string{"\n", "\r\n"}[r.IntN(2)]}
	if r.IntN(4) == 0 {
		w.out.WriteString(byteOrderMark)
	}
	w.space()
	if r.IntN(10) > 0 {
		w.object(0, r.IntN(3) > 0)
	}
	w.space()
	return w.out.String()
}

func (w *writer) pick(choices ...string) {
	w.out.WriteString(choices[w.IntN(len(choices))])
}

func (w *writer) space() {
	for w.IntN(4) == 0 {
		w.pick(" ", "  ", "\t", w.eol, w.eol+w.eol, "/* } */", "/* a"+w.eol+"  b */", "//", "// \" {")
		if strings.HasSuffix(w.out.String(), "//") || strings.HasSuffix(w.out.String(), "{") {
			w.out.WriteString(w.eol)
		}
	}
}

func (w *writer) object(level int, expanded bool) {
	w.out.WriteByte('{')
	used := map[string]bool{}
	n := w.IntN(4)
	for i := range n {
		if expanded {
			w.out.WriteString(w.eol + strings.Repeat([]string{"  ", "\t"}[w.IntN(20)/19], level+1))
		}
		w.space()
		key := []string{"a", "b", "mcpServers", "ü", "a/b", "", "\\u0061x"}[w.IntN(7)]
		if used[key] {
			key += fmt.Sprint(i)
		}
		used[key] = true
		w.out.WriteString(`"` + key + `"`)
		w.space()
		w.pick(":", ": ", " : ")
		w.space()
		w.value(level + 1)
		w.space()
		if i < n-1 || w.IntN(4) == 0 {
			w.out.WriteByte(',')
			w.space()
		}
	}
	w.space()
	if expanded {
		w.out.WriteString(w.eol + strings.Repeat("  ", level))
	}
	w.out.WriteByte('}')
}

func (w *writer) value(level int) {
	switch w.IntN(6) {
	case 0, 1, 2:
		if level < 5 {
			w.object(level, w.IntN(2) > 0)
			return
		}
		w.out.WriteString("{}")
	case 3:
		w.pick("[]", "[ 1 ]", `["x", "y"]`, "[1,{\"k\":2}, // c"+w.eol+"]", "["+w.eol+" 1,"+w.eol+" 2"+w.eol+"]")
	default:
		w.pick("null", "true", "30.0", "1e400", "-0", `"\u00e9\/"`, `"// no"`, `"\ud800"`)
	}
}

// randomPath walks down from the top as long as there are objects, and sometimes leaves for a new key.
func randomPath(r *rand.Rand, d *Document, key string) []string {
	var path []string
	for at := d.Root(); at != nil && at.Kind() == Object; {
		members := at.Members()
		if len(members) == 0 || r.IntN(3) == 0 {
			break
		}
		m := members[r.IntN(len(members))]
		path, at = append(path, m.Key), m.Value
	}
	for len(path) == 0 || r.IntN(3) == 0 {
		path = append(path, key)
	}
	return path
}

// comments returns all comments of a text.
func comments(src string) []string {
	var found []string
	for i := 0; i < len(src); i++ {
		switch src[i] {
		case '"':
			i = stringEnd([]byte(src), i) - 1
		case '/':
			end := commentEnd([]byte(src), i)
			found = append(found, strings.TrimRight(src[i:end], "\r\n"))
			i = end - 1
		}
	}
	return found
}

func lookup(d *Document, path []string) *Node {
	n := d.Root()
	for _, key := range path {
		if n == nil {
			return nil
		}
		n = n.Get(key)
	}
	return n
}

// checkEdits holds Set and Remove on one path to what they promise.
func checkEdits(t *testing.T, d *Document, path []string, value string) {
	t.Helper()
	old := string(d.Bytes())
	was := lookup(d, path)
	out, err := d.Set(path, json.RawMessage(value))
	if lazy, parseErr := parseWith(d.Bytes(), 0); parseErr != nil {
		t.Fatalf("%v\n%q", parseErr, old)
	} else if other, otherErr := lazy.Set(path, json.RawMessage(value)); string(other) != string(out) || fmt.Sprint(otherErr) != fmt.Sprint(err) {
		t.Fatalf("opened level by level, set %q gives\n%q, %v\nnot\n%q, %v", path, other, otherErr, out, err)
	}
	if err != nil {
		mustBeExpected(t, d, path, err)
		return
	}
	after, err := Parse(out)
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if got := lookup(after, path); got == nil || !sameJSON(got.Raw(), []byte(value)) {
		t.Fatalf("%q reads back wrong\n%s", path, out)
	}
	if was != nil {
		start, end := was.Span()
		if !strings.HasPrefix(string(out), old[:start]) || !strings.HasSuffix(string(out), old[end:]) {
			t.Fatalf("replace changed other bytes\n%q\n%q", old, out)
		}
	} else {
		if _, err := oneBlock(old, string(out)); err != nil {
			t.Fatalf("set %q: %v\n%q\n%q", path, err, old, out)
		}
		if !reflect.DeepEqual(comments(old), comments(string(out))) {
			t.Fatalf("comments changed\n%q\n%q", old, out)
		}
	}
	again, err := after.Set(path, json.RawMessage(value))
	if err != nil || string(again) != string(out) {
		t.Fatalf("setting it again: %v\n%q\n%q", err, out, again)
	}
	checkRename(t, after, path)
	checkExcerpt(t, after, path)
	checkRemove(t, after, path)
}

func checkRemove(t *testing.T, d *Document, path []string) {
	t.Helper()
	old := string(d.Bytes())
	out, err := d.Remove(path)
	if err != nil {
		t.Fatalf("remove %q: %v\n%q", path, err, old)
	}
	if lazy, _ := parseWith(d.Bytes(), 0); lazy != nil {
		if other, err := lazy.Remove(path); string(other) != string(out) {
			t.Fatalf("opened level by level, remove %q gives\n%q, %v\nnot\n%q", path, other, err, out)
		}
	}
	if _, err := oneBlock(string(out), old); err != nil {
		t.Fatalf("remove %q: %v\n%q\n%q", path, err, old, out)
	}
	after, err := Parse(out)
	if err != nil || lookup(after, path) != nil {
		t.Fatalf("remove %q: %v\n%q\n%q", path, err, old, out)
	}
}

// mustBeExpected accepts the errors that the text or the path explain.
func mustBeExpected(t *testing.T, d *Document, path []string, err error) {
	t.Helper()
	at := d.Root()
	for i, key := range path {
		if at == nil {
			break
		}
		if at.Kind() != Object {
			return
		}
		for _, c := range at.Clashes() {
			if c.Exact && c.Key1 == key {
				return
			}
		}
		at = at.Get(path[i])
	}
	if !strings.Contains(err.Error(), "nested deeper") {
		t.Fatalf("set %q: %v\n%q", path, err, d.Bytes())
	}
}

// sameJSON compares by tokens, so that number spelling and the order of keys count.
func sameJSON(a, b []byte) bool {
	x, errX := Parse(a)
	y, errY := Parse(b)
	return errX == nil && errY == nil && equal(x.tree, y.tree)
}

func TestRandomEdits(t *testing.T) {
	values := []string{`1e400`, `"x"`, `{}`, `[]`, two, `{"a":{"b":[{"c":[]}]}}`, `["\ud800",-0]`}
	for seed := range uint64(6000) {
		r := rand.New(rand.NewPCG(seed, 0))
		d := parse(t, randomText(r))
		checkEdits(t, d, randomPath(r, d, "new"), values[r.IntN(len(values))])
	}
}
