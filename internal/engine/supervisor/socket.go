package supervisor

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"syscall"

	"github.com/mcpctl/mcpctl/internal/engine/wire"
	"github.com/mcpctl/mcpctl/internal/store"
)

// The files in the socket's directory; 1 is the protocol's major version.
const (
	socketName   = "supervisor-1.sock"
	leavingName  = "supervisor-1.leaving" // the socket while an idle supervisor makes sure
	instanceName = "supervisor-1.lock"
	startingName = "supervisor-1.starting"
)

// maxSocketPath is the longest path we bind: sun_path has 108 bytes on Linux
// and 104 on macOS, and a few are left for what is appended in error messages
// of other tools.
const maxSocketPath = 100

const privateMode = 0o700

// SocketPath returns the supervisor's socket and its directory, and creates
// neither. The directory is mcpctl in the runtime directory; without a usable
// one, mcpctl-<uid> in the temporary directory; and where that is too long for a
// socket, a short one in /tmp that is named after it. MCP_PATH_UNSAFE when the
// directory is there and is not a real directory, ours, with mode 0700.
// Source: design §2.1.
func SocketPath(p store.Places) (dir, socket string, err error) {
	uid := os.Getuid()
	switch {
	case ourDir(p.RuntimeDir):
		dir = filepath.Join(p.RuntimeDir, "mcpctl")
	case isDir(p.TempDir):
		dir = filepath.Join(p.TempDir, fmt.Sprintf("mcpctl-%d", uid))
	default:
		dir = fmt.Sprintf("/tmp/mcpctl-%d", uid)
	}
	if socket = filepath.Join(dir, socketName); len(socket) > maxSocketPath {
		sum := sha256.Sum256([]byte(dir))
		dir = fmt.Sprintf("/tmp/mcpctl-%d-%s", uid, hex.EncodeToString(sum[:4]))
		socket = filepath.Join(dir, socketName)
	}
	if err := checkDir(dir); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", "", err
	}
	return dir, socket, nil
}

// ourDir tells whether a runtime directory can be used. One of another user is
// not: after `su`, XDG_RUNTIME_DIR still names the first user's, and a directory
// of ours in there would lock that user out.
func ourDir(path string) bool {
	info, err := os.Stat(path)
	return path != "" && err == nil && info.IsDir() && ownedByUs(info)
}

func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

func ownedByUs(info fs.FileInfo) bool {
	st, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(st.Uid) == os.Getuid()
}

// checkDir looks at the directory itself, never through a link: who can put a
// link or a directory at a predictable place in /tmp could otherwise choose who
// listens there.
func checkDir(dir string) error {
	info, err := os.Lstat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fs.ErrNotExist
	case err != nil:
		return ioFailure("look at", dir, err)
	case !info.IsDir():
		return unsafePath(dir, "is not a directory", "remove it, or set MCPCTL_RUNTIME_DIR to a directory of your own")
	case !ownedByUs(info):
		return unsafePath(dir, "belongs to another user", "set MCPCTL_RUNTIME_DIR to a directory of your own")
	case info.Mode().Perm() != privateMode:
		return unsafePath(dir, fmt.Sprintf("has mode %04o instead of 0700", info.Mode().Perm()),
			"nobody but you may write there; then: chmod 700 "+dir)
	}
	return nil
}

// makeDir creates the socket's directory with its mode, never changes the mode
// of one that is there, and checks it either way.
func makeDir(dir string) error {
	if err := os.Mkdir(dir, privateMode); err != nil && !errors.Is(err, fs.ErrExist) {
		return ioFailure("create the directory", dir, err)
	}
	if err := checkDir(dir); err != nil {
		return err
	}
	return nil
}

// checkSocket looks at what is at the socket's path: fs.ErrNotExist for
// nothing, MCP_PATH_UNSAFE for what is not a socket of ours.
func checkSocket(path string) error {
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fs.ErrNotExist
	case err != nil:
		return ioFailure("look at", path, err)
	case info.Mode().Type() != fs.ModeSocket:
		return unsafePath(path, "is not a socket", "it is left as it is; move it away yourself")
	case !ownedByUs(info):
		return unsafePath(path, "belongs to another user", "it is left as it is")
	}
	return nil
}

// removeStale removes a socket that nobody listens on any more. Only the holder
// of both locks may.
func removeStale(path string) error {
	switch err := checkSocket(path); {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	}
	if err := os.Remove(path); err != nil {
		return ioFailure("remove the stale socket", path, err)
	}
	return nil
}

// identity tells one socket file from another at the same path.
type identity struct{ dev, ino uint64 }

func identify(path string) (identity, error) {
	info, err := os.Lstat(path)
	if err != nil {
		return identity{}, err
	}
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return identity{}, fs.ErrInvalid
	}
	return identity{uint64(st.Dev), st.Ino}, nil
}

// listen binds the socket. The umask, not a chmod afterwards, makes it 0600, so
// there is no moment in which it is open. The umask is the whole
// process's: nothing else of a supervisor runs yet.
func listen(path string) (*net.UnixListener, identity, error) {
	old := syscall.Umask(0o177)
	ln, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	syscall.Umask(old)
	if err != nil {
		return nil, identity{}, ioFailure(fmt.Sprintf("listen at the %d bytes of", len(path)), path, err)
	}
	ln.SetUnlinkOnClose(false) // by then the path may be somebody else's
	id, err := identify(path)
	if err != nil {
		ln.Close()
		return nil, identity{}, ioFailure("look at", path, err)
	}
	return ln, id, nil
}

// errNobody means that nothing listens at the socket.
var errNobody = errors.New("nobody listens")

// connect reaches whoever listens at the socket, and makes sure it is a process
// of this user. errNobody when there is none; it wraps no other error.
func connect(ctx context.Context, dir, socket string) (*net.UnixConn, peer, error) {
	for _, err := range []error{checkDir(dir), checkSocket(socket)} {
		if errors.Is(err, fs.ErrNotExist) {
			return nil, peer{}, errNobody
		}
		if err != nil {
			return nil, peer{}, err
		}
	}
	c, err := new(net.Dialer).DialContext(ctx, "unix", socket)
	switch {
	case errors.Is(err, syscall.ECONNREFUSED), errors.Is(err, syscall.ENOENT):
		return nil, peer{}, errNobody
	case ctx.Err() != nil:
		return nil, peer{}, ctx.Err()
	case err != nil:
		return nil, peer{}, wire.NewError(wire.SupervisorUnreachable, "cannot connect to '"+socket+"': "+reason(err).Error(), "")
	}
	conn := c.(*net.UnixConn)
	p, err := peerOf(conn)
	if err == nil && p.uid != os.Getuid() {
		err = unsafePath(socket, "is served by another user", "set MCPCTL_RUNTIME_DIR to a directory of your own")
	}
	if err != nil {
		conn.Close()
		return nil, peer{}, err
	}
	return conn, p, nil
}

// reason is the system's word without the path and address the message names.
func reason(err error) error {
	var errno syscall.Errno
	if errors.As(err, &errno) {
		return errno
	}
	return err
}
