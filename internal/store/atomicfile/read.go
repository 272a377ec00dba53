package atomicfile

import (
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// openFlags open a file for reading. Opening a named pipe that was put there a moment ago must not block.
const openFlags = os.O_RDONLY | syscall.O_NONBLOCK

// ReadFile reads a user's file of at most limit bytes, following symbolic links. The bytes and the information
// come from one open file. Both are nil if the file is missing.
//
// Errors: *UnsafeError for anything but a regular file, for links in a circle and links to nothing;
// *TooLargeError; *IOError.
func ReadFile(path string, limit int64) ([]byte, fs.FileInfo, error) {
	resolved, err := resolve(path)
	if isMissing(err) {
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, asIOError("read", path, err)
	}
	src := source{
		path: path,
		stat: func() (fs.FileInfo, error) { return os.Stat(resolved) },
		open: func() (*os.File, error) { return os.OpenFile(resolved, openFlags, 0) },
	}
	return src.read(limit)
}

// ReadInside reads a project's file of at most limit bytes; rel is relative to root. A symbolic link on the way
// is followed only if it stays inside root; then linkedTo is the real path of the file, else it is empty (design
// §6). Bytes and information come from one open file. All results are zero if the file is missing.
//
// Errors: *UnsafeError for a link that leads out of root, to nothing or in a circle, and for anything but a
// regular file; *TooLargeError; *IOError.
func ReadInside(root, rel string, limit int64) (data []byte, info fs.FileInfo, linkedTo string, err error) {
	path := filepath.Join(root, rel)
	if !filepath.IsLocal(rel) {
		return nil, nil, "", &UnsafeError{Path: path, Why: "it is outside the project"}
	}
	realRoot, err := resolve(root)
	if err != nil {
		return nil, nil, "", asIOError("read", root, err)
	}
	straight := filepath.Join(realRoot, rel)
	resolved, err := resolve(straight)
	if isMissing(err) {
		return nil, nil, "", nil
	}
	if err != nil {
		return nil, nil, "", asIOError("read", path, err)
	}
	inside, err := filepath.Rel(realRoot, resolved)
	if err != nil || !filepath.IsLocal(inside) {
		return nil, nil, "", &UnsafeError{Path: path, Why: "it is a symbolic link that leads out of the project"}
	}
	// From here on os.Root stands guard: a link swapped in now still cannot lead out.
	dir, err := os.OpenRoot(realRoot)
	if isMissing(err) {
		return nil, nil, "", nil
	}
	if err != nil {
		return nil, nil, "", asIOError("read", root, err)
	}
	defer func() { _ = dir.Close() }()
	src := source{
		path: path,
		stat: func() (fs.FileInfo, error) { return dir.Stat(inside) },
		open: func() (*os.File, error) { return dir.OpenFile(inside, openFlags, 0) },
	}
	data, info, err = src.read(limit)
	if info != nil && resolved != straight {
		linkedTo = resolved
	}
	return data, info, linkedTo, err
}

// source is a file to be read.
type source struct {
	path string // for messages
	stat func() (fs.FileInfo, error)
	open func() (*os.File, error)
	same bool // what is opened must be what stat saw
}

// openTries bounds how often read starts again because the file was replaced between looking and opening, as
// every writer that renames does.
const openTries = 100

func (s *source) read(limit int64) ([]byte, fs.FileInfo, error) {
	for range openTries {
		// Opening a device can have effects, so only what looks like a regular file is opened at all.
		seen, err := s.stat()
		if isMissing(err) {
			return nil, nil, nil
		}
		if err != nil {
			return nil, nil, s.refused(err)
		}
		if !seen.Mode().IsRegular() {
			return nil, nil, &UnsafeError{Path: s.path, Why: kindName(seen.Mode())}
		}
		f, err := s.open()
		if isMissing(err) {
			continue
		}
		if err != nil {
			return nil, nil, s.refused(err)
		}
		info, err := f.Stat()
		if err == nil && s.same && !os.SameFile(seen, info) {
			_ = f.Close()
			continue
		}
		data, err := s.contents(f, info, err, limit)
		_ = f.Close()
		if err != nil {
			return nil, nil, err
		}
		return data, info, nil
	}
	return nil, nil, &UnsafeError{Path: s.path, Why: "it changed while it was opened"}
}

// refused turns the error of looking or opening into ours. os.Root's word for a way out is no system error.
func (s *source) refused(err error) error {
	if isOurs(err) {
		return err
	}
	if _, fromSystem := bare(err).(syscall.Errno); !fromSystem {
		return &UnsafeError{Path: s.path, Why: bare(err).Error()}
	}
	return &IOError{Op: "read", Path: s.path, Err: err}
}

func (s *source) contents(f *os.File, info fs.FileInfo, statErr error, limit int64) ([]byte, error) {
	switch {
	case statErr != nil:
		return nil, &IOError{Op: "read", Path: s.path, Err: statErr}
	case !info.Mode().IsRegular():
		return nil, &UnsafeError{Path: s.path, Why: kindName(info.Mode())}
	case info.Size() > limit:
		return nil, &TooLargeError{Path: s.path, Limit: limit}
	}
	data := make([]byte, 0, info.Size()+1)
	for {
		n, err := f.Read(data[len(data):cap(data)])
		data = data[:len(data)+n]
		switch {
		case int64(len(data)) > limit: // it grew
			return nil, &TooLargeError{Path: s.path, Limit: limit}
		case err == io.EOF:
			return data, nil
		case err != nil:
			return nil, &IOError{Op: "read", Path: s.path, Err: err}
		}
		if len(data) == cap(data) {
			data = append(data, 0)[:len(data)]
		}
	}
}
