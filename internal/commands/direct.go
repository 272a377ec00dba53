package commands

import (
	"context"
	"encoding/json"
	"errors"
	"sync"
	"time"

	"github.com/mcpctl/mcpctl/internal/engine"
	"github.com/mcpctl/mcpctl/internal/engine/wire"
	"github.com/mcpctl/mcpctl/internal/probe"
	"github.com/mcpctl/mcpctl/internal/probe/dial"
	"github.com/mcpctl/mcpctl/internal/store"
	"github.com/mcpctl/mcpctl/internal/store/redact"
)

// direct is the route of --direct: it answers the requests of the wire itself, over
// connections that end with it. Answers, errors and codes are those of the supervisor.
type direct struct {
	app     *app
	store   *store.Store
	config  *store.Config
	signIns *engine.SignIns

	mu       sync.Mutex // guards what follows
	conns    map[string]*dial.Conn
	listed   map[string][]dial.Tool // over these connections
	drift    map[string]engine.Drift
	progress func(wire.Progress)
	elicit   func(context.Context, wire.Elicitation) wire.ElicitReply
}

func (a *app) newDirect(s *store.Store) *direct {
	return &direct{app: a, store: s, config: s.Load(), signIns: engine.NewSignIns(s, a.version), conns: map[string]*dial.Conn{}, listed: map[string][]dial.Tool{},
		drift: map[string]engine.Drift{}}
}

// OnProgress implements route. One command makes one call, so there is one token.
func (d *direct) OnProgress(_ string, f func(wire.Progress)) (stop func()) {
	d.hear(f)
	return func() { d.hear(nil) }
}

func (d *direct) hear(f func(wire.Progress)) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.progress = f
}

// OnElicit implements route.
func (d *direct) OnElicit(f func(context.Context, wire.Elicitation) wire.ElicitReply) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.elicit = f
}

// Close ends all connections and what was started for them.
func (d *direct) Close() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	var ends sync.WaitGroup
	for _, conn := range d.conns {
		ends.Go(func() { _ = conn.Close() }) // it has no error
	}
	ends.Wait()
	d.conns = nil
	d.signIns.Close()
	return nil
}

// Call implements route. params and result are the types of the wire for the method.
func (d *direct) Call(ctx context.Context, method string, params, result any) error {
	switch p := params.(type) {
	case wire.InServer:
		return d.list(ctx, method, p, result)
	case wire.CallTool:
		return answer(result, func() (wire.CallResult, error) { return d.callTool(ctx, p) })
	case wire.ReadResource:
		return answer(result, func() (wire.ResourceResult, error) { return d.readResource(ctx, p) })
	case wire.GetPrompt:
		return answer(result, func() (wire.PromptResult, error) { return d.getPrompt(ctx, p) })
	case wire.Complete:
		return answer(result, func() (wire.Completions, error) { return d.complete(ctx, p) })
	}
	return unanswered(method)
}

// unanswered is a request that has no direct form: a mistake of this program.
func unanswered(method string) error {
	return wire.NewError(wire.Failure, "'"+method+"' cannot be asked directly", "")
}

// answer puts what do returns into result, which is a *T.
func answer[T any](result any, do func() (T, error)) error {
	got, err := do()
	if into, ok := result.(*T); ok && err == nil {
		*into = got
	}
	return err
}

func (d *direct) list(ctx context.Context, method string, in wire.InServer, result any) error {
	switch method {
	case wire.MethodListTools:
		return answer(result, func() (wire.Tools, error) { return d.listTools(ctx, in) })
	case wire.MethodListResources:
		return answer(result, func() (wire.Resources, error) { return d.listResources(ctx, in) })
	case wire.MethodListPrompts:
		return answer(result, func() (wire.Prompts, error) { return d.listPrompts(ctx, in) })
	}
	return unanswered(method)
}

