package report

import (
	"encoding/json"

	"github.com/mcpctl/mcpctl/internal/engine/wire"
)

// Config is the document of `config list`.
type Config struct {
	Schema   int            `json:"schema"`
	Settings []Setting      `json:"settings"`
	Problems []wire.Problem `json:"problems"`
}

// Setting is what holds for one setting and where it stands.
type Setting struct {
	Name        string          `json:"name"`
	Value       json.RawMessage `json:"value"`   // null when it is not set and has no default
	Default     json.RawMessage `json:"default"` // null when there is none
	Origin      string          `json:"origin"`  // default, administrator or user
	Source      string          `json:"source"`  // the file; "" for a default
	Line        int             `json:"line"`
	Column      int             `json:"column"`
	Takes       string          `json:"takes"`
	Description string          `json:"description"`
}

// ConfigValue is the document of `config get`.
type ConfigValue struct {
	Schema int `json:"schema"`
	Setting
}

// ConfigEdit is the document of `config set` and `config unset`.
type ConfigEdit struct {
	Schema    int             `json:"schema"`
	Name      string          `json:"name"`
	Value     json.RawMessage `json:"value"` // what the user's file says afterwards; null: nothing
	Source    string          `json:"source"`
	Unchanged bool            `json:"unchanged"`
	DryRun    bool            `json:"dryRun,omitempty"`
	Diff      string          `json:"diff,omitempty"`
	Warnings  []wire.Warning  `json:"warnings"`
}
