package dial

import (
	"context"
	"encoding/json"
)

// Caller is who made a request, for what comes back while it is under way.
type Caller struct {
	// Who is the same for all requests of one user, whose answer may reach each of them;
	// nil: nobody knows. It is comparable.
	Who any
	// Progress is told of the progress that the server reports, in the order it
	// came and never behind the result. It must not block. May be nil.
	Progress func(Progress)
	// Ask puts a question of the server to the user. ctx ends with the question.
	// nil: questions are declined.
	Ask func(ctx context.Context, q Question) Answer
	// AsGiven: an answer to a form passes as it is. Else what it leaves out gets the
	// defaults of the form, which another client may have had reasons not to give.
	AsGiven bool
	// Sample puts a question of the server to the caller's model: params are MCP's
	// CreateMessageRequestParams and the result its CreateMessageResult, both byte for
	// byte; an error that is a *Refusal is passed on. ctx ends with the question. nil:
	// they are refused.
	Sample func(ctx context.Context, in Input, params json.RawMessage) (json.RawMessage, error)
	// Roots asks the caller for the folders he works in, when a result that asks wants
	// them; it returns MCP's ListRootsResult, passed on byte for byte. ctx ends with the
	// question. nil: they are those of the connection.
	Roots func(ctx context.Context, in Input) (json.RawMessage, error)
	// Together has the questions of one result that asks put at the same time, and not
	// one after the other.
	Together bool
	// Said, if it is set, is told of the log messages that the request causes, as
	// Options.Said and in its place.
	Said func(params json.RawMessage)
	// Meta are members of the _meta of the request, a JSON object; empty for none. What
	// is between the two ends of a connection is left out.
	Meta json.RawMessage
}

// Refusal is an error of JSON-RPC with which a server is answered.
type Refusal struct {
	Code    int64
	Message string
	Data    json.RawMessage // nil for none
}

func (r *Refusal) Error() string { return r.Message }

// Progress is how far a request has come. Message is masked but not escaped for a
// terminal.
type Progress struct {
	Progress float64  `json:"progress"`
	Total    *float64 `json:"total"`
	Message  string   `json:"message"`
}

// Question is what a server asks the user in the course of a request: a form, or
// to visit a page (2025-11-25, Elicitation). Schema is the server's JSON, byte for
// byte; Message is masked but not escaped for a terminal. URL is shown, never
// fetched.
type Question struct {
	Mode    string // ModeForm or ModeURL
	Message string
	Schema  json.RawMessage
	URL     string
	Input
}

// Input says where a question stands in a result that asks (2026-07-28, Multi
// Round-Trip Requests); the zero value is one that stands in none.
type Input struct {
	Key      string // what the server calls it
	Together int    // how many questions are put at the same time, itself included; 0 or 1: it alone
}

// The modes of a question.
const (
	ModeForm = "form"
	ModeURL  = "url"
)

// Answer is the user's. Content is for Accept of a form; what it leaves out gets
// the defaults of the schema.
type Answer struct {
	Action  string // Accept, Decline or Cancel
	Content json.RawMessage
}

// What a user can do with a question.
const (
	Accept  = "accept"
	Decline = "decline"
	Cancel  = "cancel"
)

type callerKey struct{}

// WithCaller returns a context for a request of this caller.
func WithCaller(ctx context.Context, c Caller) context.Context {
	return context.WithValue(ctx, callerKey{}, c)
}

func callerOf(ctx context.Context) Caller {
	c, _ := ctx.Value(callerKey{}).(Caller)
	return c
}
