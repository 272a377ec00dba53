package jsonc

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func parse(t testing.TB, src string) *Document {
	t.Helper()
	d, err := Parse([]byte(src))
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func TestNodes(t *testing.T) {
	src := byteOrderMark + "{ // ü\r\n \"ö\\u0061\": [true, null, 1.50, \"a\\nb\", {}],\n\t\"x\": {\"y\": false}\n}"
	root := parse(t, src).Root()

	var keys []string
	for _, m := range root.Members() {
		keys = append(keys, m.Key+" "+m.KeyPosition.String()+" "+string(m.Value.Kind())+" "+m.Value.Position().String())
	}
	want := []string{"öa line 2, column 2 array line 2, column 13", "x line 3, column 2 object line 3, column 7"}
	if diff := cmp.Diff(want, keys); diff != "" {
		t.Errorf("members: -want +got:\n%s", diff)
	}

	var elements []string
	for _, e := range root.Get("öa").Elements() {
		start, end := e.Span()
		elements = append(elements, string(e.Kind())+" "+src[start:end])
		if e.Position().Offset != start {
			t.Errorf("offset %d, span starts at %d", e.Position().Offset, start)
		}
	}
	if diff := cmp.Diff([]string{"bool true", "null null", "number 1.50", `string "a\nb"`, "object {}"}, elements); diff != "" {
		t.Errorf("elements: -want +got:\n%s", diff)
	}

	if text, ok := root.Get("öa").Elements()[3].Text(); text != "a\nb" || !ok {
		t.Errorf("got text %q, %v", text, ok)
	}
	if _, ok := root.Text(); ok {
		t.Error("an object has no text")
	}
	if root.Get("X") != nil || root.Get("x").Get("y") == nil || root.Get("öa").Get("0") != nil {
		t.Error("Get is exact, and for objects only")
	}
	if root.Elements() != nil || root.Get("öa").Members() != nil {
		t.Error("an object has no elements, an array no members")
	}
	if p := root.Position(); p != (Position{Offset: 3, Line: 1, Column: 1}) {
		t.Errorf("root is at %#v", p)
	}
}

func TestGetTakesTheFirst(t *testing.T) {
	if got := parse(t, `{"a": 1, "\u0061": 2}`).Root().Get("a").Raw(); string(got) != "1" {
		t.Errorf("got %s", got)
	}
}

func TestClashes(t *testing.T) {
	for _, tc := range []struct {
		src  string
		want []Clash
	}{
		{`{"command": 1, "args": 2, "ſ": 3, "t": 4}`, nil},
		{`["a", "a"]`, nil},
		{"{\"command\": 1,\n\"COMMAND\": 2}", []Clash{
			{"command", Position{1, 1, 2}, "COMMAND", Position{15, 2, 1}, false}}},
		{`{"a": 1, "\u0061": 2}`, []Clash{{"a", Position{1, 1, 2}, "a", Position{9, 1, 10}, true}}},
		{"{\"type\": 1, \"ſ\u212a\": 1, \"sk\": 2}", []Clash{{"ſ\u212a", Position{12, 1, 13}, "sk", Position{24, 1, 22}, false}}},
		{`{"ΣΑΣ": 1, "σας": 1}`, []Clash{{"ΣΑΣ", Position{1, 1, 2}, "σας", Position{14, 1, 12}, false}}},
		{`{"A": 1, "a": 2, "a": 3}`, []Clash{
			{"A", Position{1, 1, 2}, "a", Position{9, 1, 10}, false}, {"a", Position{9, 1, 10}, "a", Position{17, 1, 18}, true}}},
	} {
		if diff := cmp.Diff(tc.want, parse(t, tc.src).Root().Clashes()); diff != "" {
			t.Errorf("%s: -want +got:\n%s", tc.src, diff)
		}
	}
}

func TestFoldAgreesWithEqualFold(t *testing.T) {
	keys := []string{"k", "K", "\u212a", "s", "ſ", "S", "ß", "ẞ", "ss", "σ", "ς", "Σ", "i", "İ", "ı", "I", "é", "É", "ǆ", "ǅ", "命"}
	for _, a := range keys {
		for _, b := range keys {
			if got, want := fold(a) == fold(b), strings.EqualFold(a, b); got != want {
				t.Errorf("%q and %q: got %v, want %v", a, b, got, want)
			}
		}
	}
}

// Every position of a long line, with and without multi-byte characters, is right and found without a walk
// from the start.
func TestPositionsOnOneLine(t *testing.T) {
	for _, item := range []string{`"a"`, `"日本"`} {
		const n = 200_000
		d := parse(t, "["+strings.TrimSuffix(strings.Repeat(item+",", n), ",")+"]")
		width := len([]rune(item)) + 1
		start := time.Now()
		for i, e := range d.Root().Elements() {
			if p := e.Position(); p.Line != 1 || p.Column != 2+i*width {
				t.Fatalf("element %d is at %v", i, p)
			}
		}
		if took := time.Since(start); took > 30*time.Second {
			t.Errorf("took %v", took)
		}
	}
}

// The two ways to look for keys that clash agree.
func TestEarlierAgrees(t *testing.T) {
	words := []string{"a", "A", "b", "k", "K", "\u212a", "s", "ſ", "σ", "ς", "é", "E\u0301", "long", "Long", "LONG", "x"}
	for seed := range uint64(2000) {
		r := rand.New(rand.NewPCG(seed, 3))
		keys := make([]string, r.IntN(3*fewKeys))
		for i := range keys {
			keys[i] = words[r.IntN(len(words))]
		}
		want := make([]int, len(keys))
		for i, key := range keys {
			if want[i] = slices.Index(keys[:i], key); want[i] < 0 {
				want[i] = slices.IndexFunc(keys[:i], func(k string) bool { return strings.EqualFold(k, key) })
			}
		}
		if got := earlier(keys); !slices.Equal(got, want) {
			t.Fatalf("%q: %v, want %v", keys, got, want)
		}
	}
}
