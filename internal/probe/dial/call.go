package dial

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcpctl/mcpctl/internal/store"
)

const (
	// maxRenewals is how often progress renews the timeout of a call (design
	// §9.2): a server must not be able to hold a caller for ever.
	maxRenewals = 10
	// cancelWait is for notifications/cancelled to go out before the caller learns
	// that the call has ended, and perhaps closes the connection.
	cancelWait = time.Second
)

var errCallTimeout = errors.New("the call took too long")

// The results handed to the SDK in place of the server's, which the caller gets
// as they were sent: the SDK's copy would only cost time and memory, and fail on
// what it does not know.
var (
	noContent = json.RawMessage(`{"content":[]}`)
	noTools   = json.RawMessage(`{"tools":[]}`)
)

// CallTool calls a tool, once, and returns the CallToolResult byte for byte as
// the server sent it, isError or not. args is a JSON object; empty means {}.
// timeout bounds the wait; 0 is the entry's. Progress renews it, at most ten
// times. When ctx ends or the timeout passes, notifications/cancelled is sent.
//
// Codes: TOOL_ERROR for a JSON-RPC error; TIMEOUT; CALL_OUTCOME_UNKNOWN when the
// connection was lost after the request had gone out; CONNECT_FAILED and
// LOGIN_REQUIRED when the server did not run it; USAGE for args that are no
// object. A cancelled ctx gives an error that wraps ctx.Err(). The one error after
// which the call may be repeated, over a new connection, wraps ErrSessionGone
// (design §9.2).
func (c *Conn) CallTool(ctx context.Context, tool string, args json.RawMessage, timeout time.Duration) (json.RawMessage, error) {
	args, err := c.object(args)
	if err != nil {
		return nil, err
	}
	if timeout <= 0 {
		timeout = c.launch.Timeout
	}
	x := newExchange(noContent)
	defer c.link.book().settle(x)
	bounded, clock := c.startClock(ctx, timeout)
	defer c.stopClock(clock)
	params := &mcp.CallToolParams{Name: tool, Arguments: args}
	params.SetProgressToken(clock.token)
	result, err := c.session.CallTool(x.with(bounded), params)
	o := x.outcome()
	switch {
	case o.answered || o.failure != nil:
		return c.answered(tool, o)
	case err == nil:
		return json.Marshal(result) // the bytes went past us; what the SDK made of them is the next best
	case bounded.Err() != nil:
		return nil, c.brokenOff(ctx, bounded, call{tool, timeout, x})
	}
	return nil, c.lost(tool, o, err)
}

// call is what the errors of one call speak of.
type call struct {
	tool    string
	timeout time.Duration
	x       *exchange
}

// object checks the arguments of a call. They go out as they are.
func (c *Conn) object(args json.RawMessage) (json.RawMessage, error) {
	trimmed := bytes.TrimSpace(args)
	if len(trimmed) == 0 {
		return json.RawMessage("{}"), nil
	}
	if trimmed[0] != '{' || !json.Valid(trimmed) {
		return nil, c.voice.fail(store.CodeUsage, "the arguments of a tool are a JSON object, as in {\"name\": \"value\"}", "")
	}
	return trimmed, nil
}

// answered judges the answer of a server.
func (c *Conn) answered(tool string, o outcome) (json.RawMessage, error) {
	if o.failure != nil {
		return nil, c.voice.fail(CodeToolError, "the server refused the call of '"+c.voice.quote(tool)+"': "+c.voice.quote(o.failure.Message), "")
	}
	if len(o.result) == 0 || o.result[0] != '{' {
		return nil, c.voice.fail(CodeConnectFailed, "the server answered the call of '"+c.voice.quote(tool)+"' without a result", "")
	}
	if depth(o.result) > deepest {
		return nil, c.voice.fail(CodeConnectFailed, fmt.Sprintf("the answer of '%s' is nested more than %d levels deep", c.voice.quote(tool), deepest), "")
	}
	if !bytes.Contains(o.result, []byte(`"resultType"`)) {
		return o.result, nil
	}
	var head struct {
		ResultType string `json:"resultType"`
	}
	if json.Unmarshal(o.result, &head) == nil && (head.ResultType == "" || head.ResultType == "complete") {
		return o.result, nil
	}
	if head.ResultType == "input_required" {
		return nil, c.voice.fail(CodeToolError, "the tool '"+c.voice.quote(tool)+"' asks for more input, which cannot be given here", "")
	}
	return nil, c.voice.fail(CodeConnectFailed, "the server answered with a result of the unknown type '"+c.voice.quote(head.ResultType)+"'", "")
}

