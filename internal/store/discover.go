package store

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/internal/store/client"
	"github.com/mcpctl/mcpctl/internal/store/jsonc"
)

// place is one file that a client reads in one scope.
type place struct {
	client client.Client
	scope  Scope
	path   string // absolute
	rel    string // below the workspace, for a project file
	second bool   // the client writes another one
	keys   []string
}

// placesOf lists a client's files of a scope, the one that is written first, then
// from strong to weak; none where the workspace has no such scope.
func (s *Store) placesOf(row client.Client, scope Scope) []place {
	var out []place
	switch scope {
	case Local:
		native, _ := client.Lookup(client.Native)
		path := filepath.Join(s.Places.State(), "workspaces", s.Workspace.ID(), "mcp.json")
		return []place{{client: native, scope: Local, path: path, keys: native.Servers}}
	case User:
		for _, dirs := range append([]client.UserDir{row.User}, row.MoreDirs...) {
			dir, _ := dirs.Find(s.Env, s.bases())
			for _, name := range row.UserFiles() {
				path := filepath.Join(dir, filepath.FromSlash(name))
				second := len(out) > 0 || row.UserFile == ""
				out = append(out, place{client: row, scope: User, path: path, second: second, keys: row.KeysOf(name)})
			}
		}
	case Project:
		if !s.Workspace.HasProject {
			return nil
		}
		for i, name := range row.ProjectFiles() {
			rel := filepath.FromSlash(name)
			out = append(out, place{client: row, scope: Project, path: filepath.Join(s.Workspace.Dir, rel), rel: rel, second: i > 0 || row.ProjectFile == "", keys: row.KeysOf(name)})
		}
	}
	return out
}

func (s *Store) bases() client.Bases {
	return client.Bases{Home: s.Places.Home, ConfigHome: s.Places.ConfigHome, GOOS: runtime.GOOS}
}

// checkUserDir refuses an environment that says nonsense about where the chosen
// client keeps its files: an edit must not land elsewhere than the user thinks.
func (s *Store) checkUserDir() error {
	if _, why := s.Client.User.Find(s.Env, s.bases()); why != "" {
		return &Error{Code_: CodePathUnsafe, Message: why, Hint_: "unset the variable, or correct it"}
	}
	if !s.Workspace.HasProject || s.Client.User.InConfigHome {
		return nil
	}
	if err := s.refuseInside(filepath.Dir(s.Path(User))); err != nil {
		return err
	}
	return s.refuseLinks(s.userFiles(s.Client)...)
}

// userFiles are the paths of a client's user files.
func (s *Store) userFiles(row client.Client) (paths []string) {
	for _, p := range s.placesOf(row, User) {
		paths = append(paths, p.path)
	}
	return paths
}

// placesHint names the variables that say where the user's files are.
func (s *Store) placesHint() string {
	names := []string{"XDG_CONFIG_HOME", "XDG_STATE_HOME", "MCPCTL_CONFIG_HOME", "MCPCTL_STATE_HOME"}
	for _, name := range []string{s.Client.User.RootVariable, s.Client.User.DirVariable} {
		if name != "" {
			names = append(names, name)
		}
	}
	return "unset " + strings.Join(names[:len(names)-1], ", ") + " and " + names[len(names)-1] + ", or point them outside"
}

// ReadSources reads every file that counts once, strongest first: those of the
// chosen client, the project files of the others, and the user files of those
// that discovery is on for (design §4). It never fails: what cannot be read is a
// Problem of its Source, and the other sources are read all the same.
//
// A file that several clients read is read once, for the strongest of them.
func (s *Store) ReadSources() []*Source {
	var out []*Source
	read := map[string]bool{}
	for _, scope := range scopes {
		for _, p := range s.placesOf(s.Client, scope) {
			read[p.path] = true
			out = append(out, s.read(p))
		}
	}
	others := s.others()
	for _, row := range others {
		for _, p := range s.placesOf(row, Project) {
			if !read[p.path] {
				read[p.path] = true
				out = append(out, s.read(p))
			}
		}
	}
	discovery := s.Settings().Discovery
	for _, row := range others {
		if discovery.Includes(row.Name) {
			out = append(out, s.readUser(row, false)...)
		}
	}
	return out
}

// ReadAll is ReadSources and the user files of the other clients, whose entries
// are only shown.
func (s *Store) ReadAll() []*Source {
	out := s.ReadSources()
	discovery := s.LastSettings().Discovery
	for _, row := range s.others() {
		if !discovery.Includes(row.Name) {
			out = append(out, s.readUser(row, true)...)
		}
	}
	return out
}

// others are the known clients beside the chosen one, in the order of the table.
func (s *Store) others() []client.Client {
	return slices.DeleteFunc(client.All(), func(row client.Client) bool { return row.Name == s.Client.Name })
}

// readUser reads the user files of another client. One that a repository could
// supply is not read.
func (s *Store) readUser(row client.Client, showOnly bool) []*Source {
	var out []*Source
	dir, why := row.User.Find(s.Env, s.bases())
	for _, p := range s.placesOf(row, User) {
		var src *Source
		switch {
		case why != "":
			src = p.source()
			src.fault(jsonc.Position{}, why, "")
		case s.Workspace.HasProject && (inside(s.Workspace.Dir, realest(dir)) || s.linksInside(p.path)):
			src = p.source()
			src.broken(&Error{Code_: CodePathUnsafe, Message: "the file would lie inside the workspace"})
		default:
			src = s.read(p)
		}
		src.ShowOnly = showOnly
		out = append(out, src)
	}
	return out
}

// ReadSource reads the file of one scope that is written, opening it once.
func (s *Store) ReadSource(scope Scope) *Source {
	if places := s.placesOf(s.Client, scope); len(places) > 0 && !places[0].second {
		return s.read(places[0])
	}
	return &Source{Client: s.Client.Name, Scope: scope, Empty: true}
}

