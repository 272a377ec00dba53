package atomicfile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"
	"time"
)

// The words of the exit code table (design §8.3) that this package uses.
const (
	codeUnsafe  = "MCP_PATH_UNSAFE"
	codeLocked  = "MCP_CONFIG_LOCKED"
	codeIO      = "MCP_IO"
	codeInvalid = "MCP_CONFIG_INVALID"
)

// UnsafeError says that a path is not what may be read or written there: a symbolic link, a way out of the
// project, another user's file, something that is no regular file (design §6).
type UnsafeError struct{ Path, Why string }

// Error returns, for example, "cannot use '/p/.mcp.json': it is a symbolic link".
func (e *UnsafeError) Error() string { return fmt.Sprintf("cannot use '%s': %s", e.Path, e.Why) }

// Code is the word of the exit code table.
func (e *UnsafeError) Code() string { return codeUnsafe }

// Location returns the path; there is no line.
func (e *UnsafeError) Location() (path string, line, column int) { return e.Path, 0, 0 }

// LockedError says that another process held the lock of a file too long.
type LockedError struct {
	Path   string        // the file to be edited, not the lock file
	Waited time.Duration // how long Lock tried
	Holder int           // process id of the holder, 0 if it is not known
}

// Error returns, for example, "cannot lock '/home/u/mcp.json': held for 2s by process 4711".
func (e *LockedError) Error() string {
	msg := fmt.Sprintf("cannot lock '%s': held for %v", e.Path, e.Waited.Round(100*time.Millisecond))
	if e.Holder > 0 {
		msg += fmt.Sprintf(" by process %d", e.Holder)
	}
	return msg
}

// Code is the word of the exit code table.
func (e *LockedError) Code() string { return codeLocked }

// Location returns the path; there is no line.
func (e *LockedError) Location() (path string, line, column int) { return e.Path, 0, 0 }

// Hint says what to do.
func (e *LockedError) Hint() string { return "another mcpctl is writing; try again" }

// IOError says that the system refused an operation on a file.
type IOError struct {
	Op   string // a verb: "read", "write", "lock", …
	Path string // as the caller named it
	Real string // where Path leads, if that is elsewhere
	Err  error
}

// Error returns, for example, "cannot write '/home/u/mcp.json': no space left on device".
func (e *IOError) Error() string {
	real := ""
	if e.Real != "" && e.Real != e.Path {
		real = fmt.Sprintf(" (a link to '%s')", e.Real)
	}
	return fmt.Sprintf("cannot %s '%s'%s: %v", e.Op, e.Path, real, bare(e.Err))
}

// Code is the word of the exit code table.
func (e *IOError) Code() string { return codeIO }

// Unwrap returns the system's error.
func (e *IOError) Unwrap() error { return e.Err }

// Location returns the path; there is no line.
func (e *IOError) Location() (path string, line, column int) { return e.Path, 0, 0 }

// Hint says what to do, if the reason tells; else it is empty.
func (e *IOError) Hint() string {
	switch {
	case errors.Is(e.Err, syscall.ENOSPC), errors.Is(e.Err, syscall.EDQUOT):
		return "free some space and try again; the file is as it was"
	case errors.Is(e.Err, syscall.EROFS):
		return "the file system is read-only; change the file where it comes from"
	case errors.Is(e.Err, syscall.EBUSY):
		return "the file is a mount point and cannot be replaced; mount its directory, or edit the file outside"
	case errors.Is(e.Err, fs.ErrPermission):
		return "check the permissions and the owner of the file and of its directory"
	default:
		return ""
	}
}

// TooLargeError says that a file is larger than the limit of design §3.1 for it.
type TooLargeError struct {
	Path  string
	Limit int64 // in bytes
}

// Error returns, for example, "'/p/.mcp.json' is larger than 1 MiB".
func (e *TooLargeError) Error() string {
	const mebibyte = 1 << 20
	if e.Limit >= mebibyte && e.Limit%mebibyte == 0 {
		return fmt.Sprintf("'%s' is larger than %d MiB", e.Path, e.Limit/mebibyte)
	}
	return fmt.Sprintf("'%s' is larger than %d bytes", e.Path, e.Limit)
}

// Code is the word of the exit code table.
func (e *TooLargeError) Code() string { return codeInvalid }

// Location returns the path; there is no line.
func (e *TooLargeError) Location() (path string, line, column int) { return e.Path, 0, 0 }

// bare takes off what the os package puts around a reason: operations and paths, which IOError names better.
func bare(err error) error {
	for {
		var path *fs.PathError
		var link *os.LinkError
		var call *os.SyscallError
		switch {
		case errors.As(err, &path):
			err = path.Err
		case errors.As(err, &link):
			err = link.Err
		case errors.As(err, &call):
			err = call.Err
		default:
			return err
		}
	}
}

// kindName says what something is that is no regular file.
func kindName(mode fs.FileMode) string {
	switch {
	case mode.IsDir():
		return "it is a directory"
	case mode&fs.ModeSymlink != 0:
		return "it is a symbolic link"
	case mode&fs.ModeNamedPipe != 0:
		return "it is a named pipe"
	case mode&fs.ModeSocket != 0:
		return "it is a socket"
	case mode&fs.ModeDevice != 0:
		return "it is a device"
	default:
		return "it is not a regular file"
	}
}
