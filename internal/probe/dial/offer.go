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

// client makes the SDK's client, which offers the server what the options say:
// roots and the user's answers, never sampling. It sends a call once; what a
// server asks for in the course of it is dealt with here (round).
func (c *Conn) client(o Options) *mcp.Client {
	opts := &mcp.ClientOptions{
		Capabilities:   &mcp.ClientCapabilities{},
		MultiRoundTrip: &mcp.MultiRoundTripOptions{Disabled: true},
	}
	if o.Elicit {
		opts.Capabilities.Elicitation = &mcp.ElicitationCapabilities{
			Form: &mcp.FormElicitationCapabilities{}, URL: &mcp.URLElicitationCapabilities{},
		}
	}
	if len(c.roots) > 0 {
		//lint:ignore SA1019 servers of all revisions before 2026-07-28 ask for them
		opts.Capabilities.RootsV2 = &mcp.RootCapabilities{}
	}
	if o.ToolsChanged != nil {
		opts.ToolListChangedHandler = func(context.Context, *mcp.ToolListChangedRequest) { o.ToolsChanged() }
	}
	client := mcp.NewClient(&mcp.Implementation{Name: "mcpctl", Version: o.Client}, opts)
	//lint:ignore SA1019 as above
	client.AddRoots(c.rootList()...)
	client.AddReceivingMiddleware(func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
			return c.answer(ctx, method, req, o.Elicit, next)
		}
	})
	return client
}

// answer answers a request of the server. The SDK's own handlers take only what is
// harmless: some send requests back, or fail on parameters that are missing.
func (c *Conn) answer(ctx context.Context, method string, req mcp.Request, elicit bool, next mcp.MethodHandler) (result mcp.Result, err error) {
	defer func() {
		if p := recover(); p != nil {
			result, err = nil, &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: fmt.Sprintf("%s failed", method)}
			c.voice.event("error", "mcpctl", fmt.Sprintf("the answer to %s failed: %v", method, p))
		}
	}()
	switch {
	case method == elicitMethod && elicit:
		return c.elicit(ctx, req)
	case method == "ping", method == rootsMethod, strings.HasPrefix(method, "notifications/"):
		return next(ctx, method, req)
	}
	return nil, &jsonrpc.Error{Code: jsonrpc.CodeMethodNotFound, Message: "mcpctl does not offer " + method}
}

const (
	elicitMethod = "elicitation/create"
	rootsMethod  = "roots/list"
)

// heard takes what a server says by itself on the way in. So progress cannot be
// overtaken by the result it belongs to, a storm of notifications is held back by
// the pipe and not kept in memory, and what the SDK stumbles over does not reach it.
func (c *Conn) heard(m *jsonrpc.Request, x *exchange) *jsonrpc.Request {
	switch m.Method {
	case elicitMethod:
		if m.IsCall() {
			return c.wrapQuestion(m, x)
		}
	case "notifications/progress":
		c.progressed(m.Params)
	case "notifications/message":
		c.logged(m.Params)
	case "notifications/elicitation/complete":
		c.visitDone(m.Params)
	default:
		return m
	}
	return nil
}

// levels are those of MCP's logging (2025-11-25, Log Levels).
var levels = []string{"debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"}

// logged reports a log notification. Its level is checked and its logger kept
// short: both go into the head of a log line.
func (c *Conn) logged(params json.RawMessage) {
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
}
