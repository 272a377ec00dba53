package commands

import (
	"context"
	"encoding/json"
	"time"

	"github.com/mcpctl/mcpctl/internal/engine"
	"github.com/mcpctl/mcpctl/internal/engine/wire"
	"github.com/mcpctl/mcpctl/internal/probe/dial"
)

// The lists of --direct beside tools.

func (d *direct) listResources(ctx context.Context, in wire.InServer) (wire.Resources, error) {
	names, err := d.names(in.Server)
	if err != nil {
		return wire.Resources{}, err
	}
	doc := wire.Resources{Schema: wire.Schema, Servers: make([]wire.ServerResources, len(names))}
	d.eachServer(ctx, names, in.TimeoutMS, func(ctx context.Context, i int, limit time.Duration) {
		doc.Servers[i] = d.resources(ctx, names[i], limit)
	})
	if in.Server != "" && doc.Servers[0].Error != nil {
		return wire.Resources{}, doc.Servers[0].Error
	}
	return doc, ctx.Err()
}

func (d *direct) resources(ctx context.Context, name string, limit time.Duration) wire.ServerResources {
	var templates []json.RawMessage
	var failed error // of the templates alone, which take no resource with them
	list, err := use(ctx, d, name, limit, func(conn *dial.Conn) (list []json.RawMessage, err error) {
		if list, err = conn.ListResources(ctx); err == nil {
			templates, failed = conn.ListResourceTemplates(ctx)
		}
		return list, err
	})
	if err == nil && failed == nil {
		d.keep(ctx, name, engine.ListedResources(list, templates))
	}
	return wire.ServerResources{Name: name, State: engine.StateAfter(errorOn(name, err)), Resources: append([]json.RawMessage{}, list...),
		Templates: append([]json.RawMessage{}, templates...), Error: errorOn(name, err), TemplatesError: errorOn(name, failed)}
}

func (d *direct) listPrompts(ctx context.Context, in wire.InServer) (wire.Prompts, error) {
	names, err := d.names(in.Server)
	if err != nil {
		return wire.Prompts{}, err
	}
	doc := wire.Prompts{Schema: wire.Schema, Servers: make([]wire.ServerPrompts, len(names))}
	d.eachServer(ctx, names, in.TimeoutMS, func(ctx context.Context, i int, limit time.Duration) {
		list, err := use(ctx, d, names[i], limit, func(conn *dial.Conn) ([]json.RawMessage, error) { return conn.ListPrompts(ctx) })
		if err == nil {
			d.keep(ctx, names[i], engine.ListedPrompts(list))
		}
		doc.Servers[i] = wire.ServerPrompts{Name: names[i], State: engine.StateAfter(errorOn(names[i], err)), Prompts: append([]json.RawMessage{}, list...), Error: errorOn(names[i], err)}
	})
	if in.Server != "" && doc.Servers[0].Error != nil {
		return wire.Prompts{}, doc.Servers[0].Error
	}
	return doc, ctx.Err()
}
