package store

import (
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/internal/store/client"
	"github.com/mcpctl/mcpctl/internal/store/jsonc"
)

// Offered are the servers of some files, and what is wrong with the files.
type Offered struct {
	Offers   []*Offer
	Problems []Problem // of files, not of single servers
	From     string    // where they come from, for people
}

// ClientOffers are the servers that a client has in its files of one scope, strongest
// file first. Local means mcpctl's own private file. It fails with MCP_NOT_FOUND when the client has no
// such file here, and with what is wrong with a file that cannot be read.
func (s *Store) ClientOffers(name string, scope Scope) (Offered, error) {
	row, ok := client.Lookup(name)
	if !ok {
		return Offered{}, unknownClient(name)
	}
	sources := s.sourcesOf(row, scope)
	out := Offered{From: row.Title}
	approvals := s.ReadApprovals()
	var paths []string
	found := false
	for _, src := range sources {
		paths = append(paths, src.Path)
		if src.Broken {
			return Offered{}, src.firstError()
		}
		found = found || src.Exists
		out.Problems = append(out.Problems, src.Problems...)
		out.Offers = append(out.Offers, s.offersOf(src, approvals)...)
	}
	switch {
	case len(paths) == 0:
		return Offered{}, &Error{Code_: CodeNotFound, Message: row.Title + " has no " + string(scope) + " file here", Hint_: "say which of its files is meant with --from-scope"}
	case !found:
		return Offered{}, &Error{Code_: CodeNotFound, Message: row.Title + " has no " + string(scope) + " file: there is no " + paths[0],
			Hint_: "see where it would be with: mcpctl sources; for its files of another scope, add --from-scope user or project"}
	}
	return out, nil
}

// OfferingScope is the scope whose files of a client, or of every other client where name
// is "", are meant when a copy goes to the project's file and nothing more is said: the
// one of user and project that has a file. Where it was written says nothing of where it
// comes from, so that with files in both it fails with USAGE.
func (s *Store) OfferingScope(name string) (Scope, error) {
	rows := s.others()
	whose := "other clients have files"
	if row, ok := client.Lookup(name); ok {
		rows, whose = []client.Client{row}, row.Title+" has files"
	}
	own := realest(s.Path(Project))
	var found []Scope
	for _, scope := range []Scope{User, Project} {
		for _, row := range rows {
			if slices.ContainsFunc(s.sourcesOf(row, scope), func(src *Source) bool { return src.Exists && !src.Empty && src.Real != own }) {
				found = append(found, scope)
				break
			}
		}
	}
	switch len(found) {
	case 0:
		return User, nil
	case 1:
		return found[0], nil
	}
	return "", &Error{Code_: CodeUsage, Message: whose + " of the user and files of the project: it is not said which are to be copied",
		Hint_: "say --from-scope user or --from-scope project"}
}

// OtherOffers are the servers of every client but the chosen one in one scope. A file
// that cannot be read is a problem, and hides no other.
func (s *Store) OtherOffers(scope Scope) Offered {
	out := Offered{From: "all other clients"}
	approvals := s.ReadApprovals()
	own := realest(s.Path(scope))
	for _, row := range s.others() {
		for _, src := range s.sourcesOf(row, scope) {
			if src.Real == own {
				continue // several clients share the file
			}
			out.Problems = append(out.Problems, src.Problems...)
			out.Offers = append(out.Offers, s.offersOf(src, approvals)...)
		}
	}
	return out
}

// sourcesOf reads a client's files of one scope.
func (s *Store) sourcesOf(row client.Client, scope Scope) []*Source {
	r := s.newReader()
	if scope == User {
		r.user(row, false)
	} else {
		r.read(s.placesOf(row, scope))
	}
	return r.out
}

// TextRequest says how a text that is no client's file is to be read.
type TextRequest struct {
	As     string // the client whose shape it has; "" to recognise it
	Name   string // of the one server that it is about, where it does not say, or instead
	Pick   string // which way of a registry's document; "" for the first
	Agreed bool   // the user has seen what a file of the workspace says, and agrees
}

// FileOffers are the servers of a file that is named by its path, absolute: of any
// client's shape, a bundle, a bundle's manifest, or a document of the registry. One
// inside the workspace comes from the repository: its entries need the user's word.
func (s *Store) FileOffers(path string, req TextRequest) (Offered, error) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return Offered{}, &Error{Code_: CodeNotFound, Path: path, Message: "no client and no file is called '" + path + "'",
			Hint_: clientHint(filepath.Base(path))}
	case err != nil:
		return Offered{}, ioError("read", path, err)
	case info.IsDir():
		if manifest := pluginIn(path); manifest != "" {
			return s.FileOffers(manifest, req)
		}
		return Offered{}, &Error{Code_: CodeUsage, Path: path, Message: "it is a directory, and holds no plugin", Hint_: "name the file in it"}
	}
	src := &Source{Client: client.Native, Scope: User, Path: path}
	rel, inProject := s.inProject(path)
	if inProject {
		src.Scope, src.Path = Project, filepath.Join(s.Workspace.Dir, rel)
	}
	if isArchive(path) {
		return s.bundleOffer(src, req)
	}
	data, err := s.readFile(src, rel)
	if err != nil {
		return Offered{}, err
	}
	return s.textOffers(src, data, req)
}

