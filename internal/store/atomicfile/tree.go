package atomicfile

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// NewTree makes a directory and the files that fill puts into it, for this user alone, or leaves nothing. A
// directory that is there stays as it is: its name stands for what it holds. Names are slash separated; one that
// would lie outside fails. An executable file has mode 0700, any other 0600.
//
// Errors: *IOError; that of fill.
func NewTree(dir string, fill func(put func(name string, executable bool, content io.Reader) error) error) error {
	if _, err := os.Lstat(dir); err == nil {
		return nil
	}
	parent := filepath.Dir(dir)
	if err := os.MkdirAll(parent, 0o700); err != nil {
		return asIOError("create the directory", parent, err)
	}
	making, err := os.MkdirTemp(parent, ".new-")
	if err != nil {
		return asIOError("create a directory in", parent, err)
	}
	defer func() { _ = os.RemoveAll(making) }() // nothing is there any more once it has its name
	root, err := os.OpenRoot(making)
	if err != nil {
		return asIOError("open the directory", making, err)
	}
	defer root.Close()
	put := func(name string, executable bool, content io.Reader) error {
		mode := fs.FileMode(0o600)
		if executable {
			mode = 0o700
		}
		return putFile(root, filepath.FromSlash(name), mode, content)
	}
	if err := fill(put); err != nil {
		return err
	}
	if err := os.Rename(making, dir); err != nil && !errors.Is(err, fs.ErrExist) {
		return asIOError("create the directory", dir, err)
	}
	return nil
}

// putFile writes one file below root, and the directories above it.
func putFile(root *os.Root, name string, mode fs.FileMode, content io.Reader) error {
	path := filepath.Join(root.Name(), name)
	if err := root.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		return asIOError("create the directory of", path, err)
	}
	f, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return asIOError("create", path, err)
	}
	_, err = io.Copy(f, content)
	if closed := f.Close(); err == nil {
		err = closed
	}
	return err
}

// Sum is the SHA-256 of a regular file of at most limit bytes, in hex, symbolic links followed.
//
// Errors: *UnsafeError for anything but a regular file; *TooLargeError; *IOError.
func Sum(path string, limit int64) (string, error) {
	f, err := os.OpenFile(path, openFlags, 0)
	if err != nil {
		return "", asIOError("read", path, err)
	}
	defer f.Close()
	info, err := f.Stat()
	switch {
	case err != nil:
		return "", asIOError("read", path, err)
	case !info.Mode().IsRegular():
		return "", &UnsafeError{Path: path, Why: "it is not a regular file"}
	case info.Size() > limit:
		return "", &TooLargeError{Path: path, Limit: limit}
	}
	h := sha256.New()
	if _, err := io.Copy(h, io.LimitReader(f, limit)); err != nil {
		return "", asIOError("read", path, err)
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}
