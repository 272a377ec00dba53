package store

import (
	"os"
	"path/filepath"
)

// refuseLinks refuses files and folders of the user's own that are links into the
// workspace: what a pull of the repository changes is not the user's word (design
// §2.1). A path of which nothing is a link costs one look.
func (s *Store) refuseLinks(paths ...string) error {
	for _, path := range paths {
		if s.linksInside(path) {
			return &Error{Code_: CodePathUnsafe, Path: path,
				Message: "is a link into the workspace '" + s.Workspace.Dir + "', whose files must not be the user's own there",
				Hint_:   "whatever changes the repository would change what you said yourself: put a copy in the place of the link, or work in another folder"}
		}
	}
	return nil
}

// ownPaths are the places below the user's directories that are read as the user's
// word whatever the client.
func (s *Store) ownPaths() []string {
	config, state := s.Places.ConfigHome, s.Places.State()
	local := filepath.Dir(s.Path(Local))
	return []string{
		filepath.Join(config, "mcp"), filepath.Join(config, "mcp", "mcp.json"),
		filepath.Dir(s.Places.SettingsFile()), s.Places.SettingsFile(),
		state, s.approvalsPath(), filepath.Dir(local), local, s.Path(Local),
	}
}

// linksInside tells whether path is a link that leads into the workspace, also to
// what is not there yet.
func (s *Store) linksInside(path string) bool {
	const mostLinks = 40 // the kernel's own bound
	for range mostLinks {
		info, err := os.Lstat(path)
		if err != nil || info.Mode()&os.ModeSymlink == 0 {
			return false
		}
		target, err := os.Readlink(path)
		if err != nil {
			return false
		}
		if !filepath.IsAbs(target) {
			target = filepath.Join(realest(filepath.Dir(path)), target)
		}
		if inside(s.Workspace.Dir, realest(target)) {
			return true
		}
		path = target
	}
	return false
}
