package atomicfile

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// A temporary file is called tempPrefix, 16 hex digits, tempSuffix. Half of the digits are of a hash of the file's
// name, which itself may be as long as a name can be; the others are random.
const (
	tempPrefix = ".mcpctl-"
	tempSuffix = ".tmp"
	tempHash   = 4 // bytes
	tempRandom = 4 // bytes
)

// tempMaxAge is when a temporary file of another target is taken for the rest of a process that was killed. No write
// takes so long. One of the same target is such a rest at any age: who writes holds the lock.
const tempMaxAge = time.Hour

// keptBits are the bits of a mode that a new file takes over from the old one.
const keptBits = fs.ModePerm | fs.ModeSetuid | fs.ModeSetgid | fs.ModeSticky

// Replace makes data the contents of the file: into a new file in the same directory, synced, renamed over the
// old one, and the directory synced. The mode of the old file is kept, its group, and by root its owner. If there
// was none, the mode is newMode, less the umask if respectUmask is set. Missing directories are made: 0700, in a
// project 0777 less the umask.
//
// The caller holds the lock of the file: temporary files of it that are there already are removed.
//
// On an error the old file is in place and nothing is left behind; if only the sync of the directory failed, the
// new one is in place but might not outlive a power cut. Errors: *UnsafeError as for Follow and Within, *IOError
// for all else, also if the file is not writable although its directory is (mode 0444 is somebody's wish).
func (t *Target) Replace(data []byte, newMode fs.FileMode, respectUmask bool) error {
	made := newDirs{target: t}
	err := made.make()
	if err == nil {
		err = t.replace(data, newMode, respectUmask)
	}
	if err != nil {
		made.undo()
		return err
	}
	made.keep()
	return nil
}

func (t *Target) replace(data []byte, newMode fs.FileMode, respectUmask bool) error {
	old, err := t.inspect()
	if err != nil {
		return err
	}
	if old != nil {
		if err := t.step("access", "write", t.checkWritable); err != nil {
			return err
		}
	}
	t.sweep()
	temp, err := t.writeTemp(data, old, newMode, respectUmask)
	if err == nil {
		// Looked at again as late as possible. If a link is swapped in after this, rename replaces the link.
		if _, err = t.inspect(); err == nil {
			err = t.step("rename", "replace", func() error { return t.dir.Rename(temp, t.name) })
		}
	}
	if err != nil {
		if temp != "" {
			_ = t.step("remove", "write", func() error { return t.dir.Remove(temp) })
		}
		return err
	}
	return t.step("syncdir", "sync the directory of", func() error { return syncDir(t.dir) })
}

// writeTemp makes the new file, complete and synced, and returns its name. The name is returned with an error as
// well if there is a file to be removed.
func (t *Target) writeTemp(data []byte, old fs.FileInfo, newMode fs.FileMode, respectUmask bool) (string, error) {
	perm := fs.FileMode(0o600) // nobody else gets to see it before it has its mode
	if old == nil && respectUmask {
		perm = newMode.Perm()
	}
	var name string
	var f *os.File
	err := t.step("create", "write", func() (err error) {
		name, f, err = t.createTemp(perm)
		return err
	})
	if err != nil {
		return "", err
	}
	err = t.fill(f, data, old, newMode, respectUmask)
	if closeErr := t.step("close", "write", f.Close); err == nil {
		err = closeErr
	}
	_ = f.Close() // the step may have failed without closing
	return name, err
}

func (t *Target) fill(f *os.File, data []byte, old fs.FileInfo, newMode fs.FileMode, respectUmask bool) error {
	mode := newMode.Perm()
	if old != nil {
		mode = old.Mode() & keptBits
		// Before the mode: a change of owner clears the set-id bits.
		if err := t.step("chown", "keep the owner of", func() error { return keepOwner(f, old) }); err != nil {
			return err
		}
	}
	if old != nil || !respectUmask {
		if err := t.step("chmod", "write", func() error { return keepMode(f, mode) }); err != nil {
			return err
		}
	}
	write := func() error {
		_, err := f.Write(data)
		return err
	}
	if err := t.step("write", "write", write); err != nil {
		return err
	}
	return t.step("sync", "sync", f.Sync)
}

// step does one thing that can fail. Tests put an error, or the end of the process, in its place.
func (t *Target) step(name, op string, do func() error) error {
	var err error
	if t.before != nil {
		err = t.before(name)
	}
	if err == nil {
		err = do()
	}
	if err == nil || isOurs(err) {
		return err
	}
	return t.ioError(op, err)
}

func (t *Target) createTemp(perm fs.FileMode) (string, *os.File, error) {
	for {
		random := make([]byte, tempRandom)
		_, _ = rand.Read(random) // never fails
		name := t.tempStart() + hex.EncodeToString(random) + tempSuffix
		f, err := t.dir.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL|syscall.O_NOFOLLOW, perm)
		if !errors.Is(err, fs.ErrExist) {
			return name, f, err
		}
	}
}

// tempStart begins the names of this file's temporary files.
func (t *Target) tempStart() string {
	sum := sha256.Sum256([]byte(t.name))
	return tempPrefix + hex.EncodeToString(sum[:tempHash])
}

// checkWritable asks the kernel whether this process may write the file. Rename alone would ask only whether it
// may write the directory. The file is not opened for writing: that would look like a write to those who watch it.
func (t *Target) checkWritable() error {
	d, err := t.dir.Open(".")
	if err != nil {
		return err
	}
	defer func() { _ = d.Close() }()
	return unix.Faccessat(int(d.Fd()), t.name, unix.W_OK, unix.AT_EACCESS)
}

func syncDir(dir *os.Root) error {
	d, err := dir.Open(".")
	if err != nil {
		return err
	}
	err = d.Sync()
	if closeErr := d.Close(); err == nil {
		err = closeErr
	}
	// Some network and user-space file systems know no sync of directories; there is nothing more to be had.
	if errors.Is(err, syscall.EINVAL) || errors.Is(err, syscall.ENOTSUP) {
		return nil
	}
	return err
}

// sweep removes what processes that were killed have left in the directory: of this file, whose lock is held, at
// once; of others when it is old.
func (t *Target) sweep() {
	d, err := t.dir.Open(".")
	if err != nil {
		return
	}
	defer func() { _ = d.Close() }()
	names, _ := d.Readdirnames(-1)
	for _, name := range names {
		digits, isTemp := strings.CutPrefix(name, tempPrefix)
		digits, hasSuffix := strings.CutSuffix(digits, tempSuffix)
		if _, err := hex.DecodeString(digits); !isTemp || !hasSuffix || err != nil || len(digits) != 2*(tempHash+tempRandom) {
			continue
		}
		info, err := t.dir.Lstat(name)
		if err == nil && info.Mode().IsRegular() && !isForeign(info) &&
			(strings.HasPrefix(name, t.tempStart()) || time.Since(info.ModTime()) > tempMaxAge) {
			_ = t.dir.Remove(name)
		}
	}
}
