package record

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	"github.com/mcpctl/mcpctl/internal/store/redact"
)

const (
	logName = "mcp.log"
	oldName = "mcp.log.1"
	// logLimit is the size at which the log becomes the old log: enough for a day of a talkative server, and both together
	// still open in any editor.
	logLimit = 5 << 20
)

// UnsafeError says that something stands at the path of the log or of an output that must be neither written to nor read:
// a symbolic link, something that is no file, a file of another user. Source: design section 8.3.
type UnsafeError struct{ Path, Why string }

// Error names the path and what is wrong with it.
func (e *UnsafeError) Error() string { return fmt.Sprintf("'%s' is unsafe: %s", e.Path, e.Why) }

// Code returns the code word of design section 8.3.
func (e *UnsafeError) Code() string { return "MCP_PATH_UNSAFE" }

// Location returns the path, without a place in it. Source: design section 8.2.
func (e *UnsafeError) Location() (path string, line, column int) { return e.Path, 0, 0 }

// OpenError says that the log or an output, or its directory, could not be made or opened. Source: design section 8.3.
type OpenError struct {
	Path string
	Err  error
	what string // "" is the log
}

// Error names the path and what the system says.
func (e *OpenError) Error() string { return e.Path + ": " + e.Bare() }

// Unwrap returns what the system says.
func (e *OpenError) Unwrap() error { return e.Err }

// Code returns the code word of design section 8.3.
func (e *OpenError) Code() string { return "MCP_IO" }

// Location returns the path, without a place in it. Source: design section 8.2.
func (e *OpenError) Location() (path string, line, column int) { return e.Path, 0, 0 }

// Bare returns the message without the path. Source: design section 8.2.
func (e *OpenError) Bare() string {
	what := e.what
	if what == "" {
		what = "open the log"
	}
	return "cannot " + what + ": " + e.Err.Error()
}

// Log appends to the server log. It may be used from several goroutines, and several processes may each have one on the
// same directory. Source: design section 12.
type Log struct {
	dir   string
	limit int64

	mu     sync.Mutex
	closed bool
	file   *os.File    // nil after a failure, until the next Append opens it again
	info   os.FileInfo // of file
	torn   bool        // the file's last line has no end
}

// Open makes the log in dir ready, creating dir (0700) and the file (0600) if they are missing. It fails with
// UnsafeError if something else than a file of this user is in the log's place, and with OpenError if the system refuses.
// Source: design sections 2.1 and 12.
func Open(dir string) (*Log, error) {
	l := &Log{dir: dir, limit: logLimit}
	err := l.reopen()
	if pe := new(fs.PathError); errors.As(err, &pe) {
		return nil, &OpenError{Path: pe.Path, Err: pe.Err}
	}
	if err != nil {
		return nil, err
	}
	return l, nil
}

// Append writes r, whole or not at all as far as the disk lets it, with the values m knows and every secret shape hidden
// and nothing in it that a terminal acts on; nil knows no values. A record without a time gets the present one. The log
// that is full is moved to mcp.log.1 before. A log that was moved or removed by somebody else is made anew. It fails
// with UnsafeError, fs.ErrClosed or what the system says; the next Append tries again. Source: design sections 12, 14.
func (l *Log) Append(r Record, m *redact.Mask) error {
	if y := r.Time.Year(); r.Time.IsZero() || y < 0 || y > 9999 {
		r.Time = time.Now()
	}
	line := r.clean(m).String() + "\n" // outside the lock: hiding is the work, and writers should not wait for it
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return fmt.Errorf("append to the log: %w", fs.ErrClosed)
	}
	if err := l.prepare(int64(len(line))); err != nil {
		return err
	}
	if l.torn {
		line = "\n" + line
	}
	n, err := l.file.WriteString(line)
	l.torn = n > 0 && n < len(line) || n == 0 && l.torn
	return err
}

// Close ends the log; further calls of Append fail. Source: design section 12.
func (l *Log) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closed = true
	return l.release()
}

func (l *Log) path() string { return filepath.Join(l.dir, logName) }

// prepare makes l.file the file at the log's path, with room for size bytes.
// held: mu.
func (l *Log) prepare(size int64) error {
	info, err := os.Lstat(l.path())
	if err != nil || !os.SameFile(info, l.info) { // another process moved it, or somebody removed it
		if err := l.reopen(); err != nil {
			return err
		}
		info = l.info
	}
	if info.Size() == 0 || info.Size()+size <= l.limit {
		return nil
	}
	return l.rotate()
}

// rotate moves the log out of the way. A lock on the file itself decides which of several processes does it: without one,
// the second would move the new and nearly empty log over the full one. Who does not get the lock appends to the file
// it has, which readers read either way; nobody waits.
// held: mu.
func (l *Log) rotate() error {
	err := syscall.Flock(int(l.file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return nil
	}
	// Any other failure is a file system without locks: then rotating unguarded is better than growing for ever.
	info, err := os.Lstat(l.path())
	if err == nil && os.SameFile(info, l.info) {
		if err := os.Rename(l.path(), filepath.Join(l.dir, oldName)); err != nil {
			return fmt.Errorf("rotate the log: %w", err)
		}
	}
	return l.reopen() // and closing the old file gives its lock back
}

// reopen opens the log's path, creating what is missing.
// held: mu, but in Open.
func (l *Log) reopen() error {
	if err := os.MkdirAll(l.dir, 0o700); err != nil {
		return err
	}
	file, info, err := openFile(l.path(), os.O_RDWR|os.O_APPEND|os.O_CREATE)
	if err != nil {
		return err
	}
	if info.Mode().Perm()&0o077 != 0 {
		if err := file.Chmod(0o600); err != nil {
			file.Close()
			return err
		}
	}
	l.release() // its writes were reported when they were made
	l.file, l.info, l.torn = file, info, false
	if last := []byte{'\n'}; info.Size() > 0 {
		_, err := file.ReadAt(last, info.Size()-1)
		l.torn = err == nil && last[0] != '\n'
	}
	return nil
}

func (l *Log) release() error {
	if l.file == nil {
		return nil
	}
	err := l.file.Close()
	l.file, l.info = nil, nil
	return err
}

// openFile opens a regular file of this user, and never through a link: the directory is the user's own, but what is in it
// need not be. Opening does not block on a pipe.
func openFile(path string, flags int) (*os.File, os.FileInfo, error) {
	file, err := os.OpenFile(path, flags|syscall.O_NOFOLLOW|syscall.O_CLOEXEC|syscall.O_NONBLOCK, 0o600)
	if errors.Is(err, syscall.ELOOP) {
		return nil, nil, &UnsafeError{path, "symbolic link"}
	}
	if err != nil {
		return nil, nil, err
	}
	info, err := file.Stat()
	if err == nil {
		err = ownRegular(path, info)
	}
	if err != nil {
		file.Close()
		return nil, nil, err
	}
	return file, info, nil
}

// ownRegular refuses what is not a regular file of this user.
func ownRegular(path string, info os.FileInfo) error {
	if !info.Mode().IsRegular() {
		return &UnsafeError{path, "not a regular file"}
	}
	// root may look at anybody's.
	if sys, ok := info.Sys().(*syscall.Stat_t); ok && !ownerFits(sys.Uid) {
		return &UnsafeError{path, "belongs to another user"}
	}
	return nil
}