// inProject tells whether a file lies in the workspace, or is a link to one that does, and
// where. A path that leaves the workspace by a link in it counts as well: the repository
// says then where it leads.
func (s *Store) inProject(path string) (rel string, is bool) {
	if !s.Workspace.HasProject {
		return "", false
	}
	folder, rest := filepath.Dir(path), filepath.Base(path)
	candidates := []string{filepath.Join(realest(folder), rest), realest(path)}
	for up := filepath.Dir(folder); up != folder; folder, up = up, filepath.Dir(up) {
		rest = filepath.Join(filepath.Base(folder), rest)
		candidates = append(candidates, filepath.Join(realest(up), rest))
	}
	for _, at := range candidates {
		if inside(s.Workspace.Dir, at) {
			rel, err := filepath.Rel(s.Workspace.Dir, at)
			return rel, err == nil
		}
	}
	return "", false
}

// TextOffers are the servers of a text that stands in no file; where names it for
// people.
func (s *Store) TextOffers(where string, data []byte, req TextRequest) (Offered, error) {
	return s.textOffers(&Source{Client: client.Native, Scope: User, Path: where, Real: where}, data, req)
}

// textOffers recognises what a text is and reads it.
func (s *Store) textOffers(src *Source, data []byte, req TextRequest) (Offered, error) {
	src.Exists = true
	if out, err, is := s.pluginOffers(src, data, req); is {
		return out, err
	}
	if doc, err := jsonc.Parse(data); err == nil && req.As == "" && doc.Root() != nil {
		if offer, err, is := foreignOffer(src, doc.Root(), req); is {
			if err != nil {
				return Offered{}, src.invalid(err)
			}
			return s.offered(src, offer, req)
		}
	}
	shaped, data, err := s.recognise(src, data, req)
	if err != nil {
		return Offered{}, err
	}
	shaped.parseText(data)
	if shaped.Broken {
		return Offered{}, shaped.firstError()
	}
	s.checkFolders(shaped)
	out := s.fromFile(shaped, req)
	switch {
	case len(out.Offers) == 0:
		err := &Error{Code_: CodeNotFound, Path: src.Path, Message: "no servers were found in it", Hint_: "if it is of another program, say which: --as CLIENT"}
		if len(shaped.Problems) > 0 {
			err.Message += ": " + shaped.Problems[0].Message
		}
		return Offered{}, err
	case req.Name != "" && (len(out.Offers) > 1 || out.Offers[0].Name != req.Name):
		return Offered{}, &Error{Code_: CodeUsage, Path: src.Path, Message: "--name goes with one server that has no name of its own; here there are " + offeredNames(out.Offers),
			Hint_: "to give one another name: --rename OLD=" + req.Name}
	}
	return out, nil
}

func offeredNames(offers []*Offer) string {
	var names []string
	for _, o := range offers {
		names = append(names, quoted(o.Name))
	}
	return strings.Join(names, ", ")
}

// fromFile are the offers of a file that was named by its path.
func (s *Store) fromFile(src *Source, req TextRequest) Offered {
	out := Offered{From: src.Path, Problems: src.Problems}
	approvals := s.ReadApprovals()
	if src.Scope == Project && !s.reads(src) {
		approvals = nil // nothing can be approved there
	}
	for _, o := range s.offersBy(src, approvals, req.Agreed) {
		if req.Name != "" && len(src.Entries) == 1 {
			o.Name = req.Name
		}
		o.commands()
		out.Offers = append(out.Offers, o)
	}
	return out
}

// commands tells of values that are commands, since the text may be somebody else's.
func (o *Offer) commands() {
	values := leaves(o.own)
	for _, where := range slices.Sorted(maps.Keys(values)) {
		if isCommand(values[where]) && takesReferences(where) {
			o.Notes = append(o.Notes, CopyNote{Message: "the value of '" + where + "' is a command, which is run when the server is started", Hint: "look at it in the difference first: --dry-run"})
		}
	}
}

// offersBy is offersOf for a file that approvals may know nothing of: then the user's
// word is that the preview was seen.
func (s *Store) offersBy(src *Source, approvals *Approvals, agreed bool) []*Offer {
	if approvals != nil {
		return s.offersOf(src, approvals)
	}
	var out []*Offer
	for _, e := range src.Entries {
		o := s.offer(e)
		if o.fault == nil && !agreed {
			o.fault = &Error{Code_: CodeNotApproved, Path: e.Source.Path, Line: e.Line, Column: e.Column, Server_: e.Name,
				Message: "'" + e.Name + "' comes from the repository, and you have not agreed to it", Hint_: "look at it: --dry-run --yes shows what would be copied; then say --yes"}
		}
		out = append(out, o)
	}
	return out
}

// reads tells whether some client reads the file, so that its entries can be approved, in
// the shape of that client alone.
func (s *Store) reads(src *Source) bool {
	for _, row := range client.All() {
		for _, p := range s.placesOf(row, Project) {
			if p.path == src.Path {
				return true
			}
		}
	}
	return false
}

// invalid is an error about a file as a whole.
func (src *Source) invalid(err error) error {
	return &Error{Code_: CodeInvalid, Path: src.Path, Message: err.Error()}
}
