package store

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/internal/store/jsonc"
	"github.com/mcpctl/mcpctl/internal/store/redact"
)

// ToolDefinition is what a server says of one of its tools, in the form in which two
// are compared: keys sorted, and the folder of the workspace and the home directory
// written as <workspace> and <home>, so that it means the same on every machine.
type ToolDefinition struct {
	Name       string          `json:"name"`
	Hash       Fingerprint     `json:"hash"` // over the name and every leaf of the definition
	Definition json.RawMessage `json:"definition"`
}

// DefineTool makes the comparable form of a definition as the server sent it. Characters
// that hide or reorder are escaped, so that who reads the lock file sees them. What is not
// JSON, or too deep to be read, is compared byte by byte.
func (s *Store) DefineTool(name string, raw json.RawMessage) ToolDefinition {
	doc, err := jsonc.Parse(raw)
	if err != nil || doc.Root() == nil {
		return ToolDefinition{Name: name, Hash: EntryFingerprint(name, raw), Definition: json.RawMessage(redact.VisibleJSON(string(plainJSON(string(raw)))))}
	}
	var b bytes.Buffer
	places := s.places()
	canonical{&b, func(text string) string { return withoutPlaces(text, places) }, asWritten, ""}.value(doc.Root(), false)
	return ToolDefinition{Name: name, Hash: EntryFingerprint(name, b.Bytes()), Definition: json.RawMessage(redact.VisibleJSON(b.String()))}
}

// SortTools puts tools in the order in which they are kept.
func SortTools(tools []ToolDefinition) {
	slices.SortStableFunc(tools, func(a, b ToolDefinition) int { return strings.Compare(a.Name, b.Name) })
}

// ToolSetFingerprint is one fingerprint over all tools of a server, in any order.
func ToolSetFingerprint(tools []ToolDefinition) Fingerprint {
	tools = slices.Clone(tools)
	SortTools(tools)
	var b bytes.Buffer
	for _, t := range tools {
		b.Write(plainJSON([]string{t.Name, string(t.Hash)}))
	}
	return sum(b.Bytes())
}

// ToolChange is a tool that is not as it was. Before is nil for a new one, After for
// one that is gone.
type ToolChange struct {
	Name          string
	Before, After *ToolDefinition
}

// The words for what became of a tool.
const (
	ToolChanged = "changed"
	ToolNew     = "new"
	ToolGone    = "gone"
)

// What says what became of the tool, as JSON has it.
func (c ToolChange) What() string {
	switch {
	case c.Before == nil:
		return ToolNew
	case c.After == nil:
		return ToolGone
	}
	return ToolChanged
}

// CompareTools lists what differs between two sets of tools, sorted by name. Their
// order has no meaning.
func CompareTools(before, after []ToolDefinition) []ToolChange {
	left := map[string]*ToolDefinition{}
	for i := range before {
		left[before[i].Name] = &before[i]
	}
	var out []ToolChange
	for i := range after {
		now := &after[i]
		was := left[now.Name]
		delete(left, now.Name)
		if was == nil || was.Hash != now.Hash {
			out = append(out, ToolChange{now.Name, was, now})
		}
	}
	for name, was := range left {
		out = append(out, ToolChange{Name: name, Before: was})
	}
	slices.SortFunc(out, func(a, b ToolChange) int { return strings.Compare(a.Name, b.Name) })
	return out
}

// ToolDiff is the difference of two definitions in lines, whole, secrets hidden, and made
// harmless for a terminal.
func ToolDiff(c ToolChange, mask *redact.Mask) string {
	return Unified("tools/"+mask.Text(c.Name), shownTool(c.Before, mask), shownTool(c.After, mask))
}

func shownTool(t *ToolDefinition, mask *redact.Mask) Shown {
	if t == nil {
		return Shown{}
	}
	return Shown{prettyTool(t.Definition), prettyTool(mask.JSON(t.Definition))}
}

func prettyTool(shown json.RawMessage) string {
	var b bytes.Buffer
	if json.Indent(&b, shown, "", "  ") != nil {
		return string(shown) + "\n"
	}
	return b.String() + "\n"
}

// swap is a folder of this machine, and what is written in its place.
type swap struct{ path, instead string }

// places are the folders that differ from machine to machine, the deepest first.
func (s *Store) places() []swap {
	var out []swap
	for _, p := range []swap{{s.Workspace.Dir, "<workspace>"}, {s.Places.Home, "<home>"}} {
		for _, path := range []string{p.path, realest(p.path)} {
			if path = filepath.Clean(path); len(path) > 1 && filepath.IsAbs(path) {
				out = append(out, swap{path, p.instead})
			}
		}
	}
	slices.SortStableFunc(out, func(a, b swap) int { return len(b.path) - len(a.path) })
	return out
}

// withoutPlaces replaces whole paths only: /home/ann is no part of /home/anna.
func withoutPlaces(text string, places []swap) string {
	for _, p := range places {
		if !strings.Contains(text, p.path) {
			continue
		}
		var b strings.Builder
		for rest := text; ; {
			at := strings.Index(rest, p.path)
			if at < 0 {
				b.WriteString(rest)
				break
			}
			before, after := b.String()+rest[:at], rest[at+len(p.path):]
			b.WriteString(rest[:at])
			if inName(before, -1) || inName(after, 0) {
				b.WriteString(p.path)
			} else {
				b.WriteString(p.instead)
			}
			rest = after
		}
		text = b.String()
	}
	return text
}

// inName tells whether the last (-1) or first (0) byte of s goes on with the name of a
// file.
func inName(s string, at int) bool {
	if s == "" {
		return false
	}
	c := s[0]
	if at < 0 {
		c = s[len(s)-1]
	}
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '-' || c >= 0x80
}
