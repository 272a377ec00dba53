package supervisor

import (
	"context"
	"encoding/json"
	"sync"

	"github.com/mcpctl/mcpctl/internal/engine/wire"
)

// ears are what a client listens to while its calls are under way.
type ears struct {
	mu       sync.Mutex
	progress map[string]func(wire.Progress) // by token
	elicit   func(context.Context, wire.Elicitation) wire.ElicitReply
}

// OnProgress calls f with the progress of the call that has the token, in order and
// never behind its result, until stop is called. f is called by the connection and
// must not block.
func (c *Client) OnProgress(token string, f func(wire.Progress)) (stop func()) {
	c.ears.mu.Lock()
	defer c.ears.mu.Unlock()
	if c.ears.progress == nil {
		c.ears.progress = map[string]func(wire.Progress){}
	}
	c.ears.progress[token] = f
	return func() {
		c.ears.mu.Lock()
		defer c.ears.mu.Unlock()
		delete(c.ears.progress, token)
	}
}

// OnElicit calls f, in a goroutine, with each question that a server puts to the
// calls of this client that say Elicit, and sends what it returns; the ID of the
// reply is filled in. ctx ends with the connection, not with the call. Without f
// questions are declined.
func (c *Client) OnElicit(f func(ctx context.Context, q wire.Elicitation) wire.ElicitReply) {
	c.ears.mu.Lock()
	defer c.ears.mu.Unlock()
	c.ears.elicit = f
}

// progressed passes one mcp.progress on.
func (c *Client) progressed(params json.RawMessage) {
	var p wire.Progress
	if json.Unmarshal(params, &p) != nil {
		return
	}
	c.ears.mu.Lock()
	f := c.ears.progress[p.Token]
	c.ears.mu.Unlock()
	if f != nil {
		f(p)
	}
}

// asked answers one mcp.elicit. A reply that does not fit the form cancels the question.
// The goroutine ends with f and the connection.
func (c *Client) asked(ctx context.Context, conn *wire.Conn, params json.RawMessage) {
	var q wire.Elicitation
	if json.Unmarshal(params, &q) != nil {
		return
	}
	c.ears.mu.Lock()
	f := c.ears.elicit
	c.ears.mu.Unlock()
	if f == nil {
		f = func(context.Context, wire.Elicitation) wire.ElicitReply {
			return wire.ElicitReply{Action: declineAction}
		}
	}
	go func() {
		reply := f(ctx, q)
		reply.ID = q.ID
		err := conn.Call(ctx, wire.MethodElicitReply, reply, nil)
		if err != nil && wire.FromError(err).Word == wire.Usage { // or its server would wait for a better one
			_ = conn.Call(ctx, wire.MethodElicitReply, wire.ElicitReply{ID: q.ID, Action: cancelAction}, nil) // a question that is over needs no reply
		}
	}()
}
