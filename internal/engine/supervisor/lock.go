package supervisor

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"runtime"

	"golang.org/x/sys/unix"
)

// lock is a kernel lock on a file, held until release or the process's end. It
// is flock itself and not gofrs/flock, which waits by asking again and again:
// here a starter has to be woken when its turn comes.
type lock struct{ f *os.File }

// acquire waits for the lock until ctx ends.
func acquire(ctx context.Context, path string) (*lock, error) {
	for {
		l, err := tryLock(path)
		if errors.Is(err, unix.EWOULDBLOCK) {
			l, err = waitLock(ctx, path)
		}
		if err != nil {
			return nil, err
		}
		if l.current(path) {
			return l, nil
		}
		l.release() // a cleaner of /tmp removed the file: lock the one that is there now
	}
}

// tryLock takes the lock or returns unix.EWOULDBLOCK.
func tryLock(path string) (*lock, error) {
	f, err := openLock(path)
	if err != nil {
		return nil, err
	}
	if err := flock(f, unix.LOCK_EX|unix.LOCK_NB); err != nil {
		f.Close()
		return nil, err
	}
	return &lock{f}, nil
}

func waitLock(ctx context.Context, path string) (*lock, error) {
	f, err := openLock(path)
	if err != nil {
		return nil, err
	}
	got := make(chan error)
	// Nothing interrupts a waiting flock. Its goroutine outlives a wait that was
	// given up: until the holder lets go, or this process, which failed to start
	// or to stop something, ends.
	go func() {
		err := flock(f, unix.LOCK_EX)
		select {
		case got <- err:
		case <-ctx.Done():
			f.Close()
		}
	}()
	select {
	case err := <-got:
		if err != nil {
			f.Close()
			return nil, err
		}
		return &lock{f}, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// isLocked tells whether a process holds the lock, without waiting and without
// making the file. It takes the lock for a moment, shared, so that who looks is in
// nobody's way but a starter's, who waits.
func isLocked(path string) bool {
	f, err := os.OpenFile(path, os.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0)
	if err != nil {
		return !errors.Is(err, fs.ErrNotExist) // who cannot look has to ask at the socket
	}
	defer f.Close()
	return flock(f, unix.LOCK_SH|unix.LOCK_NB) != nil
}

func openLock(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|unix.O_NOFOLLOW, 0o600)
	if err != nil {
		return nil, ioFailure("open the lock", path, err)
	}
	return f, nil
}

func flock(f *os.File, how int) error {
	defer runtime.KeepAlive(f)
	for {
		if err := unix.Flock(int(f.Fd()), how); !errors.Is(err, unix.EINTR) {
			return err
		}
	}
}

// current tells whether path still names the locked file.
func (l *lock) current(path string) bool {
	held, err := l.f.Stat()
	if err != nil {
		return false
	}
	there, err := os.Lstat(path)
	return err == nil && os.SameFile(held, there)
}

// release gives the lock back; a second time does nothing.
func (l *lock) release() { l.f.Close() }
