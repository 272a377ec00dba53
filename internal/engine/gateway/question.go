package gateway

//lint:file-ignore SA1019 roots, sampling and logging belong to every revision before 2026-07-28

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcpctl/mcpctl/internal/engine/wire"
)

// What a server wants of a client while it works on a request: the user's word
// (elicitation), the model's (sampling), or the client's roots. It is put to the client
// whose request is the cause, and to no other.

// The methods of such requests, and the actions of an answer (MCP 2025-11-25).
const (
	methodElicit = "elicitation/create"
	methodSample = "sampling/createMessage"
	methodRoots  = "roots/list"

	actionAccept  = "accept"
	actionDecline = "decline"
	actionCancel  = "cancel"
)

// question is one of them. over ends when nobody wants the answer any more.
type question struct {
	id     string
	key    string // what the client of 2026-07-28 sees, unique in its flight; "": id
	method string
	params json.RawMessage
	answer chan json.RawMessage // has room for the one answer; closed without one: the client gave none

	together int // how many the server asks at once, itself included
}

func newQuestion(id, method string, params json.RawMessage, in wire.Input) *question {
	return &question{id: id, key: in.Key, method: method, params: params, together: in.Together, answer: make(chan json.RawMessage, 1)}
}

var errNotAsked = errors.New("the client cannot be asked")

// put puts a question to the client of the flight that has the token, and returns its
// result as JSON.
func (o *offer) put(ctx context.Context, token, server string, q *question) (json.RawMessage, error) {
	f, at := o.hearer(token, server)
	if f == nil {
		return nil, errNotAsked
	}
	if f.isHeld() {
		return f.ask(ctx, q)
	}
	// With the values of the request's context: on HTTP they decide which stream carries
	// this. Its end is no end of the question, which may be that of another request.
	askCtx, stop := context.WithCancel(context.WithoutCancel(at.ctx))
	defer stop()
	defer context.AfterFunc(ctx, stop)()
	defer context.AfterFunc(o.life, stop)()
	return askNow(askCtx, at.session, q)
}

// hearer is the request whose client a question is put to: the one that has the token.
// Where that has ended, or a server did not say what it asks for, it is another one of the
// same client at that server.
func (o *offer) hearer(token, server string) (*flight, landing) {
	if f := o.flights.find(token); f != nil {
		if at := f.where(); f.isHeld() || at.session != nil {
			return f, at
		}
	}
	under := o.flights.at(server)
	if len(under) > 1 && o.isShared {
		return nil, landing{} // of whom is not known
	}
	for _, f := range under {
		if at := f.where(); f.isHeld() || at.session != nil {
			return f, at
		}
	}
	return nil, landing{}
}

// askNow sends the question as a request of our own.
func askNow(ctx context.Context, ss *mcp.ServerSession, q *question) (json.RawMessage, error) {
	ctx = context.WithValue(ctx, rawKey{}, q.params)
	if q.method == methodSample {
		// The SDK sends what rawKey holds; these parameters only decide what it checks.
		res, err := ss.CreateMessageWithTools(ctx, &mcp.CreateMessageWithToolsParams{})
		if err != nil {
			return nil, err
		}
		return encoded(res), nil
	}
	var asked struct {
		Mode string `json:"mode"`
		URL  string `json:"url"`
	}
	_ = json.Unmarshal(q.params, &asked) // we made it
	if asked.Mode == "" {
		asked.Mode = "form"
	}
	res, err := ss.Elicit(ctx, &mcp.ElicitParams{Mode: asked.Mode, URL: asked.URL})
	if err != nil {
		return nil, err
	}
	return encoded(res), nil
}

// rawKey is the context key of the parameters that are sent in place of the SDK's.
type rawKey struct{}

