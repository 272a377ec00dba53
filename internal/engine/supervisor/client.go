package supervisor

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"path/filepath"
	"sync"

	"github.com/mcpctl/mcpctl/internal/engine/wire"
)

// Client is a connection to the supervisor. It may be used from several
// goroutines. What it opened, called and watches ends with it.
type Client struct {
	o           DialOptions
	dir, socket string
	ears        ears

	reaching sync.Mutex // held while connecting again; taken before mu

	mu      sync.Mutex // guards what follows
	now     *link
	closed  bool
	opens   []wire.SessionOpen // sent by SendOpen; sent again over a new connection
	watches map[string]*mailbox
	alias   string // the id of the session that "default" means; "" for default
}

// connect links to the supervisor that listens, and sends again what went
// unanswered over the link before.
func (c *Client) connect(ctx context.Context) error {
	// Where a service manager holds the socket, to connect is to start one.
	if !c.o.Start && !isLocked(filepath.Join(c.dir, instanceName)) {
		if err := checkSocket(c.socket); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err // what is in the way is told all the same
		}
		return errNobody
	}
	raw, p, err := connect(ctx, c.dir, c.socket)
	if err != nil {
		return err
	}
	conn := wire.NewConn(context.WithoutCancel(ctx), raw, c)
	l := newLink(ctx, conn, p.pid, filepath.Join(c.dir, instanceName), c.o)
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, open := range c.opens {
		l.opens = append(l.opens, l.send(ctx, wire.MethodSessionOpen, open, &wire.SessionOpened{}))
	}
	c.now = l
	if c.closed { // meanwhile
		conn.Close()
	}
	return nil
}

func (o DialOptions) hello() wire.Hello {
	name := o.Name
	if name == "" {
		name = "mcpctl"
	}
	return wire.Hello{Client: wire.Peer{Name: name, Version: o.Version}, Protocol: o.protocol()}
}

func (o DialOptions) protocol() wire.ProtocolRange {
	if o.anyVersion {
		return everyVersion
	}
	return wire.ProtocolRange{Min: wire.ProtocolMin, Max: wire.ProtocolMax}
}

func (c *Client) current() *link {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

// Close ends the connection, and with it what the supervisor does for it.
func (c *Client) Close() error {
	c.mu.Lock()
	c.closed = true
	l := c.now
	c.mu.Unlock()
	if l == nil {
		return nil
	}
	return l.conn.Close()
}

func (c *Client) isClosed() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.closed
}

// Done is closed when the connection has ended, from either side.
func (c *Client) Done() <-chan struct{} { return c.current().conn.Done() }

// Hello waits for the supervisor's hello, at most ten seconds.
// SUPERVISOR_PROTOCOL when there is no common protocol version,
// SUPERVISOR_UNREACHABLE when it does not answer.
func (c *Client) Hello(ctx context.Context) (wire.HelloResult, error) {
	l, err := c.answered(ctx)
	if err != nil {
		return wire.HelloResult{}, err
	}
	return *l.hello.result.(*wire.HelloResult), nil
}

// answered waits until what was sent without waiting is answered. A supervisor
// that was leaving when we connected has done nothing: then, with o.Start, it is
// all sent to the next one.
func (c *Client) answered(ctx context.Context) (*link, error) {
	l := c.current()
	err := l.answered(ctx)
	if errors.Is(err, errUnanswered) && c.isClosed() {
		return l, errClosed // the answer may have come and not been read
	}
	for attempt := 0; leaving(err) && !c.isClosed() && c.o.Start && attempt < startAttempts; attempt++ {
		if err := c.reachAgain(ctx, l); err != nil {
			return nil, err
		}
		l = c.current()
		err = l.answered(ctx)
	}
	if err == nil {
		c.mu.Lock()
		if n := len(c.opens); n > 1 {
			c.opens = c.opens[n-1:] // another connection needs what "default" means now
		}
		c.mu.Unlock()
	}
	return l, err
}

// leaving tells whether an error of hello or of opening a session says that the
// supervisor was on its way out: it had read nothing of what was sent behind them,
// since it answers in order.
func leaving(err error) bool {
	return errors.Is(err, errUnanswered) || errors.Is(err, wire.ErrLost) || refused(err)
}

// refused: the supervisor answered that it is stopping, and did nothing.
func refused(err error) bool {
	var e *wire.Error
	return errors.As(err, &e) && e.Text == stoppingText
}

// reachAgain replaces a link, unless another goroutine has done so already.
func (c *Client) reachAgain(ctx context.Context, old *link) error {
	c.reaching.Lock()
	defer c.reaching.Unlock()
	if c.current() != old {
		return nil
	}
	old.conn.Close()
	return c.reach(ctx)
}

// Open opens a session and waits for its answer.
func (c *Client) Open(ctx context.Context, open wire.SessionOpen) (wire.SessionOpened, error) {
	var opened wire.SessionOpened
	err := c.Call(ctx, wire.MethodSessionOpen, open, &opened)
	return opened, err
}

