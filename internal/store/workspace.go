package store

import (
	"crypto/sha256"
	"encoding/hex"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"

	"github.com/mcpctl/mcpctl/internal/store/client"
)

// Workspace is the directory whose project files apply (design §2.2).
type Workspace struct {
	Dir        string // real path
	HasProject bool   // false in the home directory and above it
}

// ID names the workspace in the state directory: the first 16 hex digits of the
// SHA-256 of its real path (design §2.1).
func (w Workspace) ID() string {
	sum := sha256.Sum256([]byte(w.Dir))
	return hex.EncodeToString(sum[:])[:16]
}

// FindWorkspace walks from dir upward to the first directory that holds a
// project file of a known client or a `.git` entry. It stops, without entering,
// at home, at a file-system boundary and at a directory that belongs to somebody
// else or that everybody may write; nothing found means dir itself.
func FindWorkspace(dir, home string) (Workspace, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return Workspace{}, &Error{Code_: CodeIO, Path: dir, Message: "cannot find the working directory", Err: err}
	}
	start, err := filepath.EvalSymlinks(abs)
	if err != nil {
		return Workspace{}, ioError("read the directory", abs, err)
	}
	info, err := os.Stat(start)
	if err != nil {
		return Workspace{}, ioError("read the directory", start, err)
	}
	if !info.IsDir() {
		return Workspace{}, &Error{Code_: CodeIO, Path: start, Message: "not a directory"}
	}
	realHome := realest(home)
	if inside(start, realHome) {
		return Workspace{Dir: start}, nil
	}
	for d := start; ; {
		if marked(d) {
			return Workspace{Dir: d, HasProject: true}, nil
		}
		up := filepath.Dir(d)
		if up == d || !mayEnter(up, d, realHome) {
			return Workspace{Dir: start, HasProject: true}, nil
		}
		d = up
	}
}

// marked tells whether d holds a project file or `.git`; only their existence
// is looked at, never their content. The walk asks at every level: a list of the names
// in d spares a look for each of those that are not among them.
func marked(d string) bool {
	names, all := someNames(d)
	for first, files := range markers() {
		if all && !names[strings.ToLower(first)] {
			continue
		}
		if _, err := os.Lstat(filepath.Join(d, first)); err != nil {
			continue
		}
		for _, name := range files {
			if name == "" {
				return true
			}
			if _, err := os.Lstat(filepath.Join(d, first, name)); err == nil {
				return true
			}
		}
	}
	return false
}

// someNames lists what is in a directory, in lower case, since some file systems take
// either for the other. all is false where it cannot be read, or holds so much that
// looking for each name is cheaper.
func someNames(d string) (names map[string]bool, all bool) {
	const many = 256
	f, err := os.Open(d)
	if err != nil {
		return nil, false
	}
	defer f.Close()
	list, err := f.Readdirnames(many)
	if err != nil && err != io.EOF || len(list) == many {
		return nil, false
	}
	names = map[string]bool{}
	for _, name := range list {
		names[strings.ToLower(name)] = true
	}
	return names, true
}

// markers are the project files by the first part of their paths; "" is that part
// itself.
var markers = sync.OnceValue(func() map[string][]string {
	out := map[string][]string{".git": {""}}
	for _, name := range client.ProjectFiles() {
		first, rest, _ := strings.Cut(name, "/")
		out[first] = append(out[first], filepath.FromSlash(rest))
	}
	return out
})

func mayEnter(up, from, home string) bool {
	if inside(up, home) {
		return false
	}
	var a, b syscall.Stat_t
	if syscall.Stat(up, &a) != nil || syscall.Stat(from, &b) != nil {
		return false
	}
	const othersWrite = 0o002
	return a.Dev == b.Dev && int(a.Uid) == os.Getuid() && a.Mode&othersWrite == 0
}
