package atomicfile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// resolve returns the real, absolute path of path: no part of it that exists is a symbolic link. The file and
// directories above it may be missing. Errors: *UnsafeError for links in a circle and links to nothing, else the
// system's.
func resolve(path string) (string, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	parent := filepath.Dir(abs)
	// Most files that are asked for are missing. One look tells, where EvalSymlinks would walk down from the root
	// for every directory on the way.
	if _, err := os.Lstat(abs); errors.Is(err, fs.ErrNotExist) && parent != abs {
		return resolveIn(parent, abs)
	}
	resolved, err := filepath.EvalSymlinks(abs)
	if err == nil {
		return resolved, nil
	}
	if !errors.Is(err, fs.ErrNotExist) {
		// EvalSymlinks has no error value for a circle; the kernel has.
		if _, statErr := os.Stat(abs); errors.Is(statErr, syscall.ELOOP) {
			return "", &UnsafeError{Path: path, Why: "its symbolic links go in a circle"}
		}
		return "", err
	}
	if info, lstatErr := os.Lstat(abs); lstatErr == nil && info.Mode()&fs.ModeSymlink != 0 {
		return "", danglingError(path, abs)
	}
	if parent == abs {
		return "", err
	}
	return resolveIn(parent, abs)
}

// resolveIn is resolve for a path that is not there.
func resolveIn(parent, missing string) (string, error) {
	realParent, err := resolve(parent)
	if err != nil {
		return "", err
	}
	return filepath.Join(realParent, filepath.Base(missing)), nil
}

func danglingError(path, link string) error {
	to, err := os.Readlink(link)
	if err != nil {
		return err
	}
	return &UnsafeError{Path: path, Why: fmt.Sprintf("it is a symbolic link to '%s', which leads to nothing", to)}
}

// asIOError passes on the errors of this package and puts the system's into an *IOError.
func asIOError(op, path string, err error) error {
	if err == nil || isOurs(err) {
		return err
	}
	return &IOError{Op: op, Path: path, Err: err}
}

// isOurs reports whether err has a code already.
func isOurs(err error) bool {
	var coded interface{ Code() string }
	return errors.As(err, &coded)
}

// isMissing reports whether a file cannot be there: it is not, or a directory on the way is a file.
func isMissing(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)
}
