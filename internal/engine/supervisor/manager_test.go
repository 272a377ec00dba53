package supervisor

import (
	"bytes"
	"errors"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/mcpctl/mcpctl/internal/engine/wire"
	"github.com/mcpctl/mcpctl/internal/store"
)

// manager plays the service manager: it holds the socket and is told how the
// supervisor is.
type manager struct {
	p      place
	ln     *net.UnixListener
	passed *os.File
	told   *net.UnixConn
}

// bindPrivately makes a listener with the mode and the directory of the unit.
func bindPrivately(t *testing.T, path string) *net.UnixListener {
	t.Helper()
	if err := makeDir(filepath.Dir(path)); err != nil {
		t.Fatal(err)
	}
	ln, _, err := listen(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { ln.Close() })
	return ln
}

func newManager(t *testing.T, p place) *manager {
	t.Helper()
	m := &manager{p: p, ln: bindPrivately(t, p.socket(t))}
	var err error
	if m.passed, err = m.ln.File(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { m.passed.Close() })
	if m.told, err = net.ListenUnixgram("unixgram", &net.UnixAddr{Name: filepath.Join(p.dir, "notify"), Net: "unixgram"}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { m.told.Close() })
	return m
}

// activate starts the supervisor with files as descriptors 3 and up.
func activate(t *testing.T, p place, env []string, files ...*os.File) (*exec.Cmd, *bytes.Buffer) {
	t.Helper()
	// Only the process itself knows the number that LISTEN_PID has to be.
	cmd := exec.Command("sh", "-c", `LISTEN_PID=$$ exec "$0"`, ownFile())
	cmd.Env = append(slices.Clone(p.env), "LISTEN_FDNAMES=supervisor")
	cmd.Env = append(cmd.Env, env...)
	cmd.ExtraFiles = files
	var out bytes.Buffer
	cmd.Stderr = &out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _, _ = cmd.Process.Wait() })
	return cmd, &out
}

func (m *manager) activate(t *testing.T, env ...string) *exec.Cmd {
	t.Helper()
	cmd, _ := activate(t, m.p, append([]string{"LISTEN_FDS=1", "NOTIFY_SOCKET=" + filepath.Join(m.p.dir, "notify")}, env...), m.passed)
	return cmd
}

// wants waits until the supervisor says a state.
func (m *manager) wants(t *testing.T, state string) {
	t.Helper()
	_ = m.told.SetReadDeadline(time.Now().Add(testTimeout))
	b := make([]byte, 1<<10)
	for {
		n, err := m.told.Read(b)
		if err != nil {
			t.Fatalf("it was not told %s: %v", state, err)
		}
		if string(b[:n]) == state {
			return
		}
	}
}

// TestSocketActivation: the service manager's socket outlives the supervisor; who
// only looks starts none, and nobody who comes is lost.
func TestSocketActivation(t *testing.T) {
	p := newPlace(t)
	m := newManager(t, p)
	before, err := identify(p.socket(t))
	if err != nil {
		t.Fatal(err)
	}
	look := func(when string) {
		t.Helper()
		if info, err := Status(t.Context(), p.places); info.Running || err != nil {
			t.Errorf("%s: %+v, %v", when, info, err)
		}
		if found, err := Stop(t.Context(), p.places); found || err != nil {
			t.Errorf("%s: stop: %v, %v", when, found, err)
		}
		_, err := Dial(t.Context(), p.options(false))
		wantCode(t, err, wire.SupervisorUnreachable)
		if (&instance{ln: m.ln}).waiting() {
			t.Fatalf("%s: a look has connected, which starts a supervisor", when)
		}
	}
	look("before the first")

	for range 2 {
		c := p.dial(t, true) // waits for the one to come, and starts none of its own
		cmd := m.activate(t, "WATCHDOG_USEC=200000")
		m.wants(t, "READY=1")
		if hello, err := c.Hello(t.Context()); err != nil || hello.PID != cmd.Process.Pid {
			t.Errorf("%+v, %v; want process %d", hello, err, cmd.Process.Pid)
		}
		if info, err := Status(t.Context(), p.places); err != nil || info.PID != cmd.Process.Pid {
			t.Errorf("%+v, %v", info, err)
		}
		m.wants(t, "WATCHDOG=1")
		if found, err := Stop(t.Context(), p.places); !found || err != nil {
			t.Errorf("stop: %v, %v", found, err)
		}
		m.wants(t, "STOPPING=1")
		if err := cmd.Wait(); err != nil {
			t.Error(err)
		}
		if after, err := identify(p.socket(t)); err != nil || after != before {
			t.Errorf("the manager's socket is gone or another: %v", err)
		}
		look("after stop")
	}

	cmd := m.activate(t, idleFor+"=50ms")
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
	if after, err := identify(p.socket(t)); err != nil || after != before {
		t.Errorf("the idle one took the manager's socket with it: %v", err)
	}
	look("after the idle end")
}

