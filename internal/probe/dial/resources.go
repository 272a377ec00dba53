package dial

import (
	"context"
	"encoding/json"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcpctl/mcpctl/internal/store"
	"github.com/mcpctl/mcpctl/internal/store/redact"
)

// codeNoResource is the JSON-RPC error of a resource that is not there, before
// 2026-07-28. From then on it is "invalid params", which many older servers say, too.
const codeNoResource = -32002

// ListResources returns all resources of all pages, each as the server sent it;
// none for a server that announced none. Bounds and errors are those of ListTools.
func (c *Conn) ListResources(ctx context.Context) ([]json.RawMessage, error) {
	if !c.info.Resources {
		return nil, nil
	}
	return c.list(ctx, "resources/list", "resources", "resources", func(ctx context.Context, cursor string) error {
		// Not the SDK's own method, which keeps answers: nothing is cached here.
		_, err := mcp.CallCustomMethod[*mcp.ListResourcesParams, *mcp.ListResourcesResult](ctx, c.session, "resources/list", &mcp.ListResourcesParams{Cursor: cursor})
		return err
	})
}

// ListResourceTemplates returns all templates of resources, each as the server sent
// it; none for a server that announced no resources, or that does not know the
// method, as many with resources do not.
func (c *Conn) ListResourceTemplates(ctx context.Context) ([]json.RawMessage, error) {
	const method = "resources/templates/list"
	if !c.info.Resources {
		return nil, nil
	}
	list, err := c.list(ctx, method, "resourceTemplates", "resource templates", func(ctx context.Context, cursor string) error {
		_, err := mcp.CallCustomMethod[*mcp.ListResourceTemplatesParams, *mcp.ListResourceTemplatesResult](ctx, c.session, method, &mcp.ListResourceTemplatesParams{Cursor: cursor})
		return err
	})
	if e, ok := err.(*Error); ok && e.rpc == jsonrpc.CodeMethodNotFound {
		return nil, nil
	}
	return list, err
}

// ReadResource reads one resource and returns the ReadResourceResult byte for byte
// as the server sent it. uri goes out as it is. timeout bounds the wait; 0 is the
// entry's.
//
// Codes: MCP_NOT_FOUND for a resource that the server does not have, or one that
// offers none; TIMEOUT; CONNECT_FAILED; LOGIN_REQUIRED; TOOL_ERROR when the server
// asks for something that it was not given. It may be asked for again.
func (c *Conn) ReadResource(ctx context.Context, uri string, timeout time.Duration) (json.RawMessage, error) {
	const method = "resources/read"
	if !c.info.Resources {
		return nil, c.offersNo("resources")
	}
	a := c.asking(method, json.RawMessage(`{"contents":[]}`), c.timeout(timeout))
	a.rounds = true
	a.send = func(ctx context.Context, token string) error {
		params := &mcp.ReadResourceParams{URI: uri}
		params.Meta = c.meta(callerOf(ctx), token)
		_, err := mcp.CallCustomMethod[*mcp.ReadResourceParams, *mcp.ReadResourceResult](ctx, c.session, method, params)
		return err
	}
	o, err := c.do(ctx, a)
	if err != nil {
		return nil, err
	}
	if o.failure != nil && (o.failure.Code == codeNoResource || o.failure.Code == jsonrpc.CodeInvalidParams) {
		return nil, c.voice.answered(c.voice.fail(store.CodeNotFound, "the server has no resource '"+c.voice.quote(uri)+"': "+c.voice.quote(o.failure.Message),
			"see: mcpctl resources "+redact.ShellWord(c.voice.server)), o)
	}
	return c.result(method, o)
}

// result is that of a request which may be asked for again.
func (c *Conn) result(method string, o outcome) (json.RawMessage, error) {
	if o.failure == nil {
		return c.object(o, method)
	}
	err := c.refusedList(method, o)
	if o.failure.Code == jsonrpc.CodeMethodNotFound {
		err.Code_ = store.CodeNotFound
	}
	return nil, err
}

// offersNo is the error for what a server has not announced.
func (c *Conn) offersNo(what string) error {
	return c.voice.fail(store.CodeNotFound, "server '"+c.voice.server+"' offers no "+what, "")
}

// list follows a list whose items nobody here looks into.
func (c *Conn) list(ctx context.Context, method, key, what string, send func(ctx context.Context, cursor string) error) ([]json.RawMessage, error) {
	list := []json.RawMessage{}
	get := func(ctx context.Context, cursor string) (page, error) {
		return c.page(ctx, method, key, what, func(ctx context.Context) error { return send(ctx, cursor) })
	}
	err := c.pages(ctx, what, get, func(p page) { list = append(list, p.items...) })
	if err != nil {
		return nil, err
	}
	return list, nil
}
