package client

import (
	"cmp"
	"path/filepath"
	"slices"
	"strings"
)

// UserDir says where a client keeps the user's files, and which variables of
// the environment move it.
type UserDir struct {
	InConfigHome     bool     // below the configuration home, not below the home directory
	Root             string   // below that, slash separated
	Darwin           string   // where it is on macOS, below the home directory, whatever RootVariable says; "" for the same place
	RootVariable     string   // names another Root; an absolute value stands for itself
	ProfileVariables []string // the first that is set names a profile: Root/profiles/NAME/Path
	Path             string   // below Root
	DirVariable      string   // holds the whole directory; a profile is stronger
	DirBelow         string   // the directory below what DirVariable holds; "" for that itself
}

// Bases are the directories of this user, absolute, and the operating system as
// runtime.GOOS names it.
type Bases struct{ Home, ConfigHome, GOOS string }

// isProfile tells whether these programs accept a name as a profile, so that no
// name leads anywhere else: [a-z0-9][a-z0-9._-]{0,63}.
func isProfile(name string) bool {
	const first = "abcdefghijklmnopqrstuvwxyz0123456789"
	return name != "" && len(name) <= 64 && strings.IndexByte(first, name[0]) >= 0 && strings.Trim(name, first+"._-") == ""
}

// Find returns the directory for an environment. why tells, with the variable's
// name, what is wrong with the environment; dir is then where the files would be
// without that variable.
func (u UserDir) Find(env map[string]string, b Bases) (dir, why string) {
	root := filepath.FromSlash(u.Root)
	if u.Darwin != "" && b.GOOS == "darwin" {
		u.InConfigHome, u.Path, u.RootVariable, root = false, "", "", filepath.FromSlash(u.Darwin)
	}
	if v := env[u.RootVariable]; u.RootVariable != "" && v != "" {
		root = v
	}
	base := b.Home
	switch {
	case u.InConfigHome:
		base = b.ConfigHome
	case filepath.IsAbs(root):
		base = ""
	case root != "" && !filepath.IsLocal(root):
		why, root = u.RootVariable+" leads out of the home directory", filepath.FromSlash(u.Root)
	}
	root = filepath.Join(base, root)
	profile, bad := u.profile(env)
	switch {
	case bad != "":
		why = bad
	case profile != "":
		return filepath.Join(root, "profiles", profile, filepath.FromSlash(u.Path)), why
	}
	dir = filepath.Join(root, filepath.FromSlash(u.Path))
	v, bad := named(u.DirVariable, env, b)
	if v == "" {
		return dir, cmp.Or(bad, why)
	}
	return filepath.Join(v, filepath.FromSlash(u.DirBelow)), why
}

// named is the path that a variable holds; "" for none. why tells what is wrong with it.
func named(variable string, env map[string]string, b Bases) (path, why string) {
	v := env[variable]
	if variable == "" || v == "" {
		return "", ""
	}
	if rest, ok := strings.CutPrefix(v, "~"); ok && (rest == "" || rest[0] == filepath.Separator) {
		v = filepath.Join(b.Home, rest)
	}
	if !filepath.IsAbs(v) {
		return "", variable + " is not an absolute path"
	}
	return filepath.Clean(v), ""
}

// Pointer is a variable of the environment that names a further file of the user, or a
// directory that has files such as those in the usual place.
type Pointer struct {
	Variable string
	Dir      bool
}

// Find is what the variable names; "" for nothing. why tells, with the variable's name,
// what is wrong with it.
func (p Pointer) Find(env map[string]string, b Bases) (path, why string) {
	return named(p.Variable, env, b)
}

// NamedFile is the user's file where a variable names it; "" where none does.
func (c Client) NamedFile(env map[string]string, b Bases) (path string) {
	path, _ = named(c.FileVariable, env, b)
	return path
}

// Misplaced tells, with the variable's name, what is wrong with what the environment says
// about the files that are written; "" when nothing is.
func (c Client) Misplaced(env map[string]string, b Bases) (why string) {
	_, dir := c.User.Find(env, b)
	_, file := named(c.FileVariable, env, b)
	return cmp.Or(file, dir)
}

// Variables are those of the environment that move a client's files.
func (c Client) Variables() (names []string) {
	add := func(list ...string) {
		for _, name := range list {
			if name != "" && !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	add(c.FileVariable)
	for _, p := range c.Pointers {
		add(p.Variable)
	}
	for _, u := range append([]UserDir{c.User}, c.MoreDirs...) {
		add(u.DirVariable, u.RootVariable)
		add(u.ProfileVariables...)
		if u.InConfigHome {
			add("XDG_CONFIG_HOME")
		}
	}
	return names
}

// profile: set but empty, and "default", mean none.
func (u UserDir) profile(env map[string]string) (name, why string) {
	for _, variable := range u.ProfileVariables {
		v, set := env[variable]
		if !set {
			continue
		}
		v = strings.TrimSpace(v)
		switch {
		case v == "" || v == "default":
			return "", ""
		case !isProfile(v) || strings.HasSuffix(v, "."):
			return "", variable + " is not the name of a profile"
		}
		return v, ""
	}
	return "", ""
}
