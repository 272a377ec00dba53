package wire

import (
	"encoding/json"
	"slices"
	"time"
)

// Protocol versions this program speaks. The socket's name carries the major
// version (design §2.1).
const (
	ProtocolMin = 1
	ProtocolMax = 1
)

// Methods and notifications of the socket (design §9.1).
const (
	MethodHello       = "supervisor.hello"
	MethodInfo        = "supervisor.info"
	MethodShutdown    = "supervisor.shutdown"
	MethodRefresh     = "supervisor.refresh"
	MethodSessionOpen = "session.open"

	MethodSessionList  = "session.list"
	MethodSessionClose = "session.close"

	MethodList               = "mcp.list"
	MethodStatus             = "mcp.status" // asked once; mcp.watch for more
	MethodWatch              = "mcp.watch"
	MethodReconnect          = "mcp.reconnect"
	MethodReload             = "mcp.reload"
	MethodRegister           = "mcp.register"
	MethodUnregister         = "mcp.unregister"
	MethodSetSessionOverride = "mcp.setSessionOverride"

	MethodAdd                = "mcp.add"
	MethodUpdate             = "mcp.update"
	MethodRemove             = "mcp.remove"
	MethodSetProjectOverride = "mcp.setProjectOverride"
	MethodApprove            = "mcp.approve"
	MethodShareWithRepo      = "mcp.shareWithRepo"
	MethodTestConnection     = "mcp.testConnection"

	MethodLogin       = "mcp.login"
	MethodLoginReply  = "mcp.loginReply"
	MethodLoginCancel = "mcp.loginCancel"
	MethodLogout      = "mcp.logout"

	MethodListTools     = "mcp.listTools"
	MethodCallTool      = "mcp.callTool"
	MethodListResources = "mcp.listResources"
	MethodReadResource  = "mcp.readResource"
	MethodListPrompts   = "mcp.listPrompts"
	MethodGetPrompt     = "mcp.getPrompt"
	MethodComplete      = "mcp.complete"
	MethodElicitReply   = "mcp.elicitReply"
	MethodDescribe      = "mcp.describe"
	MethodSampleReply   = "mcp.sampleReply"
	MethodRootsReply    = "mcp.rootsReply"
	MethodSubscribe     = "mcp.subscribe"
	MethodUnsubscribe   = "mcp.unsubscribe"
	MethodSetRoots      = "mcp.setRoots"
	MethodSetLogLevel   = "mcp.setLogLevel"

	MethodReadOutput = "mcp.readOutput"
	MethodReadLog    = "mcp.readLog"

	NotifyStatus   = "mcp.status"
	NotifyProgress = "mcp.progress"
	NotifyElicit   = "mcp.elicit"
	NotifySample   = "mcp.sample"
	NotifyRoots    = "mcp.roots"
	NotifyOver     = "mcp.over"
	NotifyLog      = "mcp.log"
	NotifyLogin    = "mcp.login" // the method's name, too

	NotifyListChanged     = "mcp.listChanged"
	NotifyResourceUpdated = "mcp.resourceUpdated"
	NotifyMessage         = "mcp.message"

	// NotifyCancel ends a request in flight on the same connection. The name is
	// that of the Language Server Protocol, which editors' libraries know.
	NotifyCancel = "$/cancelRequest"
)

// Hello opens a connection; it is the first message.
type Hello struct {
	Client   Peer          `json:"client"`
	Protocol ProtocolRange `json:"protocol"`
}

// Peer is a program at one end of the socket.
type Peer struct {
	Name    string `json:"name"`
	Version string `json:"version"`
}

// ProtocolRange is an inclusive range of protocol versions.
type ProtocolRange struct {
	Min int `json:"min"`
	Max int `json:"max"`
}

// HelloResult answers Hello with the version both will speak.
type HelloResult struct {
	Supervisor Peer   `json:"supervisor"`
	PID        int    `json:"pid"`
	Epoch      string `json:"epoch"`
	Protocol   int    `json:"protocol"`
}

// Info describes the running supervisor.
type Info struct {
	Schema    int           `json:"schema"`
	Running   bool          `json:"running"`
	PID       int           `json:"pid"`
	Version   string        `json:"version"`
	Protocol  ProtocolRange `json:"protocol"`
	Epoch     string        `json:"epoch"`
	Socket    string        `json:"socket"`
	StartedAt time.Time     `json:"startedAt,omitzero"` // absent when none runs
	Clients   int           `json:"clients"`
	Sessions  []SessionInfo `json:"sessions"`
}