// brokenOff is the error of a call that this side ended. It waits for the server
// to be told.
func (c *Conn) brokenOff(ctx, bounded context.Context, k call) error {
	cause := context.Cause(bounded)
	if errors.Is(cause, errClosed) || within(c.link.done(), 0) {
		return c.lost(k.tool, k.x.outcome(), cause)
	}
	if k.x.outcome().sent {
		within(k.x.cancelled, cancelWait)
	}
	if errors.Is(cause, errCallTimeout) {
		return c.voice.fail(CodeTimeout, "the tool '"+c.voice.quote(k.tool)+"' gave no answer within "+span(k.timeout), timeoutHint)
	}
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return c.voice.fail(CodeTimeout, "the tool '"+c.voice.quote(k.tool)+"' gave no answer in time", timeoutHint)
	}
	return fmt.Errorf("calling '%s' of '%s': %w", c.voice.quote(k.tool), c.voice.server, ctx.Err())
}

// lost is the error of a call that got no answer. Whether it may have run depends
// on whether it went out.
func (c *Conn) lost(tool string, o outcome, err error) error {
	var known *Error
	switch {
	case errors.As(o.fault, &known), errors.As(err, &known):
	case c.life.Err() != nil:
		err = context.Cause(c.life)
	case c.ended():
		errors.As(c.link.err(), &known)
	}
	if known != nil && notRun(known) {
		return known
	}
	reason := c.voice.quote(err.Error())
	if known != nil {
		reason = known.Message
	}
	if !o.sent {
		return c.voice.fail(CodeConnectFailed, reason, "")
	}
	lost := c.voice.fail(CodeOutcomeUnknown, "the call of '"+c.voice.quote(tool)+"' was lost, it may have run: "+reason,
		"find out whether it did before you call it again")
	lost.Err = err
	return lost
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

// notRun tells whether an error says that the server turned the request away.
// What a gateway says when it lost its server, 502 and 504, does not.
func notRun(e *Error) bool {
	const badGateway, gatewayTimeout = 502, 504
	return e.Code_ == CodeLoginRequired || errors.Is(e, ErrSessionGone) ||
		e.status >= 400 && e.status != badGateway && e.status != gatewayTimeout
}

// clock bounds one call.
type clock struct {
	token string
	limit time.Duration
	fire  context.CancelCauseFunc

	mu       sync.Mutex
	timer    *time.Timer
	last     time.Time // of the start, then of the newest progress
	renewals int
}

// startClock ties a call to the caller, the connection and the timeout.
func (c *Conn) startClock(ctx context.Context, limit time.Duration) (context.Context, *clock) {
	ctx, fire := context.WithCancelCause(ctx)
	k := &clock{limit: limit, last: time.Now()}
	unlink := context.AfterFunc(c.life, func() { fire(context.Cause(c.life)) })
	k.fire = func(cause error) { unlink(); fire(cause) }
	c.mu.Lock()
	c.counter++
	k.token = fmt.Sprintf("call-%d", c.counter)
	c.clocks[k.token] = k
	c.mu.Unlock()
	k.mu.Lock()
	defer k.mu.Unlock()
	k.timer = time.AfterFunc(limit, k.expire)
	return ctx, k
}

func (c *Conn) stopClock(k *clock) {
	c.mu.Lock()
	delete(c.clocks, k.token)
	c.mu.Unlock()
	k.mu.Lock()
	k.timer.Stop()
	k.mu.Unlock()
	k.fire(nil)
}

// expire ends the call, unless there was progress since the time was last
// counted from; so all in all a call has eleven times its timeout.
func (k *clock) expire() {
	k.mu.Lock()
	defer k.mu.Unlock()
	left := k.limit - time.Since(k.last)
	if left > 0 && k.renewals < maxRenewals {
		k.renewals++
		k.timer.Reset(left)
		return
	}
	k.fire(errCallTimeout)
}

// progressed notes progress of a call in flight.
func (c *Conn) progressed(p *mcp.ProgressNotificationParams) {
	if p == nil {
		return
	}
	token, _ := p.ProgressToken.(string)
	c.mu.Lock()
	k := c.clocks[token]
	c.mu.Unlock()
	if k == nil {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.last = time.Now()
}
