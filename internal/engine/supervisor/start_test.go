package supervisor

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpctl/mcpctl/internal/engine/wire"
)

// startMany starts from n clients at once and returns the one pid they all see.
func startMany(t *testing.T, p place, n int) int {
	t.Helper()
	pids, errs := make([]int, n), make([]error, n)
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() {
			c, err := Dial(t.Context(), p.options(true))
			if err != nil {
				errs[i] = err
				return
			}
			defer c.Close()
			hello, err := c.Hello(t.Context())
			pids[i], errs[i] = hello.PID, err
		})
	}
	wg.Wait()
	for i := range n {
		if errs[i] != nil {
			t.Fatalf("start %d: %v", i, errs[i])
		}
		if pids[i] != pids[0] {
			t.Fatalf("two supervisors: %v", pids)
		}
	}
	return pids[0]
}

// TestTwentyStartsAtOnce gives one supervisor and no failure, also over a stale
// socket and right after the one before was killed (B128, B132).
func TestTwentyStartsAtOnce(t *testing.T) {
	const n = 20
	p := newPlace(t)
	t.Run("nothing there", func(t *testing.T) { startMany(t, p, n) })
	t.Run("running", func(t *testing.T) {
		info, err := Status(t.Context(), p.places)
		if err != nil {
			t.Fatal(err)
		}
		if pid := startMany(t, p, n); pid != info.PID {
			t.Errorf("pid %d, and %d ran already", pid, info.PID)
		}
	})
	t.Run("killed", func(t *testing.T) {
		info, err := Status(t.Context(), p.places)
		if err != nil {
			t.Fatal(err)
		}
		if err := syscall.Kill(info.PID, syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
		if pid := startMany(t, p, n); pid == info.PID {
			t.Errorf("pid %d was killed", pid)
		}
	})
	t.Run("being stopped", func(t *testing.T) {
		var wg sync.WaitGroup
		wg.Go(func() {
			if _, err := Stop(t.Context(), p.places); err != nil {
				t.Error(err)
			}
		})
		for range n { // each reaches the one that goes, or the next
			wg.Go(func() {
				c, err := Dial(t.Context(), p.options(true))
				if err != nil {
					t.Error(err)
					return
				}
				defer c.Close()
				if _, err := c.Hello(t.Context()); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
	})
	t.Run("stale socket", func(t *testing.T) {
		if _, err := Stop(t.Context(), p.places); err != nil {
			t.Fatal(err)
		}
		stale, err := net.ListenUnix("unix", &net.UnixAddr{Name: p.socket(t)})
		if err != nil {
			t.Fatal(err)
		}
		stale.SetUnlinkOnClose(false)
		stale.Close()
		startMany(t, p, n)
	})
}

// TestKilled: a socket nobody listens on means not running, at once.
func TestKilled(t *testing.T) {
	p := newPlace(t)
	hello, err := p.dial(t, true).Hello(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	info, err := Status(t.Context(), p.places)
	if err != nil || !info.Running || info.PID != hello.PID || info.Socket != p.socket(t) || info.Version != "test" {
		t.Fatalf("status of a running one: %+v, %v", info, err)
	}
	if err := syscall.Kill(hello.PID, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), testTimeout)
	defer cancel()
	eventually(t, "not running any more", func() bool {
		info, err := Status(ctx, p.places)
		return err == nil && !info.Running || errors.Is(err, context.DeadlineExceeded)
	})
	if ctx.Err() != nil {
		t.Error("it is never seen that it was killed")
	}
	if found, err := Stop(t.Context(), p.places); found || err != nil {
		t.Errorf("stop: %v, %v", found, err)
	}
	if _, err := os.Lstat(p.socket(t)); err != nil {
		t.Errorf("a look has removed the socket: %v", err)
	}
	_, err = Dial(t.Context(), p.options(false))
	wantCode(t, err, wire.SupervisorUnreachable)
	again, err := p.dial(t, true).Hello(t.Context())
	if err != nil || again.PID == hello.PID {
		t.Errorf("started again: %+v, %v", again, err)
	}
}

// TestSomethingElseAtTheSocket is named and left alone (B129).
func TestSomethingElseAtTheSocket(t *testing.T) {
	for name, put := range map[string]func(t *testing.T, path, victim string) error{
		"file":      func(t *testing.T, path, _ string) error { return os.WriteFile(path, []byte("data"), 0o600) },
		"directory": func(t *testing.T, path, _ string) error { return os.Mkdir(path, 0o700) },
		"link":      func(t *testing.T, path, victim string) error { return os.Symlink(victim, path) },
		"dangling":  func(t *testing.T, path, victim string) error { return os.Symlink(victim+"x", path) },
		"fifo":      func(t *testing.T, path, _ string) error { return syscall.Mkfifo(path, 0o600) },
	} {
		t.Run(name, func(t *testing.T) {
			p := newPlace(t)
			socket, victim := p.socket(t), filepath.Join(p.dir, "victim")
			if err := errors.Join(os.Mkdir(filepath.Dir(socket), 0o700), os.WriteFile(victim, []byte("mine"), 0o600), put(t, socket, victim)); err != nil {
				t.Fatal(err)
			}
			before, _ := os.Lstat(socket)
			_, dialErr := Dial(t.Context(), p.options(true))
			_, claimErr := claim(t.Context(), p.places, nil)
			_, stopErr := Stop(t.Context(), p.places)
			_, statusErr := Status(t.Context(), p.places)
			for _, err := range []error{dialErr, claimErr, stopErr, statusErr} {
				if e := wantCode(t, err, wire.PathUnsafe); !strings.Contains(e.Text, socket) || e.Path != socket {
					t.Errorf("the error does not name the path: %+v", e)
				}
			}
			after, err := os.Lstat(socket)
			if err != nil || !os.SameFile(before, after) {
				t.Errorf("%s is gone or another: %v", socket, err)
			}
			if b, err := os.ReadFile(victim); string(b) != "mine" {
				t.Errorf("the victim holds %q, %v", b, err)
			}
		})
	}
}

// TestChildsErrorReachesTheParent: what keeps the started process from listening
// is what Dial returns, code and all.
func TestChildsErrorReachesTheParent(t *testing.T) {
	p := newPlace(t)
	if err := os.MkdirAll(filepath.Join(filepath.Dir(p.socket(t)), startingName), 0o700); err != nil {
		t.Fatal(err)
	}
	_, err := Dial(t.Context(), p.options(true))
	if e := wantCode(t, err, wire.IO); e.Path != filepath.Join(filepath.Dir(p.socket(t)), startingName) {
		t.Errorf("%+v", e)
	}
	o := p.options(true)
	o.Executable = "/bin/false"
	_, err = Dial(t.Context(), o)
	wantCode(t, err, wire.SupervisorUnreachable)
	o.Executable = filepath.Join(p.dir, "missing")
	_, err = Dial(t.Context(), o)
	wantCode(t, err, wire.SupervisorUnreachable)
}

// TestModes: private from the first moment, whatever the umask (B144, D2).
func TestModes(t *testing.T) {
	old := syscall.Umask(0)
	defer syscall.Umask(old)
	p := newPlace(t)
	dir := filepath.Dir(p.socket(t))
	done, seen := make(chan struct{}), make(chan string, 1)
	go func() { // ends with done
		for {
			for path, want := range map[string]fs.FileMode{p.socket(t): fs.ModeSocket | 0o600, dir: fs.ModeDir | 0o700} {
				if info, err := os.Lstat(path); err == nil && info.Mode() != want {
					select {
					case seen <- fmt.Sprintf("%s has mode %v", path, info.Mode()):
					default:
					}
				}
			}
			select {
			case <-done:
				return
			default:
			}
		}
	}()
	p.dial(t, true)
	close(done)
	select {
	case what := <-seen:
		t.Error(what)
	default:
	}
	modes := map[string]string{}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if info, err := e.Info(); err == nil {
			modes[e.Name()] = info.Mode().String()
		}
	}
	want := map[string]string{socketName: "Srw-------", instanceName: "-rw-------", startingName: "-rw-------"}
	if diff := cmp.Diff(want, modes); diff != "" {
		t.Error(diff)
	}
}

// TestComingAndGoing starts clients while idle supervisors leave: none may meet
// one that is just gone.
func TestComingAndGoing(t *testing.T) {
	p := newPlace(t, idleFor+"=1ms")
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for range 15 {
				c, err := Dial(t.Context(), p.options(true))
				if err != nil {
					t.Error(err)
					return
				}
				if _, err := c.Hello(t.Context()); err != nil {
					t.Error(err)
				}
				c.Close()
			}
		})
	}
	wg.Wait()
}

func TestChildEnv(t *testing.T) {
	got := childEnv([]string{"HOME=/h", "AWS_SECRET_ACCESS_KEY=x", "LC_ALL=C", "LANGUAGE=en", "LANG=C", "XDG_RUNTIME_DIR=/r", "MCPCTL_STATE_HOME=/s",
		"MCPCTL_SERVER=mark", "PATHX=1", "PATH=/bin", "TZ=UTC", "SSH_AUTH_SOCK=/a", "SHELL=/bin/sh", "USER=u", "LOGNAME=u", "TMPDIR=/t", "rubbish", "=x"})
	want := []string{"HOME=/h", "LC_ALL=C", "LANG=C", "XDG_RUNTIME_DIR=/r", "MCPCTL_STATE_HOME=/s", "PATH=/bin", "TZ=UTC", "SHELL=/bin/sh", "USER=u", "LOGNAME=u", "TMPDIR=/t"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
