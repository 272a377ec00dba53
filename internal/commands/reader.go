package commands

import (
	"context"
	"errors"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// errNoReader is why the context of a command ended whose stdout nobody reads any
// more.
var errNoReader = errors.New("nobody reads stdout")

// whileRead does what writes to stdout for as long as somebody reads it, and ends
// it without an error when the reader is gone. A write would find that out, but
// there is none while nothing happens.
func (a *app) whileRead(ctx context.Context, do func(context.Context) error) error {
	ctx, end := context.WithCancelCause(ctx)
	defer end(nil)
	if out, ok := a.streams.Out.(*os.File); ok {
		go func() { // ends with ctx, pollSlice later at most
			if readerGone(ctx, out.Fd()) {
				end(errNoReader)
			}
		}()
	}
	err := do(ctx)
	if errors.Is(err, context.Canceled) && context.Cause(ctx) == errNoReader {
		return nil
	}
	return err
}

// pollSlice bounds one poll, so that it notices the end of the context. That a
// reader is gone it notices at once.
const pollSlice = time.Second

// readerGone waits until the other end of a pipe or socket is closed, or the
// context ends. A file has no reader that could go.
func readerGone(ctx context.Context, fd uintptr) bool {
	for ctx.Err() == nil {
		// No events are asked for: POLLERR and POLLHUP come unasked (poll(2)).
		fds := []unix.PollFd{{Fd: int32(fd)}}
		n, err := unix.Poll(fds, int(pollSlice.Milliseconds()))
		switch {
		case errors.Is(err, unix.EINTR) || err == nil && n == 0:
		case err != nil || fds[0].Revents&unix.POLLNVAL != 0:
			return false // a kind of file that cannot be polled
		default:
			return true
		}
	}
	return false
}
