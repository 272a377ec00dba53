package record

import (
	"strconv"

	"golang.org/x/sys/unix"
)

// openNameless makes a file without a name. Source: open(2), O_TMPFILE.
func openNameless(dir int) (int, error) {
	return unix.Openat(dir, ".", unix.O_WRONLY|unix.O_TMPFILE|unix.O_CLOEXEC, 0o600)
}

// giveName gives it one that nothing else has. Source: linkat(2).
func giveName(fd, dir int, name string) error {
	return unix.Linkat(unix.AT_FDCWD, "/proc/self/fd/"+strconv.Itoa(fd), dir, name, unix.AT_SYMLINK_FOLLOW)
}
