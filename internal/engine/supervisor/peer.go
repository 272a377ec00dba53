package supervisor

import (
	"bytes"
	"errors"
	"fmt"
	"net"
	"os"
)

// peer is the process at the other end of a connection, as the kernel knows it
// from the time it connected or, for a supervisor, began to listen.
type peer struct {
	uid, pid int
}

// maxDepth bounds the walk from a process to its first ancestor; real ones are
// some ten steps away.
const maxDepth = 1 << 10

// errGone means that a process is not there, or not for us to see.
var errGone = errors.New("no such process")

// admit decides from the kernel's word alone, before a byte is read, whether a
// peer may speak: it must run as this user (root is nobody special, unless we are
// root), must not descend from this supervisor, and neither it nor a process above
// it may be marked as a server's. That keeps a server, whether we or a command of
// mcpctl started it, from approving others, reading their output or using their
// tokens through our own socket.
//
// What a "!command" of the user's own file starts carries no marker: it is the
// user's word, as a shell is. A server that clears its environment and leaves its
// parents gets by when a command started it; see mcpctl-protocol(7).
func admit(c *net.UnixConn) (peer, error) {
	p, err := peerOf(c)
	if err != nil {
		return p, err
	}
	if p.uid != os.Getuid() {
		return p, fmt.Errorf("process %d belongs to user %d", p.pid, p.uid)
	}
	marked := false
	descends, err := descendsFrom(p.pid, os.Getpid(), func(pid int) (int, error) {
		m, err := isMarked(pid)
		if err != nil && (pid == p.pid || errors.Is(err, errGone)) {
			return 0, err
		}
		marked = marked || m
		return parentOf(pid)
	})
	if err != nil {
		return p, fmt.Errorf("process %d: %w", p.pid, err)
	}
	// Only now is it sure that the number was that process's all the time: one that
	// hands its connection on and ends could have it given to a stranger.
	if err := stillThere(c); err != nil {
		return p, fmt.Errorf("process %d: %w", p.pid, err)
	}
	if descends {
		return p, fmt.Errorf("process %d was started by a server of this supervisor", p.pid)
	}
	if marked {
		return p, fmt.Errorf("process %d was started by a server", p.pid)
	}
	return p, nil
}

// serverMarker is the variable that every server is started with (dial).
const serverMarker = "MCPCTL_SERVER"

// holdsMarker looks for it among strings that end with NUL.
func holdsMarker(environ []byte) bool {
	return bytes.HasPrefix(environ, []byte(serverMarker+"=")) || bytes.Contains(environ, []byte("\x00"+serverMarker+"="))
}

// descendsFrom walks from pid upward and tells whether it meets ancestor, which
// does not count as its own descendant. A peer whose own parent cannot be read
// is an error: nobody can say what it is. An ancestor that ends during the walk
// is stepped around by asking its child again for its new parent; one that stays
// unreadable belongs to another user (/proc mounted with hidepid, such as sshd),
// and the walk ends there as at the top.
func descendsFrom(pid, ancestor int, parentOf func(int) (int, error)) (bool, error) {
	if pid == ancestor {
		return false, nil
	}
	parent, err := parentOf(pid)
	if err != nil {
		return false, err
	}
	for range maxDepth {
		switch {
		case parent == ancestor:
			return true, nil
		case parent <= 1:
			return false, nil
		}
		next, err := parentOf(parent)
		if err != nil {
			again, childErr := parentOf(pid)
			if childErr != nil || again == parent {
				return false, nil
			}
			parent = again
			continue
		}
		pid, parent = parent, next
	}
	return false, errors.New("the line of its parents does not end")
}
