package store

import (
	"path/filepath"
	"strings"

	"github.com/mcpctl/mcpctl/internal/store/jsonc"
	"github.com/mcpctl/mcpctl/internal/store/tomlfile"
	"github.com/mcpctl/mcpctl/internal/store/yamlfile"
)

// parseFile reads the text of a file in the format that its name says: TOML, YAML, and else JSON with comments.
func parseFile(path string, data []byte) (*jsonc.Document, error) {
	return jsonc.ParseAs(formatOf(path), data)
}

func formatOf(path string) jsonc.Format {
	switch strings.ToLower(filepath.Ext(path)) {
	case ".toml":
		return tomlfile.Format{}
	case ".yaml", ".yml":
		return yamlfile.Format{}
	}
	return nil
}
