package store

import (
	"slices"
	"testing"
)

func defs(texts ...string) []ToolDefinition { // "name=hash"
	var out []ToolDefinition
	for _, text := range texts {
		out = append(out, ToolDefinition{Name: text[:1], Hash: Fingerprint(text)})
	}
	return out
}

func differs(p *Pins, set string, listed []ToolDefinition) []string {
	var out []string
	for _, c := range CompareTools(p.Approved(set, listed), listed) {
		out = append(out, c.What()+" "+c.Name)
	}
	return out
}

// TestPinsOfOtherClients: tools that only clients of another kind see are no change, and a
// changed definition is one for every client.
func TestPinsOfOtherClients(t *testing.T) {
	p := &Pins{Tools: defs("a=1", "b=1")}
	if p.Knows("full") || !p.Knows("") {
		t.Fatal("known sets")
	}
	p.Tools, p.Sets = p.joined("full", defs("a=1", "b=2", "c=1"), false)
	for _, row := range []struct {
		set    string
		listed []ToolDefinition
		want   []string
	}{
		{"", defs("a=1", "b=1"), nil},
		{"full", defs("a=1", "b=1", "c=1"), nil},
		{"full", defs("a=1", "b=2", "c=1"), []string{ToolChanged + " b"}},
		{"full", defs("a=1", "b=1"), []string{ToolGone + " c"}},
		{"", defs("a=1", "b=1", "d=1"), []string{ToolNew + " d"}},
	} {
		if got := differs(p, row.set, row.listed); !slices.Equal(got, row.want) {
			t.Errorf("%q %v: %v, want %v", row.set, row.listed, got, row.want)
		}
	}
	p.Tools, p.Sets = p.joined("", defs("b=2", "d=1"), true) // a person approves on the command line
	if got := differs(p, "full", defs("b=2", "c=1", "d=1")); got != nil {
		t.Errorf("approved: %v", got)
	}
	if got := differs(p, "full", defs("a=1", "b=2", "c=1", "d=1")); !slices.Equal(got, []string{ToolNew + " a"}) {
		t.Errorf("a tool that was gone: %v", got)
	}
}
