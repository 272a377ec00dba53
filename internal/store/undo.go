package store

import (
	"context"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"time"
)

// UndoRequest asks for the bytes from before a change.
type UndoRequest struct {
	Scope  Scope
	Number int  // which change of the file; 0 is the newest
	Force  bool // also when somebody else has changed the file since
	DryRun bool
}

// Undone is what an undo did or would do.
type Undone struct {
	Change
	Commit *Commit // the file is as it was before this change
}

// Undo makes a file what it was before one of the changes in its history, byte for
// byte: also when those bytes do not parse. It is a change itself, so that it can
// be undone; it approves nothing. A file that a change has made is removed.
//
// It fails with MCP_NOT_FOUND when there is no such change in the history, and with
// MCP_CONFIG_CONFLICT when the file is not what mcpctl left. Force lifts that, but
// not for removing a file that somebody else has written to.
func (s *Store) Undo(ctx context.Context, req UndoRequest) (Undone, error) {
	target, limit, err := s.target(req.Scope)
	if err != nil {
		return Undone{}, err
	}
	defer target.Close()
	before, info, release, err := s.hold(ctx, target, limit, req.DryRun)
	if err != nil {
		return Undone{}, err
	}
	defer release()
	h := s.historyOf(req.Scope, target.Real())
	c, err := h.undoable(stateOf(before), req)
	if err != nil {
		return Undone{}, err
	}
	after, err := h.bytes(c)
	if err != nil {
		return Undone{}, err
	}
	out := Undone{Commit: c, Change: Change{Path: s.Path(req.Scope), Scope: req.Scope, Before: before, After: after,
		Unchanged: stateOf(before).same(c.Before), DryRun: req.DryRun}}
	if out.Unchanged || req.DryRun {
		return out, nil
	}
	return out, s.commit(target, s.undoing(out, target.Real(), info))
}

// undoing is the write of an undo. A file that goes has its mode kept, and one that
// comes back gets it.
func (s *Store) undoing(u Undone, real string, info fs.FileInfo) write {
	w := write{scope: u.Scope, before: u.Before, after: u.After}
	w.names = s.touched(u.Scope, real, u.Before, u.After)
	w.verb = "undo"
	switch {
	case u.Before != nil && u.After == nil:
		w.mode = info.Mode().Perm()
	case u.Before == nil && u.After != nil:
		w.mode = u.Commit.Before.Mode
	}
	return w
}

// undoable picks the change and tells whether it may be undone, now that the file
// holds current.
func (h history) undoable(current *FileState, req UndoRequest) (*Commit, error) {
	commits, _, err := h.list(func() *FileState { return current })
	if err != nil {
		return nil, err
	}
	if len(commits) == 0 {
		return nil, noHistory(h.real)
	}
	c, err := commitOf(commits, req.Number)
	if err != nil {
		return nil, err
	}
	newest := commits[0]
	if newest.After.same(current) || c.Before.same(current) {
		return c, nil
	}
	conflict := &Error{Code_: CodeConflict, Path: h.real,
		Message: "the file is not what mcpctl left at " + newest.Time.Local().Format(time.DateTime) + ": somebody else changed it",
		Hint_:   fmt.Sprintf("look at it with: mcpctl diff --%s; --force undoes all the same, and keeps the present bytes in the history", h.scope)}
	switch {
	case req.Force && c.Before != nil:
		return c, nil
	case c.Before == nil:
		conflict.Hint_ = "before " + c.ID() + " there was no file; remove what is there yourself if you do not need it"
	}
	return nil, conflict
}

// commitOf finds a change by its number; 0 is the newest.
func commitOf(commits []*Commit, number int) (*Commit, error) {
	if number == 0 {
		return commits[0], nil
	}
	for _, c := range commits {
		if c.Number == number {
			return c, nil
		}
	}
	return nil, &Error{Code_: CodeNotFound, Path: commits[0].Path, Message: fmt.Sprintf("no change %s-%d is kept", commits[0].Scope, number),
		Hint_: fmt.Sprintf("kept are %s to %s, see: mcpctl history", commits[len(commits)-1].ID(), commits[0].ID())}
}

// touched names the servers that differ between two contents of a file, in all parts of
// it.
func (s *Store) touched(scope Scope, real string, before, after []byte) []string {
	if scope != Local {
		_, names := whatChanged(s.parsed(scope, real, before), s.parsed(scope, real, after))
		return names
	}
	var names []string
	was, is := partsOf(before), partsOf(after)
	for part := range is {
		if was[part] == nil {
			was[part] = &Source{}
		}
	}
	for _, part := range slices.Sorted(maps.Keys(was)) {
		now := is[part]
		if now == nil {
			now = &Source{}
		}
		_, more := whatChanged(was[part], now)
		for _, name := range more {
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	return names
}