// send is a middleware that sends the parameters of a question as the bytes they are:
// the SDK knows fewer kinds of forms than there are.
func send(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		raw, ok := ctx.Value(rawKey{}).(json.RawMessage)
		ss, server := req.GetSession().(*mcp.ServerSession)
		if ok && server && (method == methodElicit || method == methodSample) {
			req = &mcp.ServerRequest[mcp.Params]{Session: ss, Params: &rawParams{raw: raw}}
		}
		return next(ctx, method, req)
	}
}

// elicited answers a question of a server for the user's word.
func (o *offer) elicited(ctx context.Context, q wire.Elicitation) wire.ElicitReply {
	ctx, done := o.until(ctx, q.ID)
	defer done()
	raw, err := o.put(ctx, q.Token, q.Server, newQuestion(q.ID, methodElicit, elicitParams(q), q.Input))
	reply := wire.ElicitReply{ID: q.ID, Action: actionCancel}
	if errors.Is(err, errNotAsked) {
		reply.Action = actionDecline
	}
	var answer struct {
		Action  string          `json:"action"`
		Content json.RawMessage `json:"content"`
	}
	if err != nil || json.Unmarshal(raw, &answer) != nil {
		return reply
	}
	switch answer.Action {
	case actionAccept:
		reply.Action, reply.Content = actionAccept, answer.Content
	case actionDecline:
		reply.Action = actionDecline
	}
	return reply
}

func elicitParams(q wire.Elicitation) json.RawMessage {
	if q.Mode == "url" {
		return encoded(struct {
			Mode    string `json:"mode"`
			Message string `json:"message"`
			URL     string `json:"url"`
			ID      string `json:"elicitationId"`
		}{q.Mode, q.Message, q.URL, q.ID})
	}
	schema := q.Schema
	if len(schema) == 0 {
		schema = json.RawMessage(`{"type":"object","properties":{}}`)
	}
	return encoded(struct {
		Message string          `json:"message"`
		Schema  json.RawMessage `json:"requestedSchema"`
	}{q.Message, schema})
}

// sampled answers a question of a server for the model's word.
func (o *offer) sampled(ctx context.Context, s wire.Sample) {
	ctx, done := o.until(ctx, s.ID)
	defer done()
	raw, err := o.put(ctx, s.Token, s.Server, newQuestion(s.ID, methodSample, s.Params, s.Input))
	o.up.reply(context.WithoutCancel(ctx), wire.MethodSampleReply, wire.SampleReply{ID: s.ID, Result: raw, Error: rejected(err)})
}

// rooted answers a question of a server for the client's roots.
func (o *offer) rooted(ctx context.Context, q wire.RootsQuestion) {
	ctx, done := o.until(ctx, q.ID)
	defer done()
	raw, err := o.put(ctx, q.Token, q.Server, newQuestion(q.ID, methodRoots, json.RawMessage("{}"), q.Input))
	o.up.reply(context.WithoutCancel(ctx), wire.MethodRootsReply, wire.RootsReply{ID: q.ID, Result: raw, Error: rejected(err)})
}

// rejected is why a question has no result; nil for nil.
func rejected(err error) *wire.RPCError {
	var rpc *jsonrpc.Error
	switch {
	case err == nil:
		return nil
	case errors.As(err, &rpc):
		return &wire.RPCError{Code: rpc.Code, Message: rpc.Message, Data: rpc.Data}
	}
	return &wire.RPCError{Code: wire.CodeRejected, Message: err.Error()}
}

// until is a context that ends when mcp.over says that the question is over.
func (o *offer) until(ctx context.Context, id string) (context.Context, func()) {
	ctx, cancel := context.WithCancel(ctx)
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.open == nil {
		o.open = map[string]context.CancelFunc{}
	}
	o.open[id] = cancel
	return ctx, func() {
		cancel()
		o.mu.Lock()
		defer o.mu.Unlock()
		delete(o.open, id)
	}
}

func (o *offer) over(id string) {
	o.mu.Lock()
	cancel := o.open[id]
	o.mu.Unlock()
	if cancel != nil {
		cancel()
	}
}
