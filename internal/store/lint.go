package store

import (
	"cmp"
	"slices"

	"github.com/mcpctl/mcpctl/internal/store/client"
	"github.com/mcpctl/mcpctl/internal/store/jsonc"
)

// LintRequest says what is to be looked at.
type LintRequest struct {
	Files     []string // absolute; none means those that count
	All       bool     // those of every client, without Files
	Approvals bool     // tell as well what is not approved
	Client    string   // whose Files are; "" goes by their names
	Scope     Scope    // of Files outside the workspace, and of Text
	Text      []byte   // instead of Files, what stands in none; Where names it for people
	Where     string
}

// Linted is what was found in files.
type Linted struct {
	Sources  []*Source // that are there, as they were read
	Findings []Problem // by file, then by place
}

// Fixable tells whether `lint --fix` would mend the problem.
func (p Problem) Fixable() bool { return p.fix != nil }

// Lint checks files: what the reader finds, which is what `list` tells and what the
// engines go by, and beyond it what is remarkable about entries that can be used. It
// writes nothing, and fails with MCP_NOT_FOUND for one of Files that is not there.
func (s *Store) Lint(req LintRequest) (Linted, error) {
	places, err := s.lintPlaces(req)
	if err != nil {
		return Linted{}, err
	}
	l := &linter{store: s, found: map[*Source][]Problem{}}
	if req.Approvals {
		l.approvals = s.ReadApprovals()
	}
	reader := *s
	reader.look = l.file
	var sources []*Source
	switch {
	case req.Where != "":
		src, err := l.text(req)
		if err != nil {
			return Linted{}, err
		}
		sources = []*Source{src}
	case places != nil:
		r := reader.newReader()
		r.read(places)
		sources = r.out
	case req.All:
		sources = reader.ReadAll()
	default:
		sources = reader.ReadSources()
	}
	if places == nil && req.Where == "" {
		l.together(sources)
		l.misplaced(sources)
	} else {
		for _, src := range sources {
			l.names([]*Source{src})
		}
	}
	return l.done(sources, req), nil
}

// text looks at what stands in no file.
func (l *linter) text(req LintRequest) (*Source, error) {
	src := &Source{Client: client.Native, Scope: req.Scope, Path: req.Where, Real: req.Where, Exists: true}
	shaped, data, err := l.store.recognise(src, req.Text, TextRequest{As: req.Client, Name: "server"})
	if err != nil {
		return nil, err
	}
	if doc := shaped.parse(parseFile(shaped.formatName(), data)); doc != nil {
		l.file(shaped, doc)
	}
	return shaped, nil
}

// linter collects what is found.
type linter struct {
	store     *Store
	approvals *Approvals            // nil: what is not approved is not told
	found     map[*Source][]Problem // beside what the reader noted
	more      []Problem             // of files that are no sources
}

// file looks at one file that was read; it parsed.
func (l *linter) file(src *Source, doc *jsonc.Document) {
	if doc.Root() == nil {
		return
	}
	l.topKey(src, doc)
	servers := src.servers(doc)
	if src.Broken || servers == nil {
		return
	}
	entries := map[[2]int]*Entry{}
	for _, e := range src.Entries {
		entries[[2]int{e.Line, e.Column}] = e
	}
	members := src.members(servers)
	for _, m := range members {
		if e := entries[[2]int{m.KeyPosition.Line, m.KeyPosition.Column}]; e != nil {
			l.entry(e, m, len(members) == 1 && servers.PlainAround(m.Value))
		}
	}
}

func (l *linter) add(src *Source, p Problem) {
	p.Code, p.Source = codeOf(p), src.Path
	if p.Severity == "" {
		p.Severity = RuleOf(p.Rule).Severity
	}
	l.found[src] = append(l.found[src], p)
}

func codeOf(p Problem) string {
	switch {
	case p.Code != "":
		return p.Code
	case p.Rule == ruleNotApproved || p.Rule == ruleChanged:
		return CodeNotApproved
	case p.Rule == ruleSecret:
		return CodeSecretRefused
	}
	return CodeInvalid
}

// done puts everything in order.
func (l *linter) done(sources []*Source, req LintRequest) Linted {
	out := Linted{Findings: []Problem{}}
	for _, src := range sources {
		if src.Exists && (!src.within || len(src.Entries) > 0) { // a further place with nothing in it is no more to tell of
			out.Sources = append(out.Sources, src)
		}
		list := slices.Concat(src.Problems, l.found[src])
		for _, e := range src.Entries {
			list = append(list, e.Problems...)
		}
		out.Findings = append(out.Findings, sortedFindings(list)...)
	}
	out.Findings = append(out.Findings, l.more...)
	if req.Files == nil && req.Where == "" {
		out.Findings = append(out.Findings, l.store.LastSettings().Warnings()...)
	}
	if a := l.approvals; a != nil && a.Problem != nil {
		out.Findings = append(out.Findings, *a.Problem)
	}
	return out
}

// sortedFindings sorts what was found in one file and drops what was found twice.
func sortedFindings(list []Problem) []Problem {
	slices.SortStableFunc(list, func(a, b Problem) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column), cmp.Compare(a.Rule, b.Rule))
	})
	return slices.CompactFunc(list, func(a, b Problem) bool {
		return a.Rule == b.Rule && a.Line == b.Line && a.Column == b.Column && a.Server == b.Server && a.Message == b.Message
	})
}
