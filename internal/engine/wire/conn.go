package wire

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"reflect"
	"strconv"
	"sync"
	"sync/atomic"

	"github.com/sourcegraph/jsonrpc2"
)

// MaxLine bounds one message on the socket: a tool's answer of 16 MiB, the most
// a server may send, and the envelope around it.
const MaxLine = 16<<20 + 64<<10

// ErrTooLong is returned for a message over MaxLine; the connection ends.
var ErrTooLong = errors.New("a message is longer than 16 MiB")

// Handler answers requests. Requests of one connection are handed over in the
// order they arrived; a handler that has to wait does so in its own goroutine
// and answers later through reply.
type Handler interface {
	Handle(ctx context.Context, req Request)
}

// Request is one request or notification of a peer.
type Request struct {
	Method string
	Params json.RawMessage
	notif  bool
	id     jsonrpc2.ID
	conn   *Conn
}

// Decode reads the parameters into v; an error is a USAGE error. A key that stands
// twice is one, and so is one that v does not know when the method changes something:
// a condition that is misspelt must not be ignored. Others may have such a key, for
// what a newer client asks.
func (r Request) Decode(v any) error {
	if len(r.Params) == 0 {
		return NewError(Usage, "'"+r.Method+"' needs parameters", "")
	}
	m, _ := MethodNamed(r.Method)
	err := check(r.Params, reflect.TypeOf(v), "", m.Edit)
	if err == nil {
		err = json.Unmarshal(r.Params, v)
	}
	if err != nil {
		return NewError(Usage, "the parameters of '"+r.Method+"' do not fit: "+unfit(err), "see: mcpctl help protocol")
	}
	return nil
}

// Reply answers the request with a result or, when err is set, with its error
// object. A notification gets none. The peer may be gone; that is not an error.
// A result that cannot be sent, because it is too long or no JSON, is answered
// with an error: the peer must not wait for ever.
func (r Request) Reply(ctx context.Context, result any, err error) {
	if r.notif {
		return
	}
	if err == nil {
		if err = r.conn.lines.WriteObject(response{r.id, result, "2.0"}); err == nil || errors.Is(err, jsonrpc2.ErrClosed) {
			return
		}
		err = NewError(Failure, "the answer to '"+r.Method+"' cannot be sent: "+err.Error(), "")
	}
	_ = r.conn.rpc.ReplyWithError(ctx, r.id, FromError(err).RPC())
}

// ID is the id of the request, as text that tells all ids of a connection apart; ""
// for a notification.
func (r Request) ID() string {
	if r.notif {
		return ""
	}
	return r.id.String()
}

// response is an answer as it stands on the line. The library would encode the result
// twice, which for a tool's answer of 16 MiB takes as much memory again.
type response struct {
	ID      jsonrpc2.ID `json:"id"`
	Result  any         `json:"result"`
	JSONRPC string      `json:"jsonrpc"`
}

// Conn returns the connection the request came over, for notifications.
func (r Request) Conn() *Conn { return r.conn }

// UnknownMethod answers a method this side does not have.
func (r Request) UnknownMethod(ctx context.Context) {
	if !r.notif {
		out := NewError(SupervisorProtocol, "no method is called '"+r.Method+"'", "see: mcpctl help protocol").RPC()
		out.Code = jsonrpc2.CodeMethodNotFound
		_ = r.conn.rpc.ReplyWithError(ctx, r.id, out)
	}
}

// Conn is one end of the socket.
type Conn struct {
	rpc   *jsonrpc2.Conn
	lines *lines
	next  atomic.Uint64 // id of the next request
}

// NewConn speaks over rwc until it closes. h gets the peer's requests; ctx of
// each ends with the connection.
func NewConn(ctx context.Context, rwc io.ReadWriteCloser, h Handler) *Conn {
	l := newLines(rwc)
	c := &Conn{lines: l}
	ready := make(chan struct{})
	handle := handlerFunc(func(ctx context.Context, req *jsonrpc2.Request) {
		<-ready
		// The library hands over one message before it reads the next.
		r := Request{Method: req.Method, Params: l.params, notif: req.Notif, id: req.ID, conn: c}
		if l.fault != "" {
			r.Reply(ctx, nil, NewError(Usage, "a '"+req.Method+"' is no request: "+l.fault, "see: mcpctl help protocol"))
			return
		}
		h.Handle(ctx, r)
	})
	c.rpc = jsonrpc2.NewConn(ctx, l, handle, jsonrpc2.SetLogger(log.New(io.Discard, "", 0)))
	close(ready)
	return c
}

type handlerFunc func(context.Context, *jsonrpc2.Request)

func (f handlerFunc) Handle(ctx context.Context, _ *jsonrpc2.Conn, req *jsonrpc2.Request) {
	f(ctx, req)
}

// Close ends the connection; the peer's requests in flight are cancelled.
func (c *Conn) Close() error { return c.rpc.Close() }

// Done is closed when the connection has ended, from either side.
func (c *Conn) Done() <-chan struct{} { return c.rpc.DisconnectNotify() }

// Notify sends a notification.
func (c *Conn) Notify(ctx context.Context, method string, params any) error {
	return c.rpc.Notify(ctx, method, params)
}

// Pending is a request that was sent and is not answered yet.
type Pending struct {
	method string
	waiter jsonrpc2.Waiter
	id     uint64
}