// Refresh tells the supervisor, after an edit, to look whether files have changed; the
// answer comes when every session has. Files are the paths of those that were edited:
// what they are now counts at once, also where one is empty or gone.
type Refresh struct {
	Files []string `json:"files,omitempty"`
}

// SessionInfo is one line of a supervisor's sessions.
type SessionInfo struct {
	Session   string `json:"session"`
	Workspace string `json:"workspace"`
	Servers   int    `json:"servers"`
	Watching  string `json:"watching"` // "events" or "polling"

	Client     string `json:"client"`     // whose files it reads
	Kind       string `json:"kind"`       // "default", "kept", or "connection": it ends with a connection
	Registered int    `json:"registered"` // servers of its own
	Overridden int    `json:"overridden"` // servers with an override of its own

	Running int `json:"running"` // servers that are connected
	// Of a session of a connection: the program at its other end, as it calls itself and
	// as the kernel knows it, and what it has the session for. They are for people.
	Owner    string `json:"owner,omitempty"`
	OwnerPID int    `json:"ownerPid,omitempty"`
	For      string `json:"for,omitempty"`
}

// Kinds of sessions.
const (
	KindDefault    = "default"
	KindKept       = "kept"
	KindConnection = "connection"
)

// Sessions is the answer to session.list and the document of `session list`.
type Sessions struct {
	Schema   int           `json:"schema"`
	Sessions []SessionInfo `json:"sessions"`
}

// SessionOpen asks for the session of a workspace. The id "default" is the
// command line's own: it is shared by its commands and outlives them. Any other
// id belongs to the connection that opened it and ends with it. Env is the
// caller's whole environment, as KEY=VALUE; values are resolved from it. With
// Existing a session that is not there is not made (MCP_NOT_FOUND), and one that
// is keeps its environment: a look that changes nothing. An id beside "default" then
// is that of a kept session, or of one of the connection's own, and the workspace is
// its own, whatever the request says.
type SessionOpen struct {
	ID        string   `json:"id"`
	Workspace string   `json:"workspace"`
	Client    string   `json:"client"` // whose files to read, such as "native"
	Env       []string `json:"env"`
	Existing  bool     `json:"existing,omitempty"`
	// Keep lets a session of its own outlive the connection that opened it, until
	// session.close or the supervisor's end. Others join it with its id and Existing.
	Keep bool `json:"keep,omitempty"`
	// AsDefault, with Existing, lets "default" mean this session in the requests of
	// the connection, so that they may be sent along.
	AsDefault bool `json:"asDefault,omitempty"`

	// Servers and Exclude, names or patterns with '*', say which servers a session of
	// its own has at all: those that Servers names, all when it is empty, without those
	// that Exclude names. Others are neither listed nor started.
	Servers []string `json:"servers,omitempty"`
	Exclude []string `json:"exclude,omitempty"`
	// Roots are what the servers of a session of its own are told in the place of the
	// workspace; nil: the workspace. An empty list is one.
	Roots []Root `json:"roots,omitzero"`
	// Capabilities are what the owner of a session of its own can do for its servers:
	// they are told exactly that. nil: forms and pages can be answered, there are
	// roots, and sampling is not offered.
	Capabilities *ClientCapabilities `json:"capabilities,omitempty"`
	// ProtocolVersion is the version of MCP that the owner of a session of its own speaks
	// with the one client that he has it for; "" for none. Before 2026-07-28 servers are
	// spoken to in that era where they can be: many ask a client nothing in the new one.
	// What a server asks without saying for which of the requests over this connection
	// may then go to any of them.
	ProtocolVersion string `json:"protocolVersion,omitempty"`
	// For is what the owner of a session of its own has it for, such as the name of a
	// client of his: session.list shows it to people.
	For string `json:"for,omitempty"`
}

// Root is a folder that servers are told to work in, as MCP has it.
type Root struct {
	URI  string `json:"uri"`
	Name string `json:"name,omitempty"`
}

// ClientCapabilities are those of MCP's ClientCapabilities (2025-11-25) that are passed
// on to servers, in the same shape. Elicitation without Form and URL means forms.
type ClientCapabilities struct {
	Sampling    *SamplingCapability    `json:"sampling,omitempty"`
	Elicitation *ElicitationCapability `json:"elicitation,omitempty"`
	Roots       *RootsCapability       `json:"roots,omitempty"`
}

// SamplingCapability says that the owner's model may be asked (mcp.sample), with tools
// and with the context of servers when these are set.
type SamplingCapability struct {
	Tools   *None `json:"tools,omitempty"`
	Context *None `json:"context,omitempty"`
}

// ElicitationCapability says which questions the owner's user can be asked.
type ElicitationCapability struct {
	Form *None `json:"form,omitempty"`
	URL  *None `json:"url,omitempty"`
}

