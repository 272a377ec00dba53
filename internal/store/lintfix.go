package store

import (
	"context"
	"reflect"
	"slices"

	"github.com/mcpctl/mcpctl/internal/store/client"
	"github.com/mcpctl/mcpctl/internal/store/jsonc"
)

// Mended is what LintFix did, or would do, to one file.
type Mended struct {
	Change
	Problems []Problem // that are gone
	Reviews  []string  // names whose approval ended, because they mean something else now
}

// LintFix mends what Lint finds and only one way is left to mend, each file in one
// commit. It changes files that mcpctl writes; others are told in kept. An approved
// entry of the project stays approved if it means what it meant (design §5.2). A file that
// cannot be mended keeps no other from it: why is in failed.
func (s *Store) LintFix(ctx context.Context, req LintRequest, dryRun bool) (done []Mended, kept []*Source, failed []error, err error) {
	linted, err := s.Lint(req)
	if err != nil {
		return nil, nil, nil, err
	}
	seen := map[string]bool{} // several places may lie in one file: who writes it mends it
	for _, src := range s.writersFirst(linted.Sources) {
		if seen[src.Path] || src.ownPart() || !linted.fixable(src) { // what is said for one client is mended by hand
			continue
		}
		seen[src.Path] = true
		owner, ok := s.writerOf(src)
		if !ok {
			kept = append(kept, src)
			continue
		}
		m, err := owner.mendFile(ctx, src.Scope, dryRun)
		if err != nil {
			failed = append(failed, err)
			continue
		}
		if len(m.Problems) > 0 {
			done = append(done, m)
		}
	}
	return done, kept, failed, nil
}

// writersFirst orders sources so that those that are written come before those that lie
// in the same file.
func (s *Store) writersFirst(sources []*Source) []*Source {
	return slices.SortedStableFunc(slices.Values(sources), func(a, b *Source) int {
		_, first := s.writerOf(a)
		_, second := s.writerOf(b)
		switch {
		case first == second:
			return 0
		case first:
			return -1
		}
		return 1
	})
}

func (l Linted) fixable(src *Source) bool {
	for _, p := range l.Findings {
		if p.Source == src.Path && p.Fixable() {
			return true
		}
	}
	return false
}

// writerOf is the store that writes the file; false for a file that none does.
func (s *Store) writerOf(src *Source) (*Store, bool) {
	row, known := client.Lookup(src.Client)
	if !known || row.ReadOnly && src.Scope != Local || src.Scope == Session {
		return nil, false
	}
	owner := *s
	if src.Scope != Local {
		owner.Client = row
	}
	return &owner, owner.Path(src.Scope) == src.Path
}

// mending is a LintFix of one file at work.
type mending struct {
	store *Store
	scope Scope
	real  string
	out   Mended
	words map[string]*approval // the approvals of before, by name
	was   map[string]*Entry
}

func (s *Store) mendFile(ctx context.Context, scope Scope, dryRun bool) (Mended, error) {
	run := &mending{store: s, scope: scope, words: map[string]*approval{}, was: map[string]*Entry{}}
	var after *Source
	change, err := s.editThen(ctx, editRequest{scope: scope, dryRun: dryRun, part: partOfAll}, editSteps{
		plan: run.plan,
		check: func(result *Source) error {
			after = result
			return run.check(result)
		},
		then: func() error { return run.carry(ctx, after) },
	})
	run.out.Change = change
	return run.out, err
}

// mendPasses bounds how often the result is looked at again: one mend may show another.
const mendPasses = 4

func (run *mending) plan(src *Source, doc *jsonc.Document) ([]byte, error) {
	run.real = src.Real
	for _, e := range src.Entries {
		run.was[e.Name] = e
		if word := run.store.wordOn(e); word != nil && !word.Denied {
			run.words[e.Name] = word
		}
	}
	for range mendPasses {
		mended := 0
		for _, p := range run.found(doc) {
			text, err := p.fix.do(doc)
			if err != nil {
				continue // another mend has taken its place
			}
			next, err := doc.Reread(text)
			if err != nil {
				return nil, err
			}
			doc, mended = next, mended+1
			run.out.Problems = append(run.out.Problems, p)
		}
		if mended == 0 {
			break
		}
	}
	return doc.Bytes(), nil
}

// found lists what can be mended in a document.
func (run *mending) found(doc *jsonc.Document) []Problem {
	s := run.store
	src := s.sourceOf(run.scope, run.real, doc.Bytes())
	src.parse(doc, nil)
	s.checkFolders(src)
	l := &linter{store: s, found: map[*Source][]Problem{}}
	l.file(src, doc)
	var out []Problem
	for _, p := range l.done([]*Source{src}, LintRequest{Files: []string{src.Path}}).Findings {
		if p.fix != nil {
			out = append(out, p)
		}
	}
	return out
}

// check makes sure that nothing that could be used is lost.
func (run *mending) check(after *Source) error {
	for name, was := range run.was {
		if became := after.entry(name); was.Valid() && was.Definition != nil && (became == nil || !became.Valid()) {
			return about(was, invalidEntry(name, became))
		}
		if run.words[name] != nil && !run.same(name, after) {
			run.out.Reviews = append(run.out.Reviews, name)
		}
	}
	return nil
}

// same tells whether an approved entry means after the mend what was approved.
func (run *mending) same(name string, after *Source) bool {
	was, became := run.was[name], after.entry(name)
	return became != nil && reflect.DeepEqual(was.Definition, became.Definition) && reflect.DeepEqual(was.Override, became.Override) &&
		run.store.keeps(run.words[name], became) == nil
}

// carry moves the approvals of entries that mean what they meant.
func (run *mending) carry(ctx context.Context, after *Source) error {
	for name, word := range run.words {
		became := after.entry(name)
		if !run.same(name, after) || became.Fingerprint == run.was[name].Fingerprint {
			continue
		}
		if err := run.store.carry(ctx, word, became); err != nil {
			return err
		}
	}
	return nil
}
