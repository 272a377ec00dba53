package wire

import (
	"context"
	"encoding/json"
	"errors"
)

// Error is the error object of design §8.2: on stderr with --json, and as the
// data of a JSON-RPC error on the socket.
type Error struct {
	Word       Code            `json:"code"`
	Text       string          `json:"message"`
	Advice     string          `json:"hint,omitempty"`
	Path       string          `json:"path,omitempty"`
	Line       int             `json:"line,omitempty"`
	Column     int             `json:"column,omitempty"`
	Name       string          `json:"server,omitempty"`
	Exit       int             `json:"exit"`
	ServerCode int64           `json:"serverCode,omitempty"` // the code of the JSON-RPC error that the server answered with
	ServerData json.RawMessage `json:"serverData,omitempty"` // its data, up to 8 KiB, masked
	Own        bool            `json:"-"`                    // see OwnHeader
}

// Errorf-like constructor without formatting: a code, what failed, what to do.
func NewError(code Code, message, hint string) *Error {
	return &Error{Word: code, Text: message, Advice: hint, Exit: code.Exit()}
}

// On returns a copy that names the server concerned.
func (e *Error) On(server string) *Error {
	c := *e
	c.Name = server
	return &c
}

func (e *Error) Error() string { return e.Text }

// Code returns the code word.
func (e *Error) Code() string { return string(e.Word) }

// Hint returns what to do next, or "".
func (e *Error) Hint() string { return e.Advice }

// OwnHeader tells that a LOGIN_REQUIRED is about the Authorization header that the entry
// gives, so that no sign-in helps. It does not cross the socket.
func (e *Error) OwnHeader() bool { return e.Own }

// Location returns the file and place, as far as there is one.
func (e *Error) Location() (path string, line, column int) { return e.Path, e.Line, e.Column }

// Server returns the name of the server concerned, or "".
func (e *Error) Server() string { return e.Name }

// FromError turns any error into the error object. It reads the small
// interfaces Code, Hint, Location and Server through wrapping, and of the error
// itself Bare, the message without the place; an error without
// a code is FAILURE. A cancelled context is INTERRUPTED.
func FromError(err error) *Error {
	out := &Error{Word: Failure, Text: err.Error()}
	if placed, ok := err.(interface{ Bare() string }); ok {
		out.Text = placed.Bare() // the place has fields of its own
	}
	var coded interface{ Code() string }
	if errors.As(err, &coded) {
		out.Word = Code(coded.Code())
	} else if errors.Is(err, context.Canceled) {
		out.Word, out.Text = Interrupted, "interrupted"
	} else if errors.Is(err, context.DeadlineExceeded) {
		out.Word = Timeout
	}
	var hinted interface{ Hint() string }
	if errors.As(err, &hinted) {
		out.Advice = hinted.Hint()
	}
	var located interface{ Location() (string, int, int) }
	if errors.As(err, &located) {
		out.Path, out.Line, out.Column = located.Location()
	}
	var named interface{ Server() string }
	if errors.As(err, &named) {
		out.Name = named.Server()
	}
	var answered interface {
		ServerCode() int64
		ServerData() []byte
	}
	if errors.As(err, &answered) {
		out.ServerCode, out.ServerData = answered.ServerCode(), answered.ServerData()
	}
	var object *Error
	if errors.As(err, &object) {
		out.ServerCode, out.ServerData = object.ServerCode, object.ServerData
	}
	var own interface{ OwnHeader() bool }
	out.Own = errors.As(err, &own) && own.OwnHeader()
	out.Exit = out.Word.Exit()
	return out
}

// codeMethodNotFound is that of JSON-RPC 2.0 for a method that is not there, and
// codeOwn one that it leaves to those who use it; then the data say what happened.
const (
	codeMethodNotFound = -32601
	codeOwn            = -32000
)

// fromRPC reads the error object back from an answer of the supervisor.
func fromRPC(raw json.RawMessage) *Error {
	var rpc RPCError
	_ = json.Unmarshal(raw, &rpc) // what is none says nothing
	out := &Error{Word: Failure, Text: rpc.Message}
	if len(rpc.Data) > 0 {
		_ = json.Unmarshal(rpc.Data, out) // an answer without our data keeps the message
	}
	if rpc.Code == codeMethodNotFound {
		out.Word = SupervisorProtocol
		out.Advice = "the running supervisor is another version; restart it with: mcpctl supervisor restart"
	}
	out.Exit = out.Word.Exit()
	return out
}

// RPC returns the JSON-RPC form: code -32000 with the error object as data.
func (e *Error) RPC() *RPCError {
	data, _ := json.Marshal(e) // text and numbers
	return &RPCError{Code: codeOwn, Message: e.Text, Data: data}
}
