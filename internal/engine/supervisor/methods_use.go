package supervisor

import (
	"context"
	"encoding/json"
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
			c.out.drain(ctx) // what servers said before it
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
	complete = answering(func(in *wire.Complete) *string { return &in.Session },
		func(ctx context.Context, s session, in wire.Complete) (wire.Completions, error) {
			return s.Complete(ctx, in)
		})
)

// The requests in whose course a server may say and ask something.
var (
	callTool = hearing(func(in *wire.CallTool) (*string, json.RawMessage) { return &in.Session, in.Meta },
		func(ctx context.Context, s session, in wire.CallTool) (wire.CallResult, error) {
			return s.CallTool(ctx, in)
		})
	readResource = hearing(func(in *wire.ReadResource) (*string, json.RawMessage) { return &in.Session, in.Meta },
		func(ctx context.Context, s session, in wire.ReadResource) (wire.ResourceResult, error) {
			return s.ReadResource(ctx, in)
		})
	getPrompt = hearing(func(in *wire.GetPrompt) (*string, json.RawMessage) { return &in.Session, in.Meta },
		func(ctx context.Context, s session, in wire.GetPrompt) (wire.PromptResult, error) {
			return s.GetPrompt(ctx, in)
		})
)

// hearing makes the method of a request for a client that may want to hear how it goes,
// and may be asked something by the server. of gives the session and the meta in it.
func hearing[P, R any](of func(*P) (session *string, meta json.RawMessage), do func(context.Context, session, P) (R, error)) func(*connection, wire.Request) (func(context.Context), error) {
	return func(c *connection, req wire.Request) (func(context.Context), error) {
		var in P
		id, _ := of(&in)
		sess, err := c.decode(req, &in, id)
		if _, meta := of(&in); err == nil && len(meta) > 0 && meta[0] != '{' && string(meta) != "null" {
			err = wire.NewError(wire.Usage, "'meta' is an object", "")
		}
		as := c.as(*id)
		return func(ctx context.Context) {
			news := newNews(func(p wire.Progress) error { return req.Conn().Notify(ctx, wire.NotifyProgress, p) })
			result, err := do(engine.WithCaller(as(ctx), c.caller(news)), sess, in)
			news.end()       // before the result
			c.out.drain(ctx) // and so what the server logged
			req.Reply(ctx, result, err)
		}, err
	}
}

// caller is this client, as far as servers are concerned.
func (c *connection) caller(news *news) engine.Caller {
	return engine.Caller{
		Who:      c,
		Progress: news.put,
		Elicit: func(ctx context.Context, q wire.Elicitation) wire.ElicitReply {
			q.ID = randomID()
			var reply wire.ElicitReply
			if !put(ctx, c, asked{q.ID, wire.NotifyElicit, q}, fitsForm(q.Schema), &reply) {
				reply.Action = cancelAction
			}
			return reply
		},
		Sample: func(ctx context.Context, q wire.Sample) wire.SampleReply {
			q.ID = randomID()
			var reply wire.SampleReply
			if !put(ctx, c, asked{q.ID, wire.NotifySample, q}, nil, &reply) {
				reply.Error = cancelled
			}
			return reply
		},
		Roots: func(ctx context.Context, q wire.RootsQuestion) wire.RootsReply {
			q.ID = randomID()
			var reply wire.RootsReply
			if !put(ctx, c, asked{q.ID, wire.NotifyRoots, q}, nil, &reply) {
				reply.Error = cancelled
			}
			return reply
		},
	}
}

// cancelled is the error of a question that is over.
var cancelled = &wire.RPCError{Code: wire.CodeRejected, Message: "the request was cancelled"}

const (
	// newsEvery is how often the progress of one call is told at most, and maxNews how
	// much of it at once: the newest. So a storm of it costs nobody anything.
	newsEvery = 100 * time.Millisecond
	maxNews   = 8
)

