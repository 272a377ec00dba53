package atomicfile

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// helperEnv makes the test binary do one of the jobs below instead of running tests.
const helperEnv = "ATOMICFILE_TEST_HELPER"

func TestMain(m *testing.M) {
	job := os.Getenv(helperEnv)
	if job == "" {
		os.Exit(m.Run())
	}
	if err := helpers[job](os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

var helpers = map[string]func(args []string) error{
	"append": helpAppend,
	"hold":   helpHold,
	"kill":   helpKill,
}

// helpAppend adds ten lines to a file, one edit each: LOCKDIR FILE PREFIX.
func helpAppend(args []string) error {
	for i := range 10 {
		if err := appendLine(args[0], args[1], fmt.Sprintf("%s-%d\n", args[2], i)); err != nil {
			return err
		}
	}
	return nil
}

func appendLine(lockDir, path, line string) error {
	t, err := Follow(path)
	if err != nil {
		return err
	}
	defer t.Close()
	release, err := Lock(context.Background(), lockDir, t.Real(), time.Minute)
	if err != nil {
		return err
	}
	data, _, err := t.Read(1 << 20)
	if err == nil {
		err = t.Replace(append(data, line...), 0o600, false)
	}
	return errors.Join(err, release())
}

// helpHold locks, says so, and holds until its stdin ends: LOCKDIR TARGET.
func helpHold(args []string) error {
	release, err := Lock(context.Background(), args[0], args[1], time.Minute)
	if err != nil {
		return err
	}
	fmt.Println("locked")
	_, _ = os.Stdin.Read(make([]byte, 1))
	return release()
}

// helpKill replaces a file by "new" and dies in front of step N: LOCKDIR ROOT REL follow|within N.
func helpKill(args []string) error {
	t, err := open(args[1], args[2], args[3])
	if err != nil {
		return err
	}
	if _, err := Lock(context.Background(), args[0], t.Real(), time.Minute); err != nil {
		return err
	}
	last, err := strconv.Atoi(args[4])
	if err != nil {
		return err
	}
	t.before = func(string) error {
		if last--; last < 0 {
			_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
			select {}
		}
		return nil
	}
	return t.Replace([]byte("new"), 0o600, false)
}

func open(root, rel, how string) (*Target, error) {
	if how == "within" {
		return Within(root, rel)
	}
	return Follow(filepath.Join(root, rel))
}

func helper(t *testing.T, job string, args ...string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self, args...)
	cmd.Env = append(os.Environ(), helperEnv+"="+job)
	cmd.Stderr = os.Stderr
	return cmd
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func write(t *testing.T, path, text string, mode fs.FileMode) {
	t.Helper()
	must(t, os.MkdirAll(filepath.Dir(path), 0o755))
	must(t, os.WriteFile(path, []byte(text), 0o600))
	must(t, os.Chmod(path, mode))
}

func read(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return ""
	}
	must(t, err)
	return string(data)
}

// tempDir is t.TempDir without symbolic links on the way.
func tempDir(t *testing.T) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	must(t, err)
	return dir
}

// ramDir is tempDir in memory where the system has such a place, for tests with hundreds of syncs.
func ramDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("/dev/shm", "atomicfile")
	if err != nil {
		return tempDir(t)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

// everything lists all files, links and directories below dir, with modes.
func everything(t *testing.T, dir string) []string {
	t.Helper()
	var all []string
	must(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || path == dir {
			return err
		}
		info, err := d.Info()
		rel, _ := filepath.Rel(dir, path)
		all = append(all, fmt.Sprintf("%v %s", info.Mode(), rel))
		return err
	}))
	return all
}

func temps(t *testing.T, dir string) (found []string) {
	t.Helper()
	for _, line := range everything(t, dir) {
		if strings.Contains(line, tempPrefix) {
			found = append(found, line)
		}
	}
	return found
}

// wantUnsafe checks that err is an *UnsafeError that says why.
func wantUnsafe(t *testing.T, err error, why string) {
	t.Helper()
	unsafe, ok := errors.AsType[*UnsafeError](err)
	if !ok || !strings.Contains(unsafe.Why, why) || unsafe.Code() != "MCP_PATH_UNSAFE" {
		t.Errorf("got %v, want an UnsafeError about %q", err, why)
	}
}

// inTime fails the test if f hangs, as opening a named pipe can.
func inTime(t *testing.T, f func()) {
	t.Helper()
	done := make(chan struct{})
	go func() {
		defer close(done)
		f()
	}()
	select {
	case <-done:
	case <-time.After(time.Minute):
		t.Fatal("hangs")
	}
}
