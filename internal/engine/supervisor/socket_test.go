package supervisor

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/mcpctl/mcpctl/internal/engine/wire"
	"github.com/mcpctl/mcpctl/internal/store"
)

func TestSocketPath(t *testing.T) {
	dir := shortDir(t)
	uid := os.Getuid()
	long := filepath.Join(dir, strings.Repeat("x", 120))
	if err := os.Mkdir(long, 0o700); err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct {
		places store.Places
		want   string // of the directory
	}{
		"runtime":         {store.Places{RuntimeDir: dir, TempDir: "/tmp"}, dir + "/mcpctl"},
		"no runtime":      {store.Places{TempDir: dir}, fmt.Sprintf("%s/mcpctl-%d", dir, uid)},
		"runtime missing": {store.Places{RuntimeDir: dir + "/no", TempDir: dir}, fmt.Sprintf("%s/mcpctl-%d", dir, uid)},
		"both missing":    {store.Places{RuntimeDir: dir + "/no", TempDir: dir + "/no"}, fmt.Sprintf("/tmp/mcpctl-%d", uid)},
	} {
		t.Run(name, func(t *testing.T) {
			got, socket, err := SocketPath(tt.places)
			if err != nil || got != tt.want || socket != tt.want+"/supervisor-1.sock" {
				t.Errorf("%s, %s, %v; want %s", got, socket, err, tt.want)
			}
			if _, err := os.Lstat(filepath.Join(dir, "mcpctl")); err == nil {
				t.Error("a look has created the directory")
			}
		})
	}
	a, socket, err := SocketPath(store.Places{RuntimeDir: long, TempDir: dir})
	if err != nil || len(socket) > maxSocketPath || !strings.HasPrefix(a, fmt.Sprintf("/tmp/mcpctl-%d-", uid)) {
		t.Errorf("long: %s, %s, %v", a, socket, err)
	}
	b, _, _ := SocketPath(store.Places{RuntimeDir: dir + "/no", TempDir: long})
	if again, _, _ := SocketPath(store.Places{RuntimeDir: long}); a == b || a != again {
		t.Errorf("the short name does not follow the long one: %s, %s, %s", a, b, again)
	}
}

// TestForeignRuntimeDir: after su, XDG_RUNTIME_DIR is still the first user's.
func TestForeignRuntimeDir(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("needs root, to give a directory away")
	}
	dir := shortDir(t)
	theirs := filepath.Join(dir, "theirs")
	if err := errors.Join(os.Mkdir(theirs, 0o700), os.Chown(theirs, 65534, 65534)); err != nil {
		t.Fatal(err)
	}
	got, _, err := SocketPath(store.Places{RuntimeDir: theirs, TempDir: dir})
	if want := dir + "/mcpctl-0"; got != want || err != nil {
		t.Errorf("%s, %v; want %s", got, err, want)
	}
}

// TestUnsafeDirectory: one that another could have made, or opened, is refused
// and not repaired.
func TestUnsafeDirectory(t *testing.T) {
	for name, put := range map[string]func(path string) error{
		"open":  func(path string) error { return errors.Join(os.Mkdir(path, 0o700), os.Chmod(path, 0o755)) },
		"file":  func(path string) error { return os.WriteFile(path, nil, 0o700) },
		"link":  func(path string) error { return errors.Join(os.Mkdir(path+"x", 0o700), os.Symlink(path+"x", path)) },
		"loose": func(path string) error { return errors.Join(os.Mkdir(path, 0o700), os.Chmod(path, 0o777)) },
	} {
		t.Run(name, func(t *testing.T) {
			p := newPlace(t)
			path := filepath.Join(p.dir, "mcpctl")
			if err := put(path); err != nil {
				t.Fatal(err)
			}
			before, _ := os.Lstat(path)
			_, _, pathErr := SocketPath(p.places)
			_, statusErr := Status(t.Context(), p.places)
			_, dialErr := Dial(t.Context(), p.options(true))
			for _, err := range []error{pathErr, statusErr, dialErr, makeDir(path)} {
				if e := wantCode(t, err, wire.PathUnsafe); !strings.Contains(e.Text, path) || e.Path != path {
					t.Errorf("the error does not name the directory: %+v", e)
				}
			}
			if after, err := os.Lstat(path); err != nil || after.Mode() != before.Mode() {
				t.Errorf("it was changed: %v, %v", after, err)
			}
		})
	}
}

