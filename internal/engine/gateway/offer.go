package gateway

//lint:file-ignore SA1019 roots, sampling and logging belong to every revision before 2026-07-28

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcpctl/mcpctl/internal/engine/wire"
)

// offer is what one client is offered: an MCP server of the SDK's, and behind it a
// session at the supervisor. All clients without sessions share one.
type offer struct {
	g        *Gateway
	isShared bool
	server   *mcp.Server
	up       *upstream
	bell     bell

	tools     cached[*toolList]
	prompts   cached[*promptList]
	resources cached[*resourceList]
	links     links
	outputs   outputs

	unreadable atomic.Bool // the client was told that there are no resources

	flights flights
	rounds  rounds
	started atomic.Bool // the client has asked something

	life  context.Context    // of what is asked beside any request of the client: ends with the offer
	leave context.CancelFunc // ends life: no answer is waited for any more

	mu      sync.Mutex
	began   time.Time                     // when the client asked first
	client  *mcp.ServerSession            // nil before the first request, and when it is shared
	open    map[string]context.CancelFunc // the questions that are open, by their ids
	waiting []string                      // servers that need a sign-in
	ended   bool
}

func newOffer(g *Gateway, shared bool) *offer {
	o := &offer{g: g, isShared: shared, up: newUpstream(g)}
	o.life, o.leave = context.WithCancel(context.Background())
	o.up.heard, o.up.elicit, o.up.lost = o.heard, o.elicited, o.changed
	o.server = mcp.NewServer(&mcp.Implementation{Name: "mcpctl", Title: "mcpctl", Version: g.o.Version}, &mcp.ServerOptions{
		Logger:             slog.New(slog.NewTextHandler(io.Discard, nil)),
		Capabilities:       allCapabilities(),
		SubscribeHandler:   o.subscribe,
		UnsubscribeHandler: o.unsubscribe,
		CompletionHandler: func(context.Context, *mcp.CompleteRequest) (*mcp.CompleteResult, error) {
			return nil, invalid("not reached") // receive answers before
		},
		RootsListChangedHandler: func(_ context.Context, req *mcp.RootsListChangedRequest) { go o.tellRoots(req.Session) },
	})
	o.bell.server = o.server
	o.tools.init(func() { o.bell.ring(wire.ListOfTools) })
	o.prompts.init(func() { o.bell.ring(wire.ListOfPrompts) })
	o.resources.init(func() { o.bell.ring(wire.ListOfResources) })
	o.server.AddReceivingMiddleware(o.receive)
	o.server.AddSendingMiddleware(send)
	return o
}

// allCapabilities are those that a server may have. What none has is answered with empty
// lists, since servers come and go while the client stays.
func allCapabilities() *mcp.ServerCapabilities {
	return &mcp.ServerCapabilities{
		Tools: &mcp.ToolCapabilities{ListChanged: true}, Prompts: &mcp.PromptCapabilities{ListChanged: true},
		Resources:   &mcp.ResourceCapabilities{ListChanged: true, Subscribe: true},
		Completions: &mcp.CompletionCapabilities{}, Logging: &mcp.LoggingCapabilities{},
	}
}

// receive is the middleware that answers every request that concerns servers. What is
// left to the SDK is the protocol itself.
func (o *offer) receive(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		r := request{req}
		if !o.start(r) {
			return nil, failure(errEnded)
		}
		switch p := req.GetParams().(type) {
		case *mcp.InitializeParams, *mcp.DiscoverParams:
			return o.introduce(ctx, method, r, next)
		case *mcp.InitializedParams:
			if can := r.capabilities(); can != nil && can.RootsV2 != nil {
				go o.tellRoots(r.session()) // ends with the session
			}
		case *mcp.ListToolsParams:
			return o.listTools(ctx, r, p)
		case *mcp.CallToolParamsRaw:
			return o.callTool(ctx, r, p)
		case *mcp.ListPromptsParams:
			return o.listPrompts(ctx, r, p)
		case *mcp.GetPromptParams:
			return o.getPrompt(ctx, r, p)
		case *mcp.ListResourcesParams:
			return o.listResources(ctx, r, p)
		case *mcp.ListResourceTemplatesParams:
			return o.listTemplates(ctx, r, p)
		case *mcp.ReadResourceParams:
			return o.readResource(ctx, r, p)
		case *mcp.CompleteParams:
			return o.complete(ctx, r, p)
		case *mcp.SetLoggingLevelParams:
			if !slices.Contains(levels, string(p.Level)) {
				return nil, invalid("level is one of " + strings.Join(levels, ", "))
			}
			if err := o.up.setLevel(ctx, string(p.Level)); err != nil {
				return nil, failure(err)
			}
		}
		return next(ctx, method, req)
	}
}

// levels are those of log messages (RFC 5424).
var levels = []string{"debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"}

