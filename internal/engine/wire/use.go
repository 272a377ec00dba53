package wire

import (
	"encoding/json"
)

// What uses a server beside its tools: resources, prompts, completion, and what
// comes back while a request is under way. Items and results are the server's own
// JSON, byte for byte.

// Resources is the answer to mcp.listResources and the document of `resources`.
type Resources struct {
	Schema  int               `json:"schema"`
	Servers []ServerResources `json:"servers"`
}

// ServerResources are the resources of one server. Error says why there are none;
// TemplatesError that the templates alone could not be listed.
type ServerResources struct {
	Name           string            `json:"name"`
	State          State             `json:"state"`
	Resources      []json.RawMessage `json:"resources"`
	Templates      []json.RawMessage `json:"templates"`
	Error          *Error            `json:"error"`
	TemplatesError *Error            `json:"templatesError,omitempty"`
}

// ReadResource asks for one resource of a server by its URI, byte for byte.
type ReadResource struct {
	Session   string `json:"session"`
	Server    string `json:"server"`
	URI       string `json:"uri"`
	TimeoutMS int64  `json:"timeoutMs,omitempty"`

	// As in CallTool.
	ProgressToken string          `json:"progressToken,omitempty"`
	Elicit        bool            `json:"elicit,omitempty"`
	Sample        bool            `json:"sample,omitempty"`
	Roots         bool            `json:"roots,omitempty"`
	Together      bool            `json:"together,omitempty"`
	Meta          json.RawMessage `json:"meta,omitempty"`
}

// ResourceResult is the answer to ReadResource and the document of `read`; Result
// is the ReadResourceResult as the server sent it.
type ResourceResult struct {
	Schema int             `json:"schema"`
	Server string          `json:"server"`
	URI    string          `json:"uri"`
	Result json.RawMessage `json:"result"`
	MS     int64           `json:"ms"`
}

// Prompts is the answer to mcp.listPrompts and the document of `prompts`.
type Prompts struct {
	Schema  int             `json:"schema"`
	Servers []ServerPrompts `json:"servers"`
}

// ServerPrompts are the prompts of one server. Error says why there are none.
type ServerPrompts struct {
	Name    string            `json:"name"`
	State   State             `json:"state"`
	Prompts []json.RawMessage `json:"prompts"`
	Error   *Error            `json:"error"`
}

// GetPrompt asks for one prompt of a server, its arguments filled in.
type GetPrompt struct {
	Session   string            `json:"session"`
	Server    string            `json:"server"`
	Prompt    string            `json:"prompt"`
	Arguments map[string]string `json:"arguments,omitempty"`
	TimeoutMS int64             `json:"timeoutMs,omitempty"`

	// As in CallTool.
	ProgressToken string          `json:"progressToken,omitempty"`
	Elicit        bool            `json:"elicit,omitempty"`
	Sample        bool            `json:"sample,omitempty"`
	Roots         bool            `json:"roots,omitempty"`
	Together      bool            `json:"together,omitempty"`
	Meta          json.RawMessage `json:"meta,omitempty"`
}

// PromptResult is the answer to GetPrompt and the document of `prompt`; Result is
// the GetPromptResult as the server sent it.
type PromptResult struct {
	Schema int             `json:"schema"`
	Server string          `json:"server"`
	Prompt string          `json:"prompt"`
	Result json.RawMessage `json:"result"`
	MS     int64           `json:"ms"`
}

// Complete asks a server to complete the argument of a prompt, or of a resource
// template: one of Prompt and Template is set. Context are the arguments that are
// known already (MCP 2025-11-25, Completion).
type Complete struct {
	Session   string            `json:"session"`
	Server    string            `json:"server"`
	Prompt    string            `json:"prompt,omitempty"`
	Template  string            `json:"template,omitempty"` // its uriTemplate
	Argument  string            `json:"argument"`
	Value     string            `json:"value"`
	Context   map[string]string `json:"context,omitempty"`
	TimeoutMS int64             `json:"timeoutMs,omitempty"`
}

// Completions is the answer to Complete and the document of `complete`. Total is
// null when the server does not say.
type Completions struct {
	Schema  int      `json:"schema"`
	Server  string   `json:"server"`
	Values  []string `json:"values"`
	Total   *int     `json:"total"`
	HasMore bool     `json:"hasMore"`
}

// Progress is the parameters of mcp.progress, sent to the connection whose request
// carried the token.
type Progress struct {
	Token    string   `json:"token"`
	Server   string   `json:"server"`
	Progress float64  `json:"progress"`
	Total    *float64 `json:"total,omitempty"`
	Message  string   `json:"message,omitempty"`
}

// Elicitation is the parameters of mcp.elicit: a server asks the user something.
// It goes to the connection whose call caused it, if that said it can answer, and
// is answered with mcp.elicitReply by the same connection (design §9.2). In form
// mode Schema is the server's requestedSchema; in url mode URL is where the user
// has to go, shown and never fetched.
type Elicitation struct {
	ID      string          `json:"id"`
	Server  string          `json:"server"`
	Mode    string          `json:"mode"` // "form" or "url"
	Message string          `json:"message"`
	Schema  json.RawMessage `json:"schema,omitempty"`
	URL     string          `json:"url,omitempty"`
	Token   string          `json:"token,omitempty"` // the progressToken of the request that caused it
	Input
}

// Input says where a question stands in a result that asks, of a server of MCP
// 2026-07-28. Key is what the server calls it. Together, for a request that says it, is
// how many questions are put at the same time, if it is not one alone.
type Input struct {
	Key      string `json:"key,omitempty"`
	Together int    `json:"together,omitempty"`
}

// ElicitReply answers an Elicitation. Content is for "accept" in form mode; fields
// it leaves out get the defaults of the schema.
type ElicitReply struct {
	ID      string          `json:"id"`
	Action  string          `json:"action"` // "accept", "decline" or "cancel"
	Content json.RawMessage `json:"content,omitempty"`
}

// Cancel is the parameters of $/cancelRequest: the id of a request in flight.
type Cancel struct {
	ID json.RawMessage `json:"id"`
}

// Request is the ID of the request that is meant, as Request.ID gives it; false for
// what is no id.
func (c Cancel) Request() (string, bool) {
	id, err := idOf(c.ID)
	return string(id), err == nil && id != ""
}
