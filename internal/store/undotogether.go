package store

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"fmt"
)

// A command that makes several changes, such as a rename that a private override follows
// in another file, marks them as one group in the history. Undoing one of them undoes all.

// Together is the store with its further changes marked as those of one command.
func (s *Store) Together() *Store {
	c := *s
	mark := make([]byte, 8)
	_, _ = rand.Read(mark) // never fails
	c.group = hex.EncodeToString(mark)
	return &c
}

// UndoTogether is Undo, and the same for what the command of that change did besides: its
// further changes of this file and of the other files of the workspace. The change that
// was asked for comes first. A change that a later one lies on stays, and is a Problem;
// anything else that keeps one of them from being undone is an error, before anything is
// written.
func (s *Store) UndoTogether(ctx context.Context, req UndoRequest) ([]Undone, []Problem, error) {
	commits, _, err := s.History(req.Scope)
	if err != nil {
		return nil, nil, err
	}
	plan := []UndoRequest{req}
	if first, err := commitIn(commits, req.Number); err == nil && first.Group != "" {
		if req.Number == 0 {
			plan[0].Number = oldestOf(commits, first.Group)
		}
		more, left, err := s.alsoOf(first.Group, req)
		if err != nil {
			return nil, nil, err
		}
		undone, err := s.undoEach(ctx, append(plan, more...))
		return undone, left, err
	}
	undone, err := s.undoEach(ctx, plan)
	return undone, nil, err
}

// undoEach undoes all, or, as far as can be seen, none.
func (s *Store) undoEach(ctx context.Context, plan []UndoRequest) (out []Undone, err error) {
	if len(plan) > 1 {
		s = s.Together()
		for _, req := range plan {
			req.DryRun = true
			if _, err := s.Undo(ctx, req); err != nil {
				return nil, err
			}
		}
	}
	for _, req := range plan {
		u, err := s.Undo(ctx, req)
		if err != nil {
			if len(out) > 0 {
				err = fmt.Errorf("'%s' was put back, and then: %w", out[0].Path, err)
			}
			return out, err
		}
		out = append(out, u)
	}
	return out, nil
}

// alsoOf finds the changes of a group in the other files.
func (s *Store) alsoOf(group string, asked UndoRequest) (plan []UndoRequest, left []Problem, err error) {
	for _, scope := range scopes {
		if scope == asked.Scope {
			continue
		}
		commits, _, err := s.History(scope)
		if err != nil {
			return nil, nil, err
		}
		var last *Commit
		for _, c := range commits {
			if c.Group == group {
				last = c
			}
		}
		switch {
		case last == nil:
		case commits[0].Group != group:
			left = append(left, Problem{Message: fmt.Sprintf("what the command changed in %s stays: %s was made there since", s.Path(scope), commits[0].ID()),
				Hint: "to undo both: mcpctl undo --to " + last.ID()})
		default:
			plan = append(plan, UndoRequest{Scope: scope, Number: oldestOf(commits, group), Force: asked.Force, DryRun: asked.DryRun})
		}
	}
	return plan, left, nil
}

// oldestOf is the number of the oldest of the newest changes that belong to a group.
func oldestOf(commits []*Commit, group string) (number int) {
	for _, c := range commits {
		if c.Group != group {
			break
		}
		number = c.Number
	}
	return number
}

// commitIn is commitOf for a list that may be empty.
func commitIn(commits []*Commit, number int) (*Commit, error) {
	if len(commits) == 0 {
		return nil, &Error{Code_: CodeNotFound, Message: "there is no history"}
	}
	return commitOf(commits, number)
}
