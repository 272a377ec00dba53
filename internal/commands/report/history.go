package report

import (
	"time"

	"github.com/mcpctl/mcpctl/internal/engine/wire"
)

// History is the document of `history`, newest first.
type History struct {
	Schema  int            `json:"schema"`
	Entries []HistoryEntry `json:"entries"`

	Warnings []wire.Warning `json:"warnings"` // such as changes that cannot be read and are left out
}

// HistoryEntry is one change that mcpctl made to a file.
type HistoryEntry struct {
	ID          string     `json:"id"` // for undo --to and diff --from
	Scope       string     `json:"scope"`
	Source      string     `json:"source"` // real path of the file
	Time        time.Time  `json:"time"`
	Verb        string     `json:"verb"`
	Names       []string   `json:"names"`
	Before      *FileState `json:"before"` // null: there was no file
	After       *FileState `json:"after"`
	Interrupted bool       `json:"interrupted"`     // perhaps it was not made
	Group       string     `json:"group,omitempty"` // shared by the changes of one command, which undo takes back together
}

// FileState tells what a file held.
type FileState struct {
	Revision string `json:"revision"`
	Size     int64  `json:"size"`
}

// Undo is the document of `undo`.
type Undo struct {
	Schema int `json:"schema"`
	Undone
	Also     []Undone       `json:"also"` // what the same command had changed besides
	Warnings []wire.Warning `json:"warnings"`
}

// Undone is one file that was put back.
type Undone struct {
	Scope     string     `json:"scope"`
	Source    string     `json:"source"`
	ID        string     `json:"id"` // the file is as it was before this change
	Verb      string     `json:"verb"`
	Names     []string   `json:"names"`
	Restored  *FileState `json:"restored"` // null: the file was removed
	Unchanged bool       `json:"unchanged"`
	DryRun    bool       `json:"dryRun,omitempty"`
	Diff      string     `json:"diff,omitempty"` // with dryRun
}

// Diff is the document of `diff`: a file against its history, or, with a name, an
// entry of the project against its approval.
type Diff struct {
	Schema   int     `json:"schema"`
	Source   string  `json:"source"`
	Scope    string  `json:"scope"`
	Name     *string `json:"name"`               // null: the whole file
	Since    *string `json:"since"`              // id of the change in the history; null for an entry
	From     *string `json:"from"`               // revision or fingerprint; null: no file, or nothing approved
	To       *string `json:"to"`                 // null: no file, or no such entry
	Approval string  `json:"approval,omitempty"` // of an entry that is there
	Reason   string  `json:"reason,omitempty"`
	Differs  bool    `json:"differs"` // by content, so also when all that differs is hidden
	Diff     string  `json:"diff"`    // unified, secrets hidden

	Warnings []wire.Warning `json:"warnings"`
}

// Apply is the document of `apply`.
type Apply struct {
	Schema    int            `json:"schema"`
	Scope     string         `json:"scope"`
	Source    string         `json:"source"`
	Edits     []ApplyEdit    `json:"edits"`
	Unchanged bool           `json:"unchanged"`
	DryRun    bool           `json:"dryRun,omitempty"`
	Diff      string         `json:"diff,omitempty"` // with dryRun
	Warnings  []wire.Warning `json:"warnings"`
}

// ApplyEdit is one edit of an Apply.
type ApplyEdit struct {
	Op          string `json:"op"`
	Name        string `json:"name"`
	To          string `json:"to,omitempty"`
	Fingerprint string `json:"fingerprint,omitempty"` // of what the name holds after all edits
}
