package record

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// unfinishedEnd is the end of the name of a file that is being written.
const unfinishedEnd = ".tmp"

// outputsDir is the directory of the outputs, open: files are opened, moved and removed in it and not by their paths, and
// never through a link, whatever happens to the path meanwhile (threats G7).
type outputsDir struct {
	fd   int
	path string
}

// makeOutputs opens the directory for writing, and makes it (0700) when it is missing.
func makeOutputs(path string) (*outputsDir, error) {
	dir, err := openOutputs(path)
	if errors.Is(err, fs.ErrNotExist) {
		if err = os.MkdirAll(filepath.Dir(path), 0o700); err == nil {
			err = os.Mkdir(path, 0o700)
		}
		if err != nil && !errors.Is(err, fs.ErrExist) {
			return nil, outputFailure(path, err)
		}
		dir, err = openOutputs(path)
	}
	if err != nil {
		return nil, err
	}
	info, err := dir.stat(".")
	if err == nil && info.Mode&0o077 != 0 {
		err = unix.Fchmod(dir.fd, 0o700)
	}
	if err != nil {
		dir.close()
		return nil, outputFailure(path, err)
	}
	return dir, nil
}

// openOutputs opens the directory. It fails with fs.ErrNotExist, UnsafeError or OpenError.
func openOutputs(path string) (*outputsDir, error) {
	fd, err := open(unix.AT_FDCWD, path, unix.O_RDONLY|unix.O_DIRECTORY)
	switch {
	case errors.Is(err, unix.ENOENT):
		return nil, fs.ErrNotExist
	case errors.Is(err, unix.ELOOP), errors.Is(err, unix.ENOTDIR):
		if _, lerr := os.Lstat(path); lerr == nil { // else it is one of the directories above
			return nil, &UnsafeError{path, "not a directory, or a symbolic link"}
		}
		return nil, outputFailure(path, err)
	case err != nil:
		return nil, outputFailure(path, err)
	}
	var info unix.Stat_t
	if err := unix.Fstat(fd, &info); err != nil {
		unix.Close(fd)
		return nil, outputFailure(path, err)
	}
	if !ownerFits(info.Uid) {
		unix.Close(fd)
		return nil, &UnsafeError{path, "belongs to another user"}
	}
	return &outputsDir{fd, path}, nil
}

// open opens without following a link at the end of the path and without blocking on a pipe.
func open(dir int, name string, flags int) (int, error) {
	for {
		fd, err := unix.Openat(dir, name, flags|unix.O_NOFOLLOW|unix.O_CLOEXEC|unix.O_NONBLOCK, 0o600)
		if !errors.Is(err, unix.EINTR) {
			return fd, err
		}
	}
}

// outputFailure is an error of the system about an output or their directory.
func outputFailure(path string, err error) error {
	if pe := new(fs.PathError); errors.As(err, &pe) {
		err = pe.Err
	}
	return &OpenError{Path: path, Err: err, what: "open the outputs"}
}

func (d *outputsDir) close() { unix.Close(d.fd) }

// time returns when the directory was changed last; a time that never is when that cannot be told.
func (d *outputsDir) time() time.Time {
	info, err := d.stat(".")
	if err != nil {
		return time.Time{}
	}
	return modified(info)
}

func (d *outputsDir) stat(name string) (unix.Stat_t, error) {
	var info unix.Stat_t
	err := unix.Fstatat(d.fd, name, &info, unix.AT_SYMLINK_NOFOLLOW)
	return info, err
}

func (d *outputsDir) remove(name string) error { return unix.Unlinkat(d.fd, name, 0) }

// names returns what is in the directory, in no order.
func (d *outputsDir) names() ([]string, error) {
	fd, err := open(d.fd, ".", unix.O_RDONLY|unix.O_DIRECTORY) // reading moves the place in it
	if err != nil {
		return nil, outputFailure(d.path, err)
	}
	f := os.NewFile(uintptr(fd), d.path)
	defer f.Close()
	return f.Readdirnames(-1)
}

