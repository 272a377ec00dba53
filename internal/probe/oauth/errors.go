package oauth

import (
	"context"
	"errors"
	"strings"
	"unicode/utf8"

	"github.com/mcpctl/mcpctl/internal/store/redact"
)

// The codes this room returns (design §8.3).
const (
	CodeLoginRequired   = "LOGIN_REQUIRED"
	CodeLoginInProgress = "LOGIN_IN_PROGRESS"
	CodeLoginCancelled  = "LOGIN_CANCELLED"
	CodeLoginFailed     = "LOGIN_FAILED"
	CodeConnectFailed   = "CONNECT_FAILED"
	CodeNotFound        = "MCP_NOT_FOUND"
	CodeIO              = "MCP_IO"
)

// Error is a failure of a sign-in, a refresh or the credential store: what failed,
// on what, and what to do next.
type Error struct {
	Code_   string
	Message string
	Hint_   string
	Server_ string
	Scope   string // of a LOGIN_REQUIRED: the scopes the server asks for; "" when it does not say
	Err     error
}

func (e *Error) Error() string { return e.Message }

func (e *Error) Unwrap() error { return e.Err }

// Code returns the code word of design §8.3.
func (e *Error) Code() string { return e.Code_ }

// Hint returns what to do next, or "".
func (e *Error) Hint() string { return e.Hint_ }

// Server returns the name of the server concerned, or "".
func (e *Error) Server() string { return e.Server_ }

func (t Target) fail(code, message, hint string) *Error {
	return &Error{Code_: code, Message: message, Hint_: hint, Server_: t.server}
}

// failed is LOGIN_FAILED.
func (t Target) failed(message, hint string) *Error { return t.fail(CodeLoginFailed, message, hint) }

// required is LOGIN_REQUIRED.
func (t Target) required(message string) *Error {
	return t.fail(CodeLoginRequired, message, "sign in with: mcpctl login "+redact.ShellWord(t.server))
}

// cancelled is the error of a sign-in whose context has ended.
func (t Target) cancelled(ctx context.Context) error {
	message := "the sign-in was cancelled"
	if errors.Is(context.Cause(ctx), errTooLong) || errors.Is(ctx.Err(), context.DeadlineExceeded) {
		message = "the sign-in took too long and was cancelled"
	}
	e := t.fail(CodeLoginCancelled, message, "begin again with: mcpctl login "+redact.ShellWord(t.server))
	e.Err = ctx.Err()
	return e
}

var errTooLong = errors.New("the time of the sign-in is over")

// ErrNoMetadata is wrapped by the error of a sign-in to a server that says nothing about
// how to sign in: perhaps there is none.
var ErrNoMetadata = errors.New("no metadata")

// isCode tells whether err has a code.
func isCode(err error, code string) bool {
	var coded interface{ Code() string }
	return errors.As(err, &coded) && coded.Code() == code
}

// maxQuoted bounds what is shown of a text that a server sent, in bytes.
const maxQuoted = 300

// quote makes a text of a server fit for one line of a message: masked, its control
// characters visible, short.
func (t Target) quote(text string) string {
	text = redact.Line(t.mask.Text(strings.TrimSpace(text)))
	if len(text) <= maxQuoted {
		return text
	}
	n := maxQuoted
	for n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	return text[:n] + " …"
}

// shown is a URL fit for a message.
func (t Target) shown(raw string) string { return t.quote(t.mask.URL(raw)) }