// start notes the client with its first request, and what it can be asked. False: the
// gateway has ended.
func (o *offer) start(r request) bool {
	if o.started.Load() {
		return true
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.started.Load() {
		return true
	}
	if o.ended || !o.g.add(o) {
		return false
	}
	o.began = time.Now()
	o.up.capabilities, o.up.purpose = everyAbility(), "clients without sessions"
	if !o.isShared {
		o.client = r.session()
		if p, ok := r.GetParams().(*mcp.InitializeParams); ok && p != nil {
			o.up.capabilities, o.up.version = abilities(p.Capabilities), lastVersion // with sessions
		} else {
			o.up.capabilities = abilities(r.capabilities())
		}
		o.up.purpose = r.who()
		go func(ss *mcp.ServerSession) { // ends with the client
			_ = ss.Wait()
			o.end()
		}(o.client)
	}
	o.started.Store(true)
	return true
}

// abilities are what the servers are told that the client can do.
func abilities(can *mcp.ClientCapabilities) *wire.ClientCapabilities {
	out := &wire.ClientCapabilities{Roots: &wire.RootsCapability{ListChanged: true}} // the workspace at least
	if can == nil {
		return out
	}
	if can.Sampling != nil {
		out.Sampling = &wire.SamplingCapability{}
		if can.Sampling.Tools != nil {
			out.Sampling.Tools = &wire.None{}
		}
		if can.Sampling.Context != nil {
			out.Sampling.Context = &wire.None{}
		}
	}
	if e := can.Elicitation; e != nil {
		out.Elicitation = &wire.ElicitationCapability{}
		if e.Form != nil || e.URL == nil {
			out.Elicitation.Form = &wire.None{}
		}
		if e.URL != nil {
			out.Elicitation.URL = &wire.None{}
		}
	}
	return out
}

// everyAbility is what servers are told where each request has a client of its own: what
// its client cannot do is refused when it is asked for.
func everyAbility() *wire.ClientCapabilities {
	return &wire.ClientCapabilities{
		Roots:       &wire.RootsCapability{},
		Sampling:    &wire.SamplingCapability{Tools: &wire.None{}},
		Elicitation: &wire.ElicitationCapability{Form: &wire.None{}, URL: &wire.None{}},
	}
}

// toClient does something with the client's session, beside any request of it.
func (o *offer) toClient(do func(context.Context, *mcp.ServerSession)) {
	o.mu.Lock()
	ss := o.client
	o.mu.Unlock()
	if ss != nil {
		go do(o.life, ss)
	}
}

func (o *offer) sessionID() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.client == nil {
		return ""
	}
	return o.client.ID()
}

// tellRoots asks the client for its folders and tells them to the servers.
func (o *offer) tellRoots(ss *mcp.ServerSession) {
	res, err := ss.ListRoots(o.life, nil)
	if errors.Is(err, io.EOF) || errors.Is(err, mcp.ErrConnectionClosed) || err != nil && o.isOver() {
		return
	}
	if err != nil {
		o.g.o.Tell("the client does not tell its roots: " + err.Error())
		return
	}
	roots := []wire.Root{}
	for _, root := range res.Roots {
		roots = append(roots, wire.Root{URI: root.URI, Name: root.Name})
	}
	if err := o.up.setRoots(o.life, roots); err != nil && !o.isOver() {
		o.g.o.Tell("cannot tell the servers the client's roots: " + err.Error())
	}
}

func (o *offer) isOver() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.ended
}

// heard takes the supervisor's notifications, in order.
func (o *offer) heard(method string, params json.RawMessage) {
	switch method {
	case wire.NotifyProgress:
		decode(params, o.progressed)
	case wire.NotifyMessage:
		decode(params, o.logged)
	case wire.NotifySample:
		decode(params, func(s wire.Sample) { go o.sampled(o.life, s) }) // ends with the answer, or with what asked
	case wire.NotifyRoots:
		decode(params, func(q wire.RootsQuestion) { go o.rooted(o.life, q) }) // the same
	case wire.NotifyOver:
		decode(params, func(over wire.Over) { o.over(over.ID) })
	case wire.NotifyListChanged:
		decode(params, o.listChanged)
	case wire.NotifyStatus:
		decode(params, o.statusChanged)
	case wire.NotifyResourceUpdated:
		decode(params, func(at wire.Resource) { go o.updated(at) }) // writes to the client
	}
}

func decode[T any](params json.RawMessage, f func(T)) {
	var v T
	if json.Unmarshal(params, &v) == nil {
		f(v)
	}
}

// end ends the session behind the offer, and all requests with it.
func (o *offer) end() {
	o.mu.Lock()
	ended := o.ended
	o.ended = true
	client := o.client
	o.mu.Unlock()
	if ended {
		return
	}
	o.g.drop(o)
	o.leave() // the end of the client's session waits for every question that is open
	o.up.close()
	o.bell.stop()
	if client != nil {
		_ = client.Close() // it has ended, or is told so
	}
}
