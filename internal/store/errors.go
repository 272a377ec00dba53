package store

import (
	"errors"
	"fmt"
	"io/fs"
	"syscall"
)

// The codes this room returns. Their exit numbers are in the one table of
// engine/wire (design §8.3).
const (
	CodeInvalid       = "MCP_CONFIG_INVALID"
	CodeConflict      = "MCP_CONFIG_CONFLICT"
	CodePathUnsafe    = "MCP_PATH_UNSAFE"
	CodeNotFound      = "MCP_NOT_FOUND"
	CodeNameTaken     = "MCP_NAME_TAKEN"
	CodeNotApproved   = "MCP_NOT_APPROVED"
	CodeIO            = "MCP_IO"
	CodeSecretRefused = "MCP_SECRET_REFUSED"
	CodeElsewhere     = "MCP_HANDLED_ELSEWHERE"
	CodeUsage         = "USAGE"
)

// Error is a failure of the configuration: what failed, on what, and what to do
// next. Line and Column are 1-based, 0 when there is none.
type Error struct {
	Code_        string
	Message      string
	Hint_        string
	Path         string
	Line, Column int
	Server_      string
	Err          error
}

func (e *Error) Error() string {
	msg := e.Message
	if e.Err != nil {
		msg += ": " + reason(e.Err)
	}
	if e.Path == "" {
		return msg
	}
	if e.Line > 0 {
		return fmt.Sprintf("%s:%d:%d: %s", e.Path, e.Line, e.Column, msg)
	}
	return fmt.Sprintf("%s: %s", e.Path, msg)
}

func (e *Error) Unwrap() error { return e.Err }

// Code returns the code word of design §8.3.
func (e *Error) Code() string { return e.Code_ }

// Hint returns what to do next, or "".
func (e *Error) Hint() string { return e.Hint_ }

// Location returns the file and the place in it.
func (e *Error) Location() (path string, line, column int) { return e.Path, e.Line, e.Column }

// Server returns the name of the server concerned, or "".
func (e *Error) Server() string { return e.Server_ }

// Bare returns the message without the place, for callers that print the place
// themselves.
func (e *Error) Bare() string {
	if e.Err != nil {
		return e.Message + ": " + reason(e.Err)
	}
	return e.Message
}

func ioError(doing, path string, err error) error {
	return &Error{Code_: CodeIO, Path: path, Message: "cannot " + doing, Err: err}
}

// reason drops the path that os errors repeat: the message already names it.
func reason(err error) string {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return pe.Err.Error()
	}
	var errno syscall.Errno
	if errors.As(err, &errno) {
		return errno.Error()
	}
	return err.Error()
}

// Problem is something wrong in a file that does not stop the rest from being
// used (design §8.2).
type Problem struct {
	Rule         string // its ID, see Rules; "" for what is told of an edit alone
	Code         string
	Severity     string // "error" or "warning"
	Source       string
	Line, Column int
	Server       string // "" when it concerns the whole file
	Message      string
	Hint         string

	setting string // in a file of settings: the one it concerns; "" for all
	field   string // that it concerns, as in "env.KEY"
	fix     *mend  // nil: only a person can mend it
}

// Severities of a Problem.
const (
	SeverityError   = "error"
	SeverityWarning = "warning"
)
