package atomicfile

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestNewTree(t *testing.T) {
	parent := filepath.Join(t.TempDir(), "a", "b")
	dir := filepath.Join(parent, "tree")
	put := func(names ...string) func(func(string, bool, io.Reader) error) error {
		return func(put func(string, bool, io.Reader) error) error {
			for _, name := range names {
				if err := put(name, strings.HasSuffix(name, ".sh"), strings.NewReader(name)); err != nil {
					return err
				}
			}
			return nil
		}
	}
	// Names that lead out, stand twice, or are a directory's: nothing is left.
	for _, names := range [][]string{{"x", "../out"}, {"/out"}, {"x", "x"}, {"x", "x/y"}} {
		if err := NewTree(dir, put(names...)); err == nil {
			t.Errorf("%q: no error", names)
		}
	}
	stop := errors.New("stop")
	if err := NewTree(dir, func(func(string, bool, io.Reader) error) error { return stop }); !errors.Is(err, stop) {
		t.Errorf("the error of fill: %v", err)
	}
	if left, _ := os.ReadDir(parent); len(left) != 0 {
		t.Errorf("left: %v", left)
	}
	if err := NewTree(dir, put("x", "d/run.sh")); err != nil {
		t.Fatal(err)
	}
	for name, mode := range map[string]os.FileMode{"x": 0o600, "d": os.ModeDir | 0o700, "d/run.sh": 0o700, "": os.ModeDir | 0o700} {
		if info, err := os.Stat(filepath.Join(dir, name)); err != nil || info.Mode() != mode {
			t.Errorf("%s: %v, %v", name, info.Mode(), err)
		}
	}
	if err := NewTree(dir, put("other")); err != nil {
		t.Error("one that is there: ", err)
	}
	if _, err := os.Stat(filepath.Join(dir, "other")); err == nil {
		t.Error("one that is there was changed")
	}
}

func TestSum(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	if err := os.WriteFile(path, []byte("abc"), 0o600); err != nil {
		t.Fatal(err)
	}
	const abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad" // FIPS 180-4, its example
	if sum, err := Sum(path, 3); sum != abc || err != nil {
		t.Error(sum, err)
	}
	var large *TooLargeError
	if _, err := Sum(path, 2); !errors.As(err, &large) {
		t.Error(err)
	}
	var unsafe *UnsafeError
	if _, err := Sum(t.TempDir(), 9); !errors.As(err, &unsafe) {
		t.Error(err)
	}
}
