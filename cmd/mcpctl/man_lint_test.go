package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/internal/commands"
	"github.com/mcpctl/mcpctl/internal/store"
)

// TestManPagesLint holds mcpctl-lint(7) to the table of rules; -update writes it.
func TestManPagesLint(t *testing.T) {
	path, text := filepath.Join(manDir, "mcpctl-lint.7"), commands.LintPage()
	if *update {
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if data, err := os.ReadFile(path); err != nil || string(data) != text {
		t.Errorf("%s is stale; run: go test ./cmd/mcpctl -run TestManPages -update", path)
	}
	for _, r := range store.Rules() {
		if !strings.Contains(text, `\fB`+r.ID+`\fP`) {
			t.Errorf("mcpctl-lint(7) lacks %s", r.ID)
		}
	}
}
