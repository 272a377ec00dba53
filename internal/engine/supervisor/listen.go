package supervisor

import (
	"encoding/json"

	"github.com/mcpctl/mcpctl/internal/engine/wire"
)

// Listener is told what servers send while a call is under way: reports of progress
// for a call that carries a token, and questions for one that says it answers them.
// Its functions must not block: what they wait for may come over the same connection.
// A nil one is told nothing.
type Listener struct {
	Progress func(wire.Progress)
	Elicit   func(wire.Elicitation)
}

// Listen sets who is told; before the call, so that nothing is missed.
func (c *Client) Listen(l Listener) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.listener = l
}

// hear hands a notification to the listener; false when it is none for it.
func (c *Client) hear(req wire.Request) bool {
	c.mu.Lock()
	l := c.listener
	c.mu.Unlock()
	switch req.Method {
	case wire.NotifyProgress:
		tell(l.Progress, req.Params)
	case wire.NotifyElicit:
		tell(l.Elicit, req.Params)
	default:
		return false
	}
	return true
}

func tell[T any](f func(T), params json.RawMessage) {
	var v T
	if f != nil && json.Unmarshal(params, &v) == nil { // what cannot be read is of a newer supervisor
		f(v)
	}
}
