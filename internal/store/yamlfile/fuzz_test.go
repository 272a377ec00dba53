package yamlfile

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/internal/store/edittest"
)

func FuzzEdit(f *testing.F) {
	edittest.Fuzz(f, Format{}, append(edittest.Files(f, Format{}, "goose/*/*.yaml"), sample, strings.ReplaceAll(sample, "\n", "\r\n"), "", "# c", "a.b")...)
}

// TestEveryEdit: each edit on each member of files as people write them.
func TestEveryEdit(t *testing.T) {
	texts := append(edittest.Files(t, Format{}, "goose/*/*.yaml"), sample, strings.ReplaceAll(sample, "\n", "\r\n"), "\xef\xbb\xbf"+sample, strings.TrimSuffix(sample, "\n"))
	edittest.Texts(t, Format{}, texts, isAnchored)
}

// TestRandomEdits: on documents as people write them no edit is refused, and what stands in other entries keeps
// every byte.
func TestRandomEdits(t *testing.T) { edittest.Generated(t, Format{}, document) }

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

// isAnchored tells whether an edit was refused for an anchor.
func isAnchored(err error) bool {
	var anchored *AnchorError
	return errors.As(err, &anchored)
}
