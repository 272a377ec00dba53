package atomicfile

import (
	"bufio"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestLockExcludes(t *testing.T) {
	dir := filepath.Join(tempDir(t), "state", "locks")
	ctx := context.Background()
	release, err := Lock(ctx, dir, "/x/mcp.json", 0)
	must(t, err)
	got := everything(t, filepath.Dir(dir))
	if len(got) != 2 || got[0] != "drwx------ locks" || !strings.HasPrefix(got[1], "-rw------- locks/") || !strings.HasSuffix(got[1], ".lock") {
		t.Errorf("got %q", got)
	}

	_, err = Lock(ctx, dir, "/x/mcp.json", 30*time.Millisecond)
	locked, ok := errors.AsType[*LockedError](err)
	if !ok || locked.Path != "/x/mcp.json" || locked.Holder != os.Getpid() || locked.Waited < 30*time.Millisecond {
		t.Fatalf("got %#v", err)
	}
	if _, err := Lock(ctx, dir, "/x/mcp.json", 0); locked.Code() != "MCP_CONFIG_LOCKED" || err == nil {
		t.Errorf("got %v, code %s", err, locked.Code())
	}
	other, err := Lock(ctx, dir, "/y/mcp.json", 0)
	must(t, err)
	must(t, other())

	must(t, release())
	again, err := Lock(ctx, dir, "/x/mcp.json", 0)
	must(t, err)
	must(t, release()) // a second time: must not take the lock from its new holder
	if _, err := Lock(ctx, dir, "/x/mcp.json", 0); err == nil {
		t.Error("released twice, the lock is free although it is held")
	}
	must(t, again())
}

func TestLockContext(t *testing.T) {
	dir := tempDir(t)
	release, err := Lock(context.Background(), dir, "x", 0)
	must(t, err)
	defer release()

	cancelled, cancel := context.WithCancel(context.Background())
	time.AfterFunc(20*time.Millisecond, cancel)
	if _, err := Lock(cancelled, dir, "x", time.Minute); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want cancelled", err)
	}
	if _, err := Lock(cancelled, dir, "free", time.Minute); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want cancelled", err)
	}
	late, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
	defer cancel()
	if _, ok := errors.AsType[*LockedError](second(Lock(late, dir, "x", time.Minute))); !ok {
		t.Error("a deadline of the context is waiting too long as well")
	}
}

func second[T any](_ T, err error) error { return err }

func TestLockErrors(t *testing.T) {
	dir := tempDir(t)
	write(t, filepath.Join(dir, "file"), "", 0o600)
	_, err := Lock(context.Background(), filepath.Join(dir, "file"), "x", 0)
	if failed, ok := errors.AsType[*IOError](err); !ok || failed.Code() != "MCP_IO" {
		t.Errorf("got %v, want an IOError", err)
	}
}

// holder starts a process that holds the lock of target.
func holder(t *testing.T, dir, target string) (*exec.Cmd, io.Closer) {
	t.Helper()
	cmd := helper(t, "hold", dir, target)
	stdin, err := cmd.StdinPipe()
	must(t, err)
	stdout, err := cmd.StdoutPipe()
	must(t, err)
	must(t, cmd.Start())
	if line, err := bufio.NewReader(stdout).ReadString('\n'); line != "locked\n" {
		t.Fatalf("got %q, %v", line, err)
	}
	return cmd, stdin
}

func TestLockOfAnotherProcess(t *testing.T) {
	dir := tempDir(t)
	for _, killed := range []bool{false, true} {
		cmd, stdin := holder(t, dir, "/x")
		_, err := Lock(context.Background(), dir, "/x", 0)
		if locked, ok := errors.AsType[*LockedError](err); !ok || locked.Holder != cmd.Process.Pid {
			t.Errorf("got %v, want process %d to be named", err, cmd.Process.Pid)
		}
		if killed {
			must(t, cmd.Process.Kill())
		}
		must(t, stdin.Close())
		_ = cmd.Wait()
		release, err := Lock(context.Background(), dir, "/x", 0)
		must(t, err)
		must(t, release())
	}
}

// Twenty processes that edit one file through two different links lose nothing, and whoever reads meanwhile
// sees a whole file.
func TestParallelEdits(t *testing.T) {
	dir := ramDir(t)
	locks, file := filepath.Join(dir, "locks"), filepath.Join(dir, "etc", "new", "file")
	must(t, os.MkdirAll(filepath.Join(dir, "etc"), 0o755))
	must(t, os.Symlink("etc", filepath.Join(dir, "link")))
	var running []*exec.Cmd
	var want []string
	for p := range 20 {
		prefix := string(rune('a' + p))
		for i := range 10 {
			want = append(want, prefix+"-"+string(rune('0'+i)))
		}
		path := []string{file, filepath.Join(dir, "link", "new", "file")}[p%2]
		cmd := helper(t, "append", locks, path, prefix)
		must(t, cmd.Start())
		running = append(running, cmd)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		for _, cmd := range running {
			if err := cmd.Wait(); err != nil {
				t.Error(err)
			}
		}
	}()
	for seen, over := 0, false; !over; {
		select {
		case <-done:
			over = true
		default:
		}
		data, _, err := ReadFile(file, 1<<20)
		if err != nil || len(data) < seen || len(data) > 0 && data[len(data)-1] != '\n' {
			t.Fatalf("torn: %d bytes after %d, %v", len(data), seen, err)
		}
		seen = len(data)
	}
	got := strings.Fields(read(t, file))
	slices.Sort(got)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if got := everything(t, filepath.Join(dir, "etc")); !slices.Equal(got, []string{"drwx------ new", "-rw------- new/file"}) {
		t.Errorf("left behind: %q", got)
	}
}
