package atomicfile

import (
	"errors"
	"io/fs"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestAside(t *testing.T) {
	dir := tempDir(t)
	write(t, filepath.Join(dir, "f"), "damaged", 0o640)
	write(t, filepath.Join(dir, "f.damaged"), "older", 0o600)
	target, err := Follow(filepath.Join(dir, "f"))
	must(t, err)
	defer target.Close()
	target.before = func(string) error { return syscall.EIO }
	if err := target.Aside("f.damaged"); !errors.Is(err, syscall.EIO) || read(t, filepath.Join(dir, "f")) != "damaged" {
		t.Errorf("got %v", err)
	}
	target.before = nil
	must(t, target.Aside("f.damaged"))
	if diff := cmp.Diff([]string{"-rw-r----- f.damaged"}, everything(t, dir)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if err := target.Aside("f.damaged"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v, want not found", err)
	}
}

// A file of the same name further up must not be taken for one in a directory that is missing.
func TestAsideBelowMissingDirectory(t *testing.T) {
	dir := tempDir(t)
	write(t, filepath.Join(dir, "f"), "another file", 0o600)
	target, err := Follow(filepath.Join(dir, "missing", "f"))
	must(t, err)
	defer target.Close()
	if err := target.Aside("f.damaged"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v, want not found", err)
	}
	if got := everything(t, dir); len(got) != 1 || read(t, filepath.Join(dir, "f")) != "another file" {
		t.Errorf("got %q", got)
	}
}
