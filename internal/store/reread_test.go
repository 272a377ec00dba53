package store

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/mcpctl/mcpctl/internal/store/jsonc"
)

// What an edit leaves alone is not taken apart again, and reads as if it were.
func TestReadAfterAnEdit(t *testing.T) {
	const file = `{
  // servers
  "mcpServers": {
    "a": {"command": "x", "args": ["1"]}, "bad": 3,
    "c-d": {"url": "https://mcp.example.com/mcp"}, "empty": {},
    "e": {"command": "y", "COMMAND": "z"},
    "f": {"command": "x", "headers": {"A": "b"}}, // a warning
    "g": {"command": "x"}, "G": {"command": "y"}
  }
}
`
	s := newWorld(t).open()
	for name, edit := range map[string]func(*jsonc.Document) ([]byte, error){
		"unchanged": func(d *jsonc.Document) ([]byte, error) { return d.Bytes(), nil },
		"added": func(d *jsonc.Document) ([]byte, error) {
			return d.Set([]string{"mcpServers", "new"}, json.RawMessage(`{"command":"n"}`))
		},
		"changed": func(d *jsonc.Document) ([]byte, error) {
			return d.Set([]string{"mcpServers", "a", "command"}, json.RawMessage(`"!"`))
		},
		"removed":      func(d *jsonc.Document) ([]byte, error) { return d.Remove([]string{"mcpServers", "a"}) },
		"twin removed": func(d *jsonc.Document) ([]byte, error) { return d.Remove([]string{"mcpServers", "G"}) },
		"renamed":      func(d *jsonc.Document) ([]byte, error) { return d.Rename([]string{"mcpServers", "a"}, "z") },
		"falls together": func(d *jsonc.Document) ([]byte, error) {
			return d.Set([]string{"mcpServers", "C_D"}, json.RawMessage(`{"command":"n"}`))
		},
		"everything gone": func(d *jsonc.Document) ([]byte, error) { return d.Remove([]string{"mcpServers"}) },
	} {
		t.Run(name, func(t *testing.T) {
			src := s.sourceOf(User, "/x", []byte(file))
			doc := src.parse(jsonc.Parse([]byte(file)))
			if known := src.readBefore(doc); len(known) != 2 {
				t.Fatalf("%d entries need not be read again: %v", len(known), known)
			}
			out, err := edit(doc)
			if err != nil {
				t.Fatal(err)
			}
			got, want := s.sourceOf(User, "/x", out), s.parsed(User, "/x", out)
			got.before = src.readBefore(doc)
			got.parse(doc.Reread(out))
			same := cmp.Options{cmpopts.IgnoreFields(Entry{}, "Source", "other"), cmpopts.IgnoreUnexported(Problem{})}
			if diff := cmp.Diff(want.Entries, got.Entries, same); diff != "" {
				t.Errorf("%s: -want +got:\n%s", strings.TrimSpace(string(out)), diff)
			}
			for _, e := range got.Entries {
				if e.Source != got {
					t.Errorf("%s belongs to the text before the edit", e.Name)
				}
			}
		})
	}
}
