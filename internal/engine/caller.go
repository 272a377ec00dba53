package engine

import (
	"context"
	"encoding/json"

	"github.com/mcpctl/mcpctl/internal/engine/wire"
	"github.com/mcpctl/mcpctl/internal/probe/dial"
)

// Caller is who made a call, for what comes back while it is under way.
type Caller struct {
	// Who is the one connection that the requests of a caller come over; see dial.Caller.
	// Used in a session whose owner speaks for one client.
	Who any
	// Progress is told of a call's progress, in order and never behind its result. It
	// must not block. Used for calls with a ProgressToken.
	Progress func(wire.Progress)
	// Elicit puts a question of the server to the user; the ID is given here. ctx ends
	// with the question. Used for calls that say Elicit.
	Elicit func(ctx context.Context, q wire.Elicitation) wire.ElicitReply
	// Sample puts a question of the server to the caller's model; the ID is given here.
	// ctx ends with the question. Result and error are passed on byte for byte. Used for
	// calls that say Sample.
	Sample func(ctx context.Context, q wire.Sample) wire.SampleReply
	// Roots asks the caller for his roots, as Sample does for an answer of the model. Used
	// for calls that say Roots.
	Roots func(ctx context.Context, q wire.RootsQuestion) wire.RootsReply
}

type callerKey struct{}

// WithCaller returns a context for a call of this caller.
func WithCaller(ctx context.Context, c Caller) context.Context {
	return context.WithValue(ctx, callerKey{}, c)
}

// asking is what a request to a server says of its caller.
type asking struct {
	server, token                   string
	elicit, sample, roots, together bool
	meta                            json.RawMessage
}

func askingOf(call wire.CallTool) asking {
	return asking{call.Server, call.ProgressToken, call.Elicit, call.Sample, call.Roots, call.Together, call.Meta}
}

// heardBy gives a request the ears of its caller, as far as it asks for them. What a
// server of another session logs is this session's where this request caused it.
func (s *Session) heardBy(ctx context.Context, sv *server, a asking) context.Context {
	c, _ := ctx.Value(callerKey{}).(Caller)
	ear := c.of(a)
	ear.AsGiven = s.opts.Owner.Capabilities != nil // a client of his own has answered
	if s.opts.Owner.ProtocolVersion != "" {
		ear.Who = c.Who
	}
	if sv.session != s {
		ear.Said = func(params json.RawMessage) { s.message(sv.name, params) }
	}
	return dial.WithCaller(ctx, ear)
}

// Of are the ears of c for one call, as far as it asks for them.
func (c Caller) Of(call wire.CallTool) dial.Caller { return c.of(askingOf(call)) }

func (c Caller) of(a asking) dial.Caller {
	ear := dial.Caller{Meta: a.meta, Together: a.together}
	if c.Progress != nil && a.token != "" {
		ear.Progress = func(p dial.Progress) {
			c.Progress(wire.Progress{Token: a.token, Server: a.server, Progress: p.Progress, Total: p.Total, Message: p.Message})
		}
	}
	if c.Elicit != nil && a.elicit {
		ear.Ask = func(ctx context.Context, q dial.Question) dial.Answer {
			reply := c.Elicit(ctx, wire.Elicitation{Server: a.server, Mode: q.Mode, Message: q.Message, Schema: q.Schema, URL: q.URL, Token: a.token, Input: wire.Input(q.Input)})
			return dial.Answer{Action: reply.Action, Content: reply.Content}
		}
	}
	if c.Sample != nil && a.sample {
		ear.Sample = func(ctx context.Context, in dial.Input, params json.RawMessage) (json.RawMessage, error) {
			reply := c.Sample(ctx, wire.Sample{Server: a.server, Params: params, Token: a.token, Input: wire.Input(in)})
			return answered(reply.Result, reply.Error)
		}
	}
	if c.Roots != nil && a.roots {
		ear.Roots = func(ctx context.Context, in dial.Input) (json.RawMessage, error) {
			reply := c.Roots(ctx, wire.RootsQuestion{Server: a.server, Token: a.token, Input: wire.Input(in)})
			return answered(reply.Result, reply.Error)
		}
	}
	return ear
}

// answered is a reply as dial has it.
func answered(result json.RawMessage, e *wire.RPCError) (json.RawMessage, error) {
	if e != nil {
		return nil, &dial.Refusal{Code: e.Code, Message: e.Message, Data: e.Data}
	}
	return result, nil
}