// TestActivatedIsKilled: the next one serves the same socket.
func TestActivatedIsKilled(t *testing.T) {
	p := newPlace(t)
	m := newManager(t, p)
	first := m.activate(t)
	if _, err := p.dial(t, true).Hello(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := first.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_, _ = first.Process.Wait()
	c := p.dial(t, true)
	second := m.activate(t)
	if hello, err := c.Hello(t.Context()); err != nil || hello.PID != second.Process.Pid {
		t.Errorf("%+v, %v", hello, err)
	}
}

// TestPassedSocketIsChecked: a supervisor listens nowhere but at its own place, for
// its own user, whoever started it; and what it refuses it leaves alone.
func TestPassedSocketIsChecked(t *testing.T) {
	file := func(t *testing.T, c interface{ File() (*os.File, error) }) *os.File {
		t.Helper()
		f, err := c.File()
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	for name, tt := range map[string]struct {
		pass func(t *testing.T, socket string) []*os.File
		want string
	}{
		"another path": {func(t *testing.T, socket string) []*os.File {
			return []*os.File{file(t, bindPrivately(t, socket+"x"))}
		}, "listens at '"},
		"abstract": {func(t *testing.T, socket string) []*os.File { // D5
			ln, err := net.ListenUnix("unix", &net.UnixAddr{Name: "@mcpctl-test" + filepath.Base(filepath.Dir(filepath.Dir(socket)))})
			if err != nil {
				t.Skip(err)
			}
			t.Cleanup(func() { ln.Close() })
			return []*os.File{file(t, ln)}
		}, "listens at '@"},
		"open to all": {func(t *testing.T, socket string) []*os.File {
			ln := bindPrivately(t, socket)
			if err := os.Chmod(socket, 0o666); err != nil {
				t.Fatal(err)
			}
			return []*os.File{file(t, ln)}
		}, "mode 0666"},
		"gone from its path": {func(t *testing.T, socket string) []*os.File {
			ln := bindPrivately(t, socket)
			if err := os.Remove(socket); err != nil {
				t.Fatal(err)
			}
			return []*os.File{file(t, ln)}
		}, "no file there"},
		"a connection": {func(t *testing.T, socket string) []*os.File {
			bindPrivately(t, socket)
			c, err := net.Dial("unix", socket)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { c.Close() })
			return []*os.File{file(t, c.(*net.UnixConn))}
		}, "does not listen"},
		"a file": {func(t *testing.T, socket string) []*os.File {
			f, err := os.Create(filepath.Join(filepath.Dir(filepath.Dir(socket)), "file"))
			if err != nil {
				t.Fatal(err)
			}
			return []*os.File{f}
		}, "does not listen"},
		"two": {func(t *testing.T, socket string) []*os.File {
			ln := bindPrivately(t, socket)
			return []*os.File{file(t, ln), file(t, ln)}
		}, "2 sockets were passed"},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPlace(t)
			files := tt.pass(t, p.socket(t))
			there, _ := identify(p.socket(t))
			cmd, out := activate(t, p, []string{"LISTEN_FDS=" + string(rune('0'+len(files)))}, files...)
			for _, f := range files {
				f.Close()
			}
			err := cmd.Wait()
			if !errors.As(err, new(*exec.ExitError)) || !strings.Contains(out.String(), tt.want) {
				t.Errorf("it ended with %v and said %q, not %q", err, out, tt.want)
			}
			if after, _ := identify(p.socket(t)); after != there {
				t.Error("what was refused is gone or another")
			}
		})
	}
}

// TestTakeManager: what is meant for another process does not count, and nothing of
// it is left for those this one starts.
func TestTakeManager(t *testing.T) {
	env := store.NewEnviron([]string{"LISTEN_FDS=1", "LISTEN_PID=1", "LISTEN_FDNAMES=x", "NOTIFY_SOCKET=relative", "WATCHDOG_USEC=5", "WATCHDOG_PID=1", "HOME=/h"})
	m, err := TakeManager(env)
	if err != nil || m.socket() != nil || m.notify != "" || m.watchdog != 0 {
		t.Errorf("%+v, %v", m, err)
	}
	if len(env) != 1 || env["HOME"] != "/h" {
		t.Errorf("left: %v", env)
	}
	for _, odd := range []string{"", "0", "-1", "x", "99999999999999999999"} {
		m, err := TakeManager(store.Environ{"LISTEN_FDS": odd, "LISTEN_PID": "1"})
		if err != nil || m.socket() != nil {
			t.Errorf("%q: %v", odd, err)
		}
	}
	m, _ = TakeManager(store.NewEnviron([]string{"WATCHDOG_USEC=30000000", "NOTIFY_SOCKET=@x"}))
	if m.patience() != 30*time.Second || m.notify != "@x" {
		t.Errorf("%+v", m)
	}
	(*Manager)(nil).tell("READY=1")
	m.tell("READY=1") // nobody listens there
}

// TestLockIsKept: a cleaner that removes the lock's file must not make a supervisor
// invisible to who looks for one; who has it anew is the supervisor.
func TestLockIsKept(t *testing.T) {
	p := newPlace(t)
	r := p.serve(t, nil, func(s *server) { s.guardEvery = 10 * time.Millisecond })
	path := filepath.Join(filepath.Dir(p.socket(t)), instanceName)
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the lock is there again", func() bool { return isLocked(path) })
	if info, err := Status(t.Context(), p.places); !info.Running || err != nil {
		t.Errorf("%+v, %v", info, err)
	}
	taken := filepath.Join(filepath.Dir(path), "taken")
	other, err := acquire(t.Context(), taken)
	if err != nil {
		t.Fatal(err)
	}
	defer other.release()
	if err := errors.Join(os.Rename(taken, path), syscall.Access(path, 0)); err != nil {
		t.Fatal(err)
	}
	if why := r.wait(t); !strings.Contains(why, "lock") {
		t.Errorf("it left because %s", why)
	}
}
