package store

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/mcpctl/mcpctl/internal/store/jsonc"
)

// amendment is an edit of one entry that is there: what an update, a rename and
// a switch have in common.
type amendment struct {
	scope         Scope
	name, newName string
	expect        Fingerprint
	dryRun        bool
	part          string // of the local file; "" is the one that has the name
	edit          func(*Entry, *jsonc.Document) ([]byte, error)
	check         func(was, became *Entry) error // became is nil when it is gone
}

// amend makes the edit and carries the user's word on the entry over to what it
// became. Both are decided and done under the file's lock.
func (s *Store) amend(ctx context.Context, a amendment) (Change, error) {
	var was, became *Entry
	var word *approval
	change, err := s.editThen(ctx, editRequest{scope: a.scope, name: a.newName, dryRun: a.dryRun, was: a.name, part: a.part}, editSteps{
		plan: func(src *Source, doc *jsonc.Document) ([]byte, error) {
			if was = src.entry(a.name); was == nil {
				return nil, src.notFound(a.name)
			}
			if a.expect != "" && a.expect != was.Fingerprint {
				return nil, Conflict(was, a.expect)
			}
			word = s.wordOn(was)
			out, err := a.edit(was, doc)
			return out, about(was, err)
		},
		check: func(after *Source) error {
			became = after.entry(a.newName)
			if err := a.check(was, became); err != nil {
				return about(was, err)
			}
			return about(was, s.keeps(word, became))
		},
		then: func() error { return s.carry(ctx, word, became) },
	})
	if became != nil {
		change.Fingerprint = became.Fingerprint
		if a.newName == a.name {
			change.Warnings = slices.Concat(became.Problems, committedSecrets(became))
		} else if word == nil || !word.Denied {
			change.Warnings = s.stillDenied(became)
		}
	}
	return change, err
}

// about gives an error the entry it is about, where it names no place.
func about(e *Entry, err error) error {
	var plain *Error
	if !errors.As(err, &plain) || plain.Path != "" {
		return err
	}
	placed := *plain
	placed.Path, placed.Line, placed.Column, placed.Server_ = e.Source.Path, e.Line, e.Column, e.Name
	return &placed
}

// wordOn is the record of the user's word on a project entry while it holds for
// the entry as it stands: an approval, or a refusal. Otherwise it is nil.
func (s *Store) wordOn(e *Entry) *approval {
	approvals := s.ReadApprovals()
	switch state, _, _ := approvals.State(s, e); state {
	case Approved, Denied:
		r := *approvals.find(e.Source, e.Name)
		return &r
	}
	return nil
}

// carry records for an entry what the user had said before an edit of the user's
// own: an approval moves to the new name and fingerprint, a refusal is remembered for
// the new name too. Files that were covered keep the content that was approved;
// only those the edit named for the first time count as they are now.
func (s *Store) carry(ctx context.Context, word *approval, e *Entry) error {
	if word == nil || e == nil || word.Denied && word.Name == e.Name {
		return nil
	}
	r := approval{Source: word.Source, Name: e.Name, Denied: word.Denied, Time: now()}
	if !word.Denied {
		r.Fingerprint, r.Entry, r.EntryOnly = e.Fingerprint, e.Raw, word.EntryOnly
		r.Dialect = e.Source.dialect()
		if !r.EntryOnly {
			files, err := s.hashedFiles(e)
			if err != nil {
				return fmt.Errorf("'%s' was written, but not approved: %w", e.Name, err)
			}
			r.Files = keepKnown(word.Files, files)
		}
	}
	err := s.changeApprovals(committed(ctx), func(f *approvalsFile) {
		i := slices.IndexFunc(f.Approvals, func(p approval) bool {
			return p.Source == word.Source && p.Name == word.Name && p.Dialect == word.Dialect
		})
		if i < 0 || f.Approvals[i].Denied != word.Denied || f.Approvals[i].Fingerprint != word.Fingerprint {
			return // the user said something else meanwhile, and that counts
		}
		if !word.Denied && word.Name != r.Name {
			f.drop(word.Source, word.Name)
		}
		if !f.denied(r.Source, r.Name) { // a refusal of the new name wins (design §5.2)
			f.put(r)
		}
	})
	if err != nil {
		return fmt.Errorf("'%s' was written, but not approved: %w", e.Name, err)
	}
	return nil
}

// keepKnown gives the files that were covered before the hashes they were
// approved with: a file swapped during an edit is not approved by it.
func keepKnown(before, present []coveredFile) []coveredFile {
	for i, f := range present {
		for _, b := range before {
			if b.Path == f.Path {
				present[i].SHA256, present[i].Size, present[i].Executable = b.SHA256, b.Size, b.Executable
			}
		}
	}
	return present
}

// RenameRequest asks for an entry to get another name.
type RenameRequest struct {
	Scope    Scope
	From, To string
	DryRun   bool

	part string // of the local file; "" is the one that has the name
}

// Rename changes the bytes of the entry's key and nothing else; malformed
// entries can be renamed too. It fails with USAGE when the new name is none that
// mcpctl writes, with MCP_NOT_FOUND when the scope's file has no such entry, and
// with MCP_NAME_TAKEN when the new name, or one that falls together with it,
// holds any value. What the user said about a project entry goes with it.
func (s *Store) Rename(ctx context.Context, req RenameRequest) (Change, error) {
	if err := s.nameFault(req.Scope, req.To); err != nil {
		return Change{}, err
	}
	change, err := s.amend(ctx, amendment{
		scope: req.Scope, name: req.From, newName: req.To, dryRun: req.DryRun, part: req.part,
		edit: func(e *Entry, doc *jsonc.Document) ([]byte, error) {
			for _, other := range slices.Concat(e.Source.Entries, e.Source.others) {
				if other != e && namespace(other.Name) == namespace(req.To) {
					return nil, nameTaken(req.To, other)
				}
			}
			return e.Source.rename(doc, req.From, req.To)
		},
		check: func(was, became *Entry) error {
			if became == nil || became.Source.bare(became) != was.Source.bare(was) {
				return invalidEntry(req.To, became)
			}
			return nil
		},
	})
	change.From = req.From
	return change, err
}

func nameTaken(name string, e *Entry) error {
	msg := "the name '" + name + "' is taken"
	if e.Name != name {
		msg = "the name '" + name + "' falls together with " + quoted(e.Name)
	}
	return &Error{Code_: CodeNameTaken, Path: e.Source.Path, Line: e.Line, Column: e.Column, Server_: name, Message: msg, Hint_: "use another name"}
}
