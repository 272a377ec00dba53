package supervisor

import (
	"context"
	"errors"
	"fmt"

	"github.com/mcpctl/mcpctl/internal/engine/wire"
)

// link is one connection to the supervisor and what was sent over it without
// waiting: hello, and sessions to open.
type link struct {
	conn     *wire.Conn
	pid      int    // of the supervisor, or of the service manager that listens for it, from the kernel
	lock     string // the path of the supervisor's lock
	protocol wire.ProtocolRange

	// turn holds one token, for whoever reads the answers below: each comes once
	// and several goroutines may ask.
	turn  chan struct{}
	hello *awaited
	opens []*awaited // not read yet; an error is told to who reads it, once
}

// awaited is an answer that may not have been read yet.
type awaited struct {
	pending wire.Pending
	result  any
	done    bool
	err     error
}

// errUnanswered means that the connection ended before hello was answered. The
// supervisor answers in order, so it has done nothing of what was sent along, and
// all of it may be sent again.
var errUnanswered = errors.New("hello was not answered")

// errClosed is what a request gets whose connection was closed on this side.
var errClosed = lost{wire.NewError(wire.SupervisorUnreachable, "the connection to the supervisor was closed", ""), wire.ErrLost}

// lost is the end of a connection, with words for the user.
type lost struct {
	object *wire.Error
	why    error
}

func (l lost) Error() string   { return l.object.Text }
func (l lost) Unwrap() []error { return []error{l.object, l.why} }

// newLink speaks over a connection and says hello.
func newLink(ctx context.Context, conn *wire.Conn, pid int, lock string, o DialOptions) *link {
	l := &link{conn: conn, pid: pid, lock: lock, protocol: o.protocol(), turn: make(chan struct{}, 1)}
	l.hello = l.send(ctx, wire.MethodHello, o.hello(), &wire.HelloResult{})
	return l
}

// send sends a request whose answer is read later. A connection that is lost
// already shows when it is.
func (l *link) send(ctx context.Context, method string, params, result any) *awaited {
	p, err := l.conn.Send(ctx, method, params)
	return &awaited{pending: p, result: result, done: err != nil, err: err}
}

// process is the supervisor's own number: what it says, once it has answered.
func (l *link) process(ctx context.Context) int {
	select {
	case l.turn <- struct{}{}:
		defer func() { <-l.turn }()
	case <-ctx.Done():
		return l.pid
	}
	if hello := l.hello.result.(*wire.HelloResult); l.hello.done && l.hello.err == nil && hello.PID > 0 {
		return hello.PID
	}
	return l.pid
}

// answered waits for hello and for the sessions that were asked for, and returns
// the first error.
func (l *link) answered(ctx context.Context) error {
	select {
	case l.turn <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { <-l.turn }()
	if err := l.helloAnswered(ctx); err != nil {
		return err
	}
	for len(l.opens) > 0 {
		a := l.opens[0]
		if err := a.wait(ctx); err != nil && ctx.Err() != nil {
			return err // it is still to be read
		}
		l.opens = l.opens[1:]
		if a.err != nil {
			return a.err
		}
	}
	return nil
}

// helloAnswered waits for hello, at most helloTimeout. held: turn.
func (l *link) helloAnswered(ctx context.Context) error {
	err := l.hello.err
	if !l.hello.done {
		bounded, cancel := context.WithTimeout(ctx, helloTimeout)
		defer cancel()
		err = l.hello.wait(bounded)
	}
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, context.DeadlineExceeded):
		// The kernel's word, l.pid, may be the service manager's, which is not to be killed.
		if !isLocked(l.lock) {
			return wire.NewError(wire.SupervisorUnreachable, fmt.Sprintf("process %d listens at the supervisor's socket and does not answer, and no supervisor holds the lock", l.pid),
				fmt.Sprintf("see which program it is: ps -p %d", l.pid))
		}
		return wire.NewError(wire.SupervisorUnreachable, "the supervisor does not answer",
			"if it stays so, end the process that holds its lock, and nothing else: fuser "+l.lock)
	case errors.Is(err, wire.ErrLost):
		return lost{wire.NewError(wire.SupervisorUnreachable, "the supervisor closed the connection without an answer",
			"it refuses programs that its own servers started; see: mcpctl logs"), errUnanswered}
	case err != nil:
		return err
	}
	if v := l.hello.result.(*wire.HelloResult).Protocol; v < l.protocol.Min || v > l.protocol.Max {
		return wire.NewError(wire.SupervisorProtocol, fmt.Sprintf("the supervisor chose protocol %d, which this program does not speak", v),
			"restart it with: mcpctl supervisor restart")
	}
	return nil
}

// wait reads the answer once; an end of ctx leaves it to be read.
func (a *awaited) wait(ctx context.Context) error {
	if a.done {
		return a.err
	}
	err := a.pending.Wait(ctx, a.result)
	if err != nil && ctx.Err() != nil {
		return ctx.Err()
	}
	a.done, a.err = true, err
	return err
}
