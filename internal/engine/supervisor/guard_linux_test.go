package supervisor

import (
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/mcpctl/mcpctl/internal/engine/wire"
)

// TestDescendantsAreRefused: what a server starts must not reach the socket, not
// even when it left its parent (C12).
func TestDescendantsAreRefused(t *testing.T) {
	for name, env := range map[string]string{"child": "", "orphan": forkAgain + "=1"} {
		t.Run(name, func(t *testing.T) {
			out := filepath.Join(t.TempDir(), "outcome")
			p := newPlace(t, runIntruder+"="+out, env)
			c := p.dial(t, true)
			var outcome string
			eventually(t, "the intruder's outcome", func() bool {
				b, _ := os.ReadFile(out)
				outcome = string(b)
				return strings.HasSuffix(outcome, "\n")
			})
			if !strings.HasPrefix(outcome, "closed:") {
				t.Errorf("a %s of the supervisor: %s", name, outcome)
			}
			if _, err := c.Hello(t.Context()); err != nil {
				t.Errorf("a stranger of the same user: %v", err)
			}
			if log := p.log(t); !strings.Contains(log, "was started by a server of this supervisor") {
				t.Errorf("the log does not tell:\n%s", log)
			}
		})
	}
}

// TestPeerIsStillThere: a connection whose maker has ended is nobody's.
func TestPeerIsStillThere(t *testing.T) {
	ln, err := net.ListenUnix("unix", &net.UnixAddr{Name: filepath.Join(shortDir(t), "s")})
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	cmd := exec.Command(ownFile())
	cmd.Env = []string{asIntruder + "=" + ln.Addr().String()}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	c, err := ln.AcceptUnix()
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if _, err := admit(c); err == nil || !strings.Contains(err.Error(), "was started by a server") { // it is our child
		t.Error(err)
	}
	if err := stillThere(c); err != nil {
		t.Errorf("while it lives: %v", err)
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	if raw, err := c.SyscallConn(); err == nil {
		supported := true
		_ = raw.Control(func(fd uintptr) {
			pidfd, err := unix.GetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_PEERPIDFD)
			if err == nil {
				unix.Close(pidfd)
			}
			supported = !errors.Is(err, unix.ENOPROTOOPT)
		})
		if !supported {
			t.Skip("this kernel does not tell")
		}
	}
	eventually(t, "it is dead", func() bool { return errors.Is(stillThere(c), errGone) })
	_, _ = cmd.Process.Wait()
	if err := stillThere(c); !errors.Is(err, errGone) {
		t.Errorf("when it is reaped: %v", err)
	}
}

// TestOrphansAreBuried: an adopted process that dies must not stay a zombie, and
// the exit status of a child must reach who started it.
func TestOrphansAreBuried(t *testing.T) {
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		t.Fatal(err)
	}
	defer unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0)
	release := buryOrphans()
	defer release()
	leader := exec.Command("sh", "-c", "(sleep 0.2; exit 3) & echo $!; exit 7")
	leader.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	out, err := leader.Output()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != 7 {
		t.Errorf("the leader's status was lost: %v", err)
	}
	var orphan int
	fmt.Sscan(string(out), &orphan)
	p, err := readProcess(orphan)
	if err == nil && p.parent != os.Getpid() {
		t.Errorf("the orphan has parent %d, want us", p.parent)
	}
	eventually(t, "the orphan is buried", func() bool { return unix.Kill(orphan, 0) == unix.ESRCH })
	own := exec.Command("sh", "-c", "exit 5")
	if err := own.Run(); !errors.As(err, &exit) || exit.ExitCode() != 5 {
		t.Errorf("the status of a child in our own group was lost: %v", err)
	}
}

// TestOthersAreRefused: even with the directory opened by mistake, another user
// is closed before a byte is read, and a client does not talk to another user's
// supervisor (D3).
func TestOthersAreRefused(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("needs root, to be somebody else")
	}
	p := newPlace(t)
	p.dial(t, true)
	socket := p.socket(t)
	for _, path := range []string{p.dir, filepath.Dir(socket), socket} {
		if err := os.Chmod(path, 0o777); err != nil {
			t.Fatal(err)
		}
	}
	defer os.Chmod(filepath.Dir(socket), 0o700)
	exe, err := os.ReadFile("/proc/self/exe")
	if err != nil {
		t.Fatal(err)
	}
	copied := filepath.Join(p.dir, "intruder") // the test binary's own directory is closed to others
	if err := os.WriteFile(copied, exe, 0o755); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(copied)
	cmd.Dir = "/"
	cmd.Env = []string{asIntruder + "=" + socket}
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.HasPrefix(string(out), "closed:") {
		t.Errorf("another user: %s (%v)", out, err)
	}
	_, err = Status(t.Context(), p.places)
	wantCode(t, err, wire.PathUnsafe)

	if err := os.Chmod(filepath.Dir(socket), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{socket, filepath.Dir(socket)} {
		if err := os.Lchown(path, 65534, 65534); err != nil {
			t.Fatal(err)
		}
		_, err = Status(t.Context(), p.places)
		if e := wantCode(t, err, wire.PathUnsafe); !strings.Contains(e.Text, path) {
			t.Errorf("the error does not name %s: %s", path, e.Text)
		}
		if err := os.Lchown(path, 0, 0); err != nil {
			t.Fatal(err)
		}
	}
}

// TestMemoryIsClosed: the supervisor's memory goes into no core file and is not
// to be read by another process of the same user (D9).
func TestMemoryIsClosed(t *testing.T) {
	p := newPlace(t)
	hello, err := p.dial(t, true).Hello(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	limits, err := os.ReadFile(fmt.Sprintf("/proc/%d/limits", hello.PID))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(limits)) {
		if f := strings.Fields(line); strings.HasPrefix(line, "Max core file size") && f[4] != "0" {
			t.Errorf("core files are possible: %s", line)
		}
	}
	// The files of a process that may not be traced belong to root.
	if info, err := os.Stat(fmt.Sprintf("/proc/%d/environ", hello.PID)); err != nil || info.Sys().(*syscall.Stat_t).Uid != 0 {
		t.Errorf("another process may read the memory: %v %v", info, err)
	}
}
