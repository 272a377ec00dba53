package engine

import (
	"context"
	"encoding/json"

	"github.com/mcpctl/mcpctl/internal/engine/wire"
	"github.com/mcpctl/mcpctl/internal/probe/dial"
	"github.com/mcpctl/mcpctl/internal/store"
	"github.com/mcpctl/mcpctl/internal/store/redact"
)

// OrUnlisted replaces what a server said of a request about a prompt that it does not
// list by MCP_NOT_FOUND, with a suggestion: servers say the same of a wrong name and of
// wrong arguments.
func OrUnlisted(ctx context.Context, conn *dial.Conn, server, prompt string, err error) error {
	list, failed := conn.ListPrompts(ctx)
	if failed != nil {
		return err
	}
	return listing{"prompt", prompt, "see: mcpctl prompts " + redact.ShellWord(server), textsOf(list, "name")}.or(err, server)
}

// orNoTemplate is OrUnlisted for a template of resources.
func orNoTemplate(ctx context.Context, conn *dial.Conn, server, template string, err error) error {
	list, failed := conn.ListResourceTemplates(ctx)
	if failed != nil {
		return err
	}
	return listing{"template", template, "see: mcpctl resources " + redact.ShellWord(server), textsOf(list, "uriTemplate")}.or(err, server)
}

// OrNotCompleted is the one of both for what was to be completed.
func OrNotCompleted(ctx context.Context, conn *dial.Conn, in wire.Complete, err error) error {
	if in.Prompt != "" {
		return OrUnlisted(ctx, conn, in.Server, in.Prompt, err)
	}
	return orNoTemplate(ctx, conn, in.Server, in.Template, err)
}

// listing is what was asked for, and what there is of that kind.
type listing struct {
	kind, name, see string
	names           []string
}

func (o listing) or(err error, server string) error {
	for _, name := range o.names {
		if name == o.name {
			return err
		}
	}
	hint := o.see
	if near := store.Closest(o.name, o.names); near != "" {
		hint = "did you mean '" + near + "'?"
	}
	return wire.NewError(wire.NotFound, "server '"+server+"' has no "+o.kind+" '"+o.name+"'", hint)
}

// textsOf are the texts that the definitions have under a key.
func textsOf(list []json.RawMessage, key string) (out []string) {
	for _, raw := range list {
		var fields map[string]json.RawMessage
		var text string
		if json.Unmarshal(raw, &fields) == nil && json.Unmarshal(fields[key], &text) == nil {
			out = append(out, text)
		}
	}
	return out
}
