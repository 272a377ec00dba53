package atomicfile

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/gofrs/flock"
)

// lockPoll is how often a lock that is held is tried again. flock(2) cannot wait with a deadline. An edit takes
// a few milliseconds, so trying seldom would be most of the wait.
const lockPoll = 5 * time.Millisecond

// Lock takes the lock of target, the real path of a file (Target.Real), and returns what gives it back. It waits
// at most wait for another holder; with 0 it tries once.
//
// The lock is flock(2) on dir/<SHA-256 of target>.lock: the kernel takes it from a process that dies, and nothing
// is put beside the user's file (design §6). dir is made (0700) if it is missing; lock files stay and are reused.
// It excludes other goroutines of this process as well. The process id in the file is for the message only.
//
// Errors: *LockedError when the time is over, *IOError, and ctx.Err() if ctx was cancelled. A deadline of ctx
// that comes before wait is over counts as waiting too long.
func Lock(ctx context.Context, dir, target string, wait time.Duration) (release func() error, err error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, &IOError{Op: "create", Path: dir, Err: err}
	}
	sum := sha256.Sum256([]byte(target))
	path := filepath.Join(dir, hex.EncodeToString(sum[:])+".lock")
	lock := flock.New(path, flock.SetPermissions(0o600), flock.SetFlag(os.O_CREATE|os.O_RDWR|syscall.O_NOFOLLOW))

	start := time.Now()
	locked, err := lock.TryLock()
	if err == nil && !locked && wait > 0 {
		limited, cancel := context.WithTimeout(ctx, wait)
		defer cancel()
		locked, err = lock.TryLockContext(limited, lockPoll)
	}
	switch {
	case locked:
		writeHolder(path, strconv.Itoa(os.Getpid())+"\n")
		var once sync.Once
		return func() (err error) {
			once.Do(func() {
				writeHolder(path, "")
				err = lock.Unlock()
			})
			return err
		}, nil
	case errors.Is(ctx.Err(), context.Canceled):
		return nil, ctx.Err()
	case err == nil, errors.Is(err, context.DeadlineExceeded):
		return nil, &LockedError{Path: target, Waited: time.Since(start), Holder: readHolder(path)}
	default:
		return nil, &IOError{Op: "lock", Path: path, Err: err}
	}
}

// writeHolder notes who holds the lock. It may fail, on a full disk for example; the lock holds all the same.
func writeHolder(path, text string) {
	if f, err := os.OpenFile(path, os.O_WRONLY|os.O_TRUNC|syscall.O_NOFOLLOW, 0); err == nil {
		_, _ = f.WriteString(text)
		_ = f.Close()
	}
}

func readHolder(path string) int {
	text, err := os.ReadFile(path)
	if err != nil {
		return 0
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		return 0
	}
	return pid
}
