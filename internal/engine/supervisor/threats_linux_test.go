package supervisor

import (
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/mcpctl/mcpctl/internal/engine/wire"
	"github.com/mcpctl/mcpctl/internal/store"
)

// The names of these tests are those of the published attacks they replay. Others
// of the same list are in guard_linux_test.go (D3, D9, C12) and start_test.go (D2, D4).

// TestD1Squatting: what another user has put at a place in /tmp that can be guessed
// is neither talked to nor listened at, and stays as it is.
func TestD1Squatting(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("needs root, to be somebody else")
	}
	const nobody = 65534
	give := func(paths ...string) (err error) {
		for _, path := range paths {
			err = errors.Join(err, os.Lchown(path, nobody, nobody))
		}
		return err
	}
	for name, squat := range map[string]func(dir string) error{
		"directory": func(dir string) error { return errors.Join(os.Mkdir(dir, 0o700), give(dir)) },
		"open directory": func(dir string) error {
			return errors.Join(os.Mkdir(dir, 0o777), os.Chmod(dir, 0o777), give(dir))
		},
		"link to a directory of ours": func(dir string) error {
			return errors.Join(os.Mkdir(dir+"-ours", 0o700), os.Symlink(dir+"-ours", dir), give(dir))
		},
		"dangling link": func(dir string) error { return errors.Join(os.Symlink(dir+"-none", dir), give(dir)) },
		"a listening socket": func(dir string) error {
			ln, err := net.ListenUnix("unix", &net.UnixAddr{Name: dir + "-s"})
			if err != nil {
				return err
			}
			ln.SetUnlinkOnClose(false)
			t.Cleanup(func() { ln.Close() })
			return errors.Join(os.Mkdir(dir, 0o700), os.Rename(dir+"-s", filepath.Join(dir, socketName)), give(dir, filepath.Join(dir, socketName)))
		},
		"a lock": func(dir string) error {
			return errors.Join(os.Mkdir(dir, 0o700), os.WriteFile(filepath.Join(dir, instanceName), []byte("1"), 0o600), give(dir))
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPlace(t)
			p.places = store.Places{Home: p.dir, ConfigHome: p.places.ConfigHome, StateHome: p.places.StateHome, TempDir: p.dir}
			dir := filepath.Join(p.dir, fmt.Sprintf("mcpctl-%d", os.Getuid()))
			if err := squat(dir); err != nil {
				t.Fatal(err)
			}
			before, err := os.Lstat(dir)
			if err != nil {
				t.Fatal(err)
			}
			_, dialErr := Dial(t.Context(), p.options(true))
			_, claimErr := claim(t.Context(), p.places, nil)
			_, statusErr := Status(t.Context(), p.places)
			_, stopErr := Stop(t.Context(), p.places)
			for i, err := range []error{dialErr, claimErr, statusErr, stopErr} {
				if err == nil {
					t.Fatalf("%d: it was used", i)
				}
				if e := wantCode(t, err, wire.PathUnsafe); !strings.Contains(e.Text, dir) {
					t.Errorf("the error does not name it: %s", e.Text)
				}
			}
			if after, err := os.Lstat(dir); err != nil || after.Mode() != before.Mode() || after.Sys().(*syscall.Stat_t).Uid != nobody {
				t.Errorf("it was changed: %v, %v", after, err)
			}
		})
	}
}

