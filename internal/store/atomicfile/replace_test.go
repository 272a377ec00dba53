package atomicfile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// replaceAt opens and replaces dir/rel.
func replaceAt(dir, rel, how, data string, newMode fs.FileMode, umask bool) error {
	t, err := open(dir, rel, how)
	if err != nil {
		return err
	}
	return errors.Join(t.Replace([]byte(data), newMode, umask), t.Close())
}

func TestReplaceModes(t *testing.T) {
	defer syscall.Umask(syscall.Umask(0o027))
	for _, tc := range []struct {
		name    string
		old     fs.FileMode // 0: no file
		newMode fs.FileMode
		umask   bool
		want    fs.FileMode
	}{
		{"new, exact", 0, 0o600, false, 0o600},
		{"new, exact, umask ignored", 0, 0o666, false, 0o666},
		{"new, less umask", 0, 0o666, true, 0o640},
		{"old 0640", 0o640, 0o600, false, 0o640},
		{"old 0644", 0o644, 0o600, true, 0o644},
		{"old 0666", 0o666, 0o600, false, 0o666},
		{"old 0600", 0o600, 0o666, true, 0o600},
		{"old 0755", 0o755, 0o600, false, 0o755},
	} {
		for _, how := range []string{"follow", "within"} {
			t.Run(tc.name+" "+how, func(t *testing.T) {
				dir := tempDir(t)
				file := filepath.Join(dir, "f")
				if tc.old != 0 {
					write(t, file, "old", tc.old)
				}
				must(t, replaceAt(dir, "f", how, "new", tc.newMode, tc.umask))
				if diff := cmp.Diff([]string{tc.want.String() + " f"}, everything(t, dir)); diff != "" {
					t.Errorf("-want +got:\n%s", diff)
				}
				if got := read(t, file); got != "new" {
					t.Errorf("got %q", got)
				}
			})
		}
	}
}

func TestReplaceMakesDirectories(t *testing.T) {
	defer syscall.Umask(syscall.Umask(0o022))
	for how, want := range map[string][]string{
		"follow": {"drwx------ a", "drwx------ a/b", "-rw------- a/b/f"},
		"within": {"drwxr-xr-x a", "drwxr-xr-x a/b", "-rw------- a/b/f"},
	} {
		dir := tempDir(t)
		target, err := open(dir, "a/b/f", how)
		must(t, err)
		for _, text := range []string{"one", "two"} {
			must(t, target.Replace([]byte(text), 0o600, false))
			data, info, err := target.Read(10)
			if string(data) != text || info == nil || err != nil {
				t.Errorf("%s: got %q, %v, %v", how, data, info, err)
			}
		}
		if target.Real() != filepath.Join(dir, "a/b/f") {
			t.Errorf("%s: real path is %s", how, target.Real())
		}
		must(t, target.Close())
		if diff := cmp.Diff(want, everything(t, dir)); diff != "" {
			t.Errorf("%s: -want +got:\n%s", how, diff)
		}
	}
}

// Directories that another process makes at the same time are used, and are not ours to remove.
func TestReplaceMeetsDirectories(t *testing.T) {
	dir := tempDir(t)
	target, err := Follow(filepath.Join(dir, "a/b/c/f"))
	must(t, err)
	defer target.Close()
	target.before = func(step string) error {
		if step == "mkdir" {
			_ = os.MkdirAll(filepath.Join(dir, "a/b"), 0o755)
		}
		return map[string]error{"write": syscall.ENOSPC}[step]
	}
	if err := target.Replace([]byte("new"), 0o600, false); !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("got %v", err)
	}
	if diff := cmp.Diff([]string{"drwxr-xr-x a", "drwxr-xr-x a/b"}, everything(t, dir)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	target.before = nil
	must(t, replaceAt(dir, "a/b/c/f", "within", "other", 0o600, false))
	data, _, err := target.Read(10)
	if string(data) != "other" || err != nil {
		t.Errorf("got %q, %v", data, err)
	}
	must(t, target.Replace([]byte("new"), 0o600, false))
	if got := read(t, filepath.Join(dir, "a/b/c/f")); got != "new" {
		t.Errorf("got %q", got)
	}
}

func TestReplaceKeepsOwner(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can give files away")
	}
	for _, how := range []string{"follow", "within"} {
		dir := tempDir(t)
		write(t, filepath.Join(dir, "f"), "old", 0o640)
		must(t, os.Chown(filepath.Join(dir, "f"), 4711, 4712))
		must(t, os.Chmod(filepath.Join(dir, "f"), 0o2640|fs.ModeSetgid))
		must(t, replaceAt(dir, "f", how, "new", 0o600, false))
		info, err := os.Stat(filepath.Join(dir, "f"))
		must(t, err)
		if uid, gid, _ := owner(info); uid != 4711 || gid != 4712 || info.Mode() != 0o640|fs.ModeSetgid {
			t.Errorf("%s: got %d:%d %v", how, uid, gid, info.Mode())
		}
	}
}

