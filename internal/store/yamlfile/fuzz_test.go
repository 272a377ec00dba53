package yamlfile

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/internal/store/jsonc"
)

// edit makes one of the edits on one member of a document: whichever the numbers say.
func edit(doc *jsonc.Document, which, member uint8) (path []string, out []byte, err error) {
	at := doc.Root()
	for at != nil && at.Kind() == jsonc.Object && len(at.Members()) > 0 && len(path) < 1+int(which>>4)%3 {
		m := at.Members()[int(member)%len(at.Members())]
		path, at = append(path, m.Key), m.Value
	}
	values := []string{"\"x y\"", "7", "[\"a\",\"b: #\"]", "{\"k\":\"v\",\"l\":{\"m\":true}}", "\"yes\"", "{}"}
	value := json.RawMessage(values[int(member>>3)%len(values)])
	switch which & 3 {
	case 0:
		out, err = doc.Set(path, value)
	case 1:
		path = append(path, "new key")
		out, err = doc.Set(path, value)
	case 2:
		out, err = doc.Remove(path)
	default:
		out, err = doc.Rename(path, "new.name")
	}
	return path, out, err
}

// checkEdit: an edit reads back, and each line of the members that it is not about stays, but for an edit that is
// refused.
func checkEdit(t *testing.T, src []byte, which, member uint8) (done bool) {
	t.Helper()
	doc, err := jsonc.ParseAs(Format{}, src)
	if err != nil {
		return false
	}
	path, out, err := edit(doc, which, member)
	if err != nil {
		return false
	}
	again, err := jsonc.ParseAs(Format{}, out)
	if err != nil {
		t.Fatalf("%q of\n%s\n gives\n%s\n%v", path, src, out, err)
	}
	same := bytes.Equal(out, src)
	if set := which&3 < 2; set && again.Root() == nil {
		t.Fatalf("%q of\n%s\n gives nothing", path, src)
	}
	if !same && which&3 == 2 {
		if _, err := again.Remove(path); !errors.Is(err, jsonc.ErrNoMember) {
			t.Fatalf("%q of\n%s\n is still there:\n%s\n%v", path, src, out, err)
		}
	}
	return true
}

func FuzzEdit(f *testing.F) {
	for _, text := range []string{sample, strings.ReplaceAll(sample, "\n", "\r\n"), "", "# c", "a.b"} {
		for which := range uint8(48) {
			f.Add([]byte(text), which, which*7)
		}
	}
	f.Fuzz(func(t *testing.T, src []byte, which, member uint8) { checkEdit(t, src, which, member) })
}

// TestRandomEdits: on documents as people write them no edit is refused, and what stands in other entries keeps
// every byte.
func TestRandomEdits(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	g := rand.New(rand.NewPCG(seed, 1))
	for range 2000 {
		texts, src := document(g)
		doc := read(t, src)
		i := g.IntN(len(texts))
		path := []string{"servers", fmt.Sprintf("s%d", i)}
		var out []byte
		var err error
		switch g.IntN(5) {
		case 0:
			out, err = doc.Remove(path)
		case 1:
			out, err = doc.Rename(path, "other")
		case 2:
			out, err = doc.Set(append(path, "command"), json.RawMessage("\"new one\""))
		case 3:
			out, err = doc.Set(append(path, "env", "NEW"), json.RawMessage("\"v\""))
		default:
			out, err = doc.Set([]string{"servers", "more"}, json.RawMessage("{\"command\":\"c\",\"args\":[\"-a\"],\"env\":{\"K\":\"v\"}}"))
			i = -1
		}
		if err != nil {
			t.Fatalf("%q of\n%s\n%v", path, src, err)
		}
		for j, text := range texts {
			if j != i && !bytes.Contains(out, []byte(text)) {
				t.Fatalf("s%d has changed with %q:\n%s\n gave\n%s", j, path, src, out)
			}
		}
	}
}

// document makes a text and the texts of its entries.
func document(g *rand.Rand) (entries []string, whole string) {
	one := func(of ...string) string { return of[g.IntN(len(of))] }
	in := one("  ", "    ", " ")
	whole = one("", "# top\n", "---\n", "model: m # c\n\n", "list:\n- a\n- b: c\n\n") + "servers:" + one("", " # all") + "\n"
	for i := range 1 + g.IntN(4) {
		name := fmt.Sprintf("s%d", i)
		text := in + one(name, "\""+name+"\"", "'"+name+"'") + ":" + one("", " # head") + "\n"
		line := func(s string) string { return in + in + s + "\n" }
		text += line("command: " + one("a", "'b'", "\"c\"", "d e") + one("", " # why"))
		text += one("", line("args: []"), line("args:")+line("- a")+line("- \"b\" # x"), line("args: [a, 'b', \"c\"] # l"))
		text += one("", line("env: {A: \"1\"}"), line("env:")+line(in+"A: '1' # a")+line(in+"B: |")+line(in+in+"text")+line(in+in+"more"), line("env: {}"))
		text += one("", line("note: over")+line(in+"lines"), line("last:"))
		entries = append(entries, text)
		whole += one("", in+"# about\n") + text + one("", "\n")
	}
	whole += one("", "\nend: [1, 2]\n", "# bye\n", "other:\n  x: &y 1\n  z: *y\n")
	return entries, whole
}
