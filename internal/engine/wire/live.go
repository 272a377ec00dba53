package wire

import "encoding/json"

// What servers are and say by themselves, for a client that offers them on: mcpctl
// serve, or an editor.

// Watch is the parameters of mcp.watch. Lists asks for mcp.listChanged as well, and
// Messages for mcp.message; a second watch of one session may add to the first.
type Watch struct {
	Session  string `json:"session"`
	Lists    bool   `json:"lists,omitempty"`
	Messages bool   `json:"messages,omitempty"`
}

// Descriptions is the answer to mcp.describe.
type Descriptions struct {
	Schema  int           `json:"schema"`
	Servers []Description `json:"servers"`
}

// Description is what a server said of itself in the handshake of the connection that
// it has now. Info is MCP's Implementation and Capabilities its ServerCapabilities, as
// the server sent them, null when it sent none or Error says why there is no connection.
type Description struct {
	Name            string          `json:"name"`
	State           State           `json:"state"`
	Info            json.RawMessage `json:"serverInfo"`
	Capabilities    json.RawMessage `json:"capabilities"`
	Instructions    string          `json:"instructions"`
	ProtocolVersion string          `json:"protocolVersion"`
	Error           *Error          `json:"error"`
}

// SetRoots is the parameters of mcp.setRoots. The list replaces the one before.
type SetRoots struct {
	Session string `json:"session"`
	Roots   []Root `json:"roots"`
}

// Sample is the parameters of mcp.sample: a server asks the model of the client whose
// request caused it, if that said it can answer. Params are MCP's
// CreateMessageRequestParams, byte for byte. It is answered with mcp.sampleReply by the
// same connection; one that is over is told by mcp.over.
type Sample struct {
	ID     string          `json:"id"`
	Server string          `json:"server"`
	Params json.RawMessage `json:"params"`
	Token  string          `json:"token,omitempty"` // the progressToken of the request that caused it
	Input
}

// SampleReply answers a Sample with one of the two: Result is MCP's CreateMessageResult,
// passed on byte for byte, or Error what went wrong.
type SampleReply struct {
	ID     string          `json:"id"`
	Result json.RawMessage `json:"result,omitempty"`
	Error  *RPCError       `json:"error,omitempty"`
}

// RootsQuestion is the parameters of mcp.roots: a server of MCP 2026-07-28 asks for the
// folders that the client works in whose request caused it, if that said it can answer.
// It is answered as a Sample is, with mcp.rootsReply.
type RootsQuestion struct {
	ID     string `json:"id"`
	Server string `json:"server"`
	Token  string `json:"token,omitempty"` // the progressToken of the request that caused it
	Input
}

// RootsReply answers a RootsQuestion with one of the two: Result is MCP's
// ListRootsResult, passed on byte for byte, or Error what went wrong.
type RootsReply struct {
	ID     string          `json:"id"`
	Result json.RawMessage `json:"result,omitempty"`
	Error  *RPCError       `json:"error,omitempty"`
}

// CodeRejected is the code of a sampling request that its user refuses (MCP 2025-11-25,
// Sampling).
const CodeRejected = -1

// RPCError is an error of JSON-RPC, as it is passed on to a server.
type RPCError struct {
	Code    int64           `json:"code"`
	Message string          `json:"message"`
	Data    json.RawMessage `json:"data,omitempty"`
}

// Over is the parameters of mcp.over: a question, to the user, the model or for roots,
// that this connection was asked needs no answer any more.
type Over struct {
	ID string `json:"id"`
}

// Resource names one resource of a server: the parameters of mcp.subscribe and
// mcp.unsubscribe, and of the notification mcp.resourceUpdated.
type Resource struct {
	Session string `json:"session"`
	Server  string `json:"server"`
	URI     string `json:"uri"`
}

// ListChanged is the parameters of mcp.listChanged: what a server lists is different, or
// it has come or gone. List is "tools", "prompts" or "resources" (templates, too).
type ListChanged struct {
	Session string `json:"session"`
	Server  string `json:"server"`
	List    string `json:"list"`
}

// The lists of a server.
const (
	ListOfTools     = "tools"
	ListOfPrompts   = "prompts"
	ListOfResources = "resources"
)

// SetLogLevel is the parameters of mcp.setLogLevel: from which level on a server, or
// every server of the session for "", is to send log messages.
type SetLogLevel struct {
	Session string `json:"session"`
	Server  string `json:"server,omitempty"`
	Level   string `json:"level"`
}

// Message is the parameters of mcp.message: a log message of a server. Params are MCP's
// LoggingMessageNotificationParams, secrets masked; it comes before the result of the
// request that caused it.
type Message struct {
	Session string          `json:"session"`
	Server  string          `json:"server"`
	Params  json.RawMessage `json:"params"`
}