// A user's file behind several links: written where it is, the links stay.
func TestFollowKeepsLinks(t *testing.T) {
	dir := tempDir(t)
	write(t, filepath.Join(dir, "dot", "real", "f"), "old", 0o640)
	must(t, os.Mkdir(filepath.Join(dir, "config"), 0o755))
	must(t, os.Symlink("real/f", filepath.Join(dir, "dot", "f")))
	must(t, os.Symlink(filepath.Join(dir, "dot", "f"), filepath.Join(dir, "config", "f")))
	must(t, os.Symlink("dot/real", filepath.Join(dir, "linked")))
	before := everything(t, dir)

	target, err := Follow(filepath.Join(dir, "config", "f"))
	must(t, err)
	defer target.Close()
	if target.Real() != filepath.Join(dir, "dot", "real", "f") {
		t.Errorf("real path is %s", target.Real())
	}
	must(t, target.Replace([]byte("new"), 0o600, false))
	if diff := cmp.Diff(before, everything(t, dir)); diff != "" {
		t.Errorf("-before +after:\n%s", diff)
	}
	if got := read(t, filepath.Join(dir, "dot", "real", "f")); got != "new" {
		t.Errorf("got %q", got)
	}
	must(t, replaceAt(dir, "linked/sub/g", "follow", "new", 0o600, false))
	if got := read(t, filepath.Join(dir, "dot", "real", "sub", "g")); got != "new" {
		t.Errorf("new file below a linked directory: got %q", got)
	}
}

func TestUnsafeTargets(t *testing.T) {
	dir := tempDir(t)
	root, outside := filepath.Join(dir, "project"), filepath.Join(dir, "outside")
	write(t, filepath.Join(root, "f"), "inside", 0o600)
	write(t, filepath.Join(outside, "f"), "outside", 0o600)
	write(t, filepath.Join(root, "hard"), "hard", 0o600)
	must(t, os.Link(filepath.Join(root, "hard"), filepath.Join(outside, "hard")))
	must(t, syscall.Mkfifo(filepath.Join(root, "fifo"), 0o600))
	must(t, os.Mkdir(filepath.Join(root, "dir"), 0o755))
	for link, to := range map[string]string{
		"in": "f", "out": "../outside/f", "outdir": "../outside", "indir": "dir", "dangling": "none", "loop": "loop", "passwd": "/etc/passwd",
	} {
		must(t, os.Symlink(to, filepath.Join(root, link)))
	}
	before := everything(t, dir)
	for _, tc := range []struct{ how, rel, why string }{
		{"within", "in", "symbolic link"}, {"within", "out", "symbolic link"}, {"within", "passwd", "symbolic link"},
		{"within", "outdir/f", "symbolic link"}, {"within", "indir/new", "symbolic link"}, {"within", "outdir/new", "symbolic link"},
		{"within", "dangling", "symbolic link"}, {"within", "loop", "symbolic link"}, {"within", "loop/f", "symbolic link"},
		{"within", "hard", "hard link"}, {"within", "fifo", "named pipe"}, {"within", "dir", "directory"},
		{"within", "fifo/f", "not a directory"}, {"within", "../outside/f", "outside the project"},
		{"within", "dir/../../outside/f", "outside the project"}, {"within", "/etc/passwd", "outside the project"},
		{"within", "", "outside the project"}, {"within", ".", "outside the project"},
		{"follow", "dangling", "leads to nothing"}, {"follow", "loop", "circle"}, {"follow", "loop/f", "circle"},
		{"follow", "dangling/f", "leads to nothing"}, {"follow", "fifo", "named pipe"}, {"follow", "dir", "directory"},
		{"follow", "indir", "directory"},
	} {
		t.Run(tc.how+" "+tc.rel, func(t *testing.T) {
			inTime(t, func() { wantUnsafe(t, replaceAt(root, tc.rel, tc.how, "evil", 0o600, false), tc.why) })
		})
	}
	if diff := cmp.Diff(before, everything(t, dir)); diff != "" {
		t.Errorf("-before +after:\n%s", diff)
	}
	if read(t, filepath.Join(outside, "f")) != "outside" || read(t, filepath.Join(outside, "hard")) != "hard" {
		t.Error("a file outside was changed")
	}
}

// In front of every step somebody puts a link to a file outside in the place of the file or of its directory.
func TestWithinLinkSwappedIn(t *testing.T) {
	for _, swap := range []string{"file", "directory"} {
		for n := 0; ; n++ {
			dir := ramDir(t)
			root, outside := filepath.Join(dir, "project"), filepath.Join(dir, "outside")
			write(t, filepath.Join(root, "sub", "f"), "old", 0o600)
			write(t, filepath.Join(outside, "f"), "outside", 0o600)
			target, err := Within(root, "sub/f")
			must(t, err)
			step, swapped := 0, false
			target.before = func(string) error {
				if step++; step-1 == n {
					swapped = true
					if swap == "file" {
						must(t, os.Remove(filepath.Join(root, "sub", "f")))
						must(t, os.Symlink("../../outside/f", filepath.Join(root, "sub", "f")))
					} else {
						must(t, os.Rename(filepath.Join(root, "sub"), filepath.Join(root, "was")))
						must(t, os.Symlink("../outside", filepath.Join(root, "sub")))
					}
				}
				return nil
			}
			err = target.Replace([]byte("new"), 0o600, false)
			if _, unsafe := errors.AsType[*UnsafeError](err); err != nil && !unsafe {
				t.Errorf("%s, step %d: %v", swap, n, err)
			}
			must(t, target.Close())
			if got := everything(t, outside); len(got) != 1 || read(t, filepath.Join(outside, "f")) != "outside" {
				t.Errorf("%s, step %d: outside changed: %q", swap, n, got)
			}
			if left := temps(t, dir); len(left) > 0 {
				t.Errorf("%s, step %d: left behind: %q", swap, n, left)
			}
			if !swapped {
				break
			}
		}
	}
}

