package atomicfile

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The user without rights, a group it is in, and one it is not in.
const (
	user      = 4711
	ours      = 4712
	strangers = 4713
)

// groupsEnv names a directory of files of this user that belong to these groups.
const groupsEnv = "ATOMICFILE_TEST_GROUPS"

// What only matters to a user who is not root. Root runs it in a process of another user.
func TestUnprivileged(t *testing.T) {
	if os.Geteuid() == 0 {
		runAsUser(t, "^TestUnprivileged$")
		return
	}
	t.Run("read-only file", func(t *testing.T) {
		dir := tempDir(t)
		write(t, filepath.Join(dir, "f"), "old", 0o444)
		wantDenied(t, dir, replaceAt(dir, "f", "follow", "new", 0o600, false), "-r--r--r-- f")
		wantDenied(t, dir, replaceAt(dir, "f", "within", "new", 0o600, false), "-r--r--r-- f")
	})
	t.Run("read-only store behind a link", func(t *testing.T) {
		dir, store := tempDir(t), tempDir(t)
		write(t, filepath.Join(store, "f"), "old", 0o444)
		must(t, os.Chmod(store, 0o555))
		defer os.Chmod(store, 0o755)
		must(t, os.Symlink(filepath.Join(store, "f"), filepath.Join(dir, "link")))
		wantDenied(t, store, replaceAt(dir, "link", "follow", "new", 0o600, false), "-r--r--r-- f")
	})
	t.Run("read-only directory", func(t *testing.T) {
		dir := tempDir(t)
		write(t, filepath.Join(dir, "f"), "old", 0o644)
		must(t, os.Chmod(dir, 0o555))
		defer os.Chmod(dir, 0o755)
		wantDenied(t, dir, replaceAt(dir, "f", "follow", "new", 0o600, false), "-rw-r--r-- f")
		wantDenied(t, dir, replaceAt(dir, "a/f", "within", "new", 0o600, false), "-rw-r--r-- f")
	})
	t.Run("unreadable", func(t *testing.T) {
		dir := tempDir(t)
		write(t, filepath.Join(dir, "f"), "old", 0o200)
		for name, read := range readers {
			if err := second2(read(dir, "f", 10)); !errors.Is(err, fs.ErrPermission) {
				t.Errorf("%s: got %v", name, err)
			}
		}
	})
	t.Run("foreign owner", func(t *testing.T) {
		wantUnsafe(t, second(Within("/etc", "passwd")), "another user")
		wantUnsafe(t, second(Within("/usr", "bin/env")), "another user")
	})
	t.Run("group", func(t *testing.T) {
		dir := os.Getenv(groupsEnv)
		if dir == "" {
			t.Skip("needs files that only root can prepare")
		}
		must(t, replaceAt(dir, "member", "follow", "new", 0o600, false))
		must(t, replaceAt(dir, "stranger0644", "follow", "new", 0o600, false))
		if err := replaceAt(dir, "stranger0640", "follow", "new", 0o600, false); !errors.Is(err, fs.ErrPermission) {
			t.Errorf("rights of a group would go to another: got %v", err)
		}
		for name, want := range map[string]int{"member": ours, "stranger0644": user, "stranger0640": strangers} {
			info, err := os.Stat(filepath.Join(dir, name))
			must(t, err)
			if _, gid, _ := owner(info); gid != want {
				t.Errorf("%s: group is %d, want %d", name, gid, want)
			}
		}
	})
	t.Run("foreign owner is read", func(t *testing.T) {
		if data, _, _, err := ReadInside("/etc", "passwd", 1<<20); err != nil || len(data) == 0 {
			t.Errorf("got %d bytes, %v", len(data), err)
		}
	})
}

func wantDenied(t *testing.T, dir string, err error, want ...string) {
	t.Helper()
	if _, ok := errors.AsType[*IOError](err); !ok || !errors.Is(err, fs.ErrPermission) {
		t.Errorf("got %v, want an IOError about permission", err)
	}
	if diff := cmp.Diff(want, everything(t, dir)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if got := read(t, filepath.Join(dir, "f")); got != "old" {
		t.Errorf("got %q", got)
	}
}

// runAsUser runs tests of this binary as a user without rights. The binary is copied, because the directory it
// is in is root's alone.
func runAsUser(t *testing.T, pattern string) {
	t.Helper()
	self, err := os.Executable()
	must(t, err)
	binary, err := os.ReadFile(self)
	must(t, err)
	dir, err := os.MkdirTemp("", "atomicfile")
	must(t, err)
	defer os.RemoveAll(dir)
	must(t, os.Chmod(dir, 0o755))
	must(t, os.WriteFile(filepath.Join(dir, "test"), binary, 0o755))
	must(t, os.Chmod(filepath.Join(dir, "test"), 0o755))

	groups := filepath.Join(dir, "groups")
	for name, gid := range map[string]int{"member": ours, "stranger0644": strangers, "stranger0640": strangers} {
		mode := fs.FileMode(0o640)
		if name == "stranger0644" {
			mode = 0o644
		}
		write(t, filepath.Join(groups, name), "old", mode)
		must(t, os.Chown(filepath.Join(groups, name), user, gid))
	}
	must(t, os.Chown(groups, user, user))

	cmd := exec.Command(filepath.Join(dir, "test"), "-test.run", pattern, "-test.v")
	cmd.Dir = "/"
	cmd.Env = []string{"HOME=/", "TMPDIR=" + os.TempDir(), groupsEnv + "=" + groups}
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: user, Gid: user, Groups: []uint32{ours}}}
	out, err := cmd.CombinedOutput()
	t.Logf("as another user:\n%s", out)
	if err != nil {
		t.Error(err)
	}
}