// TestLongHome: a path that does not fit into a socket address works (B139).
func TestLongHome(t *testing.T) {
	p := newPlace(t)
	long := filepath.Join(p.dir, strings.Repeat("x", 150))
	if err := os.Mkdir(long, 0o700); err != nil {
		t.Fatal(err)
	}
	p.env = append(p.env, "HOME="+long, "MCPCTL_RUNTIME_DIR="+long)
	p.places.RuntimeDir = long
	dir := filepath.Dir(p.socket(t))
	defer os.RemoveAll(dir)
	p.dial(t, true)
	if info, err := os.Lstat(dir); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("%s: %v, %v", dir, info, err)
	}
	if found, err := Stop(t.Context(), p.places); !found || err != nil {
		t.Errorf("stop: %v, %v", found, err)
	}
}

func TestLock(t *testing.T) {
	path := filepath.Join(shortDir(t), "lock")
	first, err := acquire(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	short, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if _, err := acquire(short, path); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a held lock was given: %v", err)
	}
	got := make(chan *lock)
	go func() { // ends when the lock is given
		l, err := acquire(t.Context(), path)
		if err != nil {
			t.Error(err)
		}
		got <- l
	}()
	first.release()
	second := <-got // also after the wait that was given up
	defer second.release()

	// A cleaner removes the file: the one that is there now is the lock.
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	third, err := acquire(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer third.release()
	if second.current(path) || !third.current(path) {
		t.Error("the lock is not on the file that is there")
	}
}

// TestDescends walks trees that are written down as child to parent.
func TestDescends(t *testing.T) {
	const supervisor = 50
	for name, tt := range map[string]struct {
		parents map[int][]int // what each look at a process says; the last stays; 0 is "gone"
		want    bool
		fails   bool
	}{
		"itself":               {parents: map[int][]int{}, want: false},
		"child":                {parents: map[int][]int{70: {supervisor}}, want: true},
		"grandchild":           {parents: map[int][]int{70: {60}, 60: {supervisor}}, want: true},
		"stranger":             {parents: map[int][]int{70: {20}, 20: {1}}, want: false},
		"from outside":         {parents: map[int][]int{70: {20}, 20: {-1}}, want: false},
		"gone itself":          {parents: map[int][]int{}, fails: true},
		"parent dies, adopted": {parents: map[int][]int{70: {60, supervisor}}, want: true},
		"parent is hidden":     {parents: map[int][]int{70: {20}}, want: false},
		"a circle":             {parents: map[int][]int{70: {71}, 71: {70}}, fails: true},
	} {
		t.Run(name, func(t *testing.T) {
			looks := map[int]int{}
			parentOf := func(pid int) (int, error) {
				list := tt.parents[pid]
				if len(list) == 0 {
					return 0, errGone
				}
				i := min(looks[pid], len(list)-1)
				looks[pid]++
				return max(list[i], 0), nil
			}
			pid := 70
			if name == "itself" {
				pid = supervisor
			}
			got, err := descendsFrom(pid, supervisor, parentOf)
			if got != tt.want || (err != nil) != tt.fails {
				t.Errorf("%v, %v; want %v", got, err, tt.want)
			}
		})
	}
}

func shortDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("/tmp", "m")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

// TestOwnDoor: a socket that this process holds without being told so is no other
// supervisor's.
func TestOwnDoor(t *testing.T) {
	p := newPlace(t)
	bindPrivately(t, p.socket(t))
	_, err := claim(t.Context(), p.places, nil)
	if e := wantCode(t, err, wire.PathUnsafe); !strings.Contains(e.Text, "by this very process") {
		t.Error(e.Text)
	}
}

// TestSilentListener: what listens and says nothing is called a supervisor only when
// one holds the lock.
func TestSilentListener(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	bindPrivately(t, p.socket(t)) // by this process
	c, err := Dial(t.Context(), DialOptions{Places: p.places, Version: "test", Start: true})
	if err == nil {
		defer c.Close()
		_, err = c.Hello(t.Context())
	}
	if e := wantCode(t, err, wire.SupervisorUnreachable); !strings.Contains(e.Text, fmt.Sprintf("process %d listens", os.Getpid())) {
		t.Error(e.Text)
	}
}
