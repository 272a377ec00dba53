package report

import (
	"encoding/json"
	"time"

	"github.com/mcpctl/mcpctl/internal/engine/record"
	"github.com/mcpctl/mcpctl/internal/engine/wire"
)

// The documents of --json that do not also cross the socket. `schema` is first
// in each; they only grow (design §8.1).

// Show is the document of `show`: every entry of the name, the one in force
// first.
type Show struct {
	Schema  int         `json:"schema"`
	Name    string      `json:"name"`
	Servers []ShowEntry `json:"servers"`
}

// ShowEntry is one entry of a name, whole, its secrets masked.
type ShowEntry struct {
	wire.Server
	Entry json.RawMessage `json:"entry"`
}

// Edit is the document of the verbs that write a file.
type Edit struct {
	Schema      int    `json:"schema"`
	Name        string `json:"name"`
	From        string `json:"from,omitempty"` // of rename: the name before
	Scope       string `json:"scope"`
	Source      string `json:"source"`
	Fingerprint string `json:"fingerprint,omitempty"`
	Unchanged   bool   `json:"unchanged"`
	DryRun      bool   `json:"dryRun,omitempty"`
	Diff        string `json:"diff,omitempty"` // with dryRun: what would change, secrets hidden

	Warnings []Warning `json:"warnings"`
}

// Warning is what a person should know although the command did what it was told.
type Warning struct {
	Message string `json:"message"`
	Hint    string `json:"hint,omitempty"`
}

// Version is the document of `--version`.
type Version struct {
	Schema  int    `json:"schema"`
	Version string `json:"version"`
}

// Fingerprints is the document of `fingerprint`.
type Fingerprints struct {
	Schema       int              `json:"schema"`
	Fingerprints []FingerprintRow `json:"fingerprints"`
}

// FingerprintRow is one entry's; for one from stdin there is no place.
type FingerprintRow struct {
	Name        string `json:"name"`
	Scope       string `json:"scope,omitempty"`
	Client      string `json:"client,omitempty"`
	Source      string `json:"source,omitempty"`
	Line        int    `json:"line,omitempty"`
	Column      int    `json:"column,omitempty"`
	InForce     bool   `json:"inForce"`
	Fingerprint string `json:"fingerprint"`
}

// Share is the document of `share`: the edit of the project file, where the entry
// came from, and the variables that have to be set now.
type Share struct {
	Edit
	From      ShareOrigin     `json:"from"`
	Variables []ShareVariable `json:"variables"`
	LeftOut   []string        `json:"leftOut"`
}

// ShareOrigin is the entry that was copied; it stays.
type ShareOrigin struct {
	Scope  string `json:"scope"`
	Source string `json:"source"`
	Line   int    `json:"line"`
}

// ShareVariable is a variable that took the place of a secret.
type ShareVariable struct {
	Name  string `json:"name"`
	Field string `json:"field"`
}

// Approvals is the document of `approve`, `deny` and `revoke`.
type Approvals struct {
	Schema  int           `json:"schema"`
	Servers []ApprovalRow `json:"servers"`
}

// ApprovalRow is one entry that needs the user's word.
type ApprovalRow struct {
	Name        string   `json:"name"`
	Source      string   `json:"source"`
	Line        int      `json:"line"`
	Approval    string   `json:"approval"`
	Reason      string   `json:"reason"`
	Fingerprint string   `json:"fingerprint"`
	Covers      []string `json:"covers"`
	// FilesFingerprint is over the files that an approval covers; "" when there are none.
	FilesFingerprint string          `json:"filesFingerprint"`
	Does             []string        `json:"does"`
	Hidden           []string        `json:"hidden"` // fields of the entry whose value is not shown whole
	Risks            []string        `json:"risks"`
	Entry            json.RawMessage `json:"entry"`
}

// Test is the document of `test`.
type Test struct {
	Schema  int          `json:"schema"`
	Results []TestResult `json:"results"`
}

// TestResult is what one probe found.
type TestResult struct {
	Name            string      `json:"name"`
	OK              bool        `json:"ok"`
	State           wire.State  `json:"state"`
	ProtocolVersion string      `json:"protocolVersion"`
	Server          wire.Peer   `json:"server"`
	Tools           []string    `json:"tools"`
	Resources       bool        `json:"resources"`
	Prompts         bool        `json:"prompts"`
	MS              int64       `json:"ms"`
	Error           *wire.Error `json:"error"`
	Warnings        []Warning   `json:"warnings"`
}

// LogLine is one line of `logs --json`.
type LogLine struct {
	Schema int       `json:"schema"`
	Time   time.Time `json:"time"`
	Server string    `json:"server"`
	Level  string    `json:"level"`
	Logger string    `json:"logger"`
	Text   string    `json:"text"`
}

// NewLogLine makes the line of a record.
func NewLogLine(r record.Record) LogLine {
	return LogLine{Schema: wire.Schema, Time: r.Time, Server: r.Server, Level: r.Level, Logger: r.Logger, Text: r.Text}
}

// Call is the document of `call`.
type Call struct {
	wire.CallResult
	Saved []Saved `json:"saved,omitzero"` // with --save, empty when there was nothing to save
}

// Saved is a block of a result that was written to a file.
type Saved struct {
	Block    int    `json:"block"` // counted from 0, in the result's content
	Path     string `json:"path"`
	MimeType string `json:"mimeType"`
	Bytes    int    `json:"bytes"`
}
