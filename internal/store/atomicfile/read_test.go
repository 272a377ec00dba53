package atomicfile

import (
	"errors"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// readers are the four ways to read dir/rel.
var readers = map[string]func(dir, rel string, limit int64) ([]byte, fs.FileInfo, error){
	"ReadFile": func(dir, rel string, limit int64) ([]byte, fs.FileInfo, error) {
		return ReadFile(filepath.Join(dir, rel), limit)
	},
	"ReadInside": func(dir, rel string, limit int64) ([]byte, fs.FileInfo, error) {
		data, info, _, err := ReadInside(dir, rel, limit)
		return data, info, err
	},
	"Follow": func(dir, rel string, limit int64) ([]byte, fs.FileInfo, error) {
		return readTarget(dir, rel, "follow", limit)
	},
	"Within": func(dir, rel string, limit int64) ([]byte, fs.FileInfo, error) {
		return readTarget(dir, rel, "within", limit)
	},
}

func readTarget(dir, rel, how string, limit int64) ([]byte, fs.FileInfo, error) {
	t, err := open(dir, rel, how)
	if err != nil {
		return nil, nil, err
	}
	defer t.Close()
	return t.Read(limit)
}

func TestRead(t *testing.T) {
	dir := tempDir(t)
	write(t, filepath.Join(dir, "sub", "f"), "0123456789", 0o640)
	write(t, filepath.Join(dir, "empty"), "", 0o600)
	for name, read := range readers {
		t.Run(name, func(t *testing.T) {
			data, info, err := read(dir, "sub/f", 10)
			if err != nil || string(data) != "0123456789" || info.Mode() != 0o640 || info.Size() != 10 {
				t.Errorf("got %q, %v, %v", data, info, err)
			}
			data, info, err = read(dir, "empty", 10)
			if err != nil || data == nil || len(data) != 0 || info == nil {
				t.Errorf("empty: got %v, %v, %v", data, info, err)
			}
			for _, missing := range []string{"none", "none/f", "sub/none/none"} {
				data, info, err = read(dir, missing, 10)
				if err != nil || data != nil || info != nil {
					t.Errorf("%s: got %q, %v, %v", missing, data, info, err)
				}
			}
			_, _, err = read(dir, "sub/f", 9)
			if large, ok := errors.AsType[*TooLargeError](err); !ok || large.Code() != "MCP_CONFIG_INVALID" {
				t.Errorf("got %v, want TooLargeError", err)
			}
		})
	}
}

func TestReadBelowFile(t *testing.T) {
	dir := tempDir(t)
	write(t, filepath.Join(dir, "f"), "x", 0o600)
	for _, name := range []string{"ReadFile", "ReadInside"} {
		if data, info, err := readers[name](dir, "f/mcp.json", 10); data != nil || info != nil || err != nil {
			t.Errorf("%s: got %q, %v, %v; want missing", name, data, info, err)
		}
	}
	if _, ok := errors.AsType[*IOError](second(Follow(filepath.Join(dir, "f/mcp.json")))); !ok {
		t.Error("Follow: want an IOError")
	}
	wantUnsafe(t, second(Within(dir, "f/mcp.json")), "not a directory")
}

func TestReadOnlyRegularFiles(t *testing.T) {
	dir := tempDir(t)
	must(t, syscall.Mkfifo(filepath.Join(dir, "fifo"), 0o600))
	must(t, os.Mkdir(filepath.Join(dir, "dir"), 0o755))
	t.Chdir(dir) // a socket's path must be short
	l, err := net.Listen("unix", "socket")
	must(t, err)
	defer l.Close()
	for name, read := range readers {
		for rel, why := range map[string]string{"fifo": "named pipe", "dir": "directory", "socket": "socket"} {
			t.Run(name+" "+rel, func(t *testing.T) {
				inTime(t, func() {
					data, info, err := read(dir, rel, 10)
					wantUnsafe(t, err, why)
					if data != nil || info != nil {
						t.Errorf("got %q, %v", data, info)
					}
				})
			})
		}
		t.Run(name+" device", func(t *testing.T) {
			if name == "Within" && os.Geteuid() != 0 {
				t.Skip("the device belongs to root: refused for that reason already")
			}
			wantUnsafe(t, second2(read("/dev", "zero", 10)), "device")
		})
	}
}

func second2[A, B any](_ A, _ B, err error) error { return err }

func TestReadLinks(t *testing.T) {
	dir := tempDir(t)
	root := filepath.Join(dir, "project")
	write(t, filepath.Join(root, "real", "f"), "inside", 0o600)
	write(t, filepath.Join(dir, "secret"), "outside", 0o600)
	for link, to := range map[string]string{
		"rel": "real/f", "abs": filepath.Join(root, "real", "f"), "two": "rel", "sub": "real", "around": "../project/real/f",
		"out": "../secret", "absout": filepath.Join(dir, "secret"), "via": "out", "up": "..",
		"dangling": "none", "dangleout": "../none", "loop": "pool", "pool": "loop",
	} {
		must(t, os.Symlink(to, filepath.Join(root, link)))
	}
	for _, tc := range []struct{ rel, unsafe string }{
		{"rel", ""}, {"abs", ""}, {"two", ""}, {"sub/f", ""}, {"around", ""},
		{"out", "leads out"}, {"absout", "leads out"}, {"via", "leads out"}, {"up/secret", "leads out"},
		{"dangling", "leads to nothing"}, {"dangleout", "leads to nothing"}, {"loop", "circle"}, {"up/none", "leads out"},
		{"../secret", "outside the project"}, {"/etc/passwd", "outside the project"}, {"", "outside the project"},
		{".", "directory"},
	} {
		t.Run(tc.rel, func(t *testing.T) {
			data, info, linkedTo, err := ReadInside(root, tc.rel, 100)
			if tc.unsafe == "" {
				if err != nil || string(data) != "inside" || linkedTo != filepath.Join(root, "real", "f") {
					t.Errorf("got %q, linked to %q, %v", data, linkedTo, err)
				}
				return
			}
			wantUnsafe(t, err, tc.unsafe)
			if data != nil || info != nil || linkedTo != "" {
				t.Errorf("supplies %q, %v, %q", data, info, linkedTo)
			}
		})
	}
	data, _, linkedTo, err := ReadInside(root, "real/f", 100)
	if string(data) != "inside" || linkedTo != "" || err != nil {
		t.Errorf("no link: got %q, linked to %q, %v", data, linkedTo, err)
	}
	data, _, err = ReadFile(filepath.Join(root, "up", "project", "via"), 100)
	if string(data) != "outside" || err != nil {
		t.Errorf("ReadFile follows: got %q, %v", data, err)
	}
	wantUnsafe(t, second2(ReadFile(filepath.Join(root, "dangling"), 100)), "leads to nothing")
	wantUnsafe(t, second2(ReadFile(filepath.Join(root, "dangling", "f"), 100)), "leads to nothing")
	wantUnsafe(t, second2(ReadFile(filepath.Join(root, "loop"), 100)), "circle")
}

// What happens between looking at a file and opening it.
func TestReadRaces(t *testing.T) {
	dir := tempDir(t)
	file, other := filepath.Join(dir, "f"), filepath.Join(dir, "other")
	write(t, file, "text", 0o600)
	write(t, other, "other", 0o600)
	must(t, os.Symlink("f", filepath.Join(dir, "link")))
	stat := func() (fs.FileInfo, error) { return os.Stat(file) }
	opens := 0
	third := func() (*os.File, error) { // right at the third attempt
		if opens++; opens < 3 {
			return os.Open(other)
		}
		return os.Open(file)
	}
	for _, tc := range []struct {
		name, want, unsafe string
		src                source
	}{
		{"replaced", "text", "", source{stat: stat, open: third, same: true}},
		{"never the same", "", "changed while", source{stat: stat, same: true, open: func() (*os.File, error) { return os.Open(other) }}},
		{"directory by now", "", "directory", source{stat: stat, open: func() (*os.File, error) { return os.Open(dir) }}},
		{"gone by now", "", "changed while", source{stat: stat, open: func() (*os.File, error) { return nil, fs.ErrNotExist }}},
		{"way out", "", "escapes", source{stat: stat, open: func() (*os.File, error) {
			return nil, &fs.PathError{Op: "openat", Path: "f", Err: errors.New("path escapes from parent")}
		}}},
	} {
		data, _, err := tc.src.read(10)
		if string(data) != tc.want {
			t.Errorf("%s: got %q, %v", tc.name, data, err)
		}
		if tc.unsafe != "" {
			wantUnsafe(t, err, tc.unsafe)
		}
	}
	denied := source{stat: stat, open: func() (*os.File, error) { return nil, &fs.PathError{Err: syscall.EMFILE} }}
	if _, ok := errors.AsType[*IOError](second2(denied.read(10))); !ok {
		t.Error("want an IOError for a lack of descriptors")
	}
}

func TestMessages(t *testing.T) {
	for _, tc := range []struct {
		err        error
		want, hint string
	}{
		{&UnsafeError{"/p", "it is a symbolic link"}, "cannot use '/p': it is a symbolic link", ""},
		{&LockedError{"/p", 2040e6, 7}, "cannot lock '/p': held for 2s by process 7", "another mcpctl is writing; try again"},
		{&LockedError{"/p", 2e9, 0}, "cannot lock '/p': held for 2s", "another mcpctl is writing; try again"},
		{&IOError{"write", "/p", "/p", &fs.PathError{Op: "write", Path: "/q", Err: syscall.ENOSPC}},
			"cannot write '/p': no space left on device", "free some space and try again; the file is as it was"},
		{&IOError{"write", "/p", "/r", &os.LinkError{Op: "rename", Err: syscall.EACCES}},
			"cannot write '/p' (a link to '/r'): permission denied",
			"check the permissions and the owner of the file and of its directory"},
		{&TooLargeError{"/p", 1 << 20}, "'/p' is larger than 1 MiB", ""},
		{&TooLargeError{"/p", 1000}, "'/p' is larger than 1000 bytes", ""},
	} {
		if tc.err.Error() != tc.want {
			t.Errorf("got %q, want %q", tc.err, tc.want)
		}
		if h, ok := tc.err.(interface{ Hint() string }); ok && h.Hint() != tc.hint {
			t.Errorf("got hint %q, want %q", h.Hint(), tc.hint)
		}
		at, ok := tc.err.(interface{ Location() (string, int, int) })
		if !ok {
			t.Fatalf("%T has no location", tc.err)
		}
		if path, line, column := at.Location(); path != "/p" || line != 0 || column != 0 {
			t.Errorf("got location %s, %d, %d", path, line, column)
		}
	}
	if err := error(&IOError{Op: "write", Path: "/p", Err: &fs.PathError{Err: syscall.EIO}}); !errors.Is(err, syscall.EIO) ||
		!strings.HasSuffix(err.Error(), syscall.EIO.Error()) {
		t.Errorf("got %v", err)
	}
}