// The same without steps: another thread swaps as fast as it can.
func TestWithinRace(t *testing.T) {
	dir := ramDir(t)
	root, outside := filepath.Join(dir, "project"), filepath.Join(dir, "outside")
	write(t, outside, "outside", 0o600)
	write(t, filepath.Join(root, "f"), "old", 0o600)
	must(t, os.Symlink("../outside", filepath.Join(dir, "link")))
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		for {
			select {
			case <-stop:
				return
			default:
			}
			_ = os.Symlink("../outside", filepath.Join(root, "swap"))
			_ = os.Rename(filepath.Join(root, "swap"), filepath.Join(root, "f"))
			_ = os.WriteFile(filepath.Join(root, "swap"), []byte("old"), 0o600)
			_ = os.Rename(filepath.Join(root, "swap"), filepath.Join(root, "f"))
		}
	}()
	for range 200 {
		target, err := Within(root, "f")
		if err == nil {
			if data, _, err := target.Read(100); err == nil && string(data) == "outside" {
				t.Error("read the file outside")
			}
			err = errors.Join(target.Replace([]byte("new"), 0o600, false), target.Close())
		}
		if _, unsafe := errors.AsType[*UnsafeError](err); err != nil && !unsafe {
			t.Fatal(err)
		}
	}
	close(stop)
	<-stopped
	if got := read(t, outside); got != "outside" {
		t.Errorf("outside is %q", got)
	}
	if left := temps(t, dir); len(left) > 0 {
		t.Errorf("left behind: %q", left)
	}
}

// What a killed process left goes at the next write, if it is ours and old; nothing else with such a name does.
func TestSweep(t *testing.T) {
	dir := tempDir(t)
	old := time.Now().Add(-2 * tempMaxAge)
	for _, name := range []string{
		tempPrefix + "0123456789abcdef" + tempSuffix, tempPrefix + "0123456789abcdeg" + tempSuffix,
		tempPrefix + "0123" + tempSuffix, "x" + tempPrefix + "0123456789abcdef" + tempSuffix, "mcp.json.lock", ".mcp.json.tmp",
	} {
		write(t, filepath.Join(dir, name), "x", 0o600)
		must(t, os.Chtimes(filepath.Join(dir, name), old, old))
	}
	write(t, filepath.Join(dir, tempPrefix+"fedcba9876543210"+tempSuffix), "young", 0o600)
	must(t, os.Mkdir(filepath.Join(dir, tempPrefix+"00000000000000dd"+tempSuffix), 0o700))
	before := everything(t, dir)
	must(t, replaceAt(dir, "mcp.json", "within", "new", 0o600, false))
	var gone []string
	after := strings.Join(everything(t, dir), "\n")
	for _, line := range before {
		if !strings.Contains(after, line) {
			gone = append(gone, line)
		}
	}
	if diff := cmp.Diff([]string{"-rw------- " + tempPrefix + "0123456789abcdef" + tempSuffix}, gone); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// A young temporary file of another target may be that of a process that lives: the lock is not its lock.
func TestSweepsOwnTargetOnly(t *testing.T) {
	dir := tempDir(t)
	for _, name := range []string{"a.json", "b.json"} {
		target, err := Follow(filepath.Join(dir, name))
		must(t, err)
		target.before = func(step string) error {
			return map[string]error{"write": syscall.ENOSPC, "remove": syscall.EIO}[step]
		}
		if err := target.Replace([]byte("x"), 0o600, false); err == nil {
			t.Fatal("the write did not fail")
		}
		must(t, target.Close())
	}
	left := temps(t, dir)
	must(t, replaceAt(dir, "a.json", "follow", "new", 0o600, false))
	if got := temps(t, dir); len(left) != 2 || len(got) != 1 {
		t.Errorf("of %q, %q is left", left, got)
	}
	must(t, replaceAt(dir, "b.json", "follow", "new", 0o600, false))
	if got := temps(t, dir); len(got) != 0 {
		t.Errorf("%q is left", got)
	}
}

func TestLongName(t *testing.T) {
	dir := tempDir(t)
	must(t, replaceAt(dir, strings.Repeat("n", 255), "follow", "x", 0o600, false))
	if _, ok := errors.AsType[*IOError](replaceAt(dir, strings.Repeat("n", 256), "follow", "x", 0o600, false)); !ok {
		t.Error("want an IOError for a name that is too long")
	}
	if left := temps(t, dir); len(left) > 0 {
		t.Errorf("left behind: %q", left)
	}
}