// TestD5NothingElseListens: the supervisor's one socket is the file. No name without
// a file, which every user of the machine reaches, and no port (D6).
func TestD5NothingElseListens(t *testing.T) {
	p := newPlace(t)
	c := p.dial(t, true)
	if _, err := c.Open(t.Context(), p.open(p.workspace(t, "a"))); err != nil {
		t.Fatal(err)
	}
	hello, err := c.Hello(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	own := map[string]bool{} // inodes of its sockets
	fds, err := filepath.Glob(fmt.Sprintf("/proc/%d/fd/*", hello.PID))
	if err != nil || len(fds) == 0 {
		t.Skip("its descriptors are not to be seen: ", err)
	}
	for _, fd := range fds {
		if target, _ := os.Readlink(fd); strings.HasPrefix(target, "socket:[") {
			own[strings.Trim(target, "socket:[]")] = true
		}
	}
	found := 0
	for file, column := range map[string]int{"unix": 6, "tcp": 9, "tcp6": 9, "udp": 9, "udp6": 9} {
		table, err := os.ReadFile(fmt.Sprintf("/proc/%d/net/%s", hello.PID, file))
		if err != nil {
			table, _ = os.ReadFile("/proc/net/" + file)
		}
		for line := range strings.Lines(string(table)) {
			f := strings.Fields(line)
			if len(f) <= column || !own[f[column]] {
				continue
			}
			found++
			if file != "unix" || len(f) > 7 && f[7] != p.socket(t) {
				t.Errorf("it has another socket: %s %s", file, line)
			}
		}
	}
	if found == 0 || found != len(own) {
		t.Errorf("%d of its %d sockets were found; the test proves nothing", found, len(own))
	}
}

// TestD7ProtocolAbuse: frames without an end, connections by the thousand that say
// nothing, half, or a byte at a time, and ends in the middle of a frame cost their
// sender the connection. Another client is answered meanwhile, and afterwards nothing
// of it is left. MCPCTL_STRESS has a frame of a gigabyte and ten thousand connections.
func TestD7ProtocolAbuse(t *testing.T) {
	frame, idle := 64<<20, 500
	if os.Getenv("MCPCTL_STRESS") != "" {
		frame, idle = 1<<30, 10000
	}
	p := newPlace(t)
	p.serve(t, new(fakes).make, nil)
	polite := p.dial(t, false)
	if _, err := polite.Hello(t.Context()); err != nil {
		t.Fatal(err)
	}
	answered := func(while string) {
		t.Helper()
		var info wire.Info
		if err := polite.Call(t.Context(), wire.MethodInfo, nil, &info); err != nil {
			t.Fatalf("%s: a client from before: %v", while, err)
		}
		if _, err := Status(t.Context(), p.places); err != nil {
			t.Fatalf("%s: a new client: %v", while, err)
		}
	}
	answered("before")
	goroutines, descriptors := runtime.NumGoroutine(), openDescriptors(t)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)

	for _, start := range []string{"", helloLine, helloLine + `{"jsonrpc":"2.0","id":2,"method":"mcp.list","params":{"x":"`} {
		c := p.raw(t)
		sent, err := io.WriteString(c, start)
		for chunk := strings.Repeat("x", 1<<20); err == nil && sent < frame; {
			n, writeErr := io.WriteString(c, chunk)
			sent, err = sent+n, writeErr
		}
		if err == nil || sent > 24<<20 {
			t.Errorf("%d MiB of one frame were taken (%v)", sent>>20, err)
		}
		c.Close()
		answered("an endless frame")
	}
	for _, half := range []string{helloLine[:1], helloLine[:60], helloLine + `{"jsonrpc":`} { // an end in the middle
		c := p.raw(t)
		if _, err := io.WriteString(c, half); err != nil {
			t.Error(err)
		}
		_ = c.CloseWrite() // half open: it would still read
		if b, _ := io.ReadAll(c); strings.Contains(string(b), "jsonrpc") != strings.HasPrefix(half, helloLine) {
			t.Errorf("%q was answered: %q", half, b)
		}
		c.Close()
	}

	slow := p.raw(t) // a byte at a time, until it is cut off or done
	var trickle sync.WaitGroup
	trickle.Go(func() {
		for _, b := range []byte(strings.Repeat(" ", 200) + helloLine) {
			if _, err := slow.Write([]byte{b}); err != nil {
				return
			}
			time.Sleep(time.Millisecond)
		}
	})
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &limit); err != nil {
		t.Fatal(err)
	}
	crowd := min(idle, int(limit.Cur/2)-maxConnections-100) // as many at a time as the test may have open
	t.Logf("%d of %d connections at a time", crowd, idle)
	for range idle / crowd {
		var silent []net.Conn
		for range crowd {
			eventually(t, "the queue takes one more", func() bool {
				c, err := net.Dial("unix", p.socket(t))
				if err == nil {
					silent = append(silent, c)
				} else if !errors.Is(err, syscall.EAGAIN) { // the queue is full
					t.Fatal(err)
				}
				return err == nil
			})
		}
		answered("a crowd that says nothing")
		for _, c := range silent {
			c.Close()
		}
	}
	trickle.Wait()
	slow.Close()
	runtime.ReadMemStats(&after)
	if grown := int64(after.HeapSys) - int64(before.HeapSys); grown > 128<<20 {
		t.Errorf("the heap has grown by %d MiB", grown>>20)
	}
	eventually(t, "the goroutines have ended", func() bool { return runtime.NumGoroutine() <= goroutines })
	eventually(t, "the descriptors are closed", func() bool { return openDescriptors(t) <= descriptors })
	answered("after all")
}