// conn connects to a server, once.
func (d *direct) conn(ctx context.Context, name string, limit time.Duration) (*dial.Conn, error) {
	d.mu.Lock()
	conn := d.conns[name]
	d.mu.Unlock()
	if conn != nil {
		return conn, nil
	}
	admitted, err := d.config.Admit(name)
	if err != nil {
		return nil, err
	}
	conn, err = probe.Open(ctx, admitted, dial.Options{
		Env: d.app.env, Client: d.app.version, Log: d.app.verboseLog(name), StartTimeout: limit,
		Elicit: true, Workspace: d.store.Workspace.Dir, Auth: d.signIns.Auth(d.app.env),
	})
	if err != nil {
		return nil, wire.FromError(err).On(name)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.conns[name] = conn
	return conn, nil
}

// forget drops a connection that is of no use any more.
func (d *direct) forget(name string) {
	d.mu.Lock()
	conn := d.conns[name]
	delete(d.conns, name)
	delete(d.listed, name)
	delete(d.drift, name)
	d.mu.Unlock()
	if conn != nil {
		_ = conn.Close() // it has no error
	}
}

// use asks one server, and once more when it says that it has forgotten the session
// and did nothing (design §9.2).
func use[T any](ctx context.Context, d *direct, name string, limit time.Duration, ask func(*dial.Conn) (T, error)) (T, error) {
	for try := 0; ; try++ {
		conn, err := d.conn(ctx, name, limit)
		if err != nil {
			var none T
			return none, err
		}
		got, err := ask(conn)
		if err == nil {
			return got, nil
		}
		if errors.Is(err, dial.ErrSessionGone) && try == 0 {
			d.forget(name)
			continue
		}
		if ctx.Err() != nil {
			return got, err
		}
		return got, wire.FromError(err).On(name)
	}
}

// names are the servers that a request is about; "" means all that are in force.
func (d *direct) names(name string) ([]string, error) {
	if name != "" {
		return []string{name}, nil
	}
	if err := d.config.RefuseElsewhere(); err != nil {
		return nil, err
	}
	var out []string
	for _, row := range d.config.Rows {
		if row.InForce && row.Enabled {
			out = append(out, row.Entry.Name)
		}
	}
	return out, nil
}

// directAtOnce bounds the connections that are made at the same time, as in a test.
const directAtOnce = 8

// eachServer asks several servers at the same time, each within limit, in
// milliseconds, and 0 for a minute. ask puts its answer, or error, where it belongs.
func (d *direct) eachServer(ctx context.Context, names []string, limit int64, ask func(ctx context.Context, i int, limit time.Duration)) {
	bound := time.Duration(limit) * time.Millisecond
	if bound <= 0 {
		bound = store.DefaultTimeout
	}
	slots := make(chan struct{}, directAtOnce)
	var all sync.WaitGroup
	for i := range names {
		all.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			bounded, cancel := context.WithTimeout(ctx, bound)
			defer cancel()
			ask(bounded, i, time.Duration(limit)*time.Millisecond)
		})
	}
	all.Wait()
}

// errorOn is the error object for a list; nil for none.
func errorOn(name string, err error) *wire.Error {
	if err == nil {
		return nil
	}
	return wire.FromError(err).On(name)
}

func (d *direct) listTools(ctx context.Context, in wire.InServer) (wire.Tools, error) {
	names, err := d.names(in.Server)
	if err != nil {
		return wire.Tools{}, err
	}
	doc := wire.Tools{Schema: wire.Schema, Servers: make([]wire.ServerTools, len(names))}
	d.eachServer(ctx, names, in.TimeoutMS, func(ctx context.Context, i int, limit time.Duration) {
		tools, err := d.tools(ctx, names[i], limit)
		doc.Servers[i] = wire.ServerTools{Name: names[i], Tools: engine.Tools(tools), Error: errorOn(names[i], err)}
		doc.Servers[i].State = engine.StateAfter(doc.Servers[i].Error)
		d.driftOf(names[i]).Mark(names[i], doc.Servers[i].Tools, d.pinsTools())
	})
	engine.Join(&doc)
	if in.Tool != "" {
		doc.Only(in.Tool)
	}
	if in.Server != "" && doc.Servers[0].Error != nil {
		return wire.Tools{}, doc.Servers[0].Error
	}
	return doc, ctx.Err()
}

// tools are those of a server, listed once: over HTTP the arguments of a call may have
// to go into headers, as the tool's definition says.
func (d *direct) tools(ctx context.Context, name string, limit time.Duration) ([]dial.Tool, error) {
	d.mu.Lock()
	tools, done := d.listed[name]
	d.mu.Unlock()
	if done {
		return tools, nil
	}
	tools, err := use(ctx, d, name, limit, func(conn *dial.Conn) ([]dial.Tool, error) { return conn.ListTools(ctx) })
	if err != nil {
		return nil, err
	}
	var drift engine.Drift
	if admitted, err := d.config.Admit(name); err == nil {
		drift = engine.DriftOf(ctx, d.store, admitted, "", tools, redact.NewMask(admitted.Known(d.store.Env)...))
	}
	d.mu.Lock()
	d.listed[name], d.drift[name] = tools, drift
	d.mu.Unlock()
	d.keep(ctx, name, engine.ListedTools(tools))
	return tools, nil
}

func (d *direct) driftOf(name string) engine.Drift {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.drift[name]
}

