package wire

import "time"

// Schema is the version of every JSON document (design §8.1); documents only
// grow within it.
const Schema = 1

// State is what a server is doing (design §8.2).
type State string

// The states.
const (
	NotRunning        State = "not-running"
	Starting          State = "starting"
	Connected         State = "connected"
	NeedsSignIn       State = "needs-sign-in"
	Failed            State = "failed"
	Disconnected      State = "disconnected"
	Disabled          State = "disabled"
	DisabledInProject State = "disabled-in-project"
	DisabledInSession State = "disabled-in-session"
	PendingApproval   State = "pending-approval"
	PendingReload     State = "pending-reload"
	InvalidConfig     State = "invalid-config"
	Elsewhere         State = "handled-elsewhere"
	Stopped           State = "stopped"
)

// Status is a whole snapshot of a session, never a difference. Generation only
// grows within an epoch; an epoch is one run of the supervisor.
type Status struct {
	Schema     int            `json:"schema"`
	Workspace  string         `json:"workspace"`
	Session    string         `json:"session"`
	Epoch      string         `json:"epoch"`
	Generation uint64         `json:"generation"`
	Servers    []ServerStatus `json:"servers"`
	Problems   []Problem      `json:"problems"`
	// Ended says that the session is closed; this is its last snapshot.
	Ended bool `json:"ended,omitempty"`
}

// ServerStatus is one server of a Status.
type ServerStatus struct {
	Name   string `json:"name"`
	State  State  `json:"state"`
	Detail string `json:"detail"`
	Tools  *int   `json:"tools"` // null until they were listed
	// ToolsChanged are the tools that are not as they were approved, new ones and those
	// that are gone included.
	ToolsChanged []string   `json:"toolsChanged,omitempty"`
	PID          int        `json:"pid,omitempty"`
	UpdatedAt    *time.Time `json:"updatedAt"`
}

// Problem is something wrong in a file.
type Problem struct {
	Code     Code    `json:"code"`
	Severity string  `json:"severity"`
	Source   string  `json:"source"`
	Line     int     `json:"line"`
	Column   int     `json:"column"`
	Server   *string `json:"server"`
	Message  string  `json:"message"`
	Hint     string  `json:"hint"`
	Rule     string  `json:"rule,omitempty"` // of mcpctl-lint(7), such as MCP018
}

// List is the document of `list` and the answer to mcp.list.
type List struct {
	Schema           int              `json:"schema"`
	Workspace        string           `json:"workspace"`
	Client           string           `json:"client"`
	HandledElsewhere *Owned           `json:"handledElsewhere"` // null: mcpctl runs the servers
	Supervisor       ListedSupervisor `json:"supervisor"`
	Servers          []Server         `json:"servers"`
	Problems         []Problem        `json:"problems"`
}

// Owned says which other program owns MCP in a workspace, how that is known, and
// the file that says so (design §9.4).
type Owned struct {
	Owner  string `json:"owner"`
	Reason string `json:"reason"`
	Source string `json:"source"`
}

// ListedSupervisor says whether live states could be asked for.
type ListedSupervisor struct {
	Running bool   `json:"running"`
	PID     int    `json:"pid,omitempty"`
	Version string `json:"version,omitempty"`
}

// Server is one row of a List.
type Server struct {
	Name         string       `json:"name"`
	Scope        string       `json:"scope"`
	Client       string       `json:"client"`
	Source       string       `json:"source"`
	Line         int          `json:"line"`
	Column       int          `json:"column"`
	InForce      bool         `json:"inForce"`
	Role         string       `json:"role,omitempty"` // with --all: why it is never in force
	Transport    *Transport   `json:"transport"`      // null for an invalid entry
	Enabled      bool         `json:"enabled"`
	Exposure     string       `json:"exposure"`
	Description  string       `json:"description"`
	Fingerprint  string       `json:"fingerprint"`
	Approval     string       `json:"approval"`
	Covers       int          `json:"covers"` // in-project files the approval covers
	State        State        `json:"state"`
	Detail       string       `json:"detail"`
	Tools        *int         `json:"tools"`
	ToolsChanged []string     `json:"toolsChanged,omitempty"` // as in ServerStatus
	UpdatedAt    *time.Time   `json:"updatedAt"`
	Overrides    []Overriding `json:"overrides"`
	Shadows      []Shadowed   `json:"shadows"`
	Problems     []Problem    `json:"problems"`
}

// Transport is how a server is spoken to, secrets masked. Fields that the type
// does not use are absent.
type Transport struct {
	Type    string   `json:"type"`
	Command string   `json:"command,omitempty"`
	Args    []string `json:"args,omitempty"`
	Cwd     string   `json:"cwd,omitempty"`
	URL     string   `json:"url,omitempty"`
}

// Overriding is an override that lies on a server.
type Overriding struct {
	Scope  string         `json:"scope"`
	Source string         `json:"source"`
	Client string         `json:"client,omitempty"` // whom alone it is for; "": whoever has the server
	Fields map[string]any `json:"fields"`
}

// Shadowed is a definition that another one hides.
type Shadowed struct {
	Scope       string `json:"scope"`
	Source      string `json:"source"`
	Line        int    `json:"line"`
	Fingerprint string `json:"fingerprint"`
}
