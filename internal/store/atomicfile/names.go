package atomicfile

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"syscall"
)

// Names lists what is in the folder below of root, sorted; none when there is no such folder.
// more tells that there is more than limit, of which any are listed. Where inside is set no link
// leads out of root; what the folder holds is not looked at.
//
// Errors: *UnsafeError for what is no folder or lies outside; *IOError.
func Names(root, below string, inside bool, limit int) (names []string, more bool, err error) {
	path := filepath.Join(root, below)
	f, err := openFolder(root, below, inside)
	if isMissing(err) {
		return nil, false, nil
	}
	if errors.Is(err, syscall.ENOTDIR) {
		return nil, false, &UnsafeError{Path: path, Why: "not a folder"}
	}
	if err != nil {
		return nil, false, (&source{path: path}).refused(err)
	}
	defer func() { _ = f.Close() }()
	names, err = f.Readdirnames(limit + 1)
	if err != nil && err != io.EOF {
		return nil, false, &IOError{Op: "read", Path: path, Err: err}
	}
	if more = len(names) > limit; more {
		names = names[:limit]
	}
	slices.Sort(names)
	return names, more, nil
}

func openFolder(root, below string, inside bool) (*os.File, error) {
	const flags = openFlags | syscall.O_DIRECTORY
	if !inside {
		return os.OpenFile(filepath.Join(root, below), flags, 0)
	}
	dir, err := os.OpenRoot(root)
	if err != nil {
		return nil, err
	}
	defer func() { _ = dir.Close() }()
	if _, err := dir.Lstat(below); errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	return dir.OpenFile(below, flags, 0)
}
