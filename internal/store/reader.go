package store

import (
	"errors"
	"os"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/internal/store/client"
	"github.com/mcpctl/mcpctl/internal/store/jsonc"
)

// reader is one reading of all files. A file is taken apart once, also when several
// places lie in it: what is wrong with it is told once.
type reader struct {
	*Store
	out  []*Source
	docs map[string]*jsonc.Document // by scope and path; nil for one that cannot be read or is not there
	seen map[string]bool            // scope, path and keys
}

func (s *Store) newReader() *reader {
	return &reader{Store: s, docs: map[string]*jsonc.Document{}, seen: map[string]bool{}}
}

// counting reads what ReadSources returns.
func (r *reader) counting() {
	for _, scope := range scopes {
		r.read(r.placesOf(r.Client, scope))
	}
	others := r.others()
	for _, row := range others {
		r.read(r.placesOf(row, Project))
	}
	discovery := r.Settings().Discovery
	for _, row := range others {
		if discovery.Includes(row.Name) {
			r.user(row, false)
		}
	}
}

// read reads places of one client and scope, from strong to weak. Those within a file
// are read after the file itself.
func (r *reader) read(places []place) {
	places = slices.DeleteFunc(places, func(p place) bool {
		key := p.file() + "\x00" + strings.Join(p.keys, "\x00")
		was := r.seen[key]
		r.seen[key] = true
		return was
	})
	sources := make([]*Source, len(places))
	for _, folder := range []bool{false, true} {
		for i, p := range places {
			if p.folder == folder {
				sources[i] = r.one(p)
			}
		}
	}
	r.out = append(r.out, sources...)
}

// file tells files apart, and how they are opened.
func (p place) file() string { return string(p.scope) + "\x00" + p.path }

// one reads one place.
func (r *reader) one(p place) *Source {
	doc, known := r.docs[p.file()]
	if !known {
		src, doc := r.Store.read(p)
		if !src.Exists {
			doc = nil // of nothing: a further place in the file is not there either
		}
		r.docs[p.file()] = doc
		return src
	}
	src := p.source()
	src.Real, src.within = realest(src.Path), true
	if src.Exists = doc != nil; doc == nil {
		src.Empty = true
		return src
	}
	src.read(doc)
	r.checkFolders(src)
	r.looked(src, doc)
	return src
}

// user reads the user files of another client. One that a repository could supply is
// not read.
func (r *reader) user(row client.Client, showOnly bool) {
	why := row.Misplaced(r.Env, r.bases())
	at := len(r.out)
	var safe []place
	for _, p := range r.placesOf(row, User) {
		refused := why != "" || r.Workspace.HasProject && (inside(r.Workspace.Dir, realest(p.dir)) || r.linksInside(p.path))
		switch {
		case p.why != "":
			safe = append(safe, p)
		case refused && p.folder: // the file itself tells
		case why != "":
			src := p.source()
			src.faultAs(ruleUnreadable, jsonc.Position{}, why, "")
			r.out = append(r.out, src)
		case refused:
			src := p.source()
			src.broken(&Error{Code_: CodePathUnsafe, Message: "the file would lie inside the workspace"})
			r.out = append(r.out, src)
		default:
			safe = append(safe, p)
		}
	}
	r.read(safe)
	for _, src := range r.out[at:] {
		src.ShowOnly = showOnly
	}
}

func (p place) source() *Source {
	return &Source{Client: p.client.Name, Scope: p.scope, Path: p.path, Real: p.path, second: p.second, shared: p.shared, alone: p.alone, keys: p.keys}
}

// read reads one file, and returns what it was taken apart into; nil when that could
// not be. Most places hold none, and one look tells.
func (s *Store) read(p place) (*Source, *jsonc.Document) {
	src := p.source()
	if p.why != "" {
		src.Unread = true
		src.note(ruleUnreadable, SeverityWarning, CodePathUnsafe, jsonc.Position{}, p.why, "")
		return src, nil
	}
	if _, err := os.Lstat(p.path); errors.Is(err, os.ErrNotExist) && (p.second || p.client.Name != s.Client.Name) {
		src.Empty = true
		return src, nil
	}
	data, err := s.readFile(src, p.rel)
	if err != nil {
		src.broken(err)
		return src, nil
	}
	doc := src.parse(parseFile(p.path, data))
	s.checkFolders(src)
	s.looked(src, doc)
	return src, doc
}

// looked shows a file that was read to who asked to see it.
func (s *Store) looked(src *Source, doc *jsonc.Document) {
	if s.look != nil && doc != nil {
		s.look(src, doc)
	}
}
