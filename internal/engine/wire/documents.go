package wire

import (
	"encoding/json"
	"time"
)

// The documents of edits, approvals and tests: what the commands print with --json
// is what the methods of the same purpose answer.

// Edit is the document of the verbs that write a file, and the answer to mcp.add,
// mcp.update, mcp.remove and mcp.setProjectOverride.
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

// Share is the document of `share` and the answer to mcp.shareWithRepo: the edit of
// the project file, where the entry came from, and the variables that have to be set
// now.
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

// Approvals is the document of `approve`, `deny` and `revoke`, and the answer to
// mcp.approve.
type Approvals struct {
	Schema  int           `json:"schema"`
	Servers []ApprovalRow `json:"servers"`
	Tools   []ToolSet     `json:"tools,omitempty"` // of a request for tools, in the place of Servers
}

// ToolSet are the tools of a server beside those that were approved. Fingerprint is over
// those it lists now, Approved over the others. Origin says how those came to be
// approved: "first-use", "lock-file" or "approved".
type ToolSet struct {
	Name        string       `json:"name"`
	Fingerprint string       `json:"fingerprint"`
	Approved    string       `json:"approved"`
	Origin      string       `json:"origin"`
	ApprovedAt  *time.Time   `json:"approvedAt"`
	Tools       int          `json:"tools"` // how many it lists
	Changes     []ToolChange `json:"changes"`
	Error       *Error       `json:"error"` // why nothing is known of it; null otherwise
}

// ToolChange is a tool that is not as it was: "changed", "new" or "gone". From and To are
// the hashes of its definitions, "" where there is none; Diff is the difference, whole.
type ToolChange struct {
	Tool   string `json:"tool"`
	Change string `json:"change"`
	From   string `json:"from"`
	To     string `json:"to"`
	Diff   string `json:"diff"`
}

// ApprovalRow is one entry that needs the user's word.
type ApprovalRow struct {
	Name        string   `json:"name"`
	Source      string   `json:"source"`
	Line        int      `json:"line"`
	Column      int      `json:"column"`
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

// Test is the document of `test` and the answer to mcp.testConnection.
type Test struct {
	Schema  int          `json:"schema"`
	Results []TestResult `json:"results"`
}

// TestResult is what one probe found.
type TestResult struct {
	Name            string    `json:"name"`
	OK              bool      `json:"ok"`
	State           State     `json:"state"`
	ProtocolVersion string    `json:"protocolVersion"`
	Server          Peer      `json:"server"`
	Tools           []string  `json:"tools"`
	Resources       bool      `json:"resources"`
	Prompts         bool      `json:"prompts"`
	ResourceCount   *int      `json:"resourceCount,omitempty"` // nil when no list came
	PromptCount     *int      `json:"promptCount,omitempty"`   // the same
	MS              int64     `json:"ms"`
	Error           *Error    `json:"error"`
	Warnings        []Warning `json:"warnings"`
}
