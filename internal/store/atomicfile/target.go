// Package atomicfile locks, replaces and syncs one file, or leaves it as it was.
//
// Readers see the old or the new file, whole, at every moment. When Replace returns nil, the new one survives a
// power cut; when it returns an error, the old one is in place (or, if only the last sync failed, the new one),
// and no temporary file is left. There are two ways to open a file: Follow for the user's own files, which may be
// symbolic links into a directory of dotfiles, and Within for a project's files, where a link is somebody else's
// way to make us write elsewhere (design §6).
//
// The order of an edit is: Follow or Within, Lock on Real, Read, Replace, release, Close.
package atomicfile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// Target is one file opened to be read and then replaced. It may be missing. A Target holds the directory open,
// so that nobody can move the file's place between reading and writing. It is not for use by several goroutines.
type Target struct {
	path    string   // as the caller named it
	real    string   // absolute, without symbolic links
	dir     *os.Root // the deepest directory above the file that exists
	missing []string // directories between dir and the file that do not
	name    string   // of the file in its directory
	strict  bool     // a project's file

	before func(step string) error // asked before each step of Replace; only tests set it
}

// Follow opens a user's file: path is followed over any number of symbolic links to the real file, and that one
// will be read and replaced; the links stay. The file and directories above it may be missing.
//
// Errors: *UnsafeError for links in a circle and links to nothing, *IOError.
func Follow(path string) (*Target, error) {
	resolved, err := resolve(path)
	if err != nil {
		return nil, asIOError("open", path, err)
	}
	t := &Target{path: path, real: resolved, name: filepath.Base(resolved)}
	dir := filepath.Dir(resolved)
	for {
		t.dir, err = os.OpenRoot(dir)
		if err == nil {
			return t, nil
		}
		parent := filepath.Dir(dir)
		if !errors.Is(err, fs.ErrNotExist) || parent == dir {
			return nil, t.ioError("open", err)
		}
		t.missing = append([]string{filepath.Base(dir)}, t.missing...)
		dir = parent
	}
}

// Within opens a project's file; rel is relative to root, which may itself be reached over links. The file and
// directories between may be missing.
//
// Errors: *UnsafeError if rel leads out of root, if anything on the way is a symbolic link or belongs to another
// user (unless this process is root's), if the file has a second hard link or is no regular file; *IOError.
func Within(root, rel string) (*Target, error) {
	path := filepath.Join(root, rel)
	if !filepath.IsLocal(rel) || filepath.Clean(rel) == "." {
		return nil, &UnsafeError{Path: path, Why: "it is outside the project"}
	}
	realRoot, err := resolve(root)
	if err != nil {
		return nil, asIOError("open", root, err)
	}
	dir, err := os.OpenRoot(realRoot)
	if err != nil {
		return nil, asIOError("open", root, err)
	}
	parts := strings.Split(filepath.Clean(rel), string(filepath.Separator))
	last := len(parts) - 1
	t := &Target{
		path: path, real: filepath.Join(realRoot, rel), dir: dir,
		missing: parts[:last], name: parts[last], strict: true,
	}
	err = t.descend()
	if err == nil {
		_, err = t.inspect()
	}
	if err != nil {
		_ = t.Close()
		return nil, err
	}
	return t, nil
}

// Real returns the absolute path of the file without symbolic links. It is what Lock wants to be given.
func (t *Target) Real() string { return t.real }

// Close gives back the open directory. It is no error to call it twice.
func (t *Target) Close() error { return t.dir.Close() }

// Read returns the contents of at most limit bytes and the information of the file, from one open file; both nil
// if it is missing.
//
// Errors: *UnsafeError for anything but a regular file, without opening it, and for what Within refuses;
// *TooLargeError; *IOError.
func (t *Target) Read(limit int64) (data []byte, info fs.FileInfo, err error) {
	if err := t.descend(); err != nil {
		return nil, nil, err
	}
	if len(t.missing) > 0 {
		return nil, nil, nil
	}
	src := source{
		path: t.path,
		same: true,
		stat: func() (fs.FileInfo, error) {
			info, err := t.inspect()
			if err == nil && info == nil {
				err = fs.ErrNotExist
			}
			return info, err
		},
		open: func() (*os.File, error) { return t.dir.OpenFile(t.name, openFlags|syscall.O_NOFOLLOW, 0) },
	}
	return src.read(limit)
}

// descend steps into the missing directories that have come into being: another process may have made them
// while this one waited for the lock.
func (t *Target) descend() error {
	for len(t.missing) > 0 {
		next, err := t.enter(t.dir, t.missing[0])
		if err != nil || next == nil {
			return err
		}
		_ = t.dir.Close()
		t.dir, t.missing = next, t.missing[1:]
	}
	return nil
}

// enter opens a directory in dir; nil if it is missing. A symbolic link is not followed.
func (t *Target) enter(dir *os.Root, name string) (*os.Root, error) {
	path := filepath.Join(dir.Name(), name)
	seen, err := dir.Lstat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, t.ioError("open", err)
	case seen.Mode()&fs.ModeSymlink != 0:
		return nil, &UnsafeError{Path: path, Why: kindName(seen.Mode())}
	case !seen.IsDir():
		return nil, &UnsafeError{Path: path, Why: "it is not a directory"}
	case t.strict && isForeign(seen):
		return nil, &UnsafeError{Path: path, Why: "it belongs to another user"}
	}
	next, err := dir.OpenRoot(name)
	if err != nil {
		return nil, t.ioError("open", err)
	}
	// os.Root follows links that stay inside; one swapped in since must not count.
	if opened, err := next.Stat("."); err != nil || !os.SameFile(seen, opened) {
		_ = next.Close()
		return nil, &UnsafeError{Path: path, Why: "it changed while it was opened"}
	}
	return next, nil
}

// inspect looks at the file itself and refuses what must not be read or replaced; nil if it is missing.
func (t *Target) inspect() (fs.FileInfo, error) {
	if len(t.missing) > 0 {
		return nil, nil // dir is a directory further up: what has the name there is another file
	}
	info, err := t.dir.Lstat(t.name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, t.ioError("read", err)
	case !info.Mode().IsRegular():
		return nil, &UnsafeError{Path: t.path, Why: kindName(info.Mode())}
	case t.strict && links(info) > 1:
		return nil, &UnsafeError{Path: t.path, Why: "it has a second name (a hard link)"}
	case t.strict && isForeign(info):
		return nil, &UnsafeError{Path: t.path, Why: "it belongs to another user"}
	}
	return info, nil
}

func (t *Target) ioError(op string, err error) error {
	e := &IOError{Op: op, Path: t.path, Err: err}
	if !t.strict {
		e.Real = t.real
	}
	return e
}
