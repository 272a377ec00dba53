package store

import (
	"bytes"
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

// textName is a name that says in which format a text is that has none of its own, by
// what it holds: JSON, with a brace in front whatever is wrong with it, or what parses
// as an object of TOML or else of YAML. It is "" where none of them fits.
func textName(data []byte) string {
	text := bytes.TrimSpace(bytes.TrimPrefix(data, []byte("\xef\xbb\xbf")))
	if bytes.HasPrefix(text, []byte("{")) {
		return "text.json"
	}
	if doc, err := jsonc.Parse(data); err == nil && (doc.Root() == nil || doc.Root().Kind() == jsonc.Object) { // a comment is in front
		return "text.json"
	}
	for _, name := range []string{"text.toml", "text.yaml"} {
		if doc, err := parseFile(name, data); err == nil && doc.Root() != nil && doc.Root().Kind() == jsonc.Object && len(doc.Root().Members()) > 0 {
			return name
		}
	}
	return ""
}

// unknownFormat is the error for a text that is in no format of a client's.
func unknownFormat(where string) error {
	return &Error{Code_: CodeInvalid, Path: where, Message: "it is neither JSON nor TOML nor YAML with servers",
		Hint_: "say whose file it is with --as CLIENT, to be told what is wrong with it"}
}
