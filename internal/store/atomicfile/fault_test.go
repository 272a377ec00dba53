package atomicfile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
)

// scenarios are the replacements that faults are tried on.
var scenarios = []struct {
	name, how, rel string
	old            bool
}{
	{"user's file", "follow", "f", true},
	{"new user's file", "follow", "f", false},
	{"new user's file in new directories", "follow", "a/b/f", false},
	{"project's file", "within", "sub/f", true},
	{"new project's file in a new directory", "within", "a/f", false},
}

// prepare makes the old file. As root it is a foreign one, so that there is an owner to keep.
func prepare(t *testing.T, dir, rel string, old bool) {
	t.Helper()
	if !old {
		return
	}
	write(t, filepath.Join(dir, rel), "old", 0o640)
	if os.Geteuid() == 0 {
		must(t, os.Chown(filepath.Join(dir, rel), 4711, 4712))
	}
}

// checkWhole checks that the file is old or new, whole, with its mode, and says which.
func checkWhole(t *testing.T, dir, rel string, old bool) string {
	t.Helper()
	text := read(t, filepath.Join(dir, rel))
	want := ""
	mode := fs.FileMode(0o600)
	if old {
		want, mode = "old", 0o640
	}
	if text != want && text != "new" {
		t.Errorf("got %q, want %q or new", text, want)
	}
	if info, err := os.Stat(filepath.Join(dir, rel)); err == nil {
		uid, _, _ := owner(info)
		if info.Mode() != mode || old && os.Geteuid() == 0 && uid != 4711 {
			t.Errorf("got mode %v, owner %d", info.Mode(), uid)
		}
	}
	return text
}

// Every step fails in every way: the file is old or new, and the next attempt works.
func TestFaults(t *testing.T) {
	all := []syscall.Errno{syscall.EIO, syscall.ENOSPC, syscall.EROFS, syscall.EACCES, syscall.EMFILE}
	for i, sc := range scenarios {
		faults := all
		if i != 0 && i != 2 {
			faults = all[:2] // the steps are the same ones
		}
		for _, fault := range faults {
			t.Run(fmt.Sprintf("%s %v", sc.name, fault), func(t *testing.T) {
				for n := 0; tryFault(t, sc.how, sc.rel, sc.old, n, fault); n++ {
				}
			})
		}
	}
}

// tryFault fails step n. It reports whether there was one.
func tryFault(t *testing.T, how, rel string, old bool, n int, fault syscall.Errno) bool {
	t.Helper()
	dir := ramDir(t)
	prepare(t, dir, rel, old)
	before := everything(t, dir)
	target, err := open(dir, rel, how)
	must(t, err)
	defer target.Close()
	failed, steps := "", 0
	target.before = func(step string) error {
		if steps++; steps-1 == n {
			failed = step
			return &fs.PathError{Op: step, Path: "x", Err: fault}
		}
		return nil
	}
	err = target.Replace([]byte("new"), 0o600, false)
	text := checkWhole(t, dir, rel, old)
	if failed == "" {
		if err != nil || text != "new" {
			t.Errorf("without a fault: got %q, %v", text, err)
		}
		return false
	}
	io, ok := errors.AsType[*IOError](err)
	if !ok || !errors.Is(err, fault) || io.Path != filepath.Join(dir, rel) {
		t.Errorf("%s: got %v", failed, err)
	}
	// Only the last step comes after the point of no return.
	after := everything(t, dir)
	if text != "new" && fmt.Sprint(after) != fmt.Sprint(before) || text == "new" && failed != "syncdir" {
		t.Errorf("%s: before %q, after %q, text %q", failed, before, after, text)
	}
	if left := temps(t, dir); len(left) > 0 {
		t.Errorf("%s: left behind: %q", failed, left)
	}
	target.before = nil
	must(t, target.Replace([]byte("new"), 0o600, false))
	if got := checkWhole(t, dir, rel, old); got != "new" {
		t.Errorf("%s: the next attempt wrote %q", failed, got)
	}
	return true
}

// If even the temporary file cannot be removed, the first error is reported and the old file is in place.
func TestRemoveFails(t *testing.T) {
	dir := tempDir(t)
	prepare(t, dir, "f", true)
	target, err := Follow(filepath.Join(dir, "f"))
	must(t, err)
	defer target.Close()
	target.before = func(step string) error {
		return map[string]error{"write": syscall.ENOSPC, "remove": syscall.EIO}[step]
	}
	if err := target.Replace([]byte("new"), 0o600, false); !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("got %v", err)
	}
	if got := checkWhole(t, dir, "f", true); got != "old" || len(temps(t, dir)) != 1 {
		t.Errorf("got %q, left %q", got, temps(t, dir))
	}
}

// A process is killed in front of every step: the file is old or new, its lock is free, the next attempt works.
func TestKilled(t *testing.T) {
	for i, sc := range scenarios {
		if i == 1 || i == 4 {
			continue // its steps are among those of the others, and starting processes takes time
		}
		for n := 0; ; n++ {
			dir, locks := ramDir(t), ramDir(t)
			prepare(t, dir, sc.rel, sc.old)
			err := helper(t, "kill", locks, dir, sc.rel, sc.how, strconv.Itoa(n)).Run()
			text := checkWhole(t, dir, sc.rel, sc.old)
			if err == nil {
				if text != "new" || len(temps(t, dir)) > 0 {
					t.Errorf("%s: not killed: got %q", sc.name, text)
				}
				break
			}
			if exit, ok := errors.AsType[*exec.ExitError](err); !ok || exit.Sys().(syscall.WaitStatus).Signal() != syscall.SIGKILL {
				t.Fatalf("%s, step %d: %v", sc.name, n, err)
			}
			target, err := open(dir, sc.rel, sc.how)
			must(t, err)
			release, err := Lock(t.Context(), locks, target.Real(), 0)
			must(t, err)
			must(t, target.Replace([]byte("new"), 0o600, false))
			must(t, errors.Join(release(), target.Close()))
			if got := checkWhole(t, dir, sc.rel, sc.old); got != "new" {
				t.Errorf("%s, step %d: the next attempt wrote %q", sc.name, n, got)
			}
			if left := temps(t, dir); len(left) > 0 {
				t.Errorf("%s, step %d: the next attempt left %q", sc.name, n, left)
			}
		}
	}
}
