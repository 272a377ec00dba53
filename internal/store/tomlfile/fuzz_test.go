package tomlfile

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/internal/store/edittest"
)

func FuzzEdit(f *testing.F) {
	edittest.Fuzz(f, Format{}, append(edittest.Files(f, Format{}, "codex/*/*.toml"), sample, strings.ReplaceAll(sample, "\n", "\r\n"), "", "# c", "a.b")...)
}

// TestEveryEdit: each edit on each member of files as people write them.
func TestEveryEdit(t *testing.T) {
	texts := append(edittest.Files(t, Format{}, "codex/*/*.toml"), sample, strings.ReplaceAll(sample, "\n", "\r\n"), "\xef\xbb\xbf"+sample, strings.TrimSuffix(sample, "\n"))
	edittest.Texts(t, Format{}, texts, nil)
}

// TestRandomEdits: on documents as people write them no edit is refused, and what stands in other entries keeps
// every byte.
func TestRandomEdits(t *testing.T) { edittest.Generated(t, Format{}, document) }

// document makes a text and the texts of its entries.
func document(g *rand.Rand) (entries []string, whole string) {
	one := func(of ...string) string { return of[g.IntN(len(of))] }
	whole = one("", "# top\n", "model = \"m\" # c\n\n", "[tools]\nx = 1\n\n") + one("[servers]\n\n", "")
	for i := range 1 + g.IntN(4) {
		name := fmt.Sprintf("s%d", i)
		text := fmt.Sprintf("[servers.%s]%s\ncommand = %s%s\n", one(name, "\""+name+"\"", " '"+name+"' "), one("", " # head"), one("'a'", "\"b\"", "\"\"\"c\"\"\""), one("", " # why"))
		text += one("", "args = []\n", "args = [\"a\",\n  'b', # x\n]\n", "  args = [ \"a\", \"]\" ]\n")
		text += one("", "env = { A = \"1\" }\n", "env.A = \"1\"\nenv.B = '2' # b\n", "\n[servers."+name+".env]\nA = \"1\" # a\n")
		entries = append(entries, text)
		whole += one("", "# about\n") + text + one("\n", "\n\n", "")
	}
	whole += one("", "\n[last]\ny = 1979-05-27 # z\n", "[[arr]]\nx = 1\n")
	return entries, whole
}
