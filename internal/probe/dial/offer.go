package dial

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// newClient makes the SDK's client, which offers the server what its owner is able to
// do. It sends a call once; what a server asks for in the course of it is dealt with
// here (round).
func (c *Conn) newClient(o Options) *mcp.Client {
	opts := &mcp.ClientOptions{
		Capabilities:   c.able.capabilities(),
		MultiRoundTrip: &mcp.MultiRoundTripOptions{Disabled: true},
	}
	if o.ListChanged != nil {
		opts.ToolListChangedHandler = func(context.Context, *mcp.ToolListChangedRequest) { o.ListChanged(Tools) }
		opts.PromptListChangedHandler = func(context.Context, *mcp.PromptListChangedRequest) { o.ListChanged(Prompts) }
		opts.ResourceListChangedHandler = func(context.Context, *mcp.ResourceListChangedRequest) { o.ListChanged(Resources) }
	}
	c.self = &mcp.Implementation{Name: "mcpctl", Version: o.Client}
	client := mcp.NewClient(c.self, opts)
	client.AddReceivingMiddleware(func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
			return c.answer(ctx, method, req, next)
		}
	})
	return client
}

// answer answers a request of the server. The SDK's own handlers take only what is
// harmless: some send requests back, or fail on parameters that are missing.
func (c *Conn) answer(ctx context.Context, method string, req mcp.Request, next mcp.MethodHandler) (result mcp.Result, err error) {
	defer func() {
		if p := recover(); p != nil {
			result, err = nil, &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: fmt.Sprintf("%s failed", method)}
			c.voice.event("error", "mcpctl", fmt.Sprintf("the answer to %s failed: %v", method, p))
		}
	}()
	switch {
	case method == elicitMethod && (c.able.Form || c.able.URL):
		return c.elicit(ctx, req)
	case method == samplingMethod && c.able.Sampling:
		return c.sample(ctx, req)
	case method == rootsMethod && c.able.Roots:
		return &roots{raw: c.rootsAnswer()}, nil
	case method == "ping", method == rootsMethod, strings.HasPrefix(method, "notifications/"):
		return next(ctx, method, req)
	}
	return nil, &jsonrpc.Error{Code: jsonrpc.CodeMethodNotFound, Message: "mcpctl does not offer " + method}
}

const (
	elicitMethod   = "elicitation/create"
	rootsMethod    = "roots/list"
	samplingMethod = "sampling/createMessage"
)

// heard takes what a server says by itself on the way in. So progress cannot be
// overtaken by the result it belongs to, a storm of notifications is held back by
// the pipe and not kept in memory, and what the SDK stumbles over does not reach it.
func (c *Conn) heard(m *jsonrpc.Request, x *exchange) *jsonrpc.Request {
	switch m.Method {
	case elicitMethod, samplingMethod:
		if m.IsCall() {
			return c.wrapQuestion(m, x)
		}
	case "notifications/progress":
		c.progressed(m.Params)
	case "notifications/message":
		c.logged(m.Params, x)
	case "notifications/elicitation/complete":
		c.visitDone(m.Params)
	case "notifications/resources/updated":
		c.resourceUpdated(m.Params)
	default:
		return m
	}
	return nil
}

// levels are those of MCP's logging (2025-11-25, Log Levels).
var levels = []string{"debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"}

// logged reports a log notification, to the log and to whom it is for. Its level is
// checked and its logger kept short: both go into the head of a log line.
func (c *Conn) logged(params json.RawMessage, x *exchange) {
	var p struct {
		Level  string          `json:"level"`
		Logger string          `json:"logger"`
		Data   json.RawMessage `json:"data"`
	}
	if json.Unmarshal(params, &p) != nil {
		return
	}
	if !slices.Contains(levels, p.Level) {
		p.Level = "info"
	}
	var text string
	if json.Unmarshal(p.Data, &text) != nil {
		text = string(p.Data)
	}
	const maxLogger = 80
	c.voice.event(p.Level, cut(c.voice.quote(p.Logger), maxLogger), text)
	if said := c.hearer(x); said != nil && depth(params) <= deepest {
		said(c.voice.hiding().JSON(params))
	}
}

// hearer is who is told of a log message: the owner of the connection, or in its place
// the caller of the request that caused it, if that wants to (Caller.Said). Where such a
// caller cannot be told from others nobody is: what one is told is not for another.
func (c *Conn) hearer(x *exchange) func(json.RawMessage) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if x != nil {
		if k := c.clocks[x.token]; k != nil && k.caller.Said != nil {
			return k.caller.Said
		}
		return c.said
	}
	var own func(json.RawMessage)
	for _, k := range c.clocks {
		if k.caller.Said != nil {
			own = k.caller.Said
		}
	}
	switch {
	case own == nil:
		return c.said
	case len(c.clocks) == 1:
		return own
	}
	return nil
}
