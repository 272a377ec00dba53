// Package supervisor finds, starts, guards and stops the one background process
// of this user that holds all engines, and answers its methods (design §9.1).
// Only here: where the socket is, how the process is detached, and the lock that
// makes it the only one.
//
// Two kernel locks lie beside the socket, in a directory that is ours alone:
//
//   - the instance lock is held by the supervisor as long as it lives;
//   - the starting lock is held by a process that is about to become the
//     supervisor, from before it looks for one until it listens; and by a
//     supervisor that is about to leave because it is idle.
//
// Who holds the starting lock and finds nobody at the socket therefore knows
// that the holder of the instance lock, if there is one, is on its way out, and
// may wait for it. Who finds somebody joins it. That is why twenty starts at
// once give one supervisor and no failure, without a retry loop and without a
// pid file. Lock order: starting, then instance.
package supervisor

import (
	"fmt"
	"io"
	"os"
	"time"

	"github.com/mcpctl/mcpctl/internal/engine/record"
	"github.com/mcpctl/mcpctl/internal/engine/wire"
	"github.com/mcpctl/mcpctl/internal/store"
)

// Every wait of this package has one of these limits.
const (
	// startTimeout bounds the wait for a process we started to say it is ready.
	startTimeout = 10 * time.Second
	// lockTimeout bounds the wait for the locks when starting. A supervisor on
	// its way out needs stdin, SIGTERM and SIGKILL of its servers, about six
	// seconds; less than startTimeout, so that the child can still say why.
	lockTimeout = 8 * time.Second
	// helloTimeout bounds how long a connection may stay silent, on both sides: a
	// supervisor that is stopped or stuck still has its connections accepted by
	// the kernel.
	helloTimeout = 10 * time.Second
	// closeTimeout bounds the wait for servers and calls to end when leaving; it
	// is over the six seconds a server that ignores everything takes.
	closeTimeout = 12 * time.Second
	// lastWordTimeout bounds what is written to a client when the supervisor stops.
	lastWordTimeout = 500 * time.Millisecond
	// stopTimeout bounds Stop: closeTimeout and some room.
	stopTimeout = 15 * time.Second
	// takeoverTimeout bounds the wait for a supervisor whose socket a service manager
	// has replaced: until its guard sees that, and its servers have ended.
	takeoverTimeout = guardEvery + closeTimeout + 3*time.Second
	// notifyTimeout bounds a word to the service manager.
	notifyTimeout = time.Second
	// guardEvery is how often the supervisor looks whether the socket is still
	// its own. One lstat in 30 s costs nothing, and nobody is lost for longer.
	guardEvery = 30 * time.Second
	// idleDefault is how long a supervisor stays that nobody needs (design §9.1).
	idleDefault = 10 * time.Minute
	// acceptPause is the rest after an accept that failed for want of
	// descriptors or memory, so that the loop does not spin until some are free.
	acceptPause = 100 * time.Millisecond
)

// Limits on what clients may ask for, so that one that runs wild stops early.
const (
	maxConnections = 256
	maxInFlight    = 1024 // requests under way on one connection
	maxSessions    = 64   // sessions of one connection
)

// Options are what a supervisor is made from. Source: design §9.1.
type Options struct {
	Places      store.Places
	Version     string        // of this program, told to clients
	Log         *record.Log   // takes events and what servers say; nil: nothing is kept
	IdleTimeout time.Duration // how long it stays when nobody needs it; 0: ten minutes
	Sweep       func() int    // ends what a killed supervisor left running, and counts it; nil: nothing
	SweepOwn    func() int    // ends by force what this process has started, and counts it; nil: nothing
	Ready       *os.File      // told "ready\n", or why not, and closed; nil in the foreground
	Manager     *Manager      // who started this process; nil: a command or a person
	Stderr      io.Writer     // gets a warning for the person who started it; nil: none
}

// RunningError is returned by Run when another supervisor answers at the socket.
type RunningError struct {
	PID int // of the other
}

func (e *RunningError) Error() string {
	return fmt.Sprintf("a supervisor is running already, as process %d", e.PID)
}

// Code returns the code word of design §8.3.
func (e *RunningError) Code() string { return string(wire.Failure) }

// Hint returns what to do next.
func (e *RunningError) Hint() string { return "end it with: mcpctl supervisor stop" }

func notRunning() *wire.Error {
	return wire.NewError(wire.SupervisorUnreachable, "the supervisor is not running", "start it with: mcpctl supervisor start")
}

// unsafePath names a path that is not what it has to be. Nothing there is touched.
func unsafePath(path, why, hint string) *wire.Error {
	e := wire.NewError(wire.PathUnsafe, "'"+path+"' "+why, hint)
	e.Path = path
	return e
}

func ioFailure(doing, path string, err error) *wire.Error {
	e := wire.NewError(wire.IO, "cannot "+doing+" '"+path+"': "+reason(err).Error(), "")
	e.Path = path
	return e
}
