package store

import (
	"context"

	"github.com/mcpctl/mcpctl/internal/store/redact"
)

// approveWritten records the user's word for an entry that the user has written
// just now. A denial of its name stays: only an approval lifts it (design §5.2).
func (s *Store) approveWritten(ctx context.Context, e *Entry) error {
	r, err := s.Review(e, false)
	if err != nil {
		return err
	}
	return s.changeApprovals(committed(ctx), func(f *approvalsFile) {
		if !f.denied(e.Source.Real, e.Name) {
			f.put(r.record())
		}
	})
}

// approvable refuses, before anything is written, an entry of a project file that
// could not be approved afterwards; errors are those of Review.
func (s *Store) approvable(e *Entry, entryOnly bool) error {
	if e.Source.Scope != Project {
		return nil
	}
	_, err := s.Review(e, entryOnly)
	return err
}

// keeps wants an entry to which the user's approval is carried over to be one that
// could be approved.
func (s *Store) keeps(word *approval, e *Entry) error {
	if word == nil || word.Denied || e == nil {
		return nil
	}
	return s.approvable(e, word.EntryOnly)
}

// denied tells whether the user has refused a name of a file.
func (f *approvalsFile) denied(source, name string) bool {
	for _, r := range f.Approvals {
		if r.Source == source && r.Name == name {
			return r.Denied
		}
	}
	return false
}

// stillDenied warns of an entry that was written under a name the user has denied.
func (s *Store) stillDenied(e *Entry) []Problem {
	if e == nil || e.Source.Scope != Project || !s.ReadApprovals().file.denied(e.Source.Real, e.Name) {
		return nil
	}
	return []Problem{{Code: CodeNotApproved, Severity: SeverityWarning, Source: e.Source.Path, Line: e.Line, Column: e.Column, Server: e.Name,
		Message: quoted(e.Name) + " was denied earlier and stays denied", Hint: "lift that with: mcpctl approve " + redact.ShellWord(e.Name)}}
}

// committed is the context for what has to follow a write: the file is there, so a
// caller who goes away now must not leave it half done. The waits have limits of
// their own.
func committed(ctx context.Context) context.Context { return context.WithoutCancel(ctx) }
