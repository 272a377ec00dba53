package wire

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"reflect"
	"strconv"
	"sync"
)

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
	id     requestID
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
	if r.id == "" {
		return
	}
	if err == nil {
		if err = r.conn.lines.write(answer{r.id, result, "2.0"}); err == nil || r.conn.ended() {
			return
		}
		err = NewError(Failure, "the answer to '"+r.Method+"' cannot be sent: "+err.Error(), "")
	}
	r.refuse(FromError(err).RPC())
}

func (r Request) refuse(why *RPCError) {
	if r.id != "" {
		_ = r.conn.lines.write(failure{r.id, why, "2.0"}) // the peer may be gone
	}
}

// ID is the id of the request, as text that tells all ids of a connection apart; ""
// for a notification.
func (r Request) ID() string { return string(r.id) }

// What stands on a line.
type (
	request struct {
		ID      uint64 `json:"id"`
		JSONRPC string `json:"jsonrpc"`
		Method  string `json:"method"`
		Params  any    `json:"params,omitempty"`
	}
	notification struct {
		JSONRPC string `json:"jsonrpc"`
		Method  string `json:"method"`
		Params  any    `json:"params,omitempty"`
	}
	answer struct {
		ID      requestID `json:"id"`
		Result  any       `json:"result"`
		JSONRPC string    `json:"jsonrpc"`
	}
	failure struct {
		ID      requestID `json:"id"`
		Error   *RPCError `json:"error"`
		JSONRPC string    `json:"jsonrpc"`
	}
)

// Conn returns the connection the request came over, for notifications.
func (r Request) Conn() *Conn { return r.conn }

// UnknownMethod answers a method this side does not have.
func (r Request) UnknownMethod(context.Context) {
	out := NewError(SupervisorProtocol, "no method is called '"+r.Method+"'", "see: mcpctl help protocol").RPC()
	out.Code = codeMethodNotFound
	r.refuse(out)
}

// Conn is one end of the socket.
type Conn struct {
	lines *lines
	done  chan struct{} // closed when the connection has ended

	mu      sync.Mutex
	closed  bool
	next    uint64 // id of the next request
	pending map[uint64]chan message
}

// NewConn speaks over rwc until it closes. h gets the peer's requests; ctx of
// each ends with the connection.
func NewConn(ctx context.Context, rwc io.ReadWriteCloser, h Handler) *Conn {
	c := &Conn{lines: newLines(rwc), done: make(chan struct{}), pending: map[uint64]chan message{}}
	go c.serve(ctx, h) // ends with the connection
	return c
}

// serve takes what the peer sends. What is no message ends the connection.
func (c *Conn) serve(ctx context.Context, h Handler) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer c.Close()
	for {
		m, err := c.lines.read()
		if err == nil {
			err = c.take(ctx, h, m)
		}
		if err != nil {
			return
		}
	}
}

func (c *Conn) take(ctx context.Context, h Handler, m message) error {
	id, err := idOf(m.ID)
	if err != nil {
		return err
	}
	answers := len(m.Result) > 0 || len(m.Error) > 0 && string(m.Error) != "null"
	if answers == (m.Method != nil) {
		return errors.New("it is neither a request nor an answer, or both")
	}
	if answers {
		c.answered(id, m)
		return nil
	}
	r := Request{Method: *m.Method, Params: m.Params, id: id, conn: c}
	if m.fault != "" {
		r.Reply(ctx, nil, NewError(Usage, "a '"+r.Method+"' is no request: "+m.fault, "see: mcpctl help protocol"))
		return nil
	}
	h.Handle(ctx, r)
	return nil
}

// answered hands an answer to who waits for it.
func (c *Conn) answered(id requestID, m message) {
	n, err := strconv.ParseUint(string(id), 10, 64)
	if err != nil {
		return // no request of ours
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if waits := c.pending[n]; waits != nil {
		delete(c.pending, n)
		waits <- m // it has room for one
	}
}

// Close ends the connection; the peer's requests in flight are cancelled.
func (c *Conn) Close() error {
	c.mu.Lock()
	if c.closed {
		c.mu.Unlock()
		return nil
	}
	c.closed = true
	for _, waits := range c.pending {
		close(waits)
	}
	c.pending = nil
	close(c.done)
	c.mu.Unlock()
	return c.lines.rwc.Close()
}

// Done is closed when the connection has ended, from either side.
func (c *Conn) Done() <-chan struct{} { return c.done }

func (c *Conn) ended() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.closed
}

// errClosed says that a connection has ended.
var errClosed = errors.New("the connection is closed")

// Notify sends a notification.
func (c *Conn) Notify(_ context.Context, method string, params any) error {
	if c.ended() {
		return errClosed
	}
	return c.lines.write(notification{"2.0", method, params})
}

// Pending is a request that was sent and is not answered yet.
type Pending struct {
	method string
	answer <-chan message
	id     uint64
}

// Send sends a request without waiting, so that several can be under way at
// once; the peer gets them in order.
func (c *Conn) Send(_ context.Context, method string, params any) (Pending, error) {
	waits := make(chan message, 1)
	c.mu.Lock()
	if c.closed {
		c.mu.Unlock()
		return Pending{}, lost(errClosed)
	}
	id := c.next
	c.next++
	c.pending[id] = waits
	c.mu.Unlock()
	err := c.lines.write(request{id, "2.0", method, params})
	if err == nil {
		return Pending{method, waits, id}, nil
	}
	c.mu.Lock()
	delete(c.pending, id)
	c.mu.Unlock()
	if errors.Is(err, ErrTooLong) {
		return Pending{}, NewError(Usage, "the parameters of '"+method+"' are too long: "+err.Error(), "")
	}
	return Pending{}, lost(err)
}

// Cancel tells the peer that nobody waits for the answer any more. It is still
// answered, as all requests are.
func (c *Conn) Cancel(ctx context.Context, p Pending) error {
	return c.Notify(ctx, NotifyCancel, Cancel{ID: strconv.AppendUint(nil, p.id, 10)})
}

// Wait waits for the answer and reads it into result. Errors are *Error.
func (p Pending) Wait(ctx context.Context, result any) error {
	var m message
	var ok bool
	select {
	case m, ok = <-p.answer:
	case <-ctx.Done():
		return ctx.Err()
	}
	switch {
	case !ok:
		return lost(errClosed)
	case len(m.Result) == 0 || len(m.Error) > 0 && string(m.Error) != "null":
		return fromRPC(m.Error)
	case result == nil:
		return nil
	}
	if err := json.Unmarshal(m.Result, result); err != nil {
		return lost(err)
	}
	return nil
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
