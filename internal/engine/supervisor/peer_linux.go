package supervisor

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"strconv"
	"time"

	"golang.org/x/sys/unix"
)

// peerOf asks the kernel who is at the other end (SO_PEERCRED).
func peerOf(c *net.UnixConn) (peer, error) {
	raw, err := c.SyscallConn()
	if err != nil {
		return peer{}, err
	}
	var cred *unix.Ucred
	var credErr error
	if err := raw.Control(func(fd uintptr) {
		cred, credErr = unix.GetsockoptUcred(int(fd), unix.SOL_SOCKET, unix.SO_PEERCRED)
	}); err != nil {
		return peer{}, err
	}
	if credErr != nil {
		return peer{}, credErr
	}
	return peer{uid: int(cred.Uid), pid: int(cred.Pid)}, nil
}

// stillThere fails when the process that connected has ended. The kernel keeps hold
// of it for us (SO_PEERPIDFD, since Linux 6.5); an older one does not tell.
func stillThere(c *net.UnixConn) error {
	raw, err := c.SyscallConn()
	if err != nil {
		return err
	}
	var fd int
	var fdErr error
	if err := raw.Control(func(socket uintptr) {
		fd, fdErr = unix.GetsockoptInt(int(socket), unix.SOL_SOCKET, unix.SO_PEERPIDFD)
	}); err != nil {
		return err
	}
	switch fdErr {
	case nil:
	case unix.ESRCH, unix.EINVAL, unix.ENODATA: // it is reaped already
		return errGone
	default: // ENOPROTOOPT of an older kernel, or a sandbox that does not know it
		return nil
	}
	defer unix.Close(fd)
	n, err := unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, 0)
	if err == nil && n > 0 {
		return errGone
	}
	return nil
}

// process is what /proc/<pid>/stat says of a process.
type process struct {
	parent  int
	group   int
	zombie  bool
	started uint64 // in clock ticks since boot; with the pid it names one process for good
}

func readProcess(pid int) (process, error) {
	b, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return process{}, errGone
	}
	// The name, in parentheses, may hold anything, also parentheses and blanks.
	i := bytes.LastIndexByte(b, ')')
	fields := bytes.Fields(b[i+1:])
	const state, parent, group, started = 0, 1, 2, 19 // proc_pid_stat(5): fields 3, 4, 5 and 22
	if i < 0 || len(fields) <= started {
		return process{}, fmt.Errorf("cannot read /proc/%d/stat", pid)
	}
	p := process{zombie: fields[state][0] == 'Z'}
	var errs [3]error
	p.parent, errs[0] = strconv.Atoi(string(fields[parent]))
	p.group, errs[1] = strconv.Atoi(string(fields[group]))
	p.started, errs[2] = strconv.ParseUint(string(fields[started]), 10, 64)
	return p, errors.Join(errs[:]...)
}

func parentOf(pid int) (int, error) {
	p, err := readProcess(pid)
	return p.parent, err
}

// isMarked tells whether the process was started with the marker of a server. One
// that does not show its environment is another user's, or keeps it to itself, as
// sshd does.
func isMarked(pid int) (bool, error) {
	environ, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/environ")
	if errors.Is(err, os.ErrNotExist) || errors.Is(err, unix.ESRCH) {
		return false, errGone
	}
	return holdsMarker(environ), err
}

// waitExit waits until the process has ended; false means that ctx has. The pid
// comes from a connection to that process, so it was alive a moment ago.
func waitExit(ctx context.Context, pid int) bool {
	fd, err := unix.PidfdOpen(pid, unix.PIDFD_NONBLOCK)
	if err != nil {
		return true // gone, or a kernel without pidfd: the end of the connection has to do
	}
	// os.File waits in the runtime's poller, where a deadline can end it.
	f := os.NewFile(uintptr(fd), "pidfd")
	defer f.Close()
	stop := context.AfterFunc(ctx, func() { _ = f.SetReadDeadline(time.Unix(1, 0)) })
	defer stop()
	raw, err := f.SyscallConn()
	if err != nil {
		return true
	}
	err = raw.Read(func(fd uintptr) bool {
		n, err := unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, 0)
		return n > 0 || err != nil
	})
	return err == nil
}