// news tells a client of the progress of one call.
type news struct {
	tell func(wire.Progress) error
	told sync.WaitGroup

	mu    sync.Mutex
	fresh []wire.Progress // not told yet
	busy  bool            // a goroutine tells
	over  chan struct{}   // closed by end
	ended bool
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
	if len(n.fresh) == maxNews {
		n.fresh = n.fresh[1:]
	}
	n.fresh = append(n.fresh, p)
	if !n.busy {
		n.busy = true
		n.told.Go(n.run) // ends with end, or when there is nothing to tell
	}
}

func (n *news) take() []wire.Progress {
	n.mu.Lock()
	defer n.mu.Unlock()
	fresh := n.fresh
	n.fresh = nil
	n.busy = len(fresh) > 0
	return fresh
}

func (n *news) run() {
	pause := time.NewTimer(0)
	defer pause.Stop()
	for fresh := n.take(); len(fresh) > 0; fresh = n.take() {
		for _, p := range fresh {
			if n.tell(p) != nil {
				return // nobody listens; busy stays, so that nobody tries again
			}
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

// questions are those that servers have asked the client of one connection: a question
// of wire.ElicitReply, wire.SampleReply or wire.RootsReply each, by its id.
type questions struct {
	mu   sync.Mutex
	open map[string]any
}

// asked is what the client is told of a question.
type asked struct {
	id, method string
	params     any
}

// question is one that waits for its reply.
type question[R any] struct {
	replies chan R
	refuses func(R) error // why a reply makes no sense, and the question stays open; nil: every one does
}

// put puts a question to the client and waits for its reply, which it reads into reply;
// false when ctx ended first. Then the client is told that it is over.
func put[R any](ctx context.Context, c *connection, ask asked, refuses func(R) error, reply *R) bool {
	q, conn := &c.questions, c.conn.Load()
	id, replies := ask.id, make(chan R, 1)
	q.mu.Lock()
	if q.open == nil {
		q.open = map[string]any{}
	}
	q.open[id] = question[R]{replies, refuses}
	q.mu.Unlock()
	defer func() {
		q.mu.Lock()
		defer q.mu.Unlock()
		delete(q.open, id)
	}()
	c.out.drain(ctx) // what was said before it stands before it
	if conn.Notify(ctx, ask.method, ask.params) != nil {
		return false
	}
	select {
	case *reply = <-replies:
		return true
	case <-ctx.Done():
		_ = conn.Notify(context.WithoutCancel(ctx), wire.NotifyOver, wire.Over{ID: id})
		return false
	}
}

// answer gives a reply to the question that was put to this very connection.
func answer[R any](c *connection, id string, reply R) error {
	c.questions.mu.Lock()
	defer c.questions.mu.Unlock()
	q, ok := c.questions.open[id].(question[R])
	if !ok {
		return wire.NewError(wire.NotFound, "this connection was not asked '"+id+"', or the question is over", "")
	}
	if q.refuses != nil {
		if err := q.refuses(reply); err != nil {
			return err
		}
	}
	delete(c.questions.open, id)
	q.replies <- reply // it has room for one, and gets one
	return nil
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
	return struct{}{}, answer(c, in.ID, in)
}

// sampleReply answers a sampling request that was put to this very connection.
func sampleReply(c *connection, req wire.Request) (any, error) {
	var in wire.SampleReply
	if err := req.Decode(&in); err != nil {
		return nil, err
	}
	if err := checkReply(in.Result, in.Error); err != nil {
		return nil, err
	}
	return struct{}{}, answer(c, in.ID, in)
}

// rootsReply answers a question for roots that was put to this very connection.
func rootsReply(c *connection, req wire.Request) (any, error) {
	var in wire.RootsReply
	if err := req.Decode(&in); err != nil {
		return nil, err
	}
	if err := checkReply(in.Result, in.Error); err != nil {
		return nil, err
	}
	return struct{}{}, answer(c, in.ID, in)
}

// checkReply refuses a reply that is neither a result nor an error, or both.
func checkReply(result json.RawMessage, failed *wire.RPCError) error {
	switch is := len(result) > 0 && string(result) != "null"; {
	case is == (failed != nil):
		return wire.NewError(wire.Usage, "a reply has either a 'result' or an 'error'", "")
	case is && result[0] != '{':
		return wire.NewError(wire.Usage, "the result of a reply is an object", "")
	}
	return nil
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
