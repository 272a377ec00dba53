package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/mcpctl/mcpctl/internal/commands"
)

// TestManPagesConfig holds mcpctl-config(5) to the table of settings, as
// TestManPages does the other pages to the commands; -update writes it.
func TestManPagesConfig(t *testing.T) {
	path, text := filepath.Join(manDir, "mcpctl-config.5"), commands.ConfigPage()
	if *update {
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if data, err := os.ReadFile(path); err != nil || string(data) != text {
		t.Errorf("%s is stale; run: go test ./cmd/mcpctl -run TestManPages -update", path)
	}
}
