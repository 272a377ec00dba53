package engine

import (
	"maps"
	"os"
	"path/filepath"
	"strings"
)

// trails are what has to be watched so that a change of what paths lead to is
// noticed: directories, by their real paths, and the names in them that matter; in those
// that were asked for themselves, every name.
type trails struct{ dirs, paths, whole map[string]bool }

func (t trails) equal(other trails) bool {
	return maps.Equal(t.dirs, other.dirs) && maps.Equal(t.paths, other.paths) && maps.Equal(t.whole, other.whole)
}

// mostLinks is how many symbolic links one path may lead over, as in the kernel.
const mostLinks = 40

func trailsOf(files []string) trails {
	t := trails{dirs: map[string]bool{}, paths: map[string]bool{}, whole: map[string]bool{}}
	for _, file := range files {
		t.follow(file)
	}
	return t
}

// follow walks to a file as the kernel does. It watches each directory that holds a
// link on the way, the one that holds the file, and where something is missing the
// one where it would be.
func (t trails) follow(file string) {
	at, rest := "/", strings.Split(filepath.Clean(file), "/")
	for links := 0; len(rest) > 0; {
		name := rest[0]
		rest = rest[1:]
		switch name {
		case "", ".":
			continue
		case "..":
			at = filepath.Dir(at)
			continue
		}
		next := filepath.Join(at, name)
		info, err := os.Lstat(next)
		if err != nil || len(rest) == 0 {
			t.note(at, next)
		}
		if err != nil {
			return
		}
		if info.Mode()&os.ModeSymlink == 0 {
			if at = next; len(rest) == 0 && info.IsDir() {
				t.dirs[at], t.whole[at] = true, true
			}
			continue
		}
		t.note(at, next)
		target, err := os.Readlink(next)
		if links++; err != nil || links > mostLinks {
			return
		}
		if filepath.IsAbs(target) {
			at = "/"
		}
		rest = append(strings.Split(target, "/"), rest...)
	}
}

func (t trails) note(dir, path string) { t.dirs[dir], t.paths[path] = true, true }