func (d *direct) pinsTools() bool { return d.store.LastSettings().PinsTools() }

// offers refuses a tool that is not as it was approved, or that the server does not
// list.
func (d *direct) offers(in wire.CallTool, tools []dial.Tool) error {
	if d.pinsTools() {
		if err := d.driftOf(in.Server).Refuse(in.Server, in.Tool); err != nil {
			return err
		}
	}
	return engine.Offers(in.Server, tools, in.Tool)
}

// keep keeps what a server listed for completion.
func (d *direct) keep(ctx context.Context, name string, l store.Listed) {
	if admitted, err := d.config.Admit(name); err == nil {
		d.store.KeepListed(ctx, admitted, d.app.env, l)
	}
}

func (d *direct) callTool(ctx context.Context, in wire.CallTool) (wire.CallResult, error) {
	began := time.Now()
	limit := time.Duration(in.TimeoutMS) * time.Millisecond
	tools, err := d.tools(ctx, in.Server, limit)
	if err == nil {
		err = d.offers(in, tools)
	}
	if err != nil {
		return wire.CallResult{}, err
	}
	ctx = dial.WithCaller(ctx, d.caller(in))
	raw, err := use(ctx, d, in.Server, limit, func(conn *dial.Conn) (json.RawMessage, error) {
		if err := d.stillOffers(ctx, in, limit); err != nil {
			return nil, err
		}
		return conn.CallTool(ctx, in.Tool, in.Arguments, limit)
	})
	if err != nil {
		return wire.CallResult{}, err
	}
	return wire.CallResult{Schema: wire.Schema, Server: in.Server, Tool: in.Tool, Result: raw, MS: time.Since(began).Milliseconds()}, nil
}

// stillOffers looks again over a connection that replaced the one whose tools were
// looked at: it may list others.
func (d *direct) stillOffers(ctx context.Context, in wire.CallTool, limit time.Duration) error {
	d.mu.Lock()
	_, seen := d.listed[in.Server]
	d.mu.Unlock()
	if seen {
		return nil
	}
	tools, err := d.tools(ctx, in.Server, limit)
	if err != nil {
		return err
	}
	return d.offers(in, tools)
}

// caller hears what comes back during a call.
func (d *direct) caller(in wire.CallTool) dial.Caller {
	d.mu.Lock()
	defer d.mu.Unlock()
	return engine.Caller{Progress: d.progress, Elicit: d.elicit}.Of(in)
}

func (d *direct) readResource(ctx context.Context, in wire.ReadResource) (wire.ResourceResult, error) {
	began := time.Now()
	limit := time.Duration(in.TimeoutMS) * time.Millisecond
	raw, err := use(ctx, d, in.Server, limit, func(conn *dial.Conn) (json.RawMessage, error) {
		return conn.ReadResource(ctx, in.URI, limit)
	})
	if err != nil {
		return wire.ResourceResult{}, err
	}
	return wire.ResourceResult{Schema: wire.Schema, Server: in.Server, URI: in.URI, Result: raw, MS: time.Since(began).Milliseconds()}, nil
}

func (d *direct) getPrompt(ctx context.Context, in wire.GetPrompt) (wire.PromptResult, error) {
	began := time.Now()
	limit := time.Duration(in.TimeoutMS) * time.Millisecond
	raw, err := use(ctx, d, in.Server, limit, func(conn *dial.Conn) (json.RawMessage, error) {
		return conn.GetPrompt(ctx, in.Prompt, in.Arguments, limit)
	})
	if err != nil {
		return wire.PromptResult{}, err
	}
	return wire.PromptResult{Schema: wire.Schema, Server: in.Server, Prompt: in.Prompt, Result: raw, MS: time.Since(began).Milliseconds()}, nil
}

func (d *direct) complete(ctx context.Context, in wire.Complete) (wire.Completions, error) {
	limit := time.Duration(in.TimeoutMS) * time.Millisecond
	what := dial.Completion{Prompt: in.Prompt, Template: in.Template, Argument: in.Argument, Value: in.Value, Context: in.Context}
	raw, err := use(ctx, d, in.Server, limit, func(conn *dial.Conn) (json.RawMessage, error) {
		raw, err := conn.Complete(ctx, what, limit)
		if in.Prompt != "" && err != nil && wire.FromError(err).Word == wire.Usage {
			err = engine.OrUnlisted(ctx, conn, in.Server, in.Prompt, err)
		}
		return raw, err
	})
	if err != nil {
		return wire.Completions{}, err
	}
	return engine.Completions(in.Server, raw)
}
