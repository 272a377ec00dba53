package engine

import (
	"context"

	"github.com/mcpctl/mcpctl/internal/engine/wire"
	"github.com/mcpctl/mcpctl/internal/probe/dial"
)

// Caller is who made a call, for what comes back while it is under way.
type Caller struct {
	// Progress is told of a call's progress, in order and never behind its result. It
	// must not block. Used for calls with a ProgressToken.
	Progress func(wire.Progress)
	// Elicit puts a question of the server to the user; the ID is given here. ctx ends
	// with the question. Used for calls that say Elicit.
	Elicit func(ctx context.Context, q wire.Elicitation) wire.ElicitReply
}

type callerKey struct{}

// WithCaller returns a context for a call of this caller.
func WithCaller(ctx context.Context, c Caller) context.Context {
	return context.WithValue(ctx, callerKey{}, c)
}

// heardBy gives a call the ears of its caller, as far as the call asks for them.
func heardBy(ctx context.Context, call wire.CallTool) context.Context {
	c, _ := ctx.Value(callerKey{}).(Caller)
	return dial.WithCaller(ctx, c.Of(call))
}

// Of are the ears of c for one call, as far as it asks for them.
func (c Caller) Of(call wire.CallTool) dial.Caller {
	var ear dial.Caller
	if c.Progress != nil && call.ProgressToken != "" {
		ear.Progress = func(p dial.Progress) {
			c.Progress(wire.Progress{Token: call.ProgressToken, Server: call.Server, Progress: p.Progress, Total: p.Total, Message: p.Message})
		}
	}
	if c.Elicit != nil && call.Elicit {
		ear.Ask = func(ctx context.Context, q dial.Question) dial.Answer {
			reply := c.Elicit(ctx, wire.Elicitation{Token: call.ProgressToken, Server: call.Server, Mode: q.Mode, Message: q.Message, Schema: q.Schema, URL: q.URL})
			return dial.Answer{Action: reply.Action, Content: reply.Content}
		}
	}
	return ear
}