// Send sends a request without waiting, so that several can be under way at
// once; the peer gets them in order.
func (c *Conn) Send(ctx context.Context, method string, params any) (Pending, error) {
	id := c.next.Add(1) - 1
	w, err := c.rpc.DispatchCall(ctx, method, params, jsonrpc2.PickID(jsonrpc2.ID{Num: id}))
	if errors.Is(err, ErrTooLong) {
		return Pending{}, NewError(Usage, "the parameters of '"+method+"' are too long: "+err.Error(), "")
	}
	if err != nil {
		return Pending{}, lost(err)
	}
	return Pending{method, w, id}, nil
}

// Cancel tells the peer that nobody waits for the answer any more. It is still
// answered, as all requests are.
func (c *Conn) Cancel(ctx context.Context, p Pending) error {
	return c.Notify(ctx, NotifyCancel, Cancel{ID: strconv.AppendUint(nil, p.id, 10)})
}

// Wait waits for the answer and reads it into result. Errors are *Error.
func (p Pending) Wait(ctx context.Context, result any) error {
	err := p.waiter.Wait(ctx, result)
	if err == nil {
		return nil
	}
	var rpc *jsonrpc2.Error
	switch {
	case errors.As(err, &rpc):
		return fromRPC(rpc)
	case ctx.Err() != nil:
		return ctx.Err()
	}
	return lost(err)
}

// Call sends a request and waits for its answer.
func (c *Conn) Call(ctx context.Context, method string, params, result any) error {
	p, err := c.Send(ctx, method, params)
	if err != nil {
		return err
	}
	return p.Wait(ctx, result)
}

// ErrLost is in the chain of the error of a request whose connection ended
// before its answer came: nobody knows whether it was carried out.
var ErrLost = errors.New("the connection was lost")

type lostError struct{ object *Error }

func (e lostError) Error() string   { return e.object.Text }
func (e lostError) Unwrap() []error { return []error{e.object, ErrLost} }

func lost(err error) error {
	return lostError{NewError(SupervisorUnreachable, "the supervisor went away: "+err.Error(), "see: mcpctl logs")}
}

// lines is a stream of one JSON object per line, bounded.
type lines struct {
	rwc io.ReadWriteCloser
	in  *bufio.Reader
	mu  sync.Mutex // held while a line is written

	params json.RawMessage // of the request that was read last, as they came
	fault  string          // what is wrong with it as a message; "" for nothing
}

func newLines(rwc io.ReadWriteCloser) *lines {
	return &lines{rwc: rwc, in: bufio.NewReaderSize(rwc, 16<<10)}
}

// ReadObject reads the next line that is not blank.
func (l *lines) ReadObject(v any) error {
	for {
		line, err := readLine(l.in, MaxLine)
		if err != nil {
			return err
		}
		if line = bytes.TrimSpace(line); len(line) > 0 {
			return l.decode(line, v)
		}
	}
}

// decode reads a line into v, the library's message, but keeps the parameters of
// a request to itself: the library takes them apart and puts them together again,
// which sorts the members of a tool's arguments and needs many times their size.
func (l *lines) decode(line []byte, v any) error {
	var m struct {
		ID     json.RawMessage `json:"id,omitempty"`
		Method *string         `json:"method,omitempty"`
		Params json.RawMessage `json:"params,omitempty"`
		Result json.RawMessage `json:"result,omitempty"`
		Error  json.RawMessage `json:"error,omitempty"`
	}
	if err := json.Unmarshal(line, &m); err != nil {
		return err
	}
	l.params, m.Params = m.Params, nil
	if m.Method != nil {
		l.fault = envelopeFault(line, l.params)
	}
	if m.Method == nil {
		return json.Unmarshal(line, v)
	}
	short, err := json.Marshal(m)
	if err != nil {
		return err
	}
	return json.Unmarshal(short, v)
}

// WriteObject writes v and a newline in one write.
func (l *lines) WriteObject(v any) error {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return fmt.Errorf("cannot encode a message: %w", err)
	}
	line := plain(b.Bytes())
	if len(line) > MaxLine {
		return ErrTooLong
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	_, err := l.rwc.Write(line)
	return err
}

// plain undoes, in place, what encoding/json does to <, > and & for the sake of
// browsers: the JSON-RPC library asks for it, and a tool's answer would not be
// recognised any more. The JSON means the same.
func plain(b []byte) []byte {
	out := b[:0]
	for {
		i := bytes.IndexByte(b, '\\')
		if i < 0 || i+1 == len(b) {
			return append(out, b...)
		}
		out = append(out, b[:i]...)
		b = b[i:]
		n := 2 // an escape, as it is; also a backslash that is escaped itself
		switch {
		case bytes.HasPrefix(b, []byte(`\u003c`)):
			out, n = append(out, '<'), 6
		case bytes.HasPrefix(b, []byte(`\u003e`)):
			out, n = append(out, '>'), 6
		case bytes.HasPrefix(b, []byte(`\u0026`)):
			out, n = append(out, '&'), 6
		default:
			out = append(out, b[:2]...)
		}
		b = b[n:]
	}
}

// Close closes the connection below.
func (l *lines) Close() error { return l.rwc.Close() }

// readLine reads up to a newline, at most limit bytes; it does not allocate
// more than it has read.
func readLine(in *bufio.Reader, limit int) ([]byte, error) {
	var whole []byte
	for {
		part, err := in.ReadSlice('\n')
		if len(whole)+len(part) > limit {
			return nil, ErrTooLong
		}
		if err == nil && whole == nil {
			return part, nil
		}
		whole = append(whole, part...)
		if !errors.Is(err, bufio.ErrBufferFull) {
			return whole, err
		}
	}
}
