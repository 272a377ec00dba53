package gateway

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcpctl/mcpctl/internal/engine"
	"github.com/mcpctl/mcpctl/internal/engine/wire"
)

// promptList is what the servers list, under the names that the client sees.
type promptList struct {
	byName map[string]engine.ToolKey
	page   json.RawMessage
}

func (o *offer) askPrompts(ctx context.Context) (*promptList, error) {
	doc, err := call[wire.Prompts](ctx, o.up, wire.MethodListPrompts, func(s string) any {
		return wire.InServer{Session: s, TimeoutMS: o.patience(o.prompts.isFirst())}
	})
	if err != nil {
		return nil, err
	}
	var keys []engine.ToolKey
	var raws []json.RawMessage
	for _, sv := range doc.Servers {
		for _, raw := range sv.Prompts {
			var p struct {
				Name string `json:"name"`
			}
			if json.Unmarshal(raw, &p) == nil && p.Name != "" {
				keys, raws = append(keys, engine.ToolKey{Server: sv.Name, Tool: p.Name}), append(raws, raw)
			}
		}
	}
	names := o.names(keys)
	list := &promptList{byName: map[string]engine.ToolKey{}}
	for i, key := range keys {
		name := names(key)
		list.byName[name] = key
		if name != key.Tool {
			raws[i] = put(raws[i], "name", quoted(name))
		}
	}
	list.page = array(raws)
	return list, nil
}

func (o *offer) listPrompts(ctx context.Context, r request, p *mcp.ListPromptsParams) (mcp.Result, error) {
	if p != nil && p.Cursor != "" {
		return nil, noCursor()
	}
	list, err := o.prompts.get(ctx, o.askPrompts)
	if err != nil {
		return nil, failure(err)
	}
	return r.list("prompts", list.page), nil
}

func (o *offer) findPrompt(ctx context.Context, name string) (engine.ToolKey, error) {
	if list, ok := o.prompts.last(); ok {
		if key, ok := list.byName[name]; ok {
			return key, nil
		}
	}
	list, err := o.prompts.get(ctx, o.askPrompts)
	if err != nil {
		return engine.ToolKey{}, failure(err)
	}
	if key, ok := list.byName[name]; ok {
		return key, nil
	}
	return engine.ToolKey{}, invalid(fmt.Sprintf("unknown prompt %q", name))
}

func (o *offer) getPrompt(ctx context.Context, r request, p *mcp.GetPromptParams) (mcp.Result, error) {
	key, err := o.findPrompt(ctx, p.Name)
	if err != nil {
		return nil, err
	}
	return o.forward(ctx, r, key.Server, func(ctx context.Context, how asking) (json.RawMessage, error) {
		result, err := call[wire.PromptResult](ctx, o.up, wire.MethodGetPrompt, func(s string) any {
			return wire.GetPrompt{Session: s, Server: key.Server, Prompt: key.Tool, Arguments: p.Arguments,
				ProgressToken: how.token, Elicit: how.elicit, Sample: how.sample, Roots: how.roots, Together: how.asks(), Meta: how.meta}
		})
		if err == nil {
			o.links.note(key.Server, result.Result)
		}
		return result.Result, err
	})
}

// complete asks the server that has the prompt, or the template.
func (o *offer) complete(ctx context.Context, r request, p *mcp.CompleteParams) (mcp.Result, error) {
	if p.Ref == nil || p.Argument.Name == "" {
		return nil, invalid("a completion names what it is for ('ref') and the argument ('argument.name')")
	}
	in := wire.Complete{Argument: p.Argument.Name, Value: p.Argument.Value}
	if p.Context != nil {
		in.Context = p.Context.Arguments
	}
	if p.Ref.Type == "ref/prompt" {
		key, err := o.findPrompt(ctx, p.Ref.Name)
		if err != nil {
			return nil, err
		}
		in.Server, in.Prompt = key.Server, key.Tool
	} else {
		server, uri, err := o.findResource(ctx, p.Ref.URI)
		if err != nil {
			return nil, err
		}
		in.Server, in.Template = server, uri
	}
	got, err := call[wire.Completions](ctx, o.up, wire.MethodComplete, func(s string) any {
		in.Session = s
		return in
	})
	if err != nil {
		return nil, failure(err)
	}
	type completion struct {
		Values  []string `json:"values"`
		Total   *int     `json:"total,omitempty"`
		HasMore bool     `json:"hasMore"`
	}
	return &rawResult{modern: r.modern(), raw: inFront(json.RawMessage("{}"), []member{{"completion", encoded(completion{got.Values, got.Total, got.HasMore})}})}, nil
}
