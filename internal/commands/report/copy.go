package report

import "github.com/mcpctl/mcpctl/internal/engine/wire"

// Copy is the document of `import`, `export` and `sync`.
type Copy struct {
	Schema    int            `json:"schema"`
	From      string         `json:"from"` // for people
	Client    string         `json:"client"`
	Scope     string         `json:"scope"` // of the target
	Source    string         `json:"source"`
	Servers   []CopyServer   `json:"servers"`
	Unchanged bool           `json:"unchanged"`
	DryRun    bool           `json:"dryRun,omitempty"`
	Diff      string         `json:"diff,omitempty"` // with dryRun
	Warnings  []wire.Warning `json:"warnings"`
}

// CopyServer is what became of one server.
type CopyServer struct {
	Name        string               `json:"name"`                  // in the target
	From        string               `json:"from"`                  // in its own file
	FromSource  string               `json:"fromSource"`            // that file
	FromLine    int                  `json:"fromLine"`              // 0: it has no place
	Result      string               `json:"result"`                // added, replaced, skipped, unchanged or refused
	Fingerprint string               `json:"fingerprint,omitempty"` // of what the target holds afterwards
	Notes       []CopyNote           `json:"notes"`
	Variables   []wire.ShareVariable `json:"variables"`       // that took the place of secrets
	Error       *wire.Error          `json:"error,omitempty"` // why it is refused
}

// CopyNote is a field that the copy does not have, or a remark.
type CopyNote struct {
	Field   string `json:"field"` // "" for a remark
	Message string `json:"message"`
	Hint    string `json:"hint"`
}
