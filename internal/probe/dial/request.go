package dial

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"
)

// ask is one request to the server, and how its errors speak of it.
type ask struct {
	method  string
	late    string // as in "the tool 'x' gave no answer"
	doing   string // as in "calling 'x'"
	lost    string // as in "the call of 'x'"; "" for what may be asked again
	rounds  bool   // the server may answer with a question
	timeout time.Duration
	hide    json.RawMessage // given to the SDK in place of the result
	send    func(ctx context.Context, token string) error
}

// asking makes the ask of a method that changes nothing and may be repeated.
func (c *Conn) asking(method string, hide json.RawMessage, timeout time.Duration) ask {
	return ask{method: method, late: "no answer to " + method, doing: "asking for " + method, timeout: timeout, hide: hide}
}

// do sends a request, and again as long as the server answers that it wants
// something of the user first. It returns what the server answered, result or
// failure, or an error when there was no answer. A result out of the SDK's cache
// is an outcome without one.
func (c *Conn) do(ctx context.Context, a ask) (outcome, error) {
	bounded, clock := c.startClock(ctx, a)
	defer c.stopClock(clock)
	r := round{conn: c, clock: clock, ask: a}
	defer r.end()
	for {
		o, err := c.once(ctx, bounded, a, r.more, clock.token)
		if err != nil {
			return o, err
		}
		again, err := r.next(bounded, o)
		if err != nil && bounded.Err() != nil {
			err = c.brokenOff(ctx, bounded, a, nil)
		}
		if !again || err != nil {
			return o, err
		}
	}
}

// once sends a request one time. more are further members of its parameters.
func (c *Conn) once(ctx, bounded context.Context, a ask, more []byte, token string) (outcome, error) {
	x := newExchange(a.hide)
	x.more, x.token = more, token
	defer c.link.book().settle(x)
	err := a.send(x.with(bounded), token)
	o := x.outcome()
	switch {
	case o.answered, o.failure != nil, err == nil:
		return o, nil
	case bounded.Err() != nil:
		return o, c.brokenOff(ctx, bounded, a, x)
	}
	return o, c.lost(a, o, err)
}

// brokenOff is the error of a request that this side ended. It waits for the
// server to be told of x, which is nil when nothing is under way.
func (c *Conn) brokenOff(ctx, bounded context.Context, a ask, x *exchange) error {
	cause := context.Cause(bounded)
	if errors.Is(cause, errClosed) || within(c.link.done(), 0) {
		var o outcome
		if x != nil {
			o = x.outcome()
		}
		return c.lost(a, o, cause)
	}
	if x != nil && x.outcome().sent {
		within(x.cancelled, cancelWait)
	}
	if errors.Is(cause, errCallTimeout) {
		return c.voice.fail(CodeTimeout, a.late+" within "+span(a.timeout), timeoutHint)
	}
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return c.voice.fail(CodeTimeout, a.late+inTime(ctx), timeoutHint)
	}
	return fmt.Errorf("%s of '%s': %w", a.doing, c.voice.server, ctx.Err())
}

// lost is the error of a request that got no answer. Whether a call may have run
// depends on whether it went out.
func (c *Conn) lost(a ask, o outcome, err error) error {
	var known *Error
	mayHaveRun := o.sent && a.lost != ""
	switch {
	case errors.As(o.fault, &known):
		mayHaveRun = mayHaveRun && (o.accepted || !notRun(known)) // else it is the server's word on this very request
	case errors.As(err, &known):
	case c.life.Err() != nil && c.link.err() == nil: // else it had ended by itself before it was closed, and says why
		err = context.Cause(c.life)
	case c.ended():
		errors.As(c.link.err(), &known) // said of another request, if this one was sent
	}
	if known != nil && notRun(known) && !mayHaveRun {
		return known
	}
	reason := c.voice.quote(err.Error())
	if known != nil {
		reason = known.Message
	}
	if !mayHaveRun {
		return c.voice.fail(CodeConnectFailed, reason, "")
	}
	lost := c.voice.fail(CodeOutcomeUnknown, a.lost+" was lost, it may have run: "+reason,
		"find out whether it did before you call it again")
	if !errors.Is(err, ErrSessionGone) { // which would say that it did not run
		lost.Err = err
	}
	return lost
}

// object checks the result of an answer: a JSON object of a type we know. what is
// the request, as in "the call of 'x'".
func (c *Conn) object(o outcome, what string) (json.RawMessage, error) {
	if len(o.result) == 0 || o.result[0] != '{' {
		return nil, c.voice.fail(CodeConnectFailed, "the server answered "+what+" without a result", "")
	}
	if depth(o.result) > deepest {
		return nil, c.voice.fail(CodeConnectFailed, fmt.Sprintf("the answer to %s is nested more than %d levels deep", what, deepest), "")
	}
	switch kind := resultType(o.result); kind {
	case "", complete:
		return o.result, nil
	default:
		return nil, c.voice.fail(CodeConnectFailed, "the server answered with a result of the unknown type '"+c.voice.quote(kind)+"'", "")
	}
}

// The types of results (2026-07-28).
const (
	complete      = "complete"
	inputRequired = "input_required"
)

// resultType reads the type of a result; "" when it names none.
func resultType(result json.RawMessage) string {
	if !bytes.Contains(result, []byte(`"resultType"`)) {
		return ""
	}
	var head struct {
		ResultType string `json:"resultType"`
	}
	_ = json.Unmarshal(result, &head) // what is no object has no type
	return head.ResultType
}
