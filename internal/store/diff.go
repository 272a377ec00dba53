package store

import (
	"encoding/json"
	"errors"
)

// FileDiff is a file before one of the changes that mcpctl made to it, and now.
type FileDiff struct {
	Path          string
	Scope         Scope
	Commit        *Commit
	Before, After []byte // nil: there is no file
	From, To      *FileState
}

// Since compares the file of a scope with what it was before a change in its
// history; number 0 is the newest. Nothing is written. It fails with MCP_NOT_FOUND
// when there is no such change.
func (s *Store) Since(scope Scope, number int) (FileDiff, error) {
	if s.Path(scope) == "" {
		return FileDiff{}, s.noProject()
	}
	commits, _, err := s.History(scope)
	if err != nil {
		return FileDiff{}, err
	}
	if len(commits) == 0 {
		return FileDiff{}, noHistory(s.Path(scope))
	}
	c, err := commitOf(commits, number)
	if err != nil {
		return FileDiff{}, err
	}
	d := FileDiff{Path: s.Path(scope), Scope: scope, Commit: c}
	if d.Before, err = s.Kept(c); err != nil {
		return FileDiff{}, err
	}
	if d.After, err = s.readFile(&Source{Scope: scope, Path: d.Path}, s.projectFile()); err != nil {
		return FileDiff{}, err
	}
	d.From, d.To = stateOf(d.Before), stateOf(d.After)
	return d, nil
}

// Differs tells whether the bytes differ.
func (d FileDiff) Differs() bool { return !d.From.same(d.To) }

func noHistory(path string) error {
	return &Error{Code_: CodeNotFound, Path: path, Message: "mcpctl keeps no change of this file"}
}

// noProject is the error for a scope the workspace does not have.
func (s *Store) noProject() error {
	_, _, err := s.target(Project)
	return err
}

// EntryDiff is an entry of the project as it was approved, and now.
type EntryDiff struct {
	Name          string
	Path          string
	Before, After json.RawMessage // nil: nothing was approved; there is no such entry
	From, To      Fingerprint     // "" likewise
	State         Approval        // "" when there is no such entry
	Why           string          // why the approval does not hold
}

// SinceApproval compares the project's entry of exactly that name with what was
// approved under it. It fails with MCP_NOT_FOUND when the project has neither, and
// with what is wrong with the project's files.
func (c *Config) SinceApproval(name string) (EntryDiff, error) {
	var broken error
	for _, src := range c.Sources { // the chosen client's file first
		if src.Scope != Project {
			continue
		}
		if src.Broken {
			broken = errors.Join(broken, src.firstError())
			continue
		}
		d := EntryDiff{Name: name, Path: src.Path}
		if r := c.Approvals.find(src, name); r != nil && !r.Denied && c.Approvals.Problem == nil {
			d.Before, d.From = r.Entry, r.Fingerprint
		}
		if e := src.entry(name); e != nil {
			d.After, d.To = e.Raw, e.Fingerprint
			d.State, d.Why, _ = c.Approvals.State(c.Store, e)
		}
		if d.Before != nil || d.After != nil {
			return d, nil
		}
	}
	if broken != nil {
		return EntryDiff{}, broken
	}
	if len(c.Named(name)) > 0 {
		return EntryDiff{}, &Error{Code_: CodeNotFound, Server_: name, Message: "no project entry is called '" + name + "'",
			Hint_: "the user's own servers need no approval; for the changes of a file say --user or --local and no name"}
	}
	return EntryDiff{}, c.NotFound(name)
}

// Differs tells whether the present entry is not what was approved, a file that the
// approval covers included.
func (d EntryDiff) Differs() bool { return d.From != d.To || d.State != Approved }
