package dial

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcpctl/mcpctl/internal/store"
)

// cancelWait is for notifications/cancelled to go out before the caller learns
// that the call has ended, and perhaps closes the connection.
const cancelWait = time.Second

// noContent is the result handed to the SDK in place of the server's, which the
// caller gets as it was sent: the SDK's copy would only cost time and memory, and
// fail on what it does not know.
var noContent = json.RawMessage(`{"content":[]}`)

// CallTool calls a tool, once, and returns the CallToolResult byte for byte as
// the server sent it, isError or not. args is a JSON object; empty means {}.
// timeout bounds the wait; 0 is the entry's. Progress renews it, at most ten
// times, and it stands still while the user is asked something (WithCaller). When
// ctx ends or the timeout passes, notifications/cancelled is sent.
//
// Codes: TOOL_ERROR for a JSON-RPC error; TIMEOUT; CALL_OUTCOME_UNKNOWN when the
// connection was lost after the request had gone out; CONNECT_FAILED and
// LOGIN_REQUIRED when the server did not run it; USAGE for args that are no
// object. A cancelled ctx gives an error that wraps ctx.Err(). The one error after
// which the call may be repeated, over a new connection, wraps ErrSessionGone
// (design §9.2).
func (c *Conn) CallTool(ctx context.Context, tool string, args json.RawMessage, timeout time.Duration) (json.RawMessage, error) {
	args, err := c.arguments(args)
	if err != nil {
		return nil, err
	}
	name := "'" + c.voice.quote(tool) + "'"
	a := ask{
		method: "tools/call", late: "the tool " + name + " gave no answer", doing: "calling " + name, lost: "the call of " + name,
		rounds: true, timeout: c.timeout(timeout), hide: noContent,
		send: func(ctx context.Context, token string) error {
			meta := c.meta(callerOf(ctx), token)
			if child, ok := c.link.(*child); ok {
				return child.ask(ctx, "tools/call", callParams{c.whole(meta), tool, args})
			}
			_, err := c.session.CallTool(ctx, &mcp.CallToolParams{Meta: meta, Name: tool, Arguments: args})
			return err
		},
	}
	o, err := c.do(ctx, a)
	if err != nil {
		return nil, err
	}
	if o.failure != nil {
		return nil, c.voice.answered(c.voice.fail(CodeToolError, "the server refused the call of "+name+": "+c.voice.quote(o.failure.Message), ""), o)
	}
	return c.object(o, "the call of "+name)
}

// timeout is the given one, or the entry's for 0.
func (c *Conn) timeout(given time.Duration) time.Duration {
	if given <= 0 {
		return c.launch.Timeout
	}
	return given
}

// arguments checks the arguments of a call. They go out as they are.
func (c *Conn) arguments(args json.RawMessage) (json.RawMessage, error) {
	trimmed := bytes.TrimSpace(args)
	if len(trimmed) == 0 {
		return json.RawMessage("{}"), nil
	}
	if trimmed[0] != '{' || !json.Valid(trimmed) {
		return nil, c.voice.fail(store.CodeUsage, "the arguments of a tool are a JSON object, as in {\"name\": \"value\"}", "")
	}
	return trimmed, nil
}

// ended tells whether the connection is at its end. A process gets the time to
// leave: its status and its stderr say more than the end of its output.
func (c *Conn) ended() bool {
	grace := endGrace
	if c.link.pid() == 0 {
		grace = 0
	}
	return within(c.link.done(), grace)
}

// notRun tells whether an error says that the server turned the request away. What
// it says when it failed meanwhile, or a gateway when it lost its server, does not.
func notRun(e *Error) bool {
	const failed, notImplemented, unavailable = 500, 501, 503
	return e.Code_ == CodeLoginRequired || errors.Is(e, ErrSessionGone) ||
		e.status >= 400 && e.status < failed || e.status == notImplemented || e.status == unavailable
}
