package edittest

import (
	"bytes"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/internal/store/jsonc"
)

// Fuzz makes edits on texts that a fuzzer finds. One that is refused changes nothing; any other reads back.
func Fuzz(f *testing.F, format jsonc.Format, seeds ...string) {
	for _, text := range seeds {
		for which := range uint8(48) {
			f.Add([]byte(text), which, which*7)
		}
	}
	f.Fuzz(func(t *testing.T, src []byte, which, member uint8) {
		doc, err := jsonc.ParseAs(format, src)
		if err != nil {
			return
		}
		e := pick(doc, which, member)
		if out, err := e.make(doc); err == nil {
			again(t, e, e.reads(t, format, src, out), out)
		}
	})
}

// pick is one of the edits on one member of a document: whichever the numbers say.
func pick(doc *jsonc.Document, which, member uint8) edit {
	var path []string
	at := doc.Root()
	for at != nil && at.Kind() == jsonc.Object && len(at.Members()) > 0 && len(path) < 1+int(which>>4)%3 {
		m := at.Members()[int(member)%len(at.Members())]
		path, at = append(path, m.Key), m.Value
	}
	value := values[int(member>>3)%len(values)]
	switch {
	case which&3 == 1 || len(path) == 0:
		return edit{"set", append(path, "new key"), value}
	case which&3 == 0:
		return edit{"set", path, value}
	case which&3 == 2:
		return edit{"remove", path, ""}
	}
	return edit{"rename", path, "new.name"}
}

// again makes an edit on its own result, which stays as it is.
func again(t *testing.T, e edit, after *jsonc.Document, out []byte) {
	t.Helper()
	if e.op != "set" {
		return
	}
	if twice, err := e.make(after); err != nil || !bytes.Equal(twice, out) {
		t.Fatalf("%v twice: %v\n%s\n gives\n%s", e, err, out, twice)
	}
}

// Texts makes every edit on every member of some texts, and tries what must hold for each; edits of the members for
// which refused returns true may be refused.
func Texts(t *testing.T, format jsonc.Format, texts []string, refused func(error) bool) {
	t.Helper()
	for _, text := range texts {
		doc := Read(t, format, text)
		for _, path := range paths(doc.Root(), nil) {
			edits := []edit{{"remove", path, ""}, {"rename", path, "other"}, {"rename", path, "a.b c"}}
			for i, v := range values {
				if n := find(doc, path); i%2 == len(path)%2 && n.Kind() == jsonc.Object {
					edits = append(edits, edit{"set", append(slices.Clone(path), "new"), v}, edit{"set", append(slices.Clone(path), "n", "e", "w"), v})
				} else {
					edits = append(edits, edit{"set", path, v})
				}
			}
			for _, e := range edits {
				check(t, format, text, e, refused)
			}
		}
	}
}

// paths are those of all members, at all levels.
func paths(n *jsonc.Node, path []string) (out [][]string) {
	if n == nil || n.Kind() != jsonc.Object {
		return nil
	}
	for _, m := range n.Members() {
		at := append(slices.Clone(path), m.Key)
		out = append(append(out, at), paths(m.Value, at)...)
	}
	return out
}

func find(d *jsonc.Document, path []string) *jsonc.Node {
	n := d.Root()
	for _, key := range path {
		if n == nil {
			return nil
		}
		n = n.Get(key)
	}
	return n
}

// check makes one edit: it reads back, twice is once, lines that say nothing of the member stay, and
// what can be undone gives the first bytes.
func check(t *testing.T, format jsonc.Format, text string, e edit, refused func(error) bool) {
	t.Helper()
	doc := Read(t, format, text)
	if e.op == "rename" && find(doc, e.after()) != nil {
		return
	}
	out, err := e.make(doc)
	if err != nil {
		if refused == nil || !refused(err) {
			t.Errorf("%v of\n%s\n%v", e, text, err)
		}
		return
	}
	after := e.reads(t, format, []byte(text), out)
	again(t, e, after, out)
	e.keepsLines(t, format, text, string(out))
	e.comesBack(t, format, doc, after, out)
}

// keepsLines compares the lines in which nothing of the member stands. A member that is new, or the last to go, may
// share the line of what it is in.
func (e edit) keepsLines(t *testing.T, format jsonc.Format, before, after string) {
	t.Helper()
	about := e.lines(t, format, before)
	spare := 0
	if in := find(Read(t, format, before), e.path[:len(e.path)-1]); in == nil || in.Get(e.path[len(e.path)-1]) == nil || len(in.Members()) == 1 {
		spare = 1
	}
	left, last := map[string]int{}, slices.Max(append(slices.Collect(maps.Keys(about)), -1))
	for line := range strings.SplitSeq(after, "\n") {
		left[line]++
	}
	inside := false
	for i, line := range strings.Split(before, "\n") {
		inside = e.op != "rename" && i < last && (about[i] || inside && (strings.TrimSpace(line) == "" || strings.HasPrefix(strings.TrimSpace(line), "#")))
		isHeader := strings.HasPrefix(strings.TrimSpace(line), "[") && e.op != "set" // it names several keys
		if about[i] || inside || isHeader || strings.TrimSpace(line) == "" {
			continue
		}
		if left[line]--; left[line] >= 0 {
			continue
		}
		if spare--; spare < 0 {
			t.Errorf("%v loses line %d:\n%s\n gave\n%s", e, i+1, before, after)
			return
		}
	}
}