func (p place) source() *Source {
	return &Source{Client: p.client.Name, Scope: p.scope, Path: p.path, Real: p.path, second: p.second, keys: p.keys}
}

// read reads one file. Most places hold none, and one look tells.
func (s *Store) read(p place) *Source {
	src := p.source()
	if _, err := os.Lstat(p.path); errors.Is(err, os.ErrNotExist) && (p.second || p.client.Name != s.Client.Name) {
		src.Empty = true
		return src
	}
	data, err := s.readFile(src, p.rel)
	if err != nil {
		src.broken(err)
		return src
	}
	src.parse(jsonc.Parse(data))
	s.checkFolders(src)
	return src
}

// clientRow is the row of the client whose file this is.
func (src *Source) clientRow() client.Client {
	name := src.Client
	if src.Scope == Local || src.Scope == Session {
		name = client.Native
	}
	row, ok := client.Lookup(name)
	if !ok {
		row, _ = client.Lookup(client.Native)
	}
	return row
}

// dialect is the client whose shape the entries have; "" for mcpctl's own.
func (src *Source) dialect() string {
	if row := src.clientRow(); row.Dialect.Read != nil {
		return row.Name
	}
	return ""
}

// converted is the entry in mcpctl's shape; what is remarkable about the
// conversion is noted.
func (d *decoder) converted(row client.Client, entry *jsonc.Node) *jsonc.Node {
	if row.Dialect.Read == nil {
		return entry
	}
	reading := row.Dialect.Read(entry, d.entry.Source.Scope == Project)
	for _, n := range reading.Notes {
		if n.Fatal {
			d.fail(n.Position, n.Message, n.Hint)
		} else {
			d.note(n.Position, SeverityWarning, n.Message, n.Hint)
		}
	}
	return reading.Entry
}

// strict warns of what mcpctl reads and the file's own client does not, and then
// loses every server of the file.
func (src *Source) strict(doc *jsonc.Document) {
	row := src.clientRow()
	standard, where := doc.Standard()
	if row.Comments || standard {
		return
	}
	src.note(SeverityWarning, CodeInvalid, where, "a comment or a trailing comma, which "+row.Name+" does not accept: it reads no server of this file",
		"remove it, if "+row.Name+" is to read the file")
}

// foreign tells whether a source is another client's.
func (s *Store) foreign(src *Source) bool {
	return src.Scope != Local && src.Scope != Session && src.Client != s.Client.Name
}

// Writes tells whether a source is the file that a write to its scope goes to.
func (s *Store) Writes(src *Source) bool {
	return !s.foreign(src) && !src.second && src.Scope != Session
}

// standsElsewhere tells where a name stands that is not in a file this client
// writes; nil when it stands nowhere. removed and updated there it can be only
// by the client whose file it is.
func (c *Config) standsElsewhere(name string) *Error {
	for _, src := range c.Sources {
		for _, e := range src.Entries {
			if e.Name != name || c.Store.Writes(src) {
				continue
			}
			err := &Error{Code_: CodeNotFound, Path: src.Path, Line: e.Line, Column: e.Column, Server_: name}
			if c.Store.foreign(src) {
				err.Message = "'" + name + "' stands in a file of the client " + src.Client
				err.Hint_ = "to change that file, add: --client " + src.Client
			} else {
				err.Message = "'" + name + "' stands in a file that is read but not written"
				err.Hint_ = "move it to " + c.Store.Path(src.Scope) + ", or edit the file by hand"
			}
			return err
		}
	}
	return nil
}

// NotWritable is the error for a name that no file holds which this client
// writes: where else it stands, or NotFound.
func (c *Config) NotWritable(name string) error {
	if err := c.standsElsewhere(name); err != nil {
		return err
	}
	return c.NotFound(name)
}

// InClientShape turns an entry of mcpctl's shape, as flags give it, into that of
// the file it will be written to. It fails with USAGE for what the client cannot
// express.
func (s *Store) InClientShape(scope Scope, entry json.RawMessage) (json.RawMessage, error) {
	if scope == Local || scope == Session || s.Client.Dialect.Write == nil {
		return entry, nil
	}
	out, err := s.Client.Dialect.Write(entry)
	if err == nil && len(out.Gaps) > 0 {
		err = errors.New(out.Gaps[0].Why)
	}
	if err != nil {
		return nil, &Error{Code_: CodeUsage, Message: err.Error(), Hint_: "--entry writes an entry of " + s.Client.Name + " as it stands; --local writes one of mcpctl's own"}
	}
	return out.Entry, nil
}

// nameFault says why a name cannot be written to the file of a scope.
func (s *Store) nameFault(scope Scope, name string) error {
	rules := []client.NameRule{s.Client.Names}
	if scope == Local || scope == Session {
		native, _ := client.Lookup(client.Native)
		rules = append(rules, native.Names)
	}
	for _, rule := range rules {
		rule.Dash, rule.Max = false, 100 // what mcpctl writes, whatever the client reads (design §3)
		if why := rule.Fault(name); why != "" {
			return &Error{Code_: CodeUsage, Server_: name, Message: "the name " + quoted(name) + " " + why, Hint_: rule.String()}
		}
	}
	return nil
}

// AlsoReadBy lists the other clients that read the file of a source; never nil.
func (s *Store) AlsoReadBy(src *Source) []string {
	names := []string{}
	for _, row := range client.All() {
		if row.Name == src.Client || src.Scope == Local || src.Scope == Session {
			continue
		}
		if slices.ContainsFunc(s.placesOf(row, src.Scope), func(p place) bool { return p.path == src.Path }) {
			names = append(names, row.Name)
		}
	}
	return names
}
