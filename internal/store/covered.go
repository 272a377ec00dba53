package store

import (
	"crypto/sha256"
	"encoding/hex"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// coveredFile is a file of the project that an entry runs or passes on, such as
// ./tools/server.js; it is part of what the user approves (design §5.2).
type coveredFile struct {
	Path   string `json:"path"` // below the workspace, slash separated
	SHA256 string `json:"sha256"`
}

// coveredFiles lists the regular files inside the workspace that the entry's
// command or an argument names. What those files load in turn is not covered.
func (s *Store) coveredFiles(e *Entry) []coveredFile {
	if e.Definition == nil || e.Definition.Transport != Stdio {
		return nil
	}
	d := e.Definition
	dir := s.Workspace.Dir
	if d.Cwd != "" {
		dir = filepath.Join(dir, d.Cwd)
		if filepath.IsAbs(d.Cwd) {
			dir = d.Cwd
		}
	}
	var out []coveredFile
	seen := map[string]bool{}
	for _, path := range s.namedPaths(d, dir) {
		real := realest(path)
		if !inside(s.Workspace.Dir, path) && !inside(s.Workspace.Dir, real) || seen[path] {
			continue
		}
		seen[path] = true
		if sum, ok := hashFile(real); ok {
			rel, err := filepath.Rel(s.Workspace.Dir, path)
			if err != nil {
				rel = path
			}
			out = append(out, coveredFile{Path: filepath.ToSlash(rel), SHA256: sum})
		}
	}
	return out
}

// namedPaths are the absolute paths that command and args could mean.
func (s *Store) namedPaths(d *Definition, dir string) []string {
	var paths []string
	add := func(text string) {
		text = tilde(text, s.Places.Home)
		if text == "" || strings.Contains(text, "://") || strings.Contains(text, "${") {
			return
		}
		if !filepath.IsAbs(text) {
			text = filepath.Join(dir, text)
		}
		paths = append(paths, filepath.Clean(text))
	}
	if full, err := LookupCommand(tilde(d.Command, s.Places.Home), dir, s.Env); err == nil {
		add(full) // on PATH too: node_modules/.bin may be there
	} else if strings.ContainsRune(d.Command, '/') {
		add(d.Command)
	}
	for _, arg := range d.Args {
		add(arg)
		if _, value, ok := strings.Cut(arg, "="); ok {
			add(value) // --config=./server.json
		}
	}
	return paths
}

// hashFile hashes a regular file; ok is false for anything else. A file that
// cannot be read counts with an empty hash, so that it changes when it can be.
func hashFile(path string) (sum string, ok bool) {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() {
		return "", false
	}
	f, err := os.Open(path)
	if err != nil {
		return "", true
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", true
	}
	return hex.EncodeToString(h.Sum(nil)), true
}

// changedFile names a file that differs between what was approved and what is
// there now; "" when none does.
func changedFile(approved, present []coveredFile) string {
	was := map[string]string{}
	for _, f := range approved {
		was[f.Path] = f.SHA256
	}
	for _, f := range present {
		if sum, ok := was[f.Path]; !ok || sum != f.SHA256 {
			return f.Path
		}
		delete(was, f.Path)
	}
	for path := range was {
		return path
	}
	return ""
}
