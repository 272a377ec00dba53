package wire

// Lock is the document of `lock`: what is in mcp.lock.json now, or would be.
type Lock struct {
	Schema    int         `json:"schema"`
	Source    string      `json:"source"`
	Unchanged bool        `json:"unchanged"`
	DryRun    bool        `json:"dryRun,omitempty"`
	Diff      string      `json:"diff,omitempty"` // with dryRun
	Servers   []LockedRow `json:"servers"`
	Warnings  []Warning   `json:"warnings"`
}

// LockResult says what became of a server's record.
type LockResult string

// The results of locking one server.
const (
	LockTaken   LockResult = "locked"  // the server was asked
	LockKept    LockResult = "kept"    // it stands there already, for this very entry
	LockDropped LockResult = "dropped" // the project has no such server any more
	LockSkipped LockResult = "skipped" // it is not to run here; reason says why
)

// LockedRow is one server of a Lock.
type LockedRow struct {
	Name            string     `json:"name"`
	Result          LockResult `json:"result"`
	Reason          string     `json:"reason,omitempty"`
	Fingerprint     string     `json:"fingerprint"`
	Package         *Package   `json:"package"` // null: its command fetches none
	ProtocolVersion string     `json:"protocolVersion"`
	Server          Peer       `json:"server"`
	Tools           int        `json:"tools"`
}

// Package is what a command such as npx fetches. Origin is "pinned" for a version that
// the command names, "reported" for one that the running server tells of itself, and
// "unknown".
type Package struct {
	Registry string `json:"registry"`
	Name     string `json:"name"`
	Version  string `json:"version"`
	Origin   string `json:"origin"`
}

// Check is the document of `check`. OK says that nothing differs, and that all could be
// compared.
type Check struct {
	Schema  int            `json:"schema"`
	Source  string         `json:"source"` // the lock file
	Offline bool           `json:"offline"`
	OK      bool           `json:"ok"`
	Servers []CheckedEntry `json:"servers"`
}

// CheckResult says what came out of a server's comparison.
type CheckResult string

// The results of checking one server.
const (
	CheckSame      CheckResult = "same"
	CheckDiffers   CheckResult = "differs"
	CheckNotLocked CheckResult = "not-locked" // the project has it, and the lock file has not
	CheckGone      CheckResult = "gone"       // the reverse
	CheckFailed    CheckResult = "failed"     // it could not be asked
)

// CheckedEntry is one server of a Check. Line and Column are its place in the lock file, 0
// where it has none. Reason says what was left out of the comparison, and why.
type CheckedEntry struct {
	Name        string           `json:"name"`
	Result      CheckResult      `json:"result"`
	Reason      string           `json:"reason,omitempty"`
	Line        int              `json:"line"`
	Column      int              `json:"column"`
	Differences []LockDifference `json:"differences"`
	Error       *Error           `json:"error"` // why it could not be asked, or not be asked whole
}

// LockDifference is one thing that is not as it was locked. What is "fingerprint",
// "package", "protocolVersion", "server" or "tool"; From and To are both values, those of
// tools their hashes. Tool, Change and Diff are those of a ToolChange.
type LockDifference struct {
	What   string `json:"what"`
	Tool   string `json:"tool,omitempty"`
	Change string `json:"change,omitempty"`
	From   string `json:"from"`
	To     string `json:"to"`
	Diff   string `json:"diff,omitempty"`
	Line   int    `json:"line"` // in the lock file; 0 where it has none
	Column int    `json:"column"`
}
