package wire

import (
	"encoding/json"
	"time"
)

// What changes a session or a file. Edits go through the same functions as the
// commands and are checked again at admission (design §9.1).

// Reload re-reads every file of a session now; the answer says what that did. All
// also starts every server again whatever changed.
type Reload struct {
	Session string `json:"session"`
	All     bool   `json:"all,omitempty"`
}

// Reloaded is the answer to Reload and the document of `reload`.
type Reloaded struct {
	Schema    int       `json:"schema"`
	Session   string    `json:"session"`
	Started   []string  `json:"started"`
	Restarted []string  `json:"restarted"`
	Stopped   []string  `json:"stopped"`
	Pending   []string  `json:"pending"` // reload when their calls in flight are done
	Problems  []Problem `json:"problems"`
}

// Register adds a server to one session, above every file, until the session ends.
// Entry is as in mcp.json (design §3); a value `!command` is refused. With Replace a
// server that the session registered under this name is replaced.
type Register struct {
	Session string          `json:"session"`
	Name    string          `json:"name"`
	Entry   json.RawMessage `json:"entry"`
	Replace bool            `json:"replace,omitempty"`
}

// Unregister takes a registered server away.
type Unregister struct {
	Session string `json:"session"`
	Name    string `json:"name"`
}

// SetOverride sets fields of an override for one server: in the session with
// mcp.setSessionOverride, in the user's private file for the workspace with
// mcp.setProjectOverride. A field that is null is taken away, one that is absent
// stays. Refused in the session for a server that the session itself registered.
// ExpectFingerprint is that of the server as mcp.list shows it.
type SetOverride struct {
	Session           string          `json:"session"`
	Server            string          `json:"server"`
	Enabled           json.RawMessage `json:"enabled,omitempty"`
	Exposure          json.RawMessage `json:"exposure,omitempty"`
	Timeout           json.RawMessage `json:"timeout,omitempty"`
	ToolExposure      json.RawMessage `json:"toolExposure,omitempty"`
	ExpectFingerprint string          `json:"expectFingerprint,omitempty"`
	DryRun            bool            `json:"dryRun,omitempty"` // of mcp.setProjectOverride
}

// Add adds an entry to the file of a scope, "user" when absent.
type Add struct {
	Session           string          `json:"session"`
	Scope             string          `json:"scope,omitempty"`
	Name              string          `json:"name"`
	Entry             json.RawMessage `json:"entry"`
	Replace           bool            `json:"replace,omitempty"`
	ExpectFingerprint string          `json:"expectFingerprint,omitempty"` // of the entry that is replaced
	DryRun            bool            `json:"dryRun,omitempty"`
}

// Update changes fields of an entry: Set maps dotted paths to values, which are
// written in this order, Unset lists paths, which go first; or Entry replaces it
// whole. A dot in a key is written '\.'. Scope is needed only where several files
// define the name.
type Update struct {
	Session           string          `json:"session"`
	Scope             string          `json:"scope,omitempty"`
	Name              string          `json:"name"`
	Set               Fields          `json:"set,omitempty"`
	Unset             []string        `json:"unset,omitempty"`
	Entry             json.RawMessage `json:"entry,omitempty"`
	ExpectFingerprint string          `json:"expectFingerprint,omitempty"`
	DryRun            bool            `json:"dryRun,omitempty"`
}

// Remove takes an entry out of a file, whatever its value is.
type Remove struct {
	Session           string `json:"session"`
	Scope             string `json:"scope,omitempty"`
	Name              string `json:"name"`
	ExpectFingerprint string `json:"expectFingerprint,omitempty"`
	DryRun            bool   `json:"dryRun,omitempty"`
}

// Approve gives the user's word on one entry of a project. Decision is "approve",
// which needs the fingerprint that was shown, and that of the covered files where
// only they have changed since the last approval; "deny"; "revoke"; or "list", which
// changes nothing and answers what there is to show, of all when Server is "". With Tools
// it is about the tools that the server lists: "approve" needs the fingerprint of the set,
// and "list" gives it.
type Approve struct {
	Session     string `json:"session"`
	Server      string `json:"server,omitempty"`
	Decision    string `json:"decision,omitempty"` // "approve" when absent
	Fingerprint string `json:"fingerprint,omitempty"`
	Files       string `json:"files,omitempty"`
	EntryOnly   bool   `json:"entryOnly,omitempty"`
	Tools       bool   `json:"tools,omitempty"`
}

// ShareWithRepo copies an entry of the user's, or a private override, into the
// project's file (design §5.4). Scope, "user" or "local", says which, where both
// files hold the name.
type ShareWithRepo struct {
	Session           string `json:"session"`
	Server            string `json:"server"`
	Scope             string `json:"scope,omitempty"`
	EnvPlaceholders   bool   `json:"envPlaceholders,omitempty"`
	ExpectFingerprint string `json:"expectFingerprint,omitempty"`
	DryRun            bool   `json:"dryRun,omitempty"`
}

// ReadOutput asks for the recorded result of a call.
type ReadOutput struct {
	ID string `json:"id"`
}

// Output is one recorded call: the answer to mcp.readOutput and the document of
// `output` (design §12). Arguments are masked; Result is as the server sent it.
type Output struct {
	Schema    int             `json:"schema"`
	ID        string          `json:"id"`
	Time      time.Time       `json:"time"`
	Workspace string          `json:"workspace"`
	Server    string          `json:"server"`
	Tool      string          `json:"tool"`
	Arguments json.RawMessage `json:"arguments"`
	Result    json.RawMessage `json:"result"`
}

// ReadLog asks for records of the log, oldest first: the last Last of them, 0 for
// all, of one server or all, not older than Since. With Follow the connection gets
// each further one as mcp.log until it ends; one such request at a time.
type ReadLog struct {
	Server string    `json:"server,omitempty"`
	Level  string    `json:"level,omitempty"` // at least as severe as
	Since  time.Time `json:"since,omitzero"`
	Last   int       `json:"last,omitempty"`
	Follow bool      `json:"follow,omitempty"`
}

// LogRecord is one record of the log: the parameters of mcp.log, and a row of the
// answer to mcp.readLog.
type LogRecord struct {
	Time   time.Time `json:"time"`
	Server string    `json:"server"`
	Level  string    `json:"level"`
	Logger string    `json:"logger"`
	Text   string    `json:"text"`
}

// LogRecords is the answer to mcp.readLog. LeftOut counts the oldest of those asked
// for that one message had no room for.
type LogRecords struct {
	Schema  int         `json:"schema"`
	Records []LogRecord `json:"records"`
	LeftOut int         `json:"leftOut,omitempty"`
}
