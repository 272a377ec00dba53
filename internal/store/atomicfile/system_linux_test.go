package atomicfile

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

func mount(t *testing.T, source, target, kind string, flags uintptr, options string) {
	t.Helper()
	if err := syscall.Mount(source, target, kind, flags, options); errors.Is(err, syscall.EPERM) {
		t.Skip("this process may not mount")
	} else if err != nil {
		t.Fatal(err)
	}
	if flags&syscall.MS_REMOUNT == 0 {
		t.Cleanup(func() { _ = syscall.Unmount(target, syscall.MNT_DETACH) })
	}
}

// A full disk, with less and less room: the file is old or new, and whole.
func TestDiskFull(t *testing.T) {
	disk := tempDir(t)
	mount(t, "tmpfs", disk, "tmpfs", 0, "size=32k")
	write(t, filepath.Join(disk, "f"), "old", 0o640)
	data := strings.Repeat("n", 20<<10)
	for _, room := range []int{0, 4 << 10, 16 << 10, 28 << 10} {
		_ = os.Remove(filepath.Join(disk, "filler"))
		_ = os.WriteFile(filepath.Join(disk, "filler"), make([]byte, 28<<10-room), 0o600)
		err := replaceAt(disk, "f", "follow", data, 0o600, false)
		got := read(t, filepath.Join(disk, "f"))
		if room >= len(data) {
			if err != nil || got != data {
				t.Errorf("room for %d: got %d bytes, %v", room, len(got), err)
			}
			continue
		}
		if !errors.Is(err, syscall.ENOSPC) || got != "old" || len(temps(t, disk)) > 0 {
			t.Errorf("room for %d: got %v, %d bytes, left %q", room, err, len(got), temps(t, disk))
		}
	}
}

func TestReadOnlyFileSystem(t *testing.T) {
	disk := tempDir(t)
	mount(t, "tmpfs", disk, "tmpfs", 0, "size=32k")
	write(t, filepath.Join(disk, "f"), "old", 0o640)
	mount(t, "tmpfs", disk, "tmpfs", syscall.MS_REMOUNT|syscall.MS_RDONLY, "")
	err := replaceAt(disk, "f", "follow", "new", 0o600, false)
	if io, ok := errors.AsType[*IOError](err); !ok || !errors.Is(err, syscall.EROFS) || !strings.Contains(io.Hint(), "read-only") {
		t.Errorf("got %v", err)
	}
	if err := replaceAt(disk, "a/f", "follow", "new", 0o600, false); !errors.Is(err, syscall.EROFS) {
		t.Errorf("got %v", err)
	}
}

// A file mounted into a container cannot be renamed over.
func TestMountedFile(t *testing.T) {
	dir := tempDir(t)
	write(t, filepath.Join(dir, "source"), "old", 0o600)
	write(t, filepath.Join(dir, "f"), "", 0o600)
	mount(t, filepath.Join(dir, "source"), filepath.Join(dir, "f"), "", syscall.MS_BIND, "")
	err := replaceAt(dir, "f", "follow", "new", 0o600, false)
	if io, ok := errors.AsType[*IOError](err); !ok || !errors.Is(err, syscall.EBUSY) || !strings.Contains(io.Hint(), "mount point") {
		t.Errorf("got %v", err)
	}
	if got := read(t, filepath.Join(dir, "f")); got != "old" || len(temps(t, dir)) > 0 {
		t.Errorf("got %q, left %q", got, temps(t, dir))
	}
}

// A file that says it is empty, but is not: the limit holds for what is read.
func TestReadGrown(t *testing.T) {
	data, info, err := ReadFile("/proc/self/status", 1<<20)
	if err != nil || len(data) < 100 || info.Size() != 0 {
		t.Errorf("got %d bytes, %v", len(data), err)
	}
	if _, ok := errors.AsType[*TooLargeError](second2(ReadFile("/proc/self/status", 10))); !ok {
		t.Error("want TooLargeError")
	}
}
