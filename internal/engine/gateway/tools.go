package gateway

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcpctl/mcpctl/internal/engine"
	"github.com/mcpctl/mcpctl/internal/engine/wire"
	"github.com/mcpctl/mcpctl/internal/probe/dial"
	"github.com/mcpctl/mcpctl/internal/store"
)

// How long a list waits for a server that is starting. What comes later is told as a
// change. The first list of a client is all that some clients ever ask for, and clients
// give up after thirty seconds and more; a server that hangs delays later ones little.
const (
	firstPatience = 10 * time.Second
	laterPatience = time.Second
)

// patience is that of a list, in milliseconds.
func (c *cached[T]) patience() int64 {
	if _, ok := c.last(); ok {
		return laterPatience.Milliseconds()
	}
	return firstPatience.Milliseconds()
}

// tool is one tool under the name that the client sees.
type tool struct {
	engine.ToolKey
	name       string
	exposure   store.Exposure
	mirrors    dial.Mirrors                                                                   // what a call over HTTP says in headers, too
	definition json.RawMessage                                                                // as the server sent it, with the name
	own        func(ctx context.Context, r request, args json.RawMessage) (mcp.Result, error) // one of this program's; nil: the server's
	unusable   bool                                                                           // it is not shown; a call of it is told why
}

// toolList is what the servers list, in the order of the configuration.
type toolList struct {
	tools   []*tool
	byName  map[string]*tool
	refused map[string]*tool // by name: those that are there and cannot be called
	page    json.RawMessage  // the tools that are listed
	servers []wire.ServerTools
}

func (o *offer) askTools(ctx context.Context) (*toolList, error) {
	doc, err := call[wire.Tools](ctx, o.up, wire.MethodListTools, func(s string) any {
		return wire.InServer{Session: s, TimeoutMS: o.tools.patience()}
	})
	if err != nil {
		return nil, err
	}
	list := &toolList{byName: map[string]*tool{}, refused: map[string]*tool{}, servers: doc.Servers}
	for _, sv := range doc.Servers {
		o.addTools(list, sv)
	}
	o.nameTools(list)
	o.addMeta(list)
	var listed []json.RawMessage
	for _, t := range list.tools {
		if t.exposure == store.Direct {
			listed = append(listed, t.definition)
		}
	}
	list.page = array(listed)
	return list, nil
}

func (o *offer) addTools(list *toolList, sv wire.ServerTools) {
	if sv.State == wire.NeedsSignIn {
		list.tools = append(list.tools, o.signInTool(sv.Name))
	}
	seen := map[string]bool{}
	for _, usable := range []bool{true, false} {
		for _, t := range sv.Tools {
			if (t.Unusable == "") != usable || seen[t.Name] {
				continue
			}
			seen[t.Name] = true
			exposure := store.Exposure(t.Exposure)
			if exposure == "" {
				exposure = store.Direct
			}
			list.tools = append(list.tools, &tool{ToolKey: engine.ToolKey{Server: sv.Name, Tool: t.Name}, exposure: exposure, definition: t.Definition,
				mirrors: dial.MirrorsOf(t.Definition), unusable: !usable})
		}
	}
}

// nameTools gives the tools their names. Hidden ones have one, too, so that a name does
// not change with what is hidden.
func (o *offer) nameTools(list *toolList) {
	names := o.names(toolKeys(list.tools))
	for _, t := range list.tools {
		t.name = names(t.ToolKey)
		if t.name != t.Tool || t.own != nil {
			t.definition = put(t.definition, "name", quoted(t.name))
		}
		switch {
		case t.exposure == store.Hidden:
		case t.unusable:
			t.exposure = store.Hidden // nobody is to read its definition
			list.refused[t.name] = t
		default:
			list.byName[t.name] = t
		}
	}
}

func toolKeys(tools []*tool) []engine.ToolKey {
	keys := make([]engine.ToolKey, len(tools))
	for i, t := range tools {
		keys[i] = t.ToolKey
	}
	return keys
}

// names says how the tools, or the prompts, of the servers are called here.
func (o *offer) names(keys []engine.ToolKey) func(engine.ToolKey) string {
	if o.g.o.Naming == "" {
		return func(k engine.ToolKey) string { return k.Tool }
	}
	joined := o.g.o.Naming.Join(keys)
	return func(k engine.ToolKey) string { return joined[k] }
}

func (o *offer) listTools(ctx context.Context, r request, p *mcp.ListToolsParams) (mcp.Result, error) {
	if p != nil && p.Cursor != "" {
		return nil, noCursor()
	}
	list, err := o.tools.get(ctx, o.askTools)
	if err != nil {
		return nil, failure(err)
	}
	return r.list("tools", list.page), nil
}

// noCursor refuses a cursor: every list is one page, so nobody was given one.
func noCursor() error {
	return invalid("there is no such cursor: lists have one page here")
}

// findTool finds a tool by the name that the client sees. A list that may be old will do
// when it has the tool: a server that is slow to start must not delay calls of others.
func (o *offer) findTool(ctx context.Context, name string) (*tool, error) {
	if list, ok := o.tools.last(); ok && list.byName[name] != nil {
		return list.byName[name], nil
	}
	list, err := o.tools.get(ctx, o.askTools)
	if err != nil {
		return nil, failure(err)
	}
	if t := list.byName[name]; t != nil {
		return t, nil
	}
	if t := list.refused[name]; t != nil {
		return t, nil // the supervisor says why it is refused
	}
	text := fmt.Sprintf("unknown tool %q", name)
	var known []string
	for name := range list.byName {
		known = append(known, name)
	}
	if near := store.Closest(name, known); near != "" {
		text += fmt.Sprintf("; did you mean %q?", near)
	}
	return nil, invalid(text)
}

func (o *offer) callTool(ctx context.Context, r request, p *mcp.CallToolParamsRaw) (mcp.Result, error) {
	t, err := o.findTool(ctx, p.Name)
	if err != nil {
		return nil, err
	}
	if r.saysHeaders() {
		if fault := t.mirrors.Fault(p.Arguments, r.header()); fault != "" {
			return nil, &jsonrpc.Error{Code: mcp.CodeHeaderMismatch, Message: fault}
		}
	}
	return o.runTool(ctx, r, t, p.Arguments)
}

func (o *offer) runTool(ctx context.Context, r request, t *tool, args json.RawMessage) (mcp.Result, error) {
	if t.own != nil {
		return t.own(ctx, r, args)
	}
	return o.forward(ctx, r, t.Server, func(ctx context.Context, how asking) (json.RawMessage, error) {
		result, err := call[wire.CallResult](ctx, o.up, wire.MethodCallTool, func(s string) any {
			return wire.CallTool{Session: s, Server: t.Server, Tool: t.Tool, Arguments: args,
				ProgressToken: how.token, Elicit: how.elicit, Sample: how.sample, Roots: how.roots, Together: how.asks(), Meta: how.meta}
		})
		if err != nil {
			return nil, err
		}
		o.links.note(t.Server, result.Result)
		if o.g.o.Whole {
			return result.Result, nil
		}
		return cutResult(result), nil
	})
}
