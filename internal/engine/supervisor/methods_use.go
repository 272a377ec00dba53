package supervisor

import (
	"context"
	"sync"
	"time"

	"github.com/mcpctl/mcpctl/internal/engine"
	"github.com/mcpctl/mcpctl/internal/engine/wire"
)

// What uses a server: its tools, resources and prompts, and what comes back while
// a call is under way.

// answering makes the method of a request that only has parameters and an answer.
func answering[P, R any](id func(*P) *string, do func(context.Context, session, P) (R, error)) func(*connection, wire.Request) (func(context.Context), error) {
	return func(c *connection, req wire.Request) (func(context.Context), error) {
		var in P
		sess, err := c.decode(req, &in, id(&in))
		as := c.as(*id(&in))
		return func(ctx context.Context) {
			out, err := do(as(ctx), sess, in)
			req.Reply(ctx, out, err)
		}, err
	}
}

func millis(ms int64) time.Duration { return time.Duration(ms) * time.Millisecond }

var (
	inServer = func(in *wire.InServer) *string { return &in.Session }

	listTools = answering(inServer, func(ctx context.Context, s session, in wire.InServer) (wire.Tools, error) {
		tools, err := s.ListTools(ctx, in.Server, millis(in.TimeoutMS))
		if in.Tool != "" {
			tools.Only(in.Tool)
		}
		return tools, err
	})
	listResources = answering(inServer, func(ctx context.Context, s session, in wire.InServer) (wire.Resources, error) {
		return s.ListResources(ctx, in.Server, millis(in.TimeoutMS))
	})
	listPrompts = answering(inServer, func(ctx context.Context, s session, in wire.InServer) (wire.Prompts, error) {
		return s.ListPrompts(ctx, in.Server, millis(in.TimeoutMS))
	})
	readResource = answering(func(in *wire.ReadResource) *string { return &in.Session },
		func(ctx context.Context, s session, in wire.ReadResource) (wire.ResourceResult, error) {
			return s.ReadResource(ctx, in)
		})
	getPrompt = answering(func(in *wire.GetPrompt) *string { return &in.Session },
		func(ctx context.Context, s session, in wire.GetPrompt) (wire.PromptResult, error) {
			return s.GetPrompt(ctx, in)
		})
	complete = answering(func(in *wire.Complete) *string { return &in.Session },
		func(ctx context.Context, s session, in wire.Complete) (wire.Completions, error) {
			return s.Complete(ctx, in)
		})
)

// callTool calls a tool for a client that may want to hear how it goes, and may be
// asked something by the server.
func callTool(c *connection, req wire.Request) (func(context.Context), error) {
	var in wire.CallTool
	sess, err := c.decode(req, &in, &in.Session)
	as := c.as(in.Session)
	return func(ctx context.Context) {
		news := newNews(func(p wire.Progress) error { return req.Conn().Notify(ctx, wire.NotifyProgress, p) })
		caller := engine.Caller{Progress: news.put, Elicit: func(ctx context.Context, q wire.Elicitation) wire.ElicitReply {
			return c.questions.ask(ctx, req.Conn(), q)
		}}
		result, err := sess.CallTool(engine.WithCaller(as(ctx), caller), in)
		news.end() // before the result
		req.Reply(ctx, result, err)
	}, err
}

// newsEvery is how often the progress of one call is told at most.
const newsEvery = 100 * time.Millisecond

// news tells a client of the progress of one call: the newest, and so rarely that a
// storm of it costs nobody anything.
type news struct {
	tell func(wire.Progress) error
	told sync.WaitGroup

	mu     sync.Mutex
	latest *wire.Progress // not told yet
	busy   bool           // a goroutine tells
	over   chan struct{}  // closed by end
	ended  bool
}

func newNews(tell func(wire.Progress) error) *news {
	return &news{tell: tell, over: make(chan struct{})}
}

// put notes the newest progress. It does not block.
func (n *news) put(p wire.Progress) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.ended {
		return
	}
	n.latest = &p
	if !n.busy {
		n.busy = true
		n.told.Go(n.run) // ends with end, or when there is nothing to tell
	}
}

func (n *news) take() *wire.Progress {
	n.mu.Lock()
	defer n.mu.Unlock()
	p := n.latest
	n.latest = nil
	n.busy = p != nil
	return p
}

func (n *news) run() {
	pause := time.NewTimer(0)
	defer pause.Stop()
	for p := n.take(); p != nil; p = n.take() {
		if n.tell(*p) != nil {
			return // nobody listens; busy stays, so that nobody tries again
		}
		pause.Reset(newsEvery)
		select {
		case <-pause.C:
		case <-n.over:
		}
	}
}

// end tells what is left and returns when nothing will be told any more.
func (n *news) end() {
	n.mu.Lock()
	n.ended = true
	close(n.over)
	n.mu.Unlock()
	n.told.Wait()
}

// questions are those that servers have asked the client of one connection.
type questions struct {
	mu   sync.Mutex
	open map[string]chan wire.ElicitReply
}

// ask puts a question to the client and waits for its reply; what ends ctx is the
// end of the question.
func (q *questions) ask(ctx context.Context, conn *wire.Conn, e wire.Elicitation) wire.ElicitReply {
	e.ID = randomID()
	reply := make(chan wire.ElicitReply, 1)
	q.mu.Lock()
	if q.open == nil {
		q.open = map[string]chan wire.ElicitReply{}
	}
	q.open[e.ID] = reply
	q.mu.Unlock()
	defer func() {
		q.mu.Lock()
		defer q.mu.Unlock()
		delete(q.open, e.ID)
	}()
	cancelled := wire.ElicitReply{ID: e.ID, Action: cancelAction}
	if conn.Notify(ctx, wire.NotifyElicit, e) != nil {
		return cancelled
	}
	select {
	case r := <-reply:
		return r
	case <-ctx.Done():
		return cancelled
	}
}

// The actions of a reply (MCP 2025-11-25, Elicitation).
const (
	acceptAction  = "accept"
	declineAction = "decline"
	cancelAction  = "cancel"
)

// elicitReply answers a question that was put to this very connection.
func elicitReply(c *connection, req wire.Request) (any, error) {
	var in wire.ElicitReply
	if err := req.Decode(&in); err != nil {
		return nil, err
	}
	switch in.Action {
	case acceptAction, declineAction, cancelAction:
	default:
		return nil, wire.NewError(wire.Usage, "the action of a reply is 'accept', 'decline' or 'cancel', not '"+in.Action+"'", "")
	}
	if len(in.Content) > 0 && in.Content[0] != '{' && string(in.Content) != "null" {
		return nil, wire.NewError(wire.Usage, "the content of a reply is an object", "")
	}
	c.questions.mu.Lock()
	defer c.questions.mu.Unlock()
	reply := c.questions.open[in.ID]
	delete(c.questions.open, in.ID)
	if reply == nil {
		return nil, wire.NewError(wire.NotFound, "this connection was not asked '"+in.ID+"', or the question is over", "")
	}
	reply <- in // it has room for one, and gets one
	return struct{}{}, nil
}

// cancelRequest ends a request in flight of this connection; it is then answered
// with INTERRUPTED. One that is not there, or no more, is no error. held: mu.
func cancelRequest(c *connection, req wire.Request) (any, error) {
	var in wire.Cancel
	if err := req.Decode(&in); err != nil {
		return nil, err
	}
	if id, ok := in.Request(); ok {
		if cancel := c.cancels[id]; cancel != nil {
			(*cancel)()
		}
	}
	return struct{}{}, nil
}
