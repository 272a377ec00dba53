package dial

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/mcpctl/mcpctl/internal/store/redact"
)

// The codes this room returns, beside those of store (design §8.3).
const (
	CodeConnectFailed  = "CONNECT_FAILED"
	CodeTimeout        = "TIMEOUT"
	CodeLoginRequired  = "LOGIN_REQUIRED"
	CodeToolError      = "TOOL_ERROR"
	CodeOutcomeUnknown = "CALL_OUTCOME_UNKNOWN"
)

// ErrSessionGone is wrapped by the error of a request that an HTTP server
// refused because it has forgotten the session. The server did not run it, so
// it is the one call that may be sent again, once, over a new connection
// (design §9.2).
var ErrSessionGone = errors.New("the server has forgotten the session")

// errClosed ends what is in flight when the connection is closed from this side.
var errClosed = errors.New("the connection was closed")

// Error is a failure to reach or to speak to one server. Message is whole and
// safe to show: masked and without control characters (design §14).
type Error struct {
	Code_      string
	Message    string
	Hint_      string
	Server_    string
	Challenge  string        // the WWW-Authenticate header of a 401, for the sign-in; "" when there is none
	RetryAfter time.Duration // what an HTTP server asked for; 0 when it did not
	Own        bool          // of a LOGIN_REQUIRED: it is the entry's own Authorization header that was refused
	Err        error         // for errors.Is; Message says all of it that matters
	status     int           // the HTTP status behind it; 0 for none
	rpc        int64         // the code of the JSON-RPC error behind it; 0 for none
	data       []byte        // and its data, masked, as far as that is JSON
}

func (e *Error) Error() string { return e.Message }

func (e *Error) Unwrap() error { return e.Err }

// Code returns the code word of design §8.3.
func (e *Error) Code() string { return e.Code_ }

// Hint returns what to do next, or "".
func (e *Error) Hint() string { return e.Hint_ }

// OwnHeader tells that no sign-in helps: the entry's own Authorization header was refused.
func (e *Error) OwnHeader() bool { return e.Own }

// ServerCode returns the code of the JSON-RPC error that the server answered with; 0 for none.
func (e *Error) ServerCode() int64 { return e.rpc }

// ServerData returns the data of that error, JSON; nil for none.
func (e *Error) ServerData() []byte { return e.data }

// maxData bounds the data of a server's error that are passed on, in bytes.
const maxData = 8 << 10

// answered keeps with an error what the server's own says to a program.
func (v *voice) answered(e *Error, o outcome) *Error {
	e.rpc = o.failure.Code
	if masked := []byte(v.hiding().Text(string(o.failure.Data))); len(masked) <= maxData && json.Valid(masked) {
		e.data = masked
	}
	return e
}

// Server returns the name of the server concerned.
func (e *Error) Server() string { return e.Server_ }

// voice makes the errors and events of one server: it knows its name and which
// values must not be seen.
type voice struct {
	server string
	mask   *redact.Mask
	log    func(Event)

	badText sync.Once // it is told that a message is no UTF-8

	mu    sync.Mutex
	later *redact.Mask // with the values that came since; nil: none did
	since []string     // the last of them
}

// maxSince is how many tokens and secrets a connection remembers: a server echoes the one
// it got, and hardly ever one of before.
const maxSince = 24

// hide makes values invisible from here on: tokens, which change while the
// connection lives.
func (v *voice) hide(values ...string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	for _, value := range values {
		if value != "" && !slices.Contains(v.since, value) {
			v.since = append(v.since, value)
		}
	}
	if more := len(v.since) - maxSince; more > 0 {
		v.since = slices.Clone(v.since[more:])
	}
	v.later = v.mask.With(v.since...)
}

// hiding is the mask of all that is to be hidden now.
func (v *voice) hiding() *redact.Mask {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.later != nil {
		return v.later
	}
	return v.mask
}

// fail makes an error. message is safe to show already.
func (v *voice) fail(code, message, hint string) *Error {
	return &Error{Code_: code, Message: message, Hint_: hint, Server_: v.server}
}

// maxQuoted bounds what is shown of a text that a server sent, in bytes.
const maxQuoted = 600

// quote makes the text of a server fit for one line of a message.
func (v *voice) quote(text string) string {
	return redact.Line(cut(strings.TrimSpace(v.hiding().Text(text)), maxQuoted))
}

// event reports what a server said beside the protocol, and returns the text as
// it was reported: masked here, where it is born; whoever shows it escapes it.
func (v *voice) event(level, logger, text string) string {
	text = v.hiding().Text(text)
	if v.log != nil {
		v.log(Event{Level: level, Logger: logger, Text: text})
	}
	return text
}

// cut shortens s to at most n bytes, at a character boundary.
func cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n] + " …"
}

// span writes a duration the way an entry does: 60s, not 1m0s.
func span(d time.Duration) string {
	if d >= time.Second && d%time.Second == 0 {
		return fmt.Sprintf("%ds", int(d/time.Second))
	}
	return d.String()
}

// Limit is a limit on the whole of what a caller does. As the cause of a context's
// end it lets the error name it.
type Limit time.Duration

func (l Limit) Error() string { return "no answer within " + span(time.Duration(l)) }

// inTime says which limit a context has run into, if that is known.
func inTime(ctx context.Context) string {
	var limit Limit
	if errors.As(context.Cause(ctx), &limit) {
		return " within " + span(time.Duration(limit))
	}
	return " in time"
}

// timeoutHint names the field that bounds a request.
const timeoutHint = "if it needs longer, set 'timeout' in its entry"
