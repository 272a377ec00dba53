package store

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/internal/store/atomicfile"
	"github.com/mcpctl/mcpctl/internal/store/client"
	"github.com/mcpctl/mcpctl/internal/store/jsonc"
)

// lintPlaces finds out what the named files are; nil when none is named.
func (s *Store) lintPlaces(req LintRequest) ([]place, error) {
	var out []place
	for _, path := range req.Files {
		if _, err := os.Stat(path); os.IsNotExist(err) {
			return nil, &Error{Code_: CodeNotFound, Path: path, Message: "no such file"}
		}
		places, err := s.placesOfFile(path, req)
		if err != nil {
			return nil, err
		}
		out = append(out, places...)
	}
	return out, nil
}

// placesOfFile finds out whose file a path is and in which scope: a known place, else by
// its name. Several places may lie in one file.
func (s *Store) placesOfFile(path string, req LintRequest) ([]place, error) {
	rows := append([]client.Client{s.Client}, s.others()...)
	if req.Client != "" {
		row, ok := client.Lookup(req.Client)
		if !ok {
			return nil, unknownClient(req.Client)
		}
		rows = []client.Client{row}
	}
	for _, row := range rows {
		for _, scope := range scopes {
			if places := slices.DeleteFunc(s.placesOf(row, scope), func(p place) bool { return p.path != path }); len(places) > 0 {
				return places, nil
			}
		}
	}
	row, name := clientOfName(path, rows)
	p := place{client: row, scope: req.Scope, path: path, second: true, keys: row.KeysOf(name)}
	if name == "" && req.Client == "" {
		p.client, p.keys = s.shapeOfFile(path)
	}
	if rel, err := filepath.Rel(s.Workspace.Dir, realFolder(path)); s.Workspace.HasProject && err == nil && filepath.IsLocal(rel) {
		p.scope, p.rel = Project, rel
		p.path = filepath.Join(s.Workspace.Dir, rel)
	}
	return []place{p}, nil
}

// shapeOfFile is the client whose file one at no known place looks like, and the keys
// that lead to the servers.
func (s *Store) shapeOfFile(path string) (client.Client, []string) {
	native, _ := client.Lookup(client.Native)
	data, _, err := atomicfile.ReadFile(path, projectLimit)
	if err != nil {
		return native, native.Servers // the reader says what is wrong; to take a huge one apart twice is not worth it
	}
	return s.shapeOf(path, data)
}

// realFolder resolves the links on the way to a file, but not the file itself.
func realFolder(path string) string {
	return filepath.Join(realest(filepath.Dir(path)), filepath.Base(path))
}

// clientOfName finds the client with the longest name of a file that path ends with,
// and which of its files that is; mcpctl's own shape where nothing fits.
func clientOfName(path string, rows []client.Client) (row client.Client, name string) {
	row, _ = client.Lookup(client.Native)
	if len(rows) == 1 {
		row = rows[0]
	}
	longest := 0
	for _, r := range rows {
		files := slices.Clone(r.ProjectFiles())
		for _, file := range r.UserFiles() {
			files = append(files, strings.TrimPrefix(filepath.ToSlash(filepath.Join(r.User.Root, r.User.Path, file)), "/"))
		}
		for _, file := range files {
			if n := len(file); n > longest && strings.HasSuffix(filepath.ToSlash(path), "/"+file) {
				row, name, longest = r, file, n
			}
		}
	}
	if i := slices.IndexFunc(row.UserFiles(), func(f string) bool { return strings.HasSuffix(name, "/"+f) }); i >= 0 && !slices.Contains(row.ProjectFiles(), name) {
		name = row.UserFiles()[i]
	}
	return row, name
}

// misplacedFiles are places where people put a project's servers and no client looks,
// and where they meant to.
var misplacedFiles = [][2]string{
	{"mcp.json", ".mcp.json"}, {"mcp.config.json", ".mcp.json"}, {"mcp_servers.json", ".mcp.json"}, {"mcpServers.json", ".mcp.json"},
	{".mcp.jsonc", ".mcp.json"}, {".mcp/mcp.json", ".mcp.json"}, {".mcp/config.json", ".mcp.json"}, {".config/mcp.json", ".mcp.json"},
	{".config/mcp/mcp.json", ".mcp.json"}, {".claude/mcp.json", ".mcp.json"}, {".claude/.mcp.json", ".mcp.json"},
	{".vscode/.mcp.json", ".vscode/mcp.json"}, {".cursor/.mcp.json", ".cursor/mcp.json"}, {".pi/.mcp.json", ".pi/mcp.json"},
}

// misplaced tells of files in the workspace that no client reads.
func (l *linter) misplaced(sources []*Source) {
	s := l.store
	if !s.Workspace.HasProject {
		return
	}
	for _, m := range misplacedFiles {
		src := &Source{Client: client.Native, Scope: Project, Path: filepath.Join(s.Workspace.Dir, filepath.FromSlash(m[0]))}
		known := slices.ContainsFunc(sources, func(other *Source) bool { return other.Real == src.Path || other.Path == src.Path })
		if known || readByAny(m[0]) || !s.holdsServers(src, m[0]) {
			continue
		}
		p := Problem{Rule: ruleUnread, Code: CodeInvalid, Severity: SeverityWarning, Source: src.Path, Line: 1, Column: 1,
			Message: "it holds servers, and no client reads a file of this name there", Hint: "move it to " + m[1]}
		l.more = append(l.more, p)
	}
}

func readByAny(name string) bool {
	return slices.ContainsFunc(client.All(), func(row client.Client) bool { return slices.Contains(row.ProjectFiles(), name) })
}

func (s *Store) holdsServers(src *Source, rel string) bool {
	if _, err := os.Lstat(src.Path); err != nil {
		return false
	}
	data, err := s.readFile(src, filepath.FromSlash(rel))
	if err != nil {
		return false
	}
	doc, err := jsonc.Parse(data)
	if err != nil || doc.Root() == nil {
		return false
	}
	for key, n := range doc.Root().All() {
		if client.TopKeys()[key] != "" && looksLikeServers(n, 2) {
			return true
		}
	}
	return false
}