// SendOpen asks for a default session without waiting: the requests that follow
// travel with it, naming the session by wire.DefaultSession. Its error, if any, is
// returned by the next Call. So a command costs one round trip.
func (c *Client) SendOpen(ctx context.Context, open wire.SessionOpen) error {
	if open.ID != wire.DefaultSession && !open.AsDefault {
		return wire.NewError(wire.Usage, "only the session '"+wire.DefaultSession+"' can be used before it is answered", "")
	}
	c.mu.Lock()
	l := c.now
	c.opens = append(c.opens, open)
	if open.AsDefault {
		c.alias = open.ID
	}
	c.mu.Unlock()
	select {
	case l.turn <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { <-l.turn }()
	l.opens = append(l.opens, l.send(ctx, wire.MethodSessionOpen, open, &wire.SessionOpened{}))
	return nil
}

// Call sends a request and waits for its answer, which it reads into result.
// Errors have the codes of design §8.3; for a tool call whose connection was lost
// it is CALL_OUTCOME_UNKNOWN, because it may have run. When ctx ends first, the
// supervisor is told to end the request.
func (c *Client) Call(ctx context.Context, method string, params, result any) error {
	l := c.current()
	p, sendErr := l.conn.Send(ctx, method, params)
	after, err := c.answered(ctx)
	if err != nil {
		return outcome(method, err)
	}
	if after != l { // what was sent over the link before was never read
		p, sendErr = after.conn.Send(ctx, method, params)
	}
	if err = sendErr; err == nil {
		err = wait(ctx, after, p, result)
	}
	for attempt := 0; c.o.Start && !c.isClosed() && attempt < startAttempts; attempt++ {
		// It was not sent, not done, or does no harm a second time.
		if sendErr == nil && !refused(err) && !(errors.Is(err, wire.ErrLost) && wire.Repeatable(method)) {
			break
		}
		if err := c.reachAgain(ctx, after); err != nil {
			return err
		}
		if after, err = c.answered(ctx); err != nil {
			return outcome(method, err)
		}
		if p, sendErr = after.conn.Send(ctx, method, params); sendErr != nil {
			err = sendErr
			continue
		}
		err = wait(ctx, after, p, result)
	}
	return outcome(method, err)
}

// wait waits for an answer, and lets the request be ended when nobody does any more.
func wait(ctx context.Context, l *link, p wire.Pending, result any) error {
	err := p.Wait(ctx, result)
	if err != nil && ctx.Err() != nil {
		_ = l.conn.Cancel(context.WithoutCancel(ctx), p) // the connection may be gone, and then it has ended
	}
	return err
}

// outcome says of a tool call whose connection was lost what follows from that.
func outcome(method string, err error) error {
	if errors.Is(err, wire.ErrLost) && method == wire.MethodCallTool {
		return wire.NewError(wire.CallOutcomeUnknown, "the connection to the supervisor was lost during the call; the tool may have run", "see: mcpctl logs")
	}
	return err
}

// CallTool calls a tool once.
func (c *Client) CallTool(ctx context.Context, call wire.CallTool) (wire.CallResult, error) {
	var result wire.CallResult
	err := c.Call(ctx, wire.MethodCallTool, call, &result)
	return result, err
}

// Watch calls f with the present status of a session and with every newer one
// that f is fast enough for, until f returns an error, ctx ends, or the connection
// does (SUPERVISOR_UNREACHABLE). One watch of a session at a time.
func (c *Client) Watch(ctx context.Context, session string, f func(wire.Status) error) error {
	box := &mailbox{told: make(chan struct{}, 1)}
	c.mu.Lock()
	if c.watches[session] != nil {
		c.mu.Unlock()
		return wire.NewError(wire.Usage, "the session '"+session+"' is being watched over this connection already", "")
	}
	c.watches[session] = box
	c.mu.Unlock()
	defer func() {
		c.mu.Lock()
		delete(c.watches, session)
		c.mu.Unlock()
	}()
	var st wire.Status
	if err := c.Call(ctx, wire.MethodWatch, wire.InSession{Session: session}, &st); err != nil {
		return err
	}
	done := c.Done()
	for {
		if err := f(st); err != nil {
			return err
		}
		if st.Ended {
			return wire.NewError(wire.NotFound, "the session was closed", "")
		}
		for last := st.Generation; st.Generation <= last; {
			select {
			case <-box.told:
				st = box.take()
			case <-done:
				return wire.NewError(wire.SupervisorUnreachable, "the supervisor went away", "see: mcpctl logs")
			case <-ctx.Done():
				return ctx.Err()
			}
		}
	}
}

// Handle takes the supervisor's notifications; it is called by the connection.
func (c *Client) Handle(ctx context.Context, req wire.Request) {
	if c.o.Notified != nil {
		c.o.Notified(req.Method, req.Params)
	}
	switch req.Method {
	case wire.NotifyProgress:
		c.progressed(req.Params)
		return
	case wire.NotifyElicit:
		c.asked(ctx, req.Conn(), req.Params)
		return
	}
	var st wire.Status
	if req.Method != wire.NotifyStatus || json.Unmarshal(req.Params, &st) != nil {
		req.UnknownMethod(ctx)
		return
	}
	c.mu.Lock()
	name := st.Session
	if name == c.alias {
		name = wire.DefaultSession // as it was asked for
	}
	box := c.watches[name]
	c.mu.Unlock()
	if box != nil {
		box.put(st)
	}
}

// mailbox holds the newest status that was not taken yet, so that a slow watcher
// neither holds up the connection nor gets a queue.
type mailbox struct {
	told chan struct{}
	mu   sync.Mutex
	st   wire.Status
}

func (b *mailbox) put(st wire.Status) {
	b.mu.Lock()
	b.st = st
	b.mu.Unlock()
	select {
	case b.told <- struct{}{}:
	default: // told already; what is taken then is this one
	}
}

func (b *mailbox) take() wire.Status {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.st
}
