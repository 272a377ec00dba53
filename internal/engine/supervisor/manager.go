package supervisor

import (
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"golang.org/x/sys/unix"

	"github.com/mcpctl/mcpctl/internal/engine/wire"
	"github.com/mcpctl/mcpctl/internal/store"
)

// ManagerVariables are what a service manager tells this process by; nobody it
// starts may take them for their own. Source: sd_listen_fds(3), sd_notify(3).
var ManagerVariables = []string{"LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES", "LISTEN_PIDFDID", "NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID"}

// firstPassed is the first descriptor a service manager passes.
const firstPassed = 3

// Manager is the service manager that started this process: the socket it has
// bound for it, and where it wants to be told how the process is. The zero value
// and nil are none.
type Manager struct {
	listener *os.File      // nil: the supervisor binds its own
	notify   string        // the address of a datagram socket; "": nobody listens
	watchdog time.Duration // how long it waits for a sign of life; 0: for ever
}

// TakeManager reads from env who started this process, and takes the variables
// out of it. What is meant for another process, as LISTEN_PID says, does not
// count. Every descriptor that was passed is closed to programs this one starts.
// USAGE when there is more than one: the supervisor has one socket.
// Source: sd_listen_fds(3), sd_notify(3), sd_watchdog_enabled(3).
func TakeManager(env store.Environ) (*Manager, error) {
	given := store.Environ{}
	for _, name := range ManagerVariables {
		given[name] = env[name]
		delete(env, name)
	}
	m := &Manager{}
	if address := given["NOTIFY_SOCKET"]; address != "" && (address[0] == '/' || address[0] == '@') {
		m.notify = address
	}
	if usec, err := strconv.ParseInt(given["WATCHDOG_USEC"], 10, 64); err == nil && usec > 0 && meantForUs(given["WATCHDOG_PID"], true) {
		m.watchdog = time.Duration(usec) * time.Microsecond
	}
	n, err := strconv.Atoi(given["LISTEN_FDS"])
	if err != nil || n <= 0 || !meantForUs(given["LISTEN_PID"], false) {
		return m, nil
	}
	for fd := firstPassed; fd < firstPassed+n && fd < firstPassed+maxConnections; fd++ {
		unix.CloseOnExec(fd)
	}
	if n > 1 {
		return m, wire.NewError(wire.Usage, fmt.Sprintf("%d sockets were passed to the supervisor, which has one", n),
			"a socket unit for it has one ListenStream=; see: mcpctl supervisor install --print")
	}
	m.listener = os.NewFile(firstPassed, "passed socket")
	return m, nil
}

// meantForUs tells whether a variable names this process; empty, when it need not.
func meantForUs(pid string, optional bool) bool {
	return pid == strconv.Itoa(os.Getpid()) || pid == "" && optional
}

func (m *Manager) socket() *os.File {
	if m == nil {
		return nil
	}
	return m.listener
}

// tell sends a state such as READY=1. Who does not listen is not told: that is no
// reason to stop.
func (m *Manager) tell(state string) {
	if m == nil || m.notify == "" {
		return
	}
	c, err := net.DialUnix("unixgram", nil, &net.UnixAddr{Name: m.notify, Net: "unixgram"})
	if err != nil {
		return
	}
	defer c.Close()
	_ = c.SetWriteDeadline(time.Now().Add(notifyTimeout))
	_, _ = c.Write([]byte(state))
}

// adopt makes this process the supervisor at a socket that a service manager has
// bound, and will go on to hold when this process ends. held: the starting lock.
func (i *instance) adopt(ctx context.Context, passed *os.File) error {
	// One that we did not start may have lost its socket to the manager's: it finds
	// that out by itself and leaves.
	ctx, cancel := context.WithTimeout(ctx, takeoverTimeout)
	defer cancel()
	var err error
	if i.held, err = acquire(ctx, filepath.Join(i.dir, instanceName)); err != nil {
		return lockFailure(err, filepath.Join(i.dir, instanceName), "another supervisor has this place and does not end")
	}
	if i.ln, i.id, err = takeOver(passed, i.socket); err != nil {
		i.held.release()
		return err
	}
	i.passed = true
	return nil
}

// takeOver checks that a descriptor is a socket that listens at our path, for us
// alone, and returns it. MCP_PATH_UNSAFE when not; then nothing has changed.
func takeOver(passed *os.File, socket string) (*net.UnixListener, identity, error) {
	defer passed.Close() // what is returned is a duplicate
	refuse := func(why string) (*net.UnixListener, identity, error) {
		return nil, identity{}, unsafePath(socket, "is not served: the socket that was passed "+why, "see what the unit should say: mcpctl supervisor install --print")
	}
	listens, err := unix.GetsockoptInt(int(passed.Fd()), unix.SOL_SOCKET, unix.SO_ACCEPTCONN)
	if err != nil || listens != 1 {
		return refuse("does not listen")
	}
	if kind, err := unix.GetsockoptInt(int(passed.Fd()), unix.SOL_SOCKET, unix.SO_TYPE); err != nil || kind != unix.SOCK_STREAM {
		return refuse("is no stream socket")
	}
	any, err := net.FileListener(passed)
	if err != nil {
		return refuse("cannot be used: " + err.Error())
	}
	ln, ok := any.(*net.UnixListener)
	if !ok || ln.Addr().String() != socket {
		any.Close()
		return refuse("listens at '" + any.Addr().String() + "'")
	}
	ln.SetUnlinkOnClose(false)
	id, err := identify(socket)
	info, statErr := os.Lstat(socket)
	switch {
	case err != nil || statErr != nil:
		ln.Close()
		return refuse("has no file there any more")
	case checkSocket(socket) != nil || info.Mode().Perm() != 0o600:
		ln.Close()
		return refuse(fmt.Sprintf("has mode %04o there and not 0600, or another owner", info.Mode().Perm()))
	}
	return ln, id, nil
}