// lines are the numbers of those that the member and what is in it stand on, from 0.
func (e edit) lines(t *testing.T, format jsonc.Format, text string) map[int]bool {
	t.Helper()
	about := map[int]bool{}
	tr, err := format.Translate([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	translated, err := jsonc.Parse(tr.JSON)
	if err != nil {
		t.Fatal(err)
	}
	n := find(translated, e.path)
	if n == nil {
		return about
	}
	start, end := n.Span()
	start -= len(fmt.Sprintf("%q:", e.path[len(e.path)-1])) // the key
	for _, s := range tr.Spans {
		if s.At < start || s.At >= end {
			continue
		}
		for i := strings.Count(text[:s.Start], "\n"); i <= strings.Count(text[:max(s.Start, s.End)], "\n"); i++ {
			about[i] = true
		}
	}
	return about
}

// comesBack undoes an edit: of what was added nothing is left, a name comes back, and so does a value, but for how
// it was spelled.
func (e edit) comesBack(t *testing.T, format jsonc.Format, before, after *jsonc.Document, out []byte) {
	t.Helper()
	was := find(before, e.path)
	switch {
	case e.op == "rename":
		there, err := after.Rename(e.after(), "third")
		if err != nil {
			t.Errorf("%v and another: %v\n%s", e, err, out)
			return
		}
		back, err := Read(t, format, string(there)).Rename(append(slices.Clone(e.path[:len(e.path)-1]), "third"), e.value)
		if err != nil || !bytes.Equal(back, out) {
			t.Errorf("%v there and back: %v\n%s", e, err, Changed(string(out), string(back)))
		}
	case e.op == "set" && was != nil:
		there, err := after.Set(e.path, was.Raw())
		if err != nil {
			t.Errorf("%v and back: %v\n%s", e, err, out)
			return
		}
		(edit{"set", e.path, string(was.Raw())}).reads(t, format, out, there)
	case e.op == "set":
		e.leavesNothing(t, before, after, out)
	}
}

// leavesNothing takes away what was added beside something.
func (e edit) leavesNothing(t *testing.T, before, after *jsonc.Document, out []byte) {
	t.Helper()
	parent := find(before, e.path[:len(e.path)-1])
	if parent == nil || len(parent.Members()) == 0 || !bytes.HasSuffix(before.Bytes(), []byte("\n")) {
		return
	}
	back, err := after.Remove(e.path)
	diff := strings.TrimLeft(Changed(string(before.Bytes()), string(back)), "+\r\n")
	if bytes.Count(out, []byte("*")) < bytes.Count(before.Bytes(), []byte("*")) {
		return // an alias was written out, and stays so
	}
	if strings.HasPrefix(diff, "[") || diff == "" && !endsEmpty(back) || endsEmpty(before.Bytes()) {
		return // a table had no header of its own and keeps it; an empty line stays where there was none; or goes at the end
	}
	if err != nil || !bytes.Equal(back, before.Bytes()) {
		t.Errorf("%v and away: %v\n%s\n of\n%s", e, err, Changed(string(before.Bytes()), string(back)), out)
	}
}

// Generated checks edits on texts that a function makes of entries below "servers", called s0, s1, …: none is
// refused, and the texts of the other entries stay.
func Generated(t *testing.T, format jsonc.Format, make func(g *rand.Rand) (entries []string, whole string)) {
	t.Helper()
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	g := rand.New(rand.NewPCG(seed, 1))
	for range 1000 {
		texts, src := make(g)
		i := g.IntN(len(texts))
		path := []string{"servers", fmt.Sprintf("s%d", i)}
		var e edit
		switch g.IntN(5) {
		case 0:
			e = edit{"remove", path, ""}
		case 1:
			e = edit{"rename", path, "other"}
		case 2:
			e = edit{"set", append(path, "command"), `"new one"`}
		case 3:
			e = edit{"set", append(path, "env", "NEW"), `"v"`}
		default:
			e, i = edit{"set", []string{"servers", "more"}, `{"command":"c","args":["-a"],"env":{"K":"v"}}`}, -1
		}
		check(t, format, src, e, nil)
		out, err := e.make(Read(t, format, src))
		for j, text := range texts {
			if j != i && !bytes.Contains(out, []byte(text)) {
				t.Fatalf("s%d has changed with %v: %v\n%s\n gave\n%s", j, e, err, src, out)
			}
		}
		if t.Failed() {
			return
		}
	}
}

// endsEmpty tells whether a text ends with an empty line.
func endsEmpty(text []byte) bool {
	return bytes.HasSuffix(bytes.ReplaceAll(text, []byte("\r"), nil), []byte("\n\n"))
}
