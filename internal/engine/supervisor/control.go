package supervisor

import (
	"context"
	"errors"
	"math"
	"os"

	"github.com/mcpctl/mcpctl/internal/engine/wire"
	"github.com/mcpctl/mcpctl/internal/store"
)

// Status describes the running supervisor; with Running false and no error when
// nobody listens at the socket. It starts none and creates nothing.
// Source: design §5.3, §9.1.
func Status(ctx context.Context, p store.Places) (wire.Info, error) {
	info, err := look(ctx, p)
	if errors.Is(err, errUnanswered) {
		// It was dying: the system still took the connection. Now it is dead, or it
		// refuses us and will again.
		info, err = look(ctx, p)
	}
	if errors.Is(err, errNobody) {
		return wire.Info{Schema: wire.Schema, Sessions: []wire.SessionInfo{}}, nil
	}
	return info, err
}

func look(ctx context.Context, p store.Places) (info wire.Info, err error) {
	c, err := dialAnyVersion(ctx, p)
	if err != nil {
		return info, err
	}
	defer c.Close()
	err = c.Call(ctx, wire.MethodInfo, nil, &info)
	return info, err
}

// Stop ends the running supervisor and waits, at most fifteen seconds, until its
// servers, its socket and the process are gone; found is false when there was
// none. It asks through the socket: there is no pid file that could name somebody
// else's process. Source: design §9.1.
func Stop(ctx context.Context, p store.Places) (found bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, stopTimeout)
	defer cancel()
	c, err := dialAnyVersion(ctx, p)
	if errors.Is(err, errNobody) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	defer c.Close()
	// An end of the connection instead of an answer is what we want, too: it was
	// stopping already. One that stops listens no more; one that refuses us does.
	err = c.Call(ctx, wire.MethodShutdown, nil, nil)
	if errors.Is(err, errUnanswered) {
		err = shutdownAgain(ctx, p)
	}
	if err != nil && !errors.Is(err, wire.ErrLost) {
		return true, stopFailure(ctx, err)
	}
	select {
	case <-c.Done(): // the very last thing a supervisor does
	case <-ctx.Done():
		return true, stopFailure(ctx, ctx.Err())
	}
	if pid := c.current().process(ctx); pid != os.Getpid() && !waitExit(ctx, pid) {
		return true, stopFailure(ctx, ctx.Err())
	}
	return true, nil
}

// shutdownAgain asks a supervisor that has not answered once more; nil when none
// listens any more.
func shutdownAgain(ctx context.Context, p store.Places) error {
	c, err := dialAnyVersion(ctx, p)
	if errors.Is(err, errNobody) {
		return nil
	}
	if err != nil {
		return err
	}
	defer c.Close()
	if err := c.Call(ctx, wire.MethodShutdown, nil, nil); errors.Is(err, errUnanswered) {
		return wire.FromError(err) // it is not on its way out
	}
	return nil
}

func stopFailure(ctx context.Context, err error) error {
	if errors.Is(context.Cause(ctx), context.DeadlineExceeded) {
		return wire.NewError(wire.Timeout, "the supervisor did not stop within "+stopTimeout.String(), "see: mcpctl logs")
	}
	return err
}

// dialAnyVersion connects to a supervisor of any protocol version: hello, info
// and shutdown mean the same in all of them, so that an older or newer one can be
// seen and stopped. errNobody when there is none.
func dialAnyVersion(ctx context.Context, p store.Places) (*Client, error) {
	dir, socket, err := SocketPath(p)
	if err != nil {
		return nil, err
	}
	c := &Client{o: DialOptions{Places: p, anyVersion: true}, dir: dir, socket: socket, watches: map[string]*mailbox{}}
	return c, c.connect(ctx)
}

// everyVersion is offered by dialAnyVersion.
var everyVersion = wire.ProtocolRange{Min: 1, Max: math.MaxInt32}