// RootsCapability says that there are roots. ListChanged says that mcp.setRoots may
// change them; servers are told of it then.
type RootsCapability struct {
	ListChanged bool `json:"listChanged,omitempty"`
}

// DefaultSession is the id of the command line's own session. In a request it
// means the default session that this connection opened last, so that requests
// may be sent along with session.open, before its answer says the id. After a
// session.open for it that failed it means none.
const DefaultSession = "default"

// SessionOpened names the session in all later requests.
type SessionOpened struct {
	Session    string `json:"session"`
	Workspace  string `json:"workspace"`
	Epoch      string `json:"epoch"`
	Generation uint64 `json:"generation"`
	// Own tells whether the session holds servers or overrides of its own.
	Own bool `json:"own,omitempty"`
}

// ListServers is the parameters of mcp.list. All adds what is never in force: what
// is hidden and what overrides.
type ListServers struct {
	Session string `json:"session"`
	All     bool   `json:"all,omitempty"`
}

// InSession is the parameters of requests that need no more than a session.
type InSession struct {
	Session string `json:"session"`
}

// InServer names one server of a session; "" means all where that makes sense.
// TimeoutMS bounds the wait for each, 0 is a minute. Tool asks mcp.listTools for the
// tools of that name alone.
type InServer struct {
	Session   string `json:"session"`
	Server    string `json:"server,omitempty"`
	TimeoutMS int64  `json:"timeoutMs,omitempty"`
	Tool      string `json:"tool,omitempty"`
}

// CallTool asks for one tool call. Arguments are passed on byte for byte.
// TimeoutMS is the limit without progress, 0 for the entry's own.
type CallTool struct {
	Session   string          `json:"session"`
	Server    string          `json:"server"`
	Tool      string          `json:"tool"`
	Arguments json.RawMessage `json:"arguments,omitempty"`
	TimeoutMS int64           `json:"timeoutMs,omitempty"`

	// ProgressToken asks for mcp.progress notifications that carry it; "" for none.
	ProgressToken string `json:"progressToken,omitempty"`
	// Elicit says that the caller answers mcp.elicit; without it questions are declined.
	Elicit bool `json:"elicit,omitempty"`
	// Sample says that the caller answers mcp.sample; without it sampling is refused.
	Sample bool `json:"sample,omitempty"`
	// Roots says that the caller answers mcp.roots, which a server of MCP 2026-07-28 may
	// ask; without it the server is told the session's.
	Roots bool `json:"roots,omitempty"`
	// Together says that the caller takes what such a server asks at once at the same
	// time; without it one question comes after the other.
	Together bool `json:"together,omitempty"`
	// Meta is an object that is added to the request's _meta. A progressToken in it, and
	// what MCP reserves for the two ends of a connection, are left out.
	Meta json.RawMessage `json:"meta,omitempty"`
}

// CallResult is the answer to CallTool and the document of `call --json`.
// Result is the CallToolResult as the server sent it, byte for byte. OutputID is
// null, and Warning says why, when it could not be recorded.
type CallResult struct {
	Schema    int             `json:"schema"`
	Server    string          `json:"server"`
	Tool      string          `json:"tool"`
	Result    json.RawMessage `json:"result"`
	OutputID  *string         `json:"outputId"`
	Truncated bool            `json:"truncated"`
	MS        int64           `json:"ms"`
	Warning   string          `json:"warning,omitempty"`
}

// Tools is the answer to mcp.listTools and the document of `tools --json`.
type Tools struct {
	Schema  int           `json:"schema"`
	Servers []ServerTools `json:"servers"`
}

// Only leaves the tools of that name alone.
func (t Tools) Only(name string) {
	for i, sv := range t.Servers {
		t.Servers[i].Tools = slices.DeleteFunc(slices.Clone(sv.Tools), func(tool Tool) bool { return tool.Name != name })
	}
}

// ServerTools are the tools of one server. Tools hold each definition as the
// server sent it; Error says why there are none.
type ServerTools struct {
	Name  string `json:"name"`
	State State  `json:"state"`
	Tools []Tool `json:"tools"`
	Error *Error `json:"error"`
}

// Tool is one tool with its joined name (design §10).
type Tool struct {
	Name       string          `json:"name"`
	Joined     string          `json:"joined"`
	Definition json.RawMessage `json:"definition"`
	Unusable   string          `json:"unusable,omitempty"` // why it cannot be called
	Exposure   string          `json:"exposure,omitempty"` // how a gateway offers it; "" is direct
	Changed    string          `json:"changed,omitempty"`  // "changed" or "new": it is not as it was approved
}
