package commands

import (
	_ "embed"
	"encoding/json"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/mcpctl/mcpctl/internal/commands/report"
	"github.com/mcpctl/mcpctl/internal/store"
)

//go:embed mcp.schema.json
var mcpSchema string

//go:embed mcp.lock.schema.json
var lockSchema string

//go:embed edits.schema.json
var editsSchema string

// fileSchema is the schema of one kind of file that people write.
type fileSchema struct {
	name string
	says string
	text func() (string, error)
}

// fileSchemas is the table of files. A kind of file that mcpctl reads belongs here.
var fileSchemas = []fileSchema{
	{"mcp", "the files that hold servers", func() (string, error) { return mcpSchema, nil }},
	{"lock", "mcp.lock.json; see mcpctl-lock-file(5)", func() (string, error) { return lockSchema, nil }},
	{"edits", "the edits that mcpctl apply makes", func() (string, error) { return editsSchema, nil }},
	{"config", "the settings of mcpctl", settingsSchema},
}

const draft = "https://json-schema.org/draft/2020-12/schema"

// settingsSchema is made from the table of settings. Keys that are not in it are
// allowed, as the reader keeps them.
func settingsSchema() (string, error) {
	root := &jsonschema.Schema{
		Schema: draft, Title: "Settings of mcpctl", Type: "object",
		Description: "The settings in $XDG_CONFIG_HOME/mcpctl/config.json and /etc/mcpctl/config.json. Comments and trailing commas are allowed.",
		Properties:  map[string]*jsonschema.Schema{"$schema": {Type: "string"}},
		Extra:       map[string]any{"allowComments": true, "allowTrailingCommas": true},
	}
	for _, row := range store.SettingRows() {
		at := root
		words := strings.Split(row.Name, ".")
		for _, word := range words[:len(words)-1] {
			if at.Properties[word] == nil {
				at.Properties[word] = &jsonschema.Schema{Type: "object", Properties: map[string]*jsonschema.Schema{}}
			}
			at = at.Properties[word]
		}
		s := settingSchema(row.Type)
		s.Description, s.Default = row.Help, row.Default
		at.Properties[words[len(words)-1]] = s
	}
	raw, err := json.Marshal(root)
	if err != nil {
		return "", err
	}
	return report.Indented(raw) + "\n", nil
}

func settingSchema(t store.SettingType) *jsonschema.Schema {
	var clients []any
	for _, name := range store.Clients() {
		clients = append(clients, name)
	}
	text := &jsonschema.Schema{Type: "string", Pattern: `\S`}
	switch t {
	case store.ClientSetting:
		return &jsonschema.Schema{Enum: clients}
	case store.ClientsSetting:
		return &jsonschema.Schema{AnyOf: []*jsonschema.Schema{{Enum: []any{"all"}}, {Type: "array", Items: &jsonschema.Schema{Enum: clients}}}}
	case store.HandlerSetting:
		return &jsonschema.Schema{AnyOf: []*jsonschema.Schema{text, {
			Type: "object", Required: []string{"owner"},
			Properties: map[string]*jsonschema.Schema{"owner": text.CloneSchemas(), "reason": {Type: "string"}},
		}}}
	case store.DurationSetting:
		return &jsonschema.Schema{Type: "string", Pattern: `^\+?([0-9]+(\.[0-9]*)?|\.[0-9]+)(ns|us|µs|ms|s|m|h)(([0-9]+(\.[0-9]*)?|\.[0-9]+)(ns|us|µs|ms|s|m|h))*$`}
	}
	return &jsonschema.Schema{}
}
