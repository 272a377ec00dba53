package atomicfile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestRemove(t *testing.T) {
	for _, how := range []string{"follow", "within"} {
		dir := tempDir(t)
		write(t, filepath.Join(dir, "sub", "f"), "text", 0o640)
		write(t, filepath.Join(dir, "sub", "g"), "neighbour", 0o600)
		before := everything(t, dir)
		target, err := open(dir, "sub/f", how)
		must(t, err)
		defer target.Close()
		for _, step := range []string{"access", "unlink"} {
			target.before = func(s string) error { return map[string]error{step: syscall.EIO}[s] }
			if err := target.Remove(); !errors.Is(err, syscall.EIO) {
				t.Errorf("%s: %s fails: got %v", how, step, err)
			}
			if diff := cmp.Diff(before, everything(t, dir)); diff != "" {
				t.Errorf("%s: %s fails: -before +after:\n%s", how, step, diff)
			}
		}
		target.before = nil
		must(t, target.Remove())
		if diff := cmp.Diff([]string{"drwxr-xr-x sub", "-rw------- sub/g"}, everything(t, dir)); diff != "" {
			t.Errorf("%s: -want +got:\n%s", how, diff)
		}
		if err := target.Remove(); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: a second time: got %v", how, err)
		}
		must(t, target.Replace([]byte("again"), 0o600, false))
	}
}

// A user's file behind a link is removed where it is; a project's is not touched through one.
func TestRemoveLinks(t *testing.T) {
	dir := tempDir(t)
	write(t, filepath.Join(dir, "real"), "text", 0o600)
	must(t, os.Symlink("real", filepath.Join(dir, "link")))
	inside, err := Within(dir, "real")
	must(t, err)
	defer inside.Close()
	followed, err := Follow(filepath.Join(dir, "link"))
	must(t, err)
	defer followed.Close()
	must(t, os.Rename(filepath.Join(dir, "real"), filepath.Join(dir, "moved")))
	must(t, os.Symlink("moved", filepath.Join(dir, "real")))
	wantUnsafe(t, inside.Remove(), "symbolic link")
	wantUnsafe(t, followed.Remove(), "symbolic link")
	if got := read(t, filepath.Join(dir, "moved")); got != "text" {
		t.Errorf("got %q", got)
	}
	must(t, os.Remove(filepath.Join(dir, "real")))
	must(t, os.Rename(filepath.Join(dir, "moved"), filepath.Join(dir, "real")))
	must(t, followed.Remove())
	if diff := cmp.Diff(1, len(everything(t, dir))); diff != "" {
		t.Errorf("left: %q", everything(t, dir))
	}
}
