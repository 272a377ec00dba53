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

// SchemaList is the document of `schema --list`.
type SchemaList struct {
	Schema  int         `json:"schema"`
	Schemas []SchemaRow `json:"schemas"`
}

// SchemaRow is one JSON Schema, by the option that prints it.
type SchemaRow struct {
	Option      string `json:"option"`
	Name        string `json:"name"`
	Description string `json:"description"`
}
