package store

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/internal/store/atomicfile"
	"github.com/mcpctl/mcpctl/internal/store/client"
)

// Files of a client that no name in its row tells: those in a folder of files, and those
// that a variable of the environment names.

// manyDropIns bounds the files of one folder that are looked at.
const manyDropIns = 256

// dropIns are the places of the files in a client's folder of files, by name. A folder
// that cannot be read is one place, which tells, and so is one that is not there.
func (s *Store) dropIns(row client.Client, scope Scope) (out []place) {
	top, below := s.Workspace.Dir, row.DropIns.Project
	if scope == User {
		top, _ = row.User.Find(s.Env, s.bases())
		below = row.DropIns.User
	}
	if below == "" {
		return nil
	}
	folder := filepath.FromSlash(below)
	names, more, err := atomicfile.Names(top, folder, scope == Project, manyDropIns)
	if err != nil || more {
		p := place{client: row, scope: scope, path: filepath.Join(top, folder), second: true, why: "the folder holds too many files, and those after the first are not read"}
		if err != nil {
			p.why = "the folder is not read: " + err.Error()
		}
		out = append(out, p)
	}
	if _, missing := os.Lstat(filepath.Join(top, folder)); missing != nil && len(out) == 0 {
		out = append(out, place{client: row, scope: scope, path: filepath.Join(top, folder), second: true, keys: row.Servers})
	}
	for _, name := range names {
		ending := strings.ToLower(filepath.Ext(name))
		if !slices.Contains(row.DropIns.Endings, ending) {
			continue
		}
		p := place{client: row, scope: scope, path: filepath.Join(top, folder, name), second: true, alone: ending == row.DropIns.Alone, keys: row.Servers}
		if scope == Project {
			p.rel = filepath.Join(folder, name)
		} else {
			p.dir = filepath.Join(top, folder)
		}
		out = append(out, p)
	}
	return out
}

// folders are the folders of files that count: what is put into one has to be noticed.
func (s *Store) folders() (paths []string) {
	discovery := s.LastSettings().Discovery
	for _, row := range client.All() {
		if row.DropIns.Project != "" && s.Workspace.HasProject {
			paths = append(paths, filepath.Join(s.Workspace.Dir, filepath.FromSlash(row.DropIns.Project)))
		}
		if row.DropIns.User != "" && (row.Name == s.Client.Name || discovery.Includes(row.Name)) {
			top, _ := row.User.Find(s.Env, s.bases())
			paths = append(paths, filepath.Join(top, filepath.FromSlash(row.DropIns.User)))
		}
	}
	return paths
}

// besides puts the places that variables name in front of the usual ones.
func (s *Store) besides(row client.Client, usual []place) []place {
	return append(slices.DeleteFunc(s.pointed(row), func(p place) bool {
		return slices.ContainsFunc(usual, func(u place) bool { return u.path == p.path })
	}), usual...)
}

// pointed are the places that variables name beside the usual ones. One inside the
// workspace could be the repository's word for the user's, and is not read.
func (s *Store) pointed(row client.Client) (out []place) {
	add := func(path, why string) {
		if s.Workspace.HasProject && why == "" && (inside(s.Workspace.Dir, realest(path)) || s.linksInside(path)) {
			why = "the file would lie inside the workspace"
		}
		out = append(out, place{client: row, scope: User, dir: filepath.Dir(path), path: path, why: why, second: true, keys: keysIn(row, path)})
	}
	if row.TextVariable != "" && s.Env[row.TextVariable] != "" {
		add("$"+row.TextVariable, "the variable holds the text of a file; mcpctl reads files alone")
	}
	for _, p := range row.Pointers {
		switch path, why := p.Find(s.Env, s.bases()); {
		case why != "":
			add("$"+p.Variable, why)
		case path == "":
		case p.Dir:
			for _, name := range slices.Backward(row.UserFiles()) {
				add(filepath.Join(path, filepath.FromSlash(name)), "")
			}
		default:
			add(path, "")
		}
	}
	return out
}
