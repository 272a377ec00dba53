package dial

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcpctl/mcpctl/internal/store"
)

// The lists of a server that may change.
const (
	Tools     = "tools"
	Prompts   = "prompts"
	Resources = "resources"
)

// resourceUpdated passes on that a resource has changed.
func (c *Conn) resourceUpdated(params json.RawMessage) {
	var p struct {
		URI string `json:"uri"`
	}
	if c.updated != nil && json.Unmarshal(params, &p) == nil && p.URI != "" {
		c.updated(p.URI)
	}
}

// Subscribe asks the server to tell of changes of a resource (Options.Updated), for as
// long as the connection lasts or until Unsubscribe.
//
// Codes: MCP_NOT_FOUND for a server that offers no subscriptions, or does not have the
// resource; else those of ReadResource. From 2026-07-28 on a refusal is not told.
func (c *Conn) Subscribe(ctx context.Context, uri string) error {
	if !c.info.Subscriptions {
		return c.offersNo("subscriptions")
	}
	params := &mcp.SubscribeParams{URI: uri}
	if c.info.ProtocolVersion >= firstModern {
		return c.session.Subscribe(ctx, params) // a stream of its own, which is not waited for
	}
	return c.settle(ctx, "resources/subscribe", func(ctx context.Context) error { return c.session.Subscribe(ctx, params) })
}

// Unsubscribe ends what Subscribe began.
func (c *Conn) Unsubscribe(ctx context.Context, uri string) error {
	params := &mcp.UnsubscribeParams{URI: uri}
	if c.info.ProtocolVersion >= firstModern {
		return c.session.Unsubscribe(ctx, params)
	}
	return c.settle(ctx, "resources/unsubscribe", func(ctx context.Context) error { return c.session.Unsubscribe(ctx, params) })
}

// SetLogLevel says from which level on the server is to send log messages; a server
// that announced no logging is not told.
func (c *Conn) SetLogLevel(ctx context.Context, level string) error {
	if !c.info.Logging {
		return nil
	}
	if c.info.ProtocolVersion >= firstModern { // it goes with every request
		c.mu.Lock()
		defer c.mu.Unlock()
		c.level = level
		return nil
	}
	return c.settle(ctx, "logging/setLevel", func(ctx context.Context) error {
		//lint:ignore SA1019 servers of all revisions before 2026-07-28 have it
		return c.session.SetLoggingLevel(ctx, &mcp.SetLoggingLevelParams{Level: mcp.LoggingLevel(level)})
	})
}

// settle sends a request whose result says no more than that it was done.
func (c *Conn) settle(ctx context.Context, method string, send func(context.Context) error) error {
	a := c.asking(method, json.RawMessage("{}"), c.timeout(0))
	a.send = func(ctx context.Context, _ string) error { return send(ctx) }
	o, err := c.do(ctx, a)
	if err != nil || o.failure == nil {
		return err
	}
	if o.failure.Code == codeNoResource {
		return c.voice.fail(store.CodeNotFound, "the server has no such resource: "+c.voice.quote(o.failure.Message), "")
	}
	_, err = c.result(method, o)
	return err
}

// betweenEnds begins the names of _meta that are about one connection and not about
// what goes over it (2026-07-28, _meta).
const betweenEnds = "io.modelcontextprotocol/"

// meta is the _meta of a request: the token of its progress, what its caller adds, and
// from 2026-07-28 on the level of log messages.
func (c *Conn) meta(caller Caller, token string) mcp.Meta {
	m := mcp.Meta{}
	if len(caller.Meta) > 0 {
		for _, f := range members(caller.Meta) {
			if !strings.HasPrefix(f.name, betweenEnds) {
				m[f.name] = f.value
			}
		}
	}
	m["progressToken"] = token
	if c.info.ProtocolVersion >= firstModern && c.able.Sampling {
		m[betweenEnds+"clientCapabilities"] = c.able.of(caller).asJSON()
	}
	if c.info.ProtocolVersion >= firstModern && c.info.Logging {
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.level != "" {
			m[betweenEnds+"logLevel"] = c.level
		}
	}
	return m
}
