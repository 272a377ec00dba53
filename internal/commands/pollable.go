package commands

import (
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// pollable makes a pipe or socket one whose reads go through the runtime's poller, and
// returns a file for it; nil for anything else. The caller keeps file, which would
// close the descriptor when it is collected.
func pollable(file *os.File) (polled *os.File, restore func()) {
	fd := descriptor(file)
	if fd < 0 || !isStream(fd) || unix.SetNonblock(fd, true) != nil {
		return nil, nil
	}
	return os.NewFile(uintptr(fd), file.Name()), func() { _ = unix.SetNonblock(fd, false) }
}

// alsoPollable is a file for a descriptor that does not block, since it is the same
// stream; nil when it does.
func alsoPollable(file *os.File) *os.File {
	fd := descriptor(file)
	if fd < 0 {
		return nil
	}
	flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFL, 0)
	if err != nil || flags&unix.O_NONBLOCK == 0 {
		return nil
	}
	return os.NewFile(uintptr(fd), file.Name())
}

// descriptor is the number of an open file. Not File.Fd, which changes its mode.
func descriptor(file *os.File) (fd int) {
	fd = -1
	if conn, err := file.SyscallConn(); err == nil {
		_ = conn.Control(func(n uintptr) { fd = int(n) })
	}
	return fd
}

func isStream(fd int) bool {
	var st unix.Stat_t
	if unix.Fstat(fd, &st) != nil {
		return false
	}
	kind := st.Mode & syscall.S_IFMT
	return kind == syscall.S_IFIFO || kind == syscall.S_IFSOCK
}
