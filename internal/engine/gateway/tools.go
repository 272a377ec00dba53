package gateway

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcpctl/mcpctl/internal/engine"
	"github.com/mcpctl/mcpctl/internal/engine/wire"
	"github.com/mcpctl/mcpctl/internal/probe/dial"
	"github.com/mcpctl/mcpctl/internal/store"
)

// How long a client waits for a server that is starting. What comes later is told as a
// change. The first list of a client is all that some clients ever ask for; a server that
// hangs delays what follows little.
const (
	DefaultWait   = 5 * time.Second // of a client at its start, in all
	laterPatience = 500 * time.Millisecond
	leastPatience = 50 * time.Millisecond // for servers that are there to answer
)

// patience is that of a list, in milliseconds.
func (o *offer) patience(first bool) int64 {
	if !first {
		return laterPatience.Milliseconds()
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	return max(o.g.o.Wait-time.Since(o.began), leastPatience).Milliseconds()
}

// isFirst tells whether nothing was given out yet.
func (c *cached[T]) isFirst() bool {
	_, ok := c.last()
	return !ok
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
	return o.toolsNow(ctx, o.patience(o.tools.isFirst()))
}

// toolsNow asks the servers, each of which has limit milliseconds to be there.
func (o *offer) toolsNow(ctx context.Context, limit int64) (*toolList, error) {
	doc, err := call[wire.Tools](ctx, o.up, wire.MethodListTools, func(s string) any {
		return wire.InServer{Session: s, TimeoutMS: limit}
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
	return nil, o.unknownTool(ctx, list, name)
}

// unknownTool says that nothing is called so, or why its server is not there.
func (o *offer) unknownTool(ctx context.Context, list *toolList, name string) error {
	status, err := o.status(ctx)
	if err != nil {
		return failure(err)
	}
	server := ""
	for _, st := range status.Servers {
		if o.g.o.Naming != "" && !strings.HasPrefix(name, o.g.o.Naming.Prefix(st.Name)) {
			continue
		}
		server = st.Name
		if st.State != wire.Connected && st.State != wire.NotRunning {
			e := wire.NewError(missingCode(st.State), "the tools of "+st.Name+" are not there: "+o.whyNot(st.Name, st.State, st.Detail), "")
			return failure(e.On(st.Name))
		}
	}
	text := fmt.Sprintf("unknown tool %q", name)
	var known []string
	for _, t := range list.tools {
		switch {
		case t.name == name: // it is hidden, and another must not be taken for it
			return invalid(text)
		case t.exposure != store.Hidden && (server == "" || t.Server == server):
			known = append(known, t.name)
		}
	}
	if near := store.Closest(name, known); near != "" {
		text += fmt.Sprintf("; did you mean %q?", near)
	}
	return invalid(text)
}

// missingCode is the code for a server that is in such a state.
func missingCode(state wire.State) wire.Code {
	switch state {
	case wire.PendingApproval:
		return wire.NotApproved
	case wire.NeedsSignIn:
		return wire.LoginRequired
	case wire.Elsewhere:
		return wire.HandledElsewhere
	case wire.InvalidConfig:
		return wire.ConfigInvalid
	case wire.Disabled, wire.DisabledInProject, wire.DisabledInSession:
		return wire.NotFound
	}
	return wire.ConnectFailed
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
	how := cutting{promised: membersOf(t.definition)["outputSchema"] != span{}, readable: !o.unreadable.Load()}
	return o.runTool(ctx, r, toolCall{t, p.Arguments, how})
}

// toolCall is a call of a tool, and how its result is cut.
type toolCall struct {
	*tool
	args json.RawMessage
	cutting
}

func (o *offer) runTool(ctx context.Context, r request, t toolCall) (mcp.Result, error) {
	if t.own != nil {
		return t.own(ctx, r, t.args)
	}
	return o.forward(ctx, r, t.Server, func(ctx context.Context, how asking) (json.RawMessage, error) {
		result, err := call[wire.CallResult](ctx, o.up, wire.MethodCallTool, func(s string) any {
			return wire.CallTool{Session: s, Server: t.Server, Tool: t.Tool, Arguments: t.args,
				ProgressToken: how.token, Elicit: how.elicit, Sample: how.sample, Roots: how.roots, Together: how.asks(), Meta: how.meta}
		})
		if err != nil {
			return nil, err
		}
		o.links.note(t.Server, result.Result)
		if o.g.o.Whole {
			return result.Result, nil
		}
		cut, isCut := cutResult(result, t.cutting)
		if isCut {
			o.outputs.note(*result.OutputID)
		}
		return cut, nil
	})
}
