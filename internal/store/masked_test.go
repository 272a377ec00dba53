package store

import (
	"encoding/json"
	"strings"
	"testing"
)

// TestMaskOwnLiterals: the value of a variable or header is hidden in the other
// fields of its entry, too.
func TestMaskOwnLiterals(t *testing.T) {
	entries := map[string]string{
		"args":        `{"command":"x","env":{"WHO":"correct-horse"},"args":["--who","correct-horse","say=correct-horse"]}`,
		"description": `{"command":"x","env":{"WHO":"correct-horse"},"description":"log in as correct-horse"}`,
		"url":         `{"url":"https://h/correct-horse/mcp","headers":{"X-Who":"Bearer correct-horse"}}`,
		"unknown":     `{"command":"x","env":{"WHO":"${WHO:-correct-horse}"},"x-tool":{"note":"correct-horse"}}`,
		"secret":      `{"url":"https://h/correct-horse","oauth":{"clientSecret":"correct-horse"}}`,
	}
	for name, entry := range entries {
		t.Run(name, func(t *testing.T) {
			if got := string(MaskEntry(json.RawMessage(entry))); strings.Contains(got, "correct") || !json.Valid([]byte(got)) {
				t.Errorf("shown %s", got)
			}
			w := newWorld(t)
			if got := w.open().MaskFile("mcp.json", []byte(`{"mcpServers":{"a":`+entry+`,"b":{"command":"y"}}}`)); strings.Contains(got, "correct") {
				t.Errorf("file shown %s", got)
			}
		})
	}
	seen := `{"command":"x","env":{"PATH":"/opt/some thing","ON":"true"},"args":["/opt/some thing","true"]}`
	if got := string(MaskEntry(json.RawMessage(seen))); strings.Count(got, "***") != 1 {
		t.Errorf("hides too much: %s", got)
	}
}
