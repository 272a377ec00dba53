package supervisor

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"

	"github.com/mcpctl/mcpctl/internal/engine/wire"
	"github.com/mcpctl/mcpctl/internal/store"
)

// instance is what makes this process the supervisor: the lock and the socket.
type instance struct {
	dir, socket string
	held        *lock
	ln          *net.UnixListener
	id          identity // of the socket we bound
	passed      bool     // a service manager has bound it, and holds it, too
}

// claim makes this process the supervisor of these places. A *RunningError says
// that another one answers; MCP_PATH_UNSAFE, that something else is in the way.
// A supervisor on its way out is waited for, at most lockTimeout. passed is a
// socket that a service manager has bound; nil: there is none.
func claim(ctx context.Context, p store.Places, passed *os.File) (*instance, error) {
	dir, socket, err := SocketPath(p)
	if err != nil {
		return nil, err
	}
	if err := makeDir(dir); err != nil {
		return nil, err
	}
	whole := ctx
	ctx, cancel := context.WithTimeout(ctx, lockTimeout)
	defer cancel()
	starting, err := acquire(ctx, filepath.Join(dir, startingName))
	if err != nil {
		return nil, lockFailure(err, filepath.Join(dir, startingName), "another start does not come to an end")
	}
	defer starting.release()
	if passed != nil { // to look who listens there would be to knock at our own door
		i := &instance{dir: dir, socket: socket}
		if err := i.adopt(whole, passed); err != nil {
			return nil, err
		}
		return i, nil
	}
	switch conn, other, err := connect(ctx, dir, socket); {
	case err == nil:
		conn.Close()
		if !isLocked(filepath.Join(dir, instanceName)) { // a service manager, or who knows what
			return nil, noSupervisor(socket, other.pid)
		}
		return nil, &RunningError{PID: other.pid}
	case !errors.Is(err, errNobody):
		return nil, err
	}
	held, err := acquire(ctx, filepath.Join(dir, instanceName))
	if err != nil {
		return nil, lockFailure(err, filepath.Join(dir, instanceName), "another supervisor neither answers nor ends")
	}
	i := &instance{dir: dir, socket: socket, held: held}
	if err := i.bind(); err != nil {
		held.release()
		return nil, err
	}
	return i, nil
}

// noSupervisor is the error for a process that listens in a supervisor's place.
func noSupervisor(socket string, pid int) error {
	if pid == os.Getpid() { // inherited: we have knocked at our own door
		return unsafePath(socket, "is listened at by this very process, which LISTEN_FDS and LISTEN_PID do not tell of",
			"a service manager that passes the socket sets LISTEN_FDS to 1; see: mcpctl supervisor install --print")
	}
	return wire.NewError(wire.SupervisorUnreachable, fmt.Sprintf("process %d listens at '%s', and no supervisor holds the lock", pid, socket),
		fmt.Sprintf("see which program it is: ps -p %d", pid))
}

// bind clears what a killed supervisor left and listens. held: both locks.
func (i *instance) bind() error {
	for _, path := range []string{i.leaving(), i.socket} {
		if err := removeStale(path); err != nil {
			return err
		}
	}
	var err error
	i.ln, i.id, err = listen(i.socket)
	return err
}

func lockFailure(err error, path, why string) error {
	if !errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	e := wire.NewError(wire.SupervisorUnreachable, why+": it holds '"+path+"'", "see which process it is with: fuser "+path)
	e.Path = path
	return e
}

func (i *instance) leaving() string { return filepath.Join(i.dir, leavingName) }

// keepLock takes the lock anew where a cleaner has removed its file: who looks
// for a supervisor looks for the holder of the lock. false: somebody else has it.
func (i *instance) keepLock() bool {
	path := filepath.Join(i.dir, instanceName)
	if i.held.current(path) {
		return true
	}
	again, err := tryLock(path)
	if err != nil {
		return false
	}
	i.held.release()
	i.held = again
	return true
}

// ours tells whether the socket's path still leads to us.
func (i *instance) ours() bool {
	there, err := identify(i.socket)
	return err == nil && there == i.id
}

// tryLeave decides, for an idle supervisor, whether nobody is coming. It takes
// the socket away from its path first, so that nobody can start to connect, and
// then looks at who has connected and is not accepted yet; nobody accepts
// meanwhile. With true the socket is gone for good and the starting lock was
// held all the time, so a starter either reaches us or finds nobody. With false
// nothing has changed. A socket that was passed stays where it is: whoever comes
// is kept by the service manager for the next supervisor.
func (i *instance) tryLeave() bool {
	starting, err := tryLock(filepath.Join(i.dir, startingName))
	if err != nil {
		return false // somebody is starting, and will come to us
	}
	defer starting.release()
	if i.passed {
		return !i.waiting()
	}
	if !i.ours() || os.Rename(i.socket, i.leaving()) != nil {
		return false // the guard will find out
	}
	if i.waiting() {
		if os.Rename(i.leaving(), i.socket) == nil {
			return false
		}
		return true // nobody can reach us any more
	}
	i.ln.Close()
	_ = os.Remove(i.leaving())
	return true
}

// waiting tells whether a connection waits to be accepted.
func (i *instance) waiting() bool {
	raw, err := i.ln.SyscallConn()
	if err != nil {
		return false
	}
	var n int
	_ = raw.Control(func(fd uintptr) {
		n, _ = unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, 0)
	})
	return n > 0
}

// hide ends the listening and removes the socket, unless another one has taken
// its place, or it is the service manager's.
func (i *instance) hide() {
	i.ln.Close()
	if !i.passed && i.ours() {
		_ = os.Remove(i.socket)
	}
}

// pauseAccepting makes Accept return, and resumeAccepting lets it wait again.
func (i *instance) pauseAccepting()  { _ = i.ln.SetDeadline(time.Unix(1, 0)) }
func (i *instance) resumeAccepting() { _ = i.ln.SetDeadline(time.Time{}) }
