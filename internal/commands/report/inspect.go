package report

import "github.com/mcpctl/mcpctl/internal/engine/wire"

// Sources is the document of `sources`: every place where servers are looked for.
type Sources struct {
	Schema    int      `json:"schema"`
	Workspace string   `json:"workspace"`
	Client    string   `json:"client"`
	Sources   []Source `json:"sources"` // those that count first, strongest first
}

// Source is one of them.
type Source struct {
	Client     string         `json:"client"`
	Scope      string         `json:"scope"`
	Path       string         `json:"path"`
	LinkedTo   string         `json:"linkedTo,omitempty"` // where a link leads
	State      SourceState    `json:"state"`
	Counts     bool           `json:"counts"`     // its servers can be in force
	Why        string         `json:"why"`        // why they cannot, or why the file was not read
	Fix        string         `json:"fix"`        // what to do about it; "" when nothing is needed
	Written    bool           `json:"written"`    // the edits of its scope go to it
	AlsoReadBy []string       `json:"alsoReadBy"` // other clients that read the same file
	Servers    int            `json:"servers"`    // entries of any kind
	Problems   []wire.Problem `json:"problems"`   // of the file and its entries
}

// SourceState says what was found at a place.
type SourceState string

// The states of a source. Skipped is a file that was not read: another's, too large,
// not a file, behind a link that leads out.
const (
	SourceRead    SourceState = "read"
	SourceEmpty   SourceState = "empty"
	SourceMissing SourceState = "missing"
	SourceInvalid SourceState = "invalid"
	SourceSkipped SourceState = "skipped"
)

// Doctor is the document of `doctor`: what was looked at, and what is wrong with it.
type Doctor struct {
	Schema    int       `json:"schema"`
	Workspace string    `json:"workspace"`
	Client    string    `json:"client"`
	Findings  []Finding `json:"findings"`
}

// Finding is one thing that was looked at.
type Finding struct {
	Check   string       `json:"check"` // what was looked at: one of a fixed list of words
	Level   FindingLevel `json:"level"`
	Subject string       `json:"subject"` // the file, program, variable or server it is about
	Message string       `json:"message"`
	Fix     string       `json:"fix"` // the command that mends it, or what to do; "" when nothing is needed
}

// FindingLevel says how bad it is.
type FindingLevel string

// The levels. Only an error makes the answer no.
const (
	LevelOK      FindingLevel = "ok"
	LevelNote    FindingLevel = "note"
	LevelWarning FindingLevel = "warning"
	LevelError   FindingLevel = "error"
)
