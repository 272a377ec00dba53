package store

import (
	"encoding/json"
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
	shared bool   // an editor's settings
	folder bool   // of one workspace, within a file that another place tells of
	alone  bool   // the file may hold one entry and nothing else, which is then called as the file is
	dir    string // of the user's, that the file lies below
	why    string // it is not read, for this reason
	keys   []string
}

// placesOf lists a client's files of a scope, from strong to weak; none where the
// workspace has no such scope.
func (s *Store) placesOf(row client.Client, scope Scope) []place {
	var out []place
	switch scope {
	case Local:
		return localPlaces(row, filepath.Join(s.Places.State(), "workspaces", s.Workspace.ID(), "mcp.json"))
	case User:
		if s.file != "" {
			return []place{{client: row, scope: User, path: s.file, keys: row.Servers}}
		}
		if path := row.NamedFile(s.Env, s.bases()); path != "" {
			return s.besides(row, []place{{client: row, scope: User, dir: filepath.Dir(path), path: path, keys: row.KeysOf(row.UserFile)}})
		}
		for i, dirs := range append([]client.UserDir{row.User}, row.MoreDirs...) {
			dir, _ := dirs.Find(s.Env, s.bases())
			for j, name := range row.UserFiles() {
				p := place{client: row, scope: User, dir: dir, path: filepath.Join(dir, filepath.FromSlash(name)), keys: row.KeysOf(name)}
				p.second = i+j > 0 || row.UserFile == ""
				p.shared = i > 0 || row.IsShared(name)
				if !p.second && len(row.Folders) > 0 {
					out = append(out, p.ofFolder(s.Workspace.Dir)) // what is said of one workspace is stronger
				}
				out = append(out, p)
			}
		}
		out = s.besides(row, append(inOrder(row, writtenEdition(row, out)), s.dropIns(row, User)...))
	case Project:
		if !s.Workspace.HasProject {
			return nil
		}
		for i, name := range row.ProjectFiles() {
			rel := filepath.FromSlash(name)
			out = append(out, place{client: row, scope: Project, path: filepath.Join(s.Workspace.Dir, rel), rel: rel, second: i > 0 || row.ProjectFile == "", shared: row.IsShared(name), keys: row.KeysOf(name)})
		}
	}
	if scope == Project {
		out = append(inOrder(row, out), s.dropIns(row, Project)...)
	}
	return out
}

// writtenEdition says which of the editions of a client that keep the same file elsewhere
// is written: the strongest whose file is there, else the strongest whose directory is,
// which is who is installed; else the one that the client itself would make.
func writtenEdition(row client.Client, places []place) []place {
	first := slices.IndexFunc(places, func(p place) bool { return !p.second })
	if len(row.MoreDirs) == 0 || row.Either || first < 0 {
		return places
	}
	for _, look := range []func(p place) string{func(p place) string { return p.path }, func(p place) string { return p.dir }} {
		for i, p := range places {
			if filepath.Base(p.path) != filepath.Base(places[first].path) {
				continue // a further file, which is read only
			}
			if _, err := os.Stat(look(p)); err == nil {
				places[first].second, places[i].second = true, false
				return places
			}
		}
	}
	return places
}

// inOrder puts the places of a client that has the choice of its files from strong to
// weak, and says which of them is written: the strongest that is there, or else the one
// that the client itself would make.
func inOrder(row client.Client, places []place) []place {
	if !row.Either || len(places) == 0 {
		return places
	}
	here := slices.IndexFunc(places, func(p place) bool { return p.dir != places[0].dir || p.shared }) // of the first directory
	if here < 0 {
		here = len(places)
	}
	first := places[:here]
	first = append(slices.Clone(first[1:]), first[0])
	written := len(first) - 1
	for i := range first {
		if _, err := os.Lstat(first[i].path); err == nil && i < written {
			written = i
		}
		first[i].second = true
	}
	first[written].second = false
	return append(first, places[here:]...)
}

// ofFolder is the place within the same file for one workspace.
func (p place) ofFolder(dir string) place {
	p.keys = slices.Concat(p.client.Folders, []string{dir}, p.keys)
	p.second, p.folder = true, true
	return p
}

// writtenPlace is the place of a scope that is written; ok is false when there is none.
func (s *Store) writtenPlace(scope Scope) (p place, ok bool) {
	for _, p := range s.placesOf(s.Client, scope) {
		if !p.second {
			return p, true
		}
	}
	return place{}, false
}

func (s *Store) bases() client.Bases {
	return client.Bases{Home: s.Places.Home, ConfigHome: s.Places.ConfigHome, GOOS: runtime.GOOS}
}

// checkUserDir refuses an environment that says nonsense about where the chosen
// client keeps its files: an edit must not land elsewhere than the user thinks.
func (s *Store) checkUserDir() error {
	if why := s.Client.Misplaced(s.Env, s.bases()); why != "" {
		return &Error{Code_: CodePathUnsafe, Message: why, Hint_: "unset the variable, or correct it"}
	}
	if !s.Workspace.HasProject || s.Client.User.InConfigHome {
		return nil
	}
	var paths []string
	for _, p := range s.placesOf(s.Client, User) {
		if p.why != "" {
			continue
		}
		if err := s.refuseInside(filepath.Dir(p.path)); err != nil {
			return err
		}
		paths = append(paths, p.path)
	}
	return s.refuseLinks(paths...)
}

