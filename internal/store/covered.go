package store

import (
	"crypto/sha256"
	"encoding/hex"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/mcpctl/mcpctl/internal/store/client"
)

// coveredFile is a file of the project that an entry runs or passes on, such as
// ./tools/server.js; it is part of what the user approves (design §5.2).
type coveredFile struct {
	Path       string `json:"path"` // below the workspace, slash separated
	SHA256     string `json:"sha256"`
	Size       int64  `json:"size"`
	Executable bool   `json:"executable,omitempty"`

	real string // where it is, links resolved
}

// coveredLimit bounds what is hashed for an approval. Larger files are data, and
// hashing them at each start would be felt.
const coveredLimit = 1 << 30

// coveredFiles lists the regular files inside the workspace that the entry's
// command, an argument, a word of one that is code, or a variable that loads code
// names, not yet hashed. What those files load in turn is not covered, nor is what a
// shell's code names in other ways, as behind a cd.
func (s *Store) coveredFiles(e *Entry) []coveredFile {
	if e.Definition == nil || e.Definition.Transport != Stdio {
		return nil
	}
	return s.coveredAmong(s.namedPaths(e.Definition))
}

// coveredAmong picks the regular files inside the workspace from paths.
func (s *Store) coveredAmong(paths []string) []coveredFile {
	var out []coveredFile
	seen := map[string]bool{}
	for _, path := range paths {
		real := realest(path)
		if !inside(s.Workspace.Dir, path) && !inside(s.Workspace.Dir, real) || seen[path] {
			continue
		}
		seen[path] = true
		info, err := os.Stat(real)
		if err != nil || !info.Mode().IsRegular() {
			continue
		}
		rel, err := filepath.Rel(s.Workspace.Dir, path)
		if err != nil {
			rel = path
		}
		out = append(out, coveredFile{Path: filepath.ToSlash(rel), Size: info.Size(), Executable: info.Mode()&0o111 != 0, real: real})
	}
	return out
}

// hashedFiles is coveredFiles with the hashes: what an approval records.
func (s *Store) hashedFiles(e *Entry) ([]coveredFile, error) {
	files := s.coveredFiles(e)
	for i, f := range files {
		if f.Size > coveredLimit {
			return nil, &Error{Code_: CodeInvalid, Path: e.Source.Path, Line: e.Line, Column: e.Column, Server_: e.Name,
				Message: "the file " + f.Path + ", which '" + e.Name + "' names, is too large to be part of an approval",
				Hint_:   "approve the entry alone with --entry-only"}
		}
		if files[i].SHA256 = hashFile(f); files[i].SHA256 == "" {
			return nil, &Error{Code_: CodeInvalid, Path: e.Source.Path, Line: e.Line, Column: e.Column, Server_: e.Name,
				Message: "the file " + f.Path + ", which '" + e.Name + "' names, cannot be read, so it cannot be part of an approval",
				Hint_:   "make it readable, or approve the entry alone with --entry-only"}
		}
	}
	return files, nil
}

// program finds the executable of a stdio server the way it will be started: in
// the entry's folder, on the entry's own PATH where it has one.
func (s *Store) program(d *Definition) (string, error) {
	env := s.Env
	if path, ok := d.Env["PATH"]; ok {
		env = Environ{"PATH": s.expanded(path)}
	}
	return LookupCommand(tilde(s.expanded(d.Command), s.Places.Home), s.workingDir(d), env)
}

// workingDir is the folder a stdio server is started in.
func (s *Store) workingDir(d *Definition) string {
	cwd := tilde(s.expanded(d.Cwd), s.Places.Home)
	if filepath.IsAbs(cwd) {
		return cwd
	}
	return filepath.Join(s.Workspace.Dir, cwd)
}

// expanded is text with defaults, and with those variables put in that name
// places; nothing else of the environment is looked at before an approval. Where
// that does not do, text stays as written.
func (s *Store) expanded(text string) string {
	if !strings.Contains(text, "$") {
		return text
	}
	env := Environ{client.WorkspaceVariable: s.Workspace.Dir}
	for name, v := range s.Env {
		switch name {
		case "HOME", "PWD", "PATH", "TMPDIR", "USER", "LOGNAME":
			env[name] = v
		default:
			if strings.HasPrefix(name, "XDG_") {
				env[name] = v
			}
		}
	}
	if out, _, missing, fault := expand(text, env); fault == "" && len(missing) == 0 {
		return out
	}
	return text
}

// hashFile hashes as much of a regular file as its size was. A file that cannot
// be read has an empty hash, which equals none.
func hashFile(file coveredFile) string {
	// A pipe that took the file's place must not hold us up.
	f, err := os.OpenFile(file.real, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return ""
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() || info.Size() != file.Size {
		return ""
	}
	h := sha256.New()
	if _, err := io.CopyN(h, f, file.Size); err != nil {
		return ""
	}
	return hex.EncodeToString(h.Sum(nil))
}

// FileChange is a file of the project that is not as it was approved.
type FileChange struct {
	Path string // below the workspace, slash separated
	What string // "changed", "new" or "gone"
}

// changedFiles compares the files that were approved with those there now. Only
// what could still be equal is hashed, so a file that grew costs nothing.
func changedFiles(approved, present []coveredFile) []FileChange {
	var out []FileChange
	left := map[string]coveredFile{}
	for _, f := range approved {
		left[f.Path] = f
	}
	for _, f := range present {
		was, ok := left[f.Path]
		delete(left, f.Path)
		switch {
		case !ok:
			out = append(out, FileChange{f.Path, "new"})
		case was.Size != f.Size || was.Executable != f.Executable || was.SHA256 == "" || was.SHA256 != hashFile(f):
			out = append(out, FileChange{f.Path, "changed"})
		}
	}
	for _, f := range approved {
		if _, gone := left[f.Path]; gone {
			out = append(out, FileChange{f.Path, "gone"})
		}
	}
	return out
}