// scan returns the files of outputs that are there, oldest first, and the files that are being written or were not finished. It
// opens none.
func (d *outputsDir) scan() (kept, unfinished []keptOutput, err error) {
	names, err := d.names()
	if err != nil {
		return nil, nil, err
	}
	for _, name := range names {
		end := filepath.Ext(name)
		if !ValidOutputID(strings.TrimSuffix(name, end)) || end != outputEnd && end != segmentEnd && end != unfinishedEnd {
			continue
		}
		info, err := d.stat(name)
		if err != nil || info.Mode&unix.S_IFMT != unix.S_IFREG {
			continue // gone meanwhile, or not ours
		}
		k := keptOutput{name, modified(info), info.Size}
		if end == unfinishedEnd {
			unfinished = append(unfinished, k)
		} else {
			kept = append(kept, k)
		}
	}
	slices.SortFunc(kept, func(a, b keptOutput) int { return a.at.Compare(b.at) })
	return kept, unfinished, nil
}

// write makes the file of an output, whole or not at all.
func (d *outputsDir) write(id string, head, result []byte) (err error) {
	name := id + unfinishedEnd
	fd, err := open(d.fd, name, unix.O_WRONLY|unix.O_CREAT|unix.O_EXCL)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = d.remove(name)
		}
	}()
	for _, part := range [][]byte{head, result, []byte(afterResult)} {
		if err = writeAll(fd, part); err != nil {
			unix.Close(fd)
			return err
		}
	}
	if err = unix.Close(fd); err != nil {
		return err
	}
	return unix.Renameat(d.fd, name, d.fd, id+outputEnd)
}

func writeAll(fd int, b []byte) error {
	for len(b) > 0 {
		n, err := unix.Write(fd, b)
		if err != nil && !errors.Is(err, unix.EINTR) {
			return err
		}
		b = b[max(n, 0):]
	}
	return nil
}

// file opens a file for reading: a regular one of this user.
func (d *outputsDir) file(name string) (*os.File, os.FileInfo, error) {
	path := filepath.Join(d.path, name)
	fd, err := open(d.fd, name, unix.O_RDONLY)
	switch {
	case errors.Is(err, unix.ENOENT):
		return nil, nil, fs.ErrNotExist
	case errors.Is(err, unix.ELOOP):
		return nil, nil, &UnsafeError{path, "symbolic link"}
	case err != nil:
		return nil, nil, outputFailure(path, err)
	}
	f := os.NewFile(uintptr(fd), path)
	info, err := f.Stat()
	if err == nil {
		err = ownRegular(path, info)
	}
	if err != nil {
		f.Close()
		return nil, nil, err
	}
	return f, info, nil
}

// output returns an output that is not too old. What is not there, or not whole, is fs.ErrNotExist.
func (d *outputsDir) output(id string) (Output, error) {
	data, err := d.read(id)
	if errors.Is(err, fs.ErrNotExist) {
		data, err = d.line(id)
	}
	if err != nil {
		return Output{}, err
	}
	o, ok := parseOutput(id, data)
	if !ok || time.Since(o.Time) > outputsAge {
		return Output{}, fs.ErrNotExist
	}
	return o, nil
}

// read returns the bytes of the file of an output that is not too old.
func (d *outputsDir) read(id string) ([]byte, error) {
	f, info, err := d.file(id + outputEnd)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if time.Since(info.ModTime()) > outputsAge || info.Size() > outputsLimit {
		return nil, fs.ErrNotExist
	}
	data := make([]byte, info.Size()) // and not more: nobody writes to a file that is in its place
	if _, err := io.ReadFull(f, data); err != nil {
		return nil, fs.ErrNotExist
	}
	return data, nil
}

// head reads what a list needs; false for what is no output.
func (d *outputsDir) head(id string) (Output, bool) {
	f, info, err := d.file(id + outputEnd)
	if err != nil {
		return Output{}, false
	}
	defer f.Close()
	const most = 1 << 20 // a name has no length, but nobody's is so long
	if end := make([]byte, len(afterResult)); info.Size() < int64(len(end)) {
		return Output{}, false
	} else if _, err := f.ReadAt(end, info.Size()-int64(len(end))); err != nil || string(end) != afterResult {
		return Output{}, false // begun, and never finished
	}
	o, _, ok := parseMembers(io.LimitReader(f, most), id, "arguments")
	return o, ok
}

func modified(info unix.Stat_t) time.Time { return time.Unix(info.Mtim.Unix()) }

// ownerFits reports whether a file of this user is ours; root may look at anybody's.
func ownerFits(uid uint32) bool { return os.Geteuid() == 0 || int(uid) == os.Geteuid() }