// placesHint names the variables that say where the user's files are.
func (s *Store) placesHint() string {
	names := []string{"XDG_CONFIG_HOME", "XDG_STATE_HOME", "MCPCTL_CONFIG_HOME", "MCPCTL_STATE_HOME"}
	for _, name := range s.Client.Variables() {
		if !slices.Contains(names, name) {
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
// What several clients read is read once, for the strongest of them.
func (s *Store) ReadSources() []*Source {
	r := s.newReader()
	r.counting()
	return r.out
}

// ReadAll is ReadSources and the user files of the other clients, whose entries
// are only shown.
func (s *Store) ReadAll() []*Source {
	r := s.newReader()
	r.counting()
	discovery := s.LastSettings().Discovery
	for _, row := range s.others() {
		if !discovery.Includes(row.Name) {
			r.user(row, true)
		}
	}
	return r.out
}

// others are the known clients beside the chosen one, in the order of the table.
func (s *Store) others() []client.Client {
	return slices.DeleteFunc(client.All(), func(row client.Client) bool { return row.Name == s.Client.Name })
}

// ReadSource reads the file of one scope that is written, opening it once.
func (s *Store) ReadSource(scope Scope) *Source {
	if p, ok := s.writtenPlace(scope); ok {
		src, _ := s.read(p)
		return src
	}
	return &Source{Client: s.Client.Name, Scope: scope, Empty: true}
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
	if src.newer && row.Newer != nil {
		row.Dialect, row.NoOverrides = row.Newer.Dialect, row.Newer.NoOverrides
		row.NameIn, row.List = "", false
	}
	return row
}

// dialect is the client whose shape the entries have; "" for mcpctl's own.
func (src *Source) dialect() string {
	row := src.clientRow()
	switch {
	case row.Dialect.Read == nil:
		return ""
	case src.newer:
		return row.Name + "/newer"
	}
	return row.Name
}

// converted is the entry in mcpctl's shape; what is remarkable about the
// conversion is noted. other says that it is no server.
func (d *decoder) converted(row client.Client, entry *jsonc.Node) (shaped *jsonc.Node, other bool) {
	if row.Dialect.Read == nil {
		return entry, false
	}
	reading := row.Dialect.Read(entry, d.entry.Source.Scope == Project)
	for _, n := range reading.Notes {
		switch {
		case n.Fatal:
			d.failAs(ruleDialectRefused, n.Position, n.Message, n.Hint)
		case n.Aside:
		case n.Field != "":
			d.warn(ruleGap, n.Position, n.Message, n.Hint)
		default:
			d.warn(ruleDialect, n.Position, n.Message, n.Hint)
		}
	}
	return reading.Entry, reading.Other
}

// strict warns of what mcpctl reads and the file's own client does not, and then
// loses every server of the file.
func (src *Source) strict(doc *jsonc.Document) {
	row := src.clientRow()
	standard, where := doc.Standard()
	if row.Comments || standard {
		return
	}
	src.note(ruleStrict, SeverityWarning, CodeInvalid, where, "a comment or a trailing comma, which "+row.Name+" does not accept: it reads no server of this file",
		"remove it, if "+row.Name+" is to read the file")
}

// foreign tells whether a source is another client's.
func (s *Store) foreign(src *Source) bool {
	return src.Scope != Local && src.Scope != Session && src.Client != s.Client.Name
}

// Writes tells whether a source is the file that a write to its scope goes to.
func (s *Store) Writes(src *Source) bool {
	return !s.foreign(src) && (!src.second || src.ownPart()) && src.Scope != Session
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
				if len(src.clientRow().Folders) > 0 && src.Path == c.Store.Path(src.Scope) {
					err.Message = "'" + name + "' stands there for this folder alone, which mcpctl reads and does not write"
					err.Hint_ = "use " + src.clientRow().Title + " itself, or --local for a server of mcpctl's own"
				}
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
	row := s.Client
	if row.Newer != nil && scope != Local && scope != Session {
		row = s.ReadSource(scope).clientRow()
	}
	if scope == Local || scope == Session || row.Dialect.Write == nil {
		return entry, nil
	}
	out, err := row.Dialect.Write(entry)
	if err != nil {
		return nil, s.inexpressible(row, err.Error())
	}
	if len(out.Gaps) > 0 {
		return nil, s.inexpressible(row, out.Gaps[0].Why)
	}
	return out.Entry, nil
}

func (s *Store) inexpressible(row client.Client, why string) *Error {
	return &Error{Code_: CodeUsage, Message: why, Hint_: "--entry writes an entry of " + row.Name + " as it stands; --local writes one of mcpctl's own"}
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
