package supervisor

import (
	"bytes"
	"context"
	"encoding/binary"
	"net"
	"time"

	"golang.org/x/sys/unix"
)

// peerOf asks the kernel who is at the other end (LOCAL_PEERCRED, LOCAL_PEERPID).
func peerOf(c *net.UnixConn) (peer, error) {
	raw, err := c.SyscallConn()
	if err != nil {
		return peer{}, err
	}
	var p peer
	var credErr error
	if err := raw.Control(func(fd uintptr) {
		var cred *unix.Xucred
		if cred, credErr = unix.GetsockoptXucred(int(fd), unix.SOL_LOCAL, unix.LOCAL_PEERCRED); credErr != nil {
			return
		}
		p.uid = int(cred.Uid)
		p.pid, credErr = unix.GetsockoptInt(int(fd), unix.SOL_LOCAL, unix.LOCAL_PEERPID)
	}); err != nil {
		return peer{}, err
	}
	return p, credErr
}

// stillThere cannot tell on this system.
func stillThere(*net.UnixConn) error { return nil }

func parentOf(pid int) (int, error) {
	info, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	if err != nil {
		return 0, errGone
	}
	return int(info.Eproc.Ppid), nil
}

// isMarked tells whether the process was started with the marker of a server. The
// system shows the environment of this user's processes, but not that of its own
// programs, such as /bin/sh: those count as unmarked.
func isMarked(pid int) (bool, error) {
	b, err := unix.SysctlRaw("kern.procargs2", pid)
	if err != nil || len(b) < 4 {
		return false, nil // another user's, or gone, which parentOf tells
	}
	args := binary.NativeEndian.Uint32(b)
	_, rest, _ := bytes.Cut(b[4:], []byte{0}) // the program's path, padded
	rest = bytes.TrimLeft(rest, "\x00")
	for ; args > 0 && len(rest) > 0; args-- {
		_, rest, _ = bytes.Cut(rest, []byte{0})
	}
	return holdsMarker(rest), nil
}

// waitExit waits until the process has ended; false means that ctx has, of which
// only the deadline counts. The pid comes from a connection to that process, so it
// was alive a moment ago.
func waitExit(ctx context.Context, pid int) bool {
	deadline, ok := ctx.Deadline()
	kq, err := unix.Kqueue()
	if err != nil || !ok {
		return true // the end of the connection has to do
	}
	defer unix.Close(kq)
	change := unix.Kevent_t{Ident: uint64(pid), Filter: unix.EVFILT_PROC, Flags: unix.EV_ADD | unix.EV_ONESHOT, Fflags: unix.NOTE_EXIT}
	timeout := unix.NsecToTimespec(max(0, int64(time.Until(deadline))))
	n, err := unix.Kevent(kq, []unix.Kevent_t{change}, make([]unix.Kevent_t, 1), &timeout)
	return n > 0 || err != nil // an error: the process is gone
}
