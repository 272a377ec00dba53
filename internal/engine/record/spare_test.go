package record

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// TestMadeAhead: a file that was made ahead becomes an output like any other, takes no other's place, and is nowhere to be
// seen before.
func TestMadeAhead(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only Linux has files without a name that can get one")
	}
	t.Parallel()
	state := t.TempDir()
	s := outputsIn(t, state)
	first := save(t, s, answer)
	path := filepath.Join(state, outputsName)
	dir, err := openOutputs(path)
	if err != nil {
		t.Fatal(err)
	}
	defer dir.close()
	fill := func(o Output) error {
		fd, err := nameless(path)
		if errors.Is(err, unix.EOPNOTSUPP) {
			t.Skip("nor has this file system")
		}
		if err != nil {
			t.Fatal(err)
		}
		if names, err := os.ReadDir(path); err != nil || len(names) != 1 {
			t.Errorf("seen before it is whole: %v, %v", names, err)
		}
		head, err := o.head()
		if err != nil {
			t.Fatal(err)
		}
		return dir.fill(fd, o.ID, head, o.Result)
	}
	taken := answer
	taken.ID = first
	before, _ := os.ReadFile(fileOf(state, first))
	if err := fill(taken); !errors.Is(err, unix.EEXIST) {
		t.Errorf("in place of another: %v", err)
	}
	if after, err := os.ReadFile(fileOf(state, first)); err != nil || !bytes.Equal(before, after) {
		t.Errorf("the other was changed: %v", err)
	}
	o := answer
	o.ID, o.Result = "aaaaaaaaaaaaaaaaaaaaaaaaaa", append(append([]byte(`"`), bytes.Repeat([]byte("x"), 1<<20)...), '"')
	if err := fill(o); err != nil {
		t.Fatal(err)
	}
	got, err := ReadOutput(state, o.ID)
	if err != nil || !bytes.Equal(got.Result, o.Result) {
		t.Errorf("%d bytes, %v", len(got.Result), err)
	}
	if info, err := os.Stat(fileOf(state, o.ID)); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
}

// TestSparesEnd: nothing of what was made ahead outlives its time, or Close.
func TestSparesEnd(t *testing.T) {
	t.Parallel()
	s := NewOutputs(t.TempDir())
	for range 20 {
		save(t, s, answer)
	}
	s.Close()
	s.Close()
	if fd, ok := s.spares.take(); ok || s.spares.making.Load() {
		t.Errorf("there is still one: %d", fd)
	}
	s = outputsIn(t, t.TempDir())
	save(t, s, answer)
	for deadline := time.Now().Add(spareWait + 20*time.Second); s.spares.making.Load(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("what was made ahead is kept for ever")
		}
	}
}
