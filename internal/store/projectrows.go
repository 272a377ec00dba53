package store

import "github.com/mcpctl/mcpctl/internal/store/redact"

// AllProjectRows are the entries that need the user's word, or have it, of the
// project files of every client, strongest first.
func (c *Config) AllProjectRows() []*Row {
	var rows []*Row
	for _, src := range c.Sources {
		if src.Scope != Project {
			continue
		}
		for _, e := range src.Entries {
			state, why, covers := c.Approvals.State(c.Store, e)
			rows = append(rows, &Row{Entry: e, Approval: state, Why: why, Covers: covers})
		}
	}
	return rows
}

// ProjectRows are those of one name. None and no error: the name is the user's own.
// MCP_NOT_FOUND when it is nobody's.
func (c *Config) ProjectRows(name string) ([]*Row, error) {
	var rows []*Row
	for _, row := range c.AllProjectRows() {
		if row.Entry.Name == name {
			rows = append(rows, row)
		}
	}
	if len(rows) == 0 && len(c.Named(name)) == 0 {
		return nil, c.NotFound(name)
	}
	return rows, nil
}

// ProjectRow is the one of them that is meant: the one with the fingerprint, else the
// first that still needs a word. Nil and no error: the name is the user's own.
func (c *Config) ProjectRow(name string, fingerprint Fingerprint) (*Row, error) {
	rows, err := c.ProjectRows(name)
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	for _, r := range rows {
		if r.Entry.Fingerprint == fingerprint {
			return r, nil
		}
	}
	for _, r := range rows {
		if r.Approval != Approved {
			return r, nil
		}
	}
	return rows[0], nil
}

// Agreed checks that what a program says was shown to the user is what a review has
// found: the entry by its fingerprint, and by files, unless it is "", what the approval
// covers. Without files these may be anything, unless the entry was approved before and
// a file has changed since: then the entry's fingerprint, which is the old one, says
// nothing. The error is MCP_CONFIG_CONFLICT.
func (c *Config) Agreed(row *Row, review Review, entry, files Fingerprint) error {
	e, now := row.Entry, review.Files()
	if entry != e.Fingerprint {
		return Conflict(e, entry)
	}
	changed := &Error{Code_: CodeConflict, Server_: e.Name,
		Hint_: "look at them; mcpctl approve --list " + redact.ShellWord(e.Name) + " --json gives both fingerprints, for --fingerprint and --files"}
	switch {
	case files == now && files != "":
		return nil
	case files != "":
		changed.Message = "the files of '" + e.Name + "' are not those that were reviewed: expected " + string(files) + ", found " + string(now)
	case !review.EntryOnly && c.Approvals.OnlyFilesChanged(c.Store, e):
		changed.Message = "'" + e.Name + "' is the entry that was approved, but " + row.Why
	default:
		return nil
	}
	return changed
}

// NoProjectEntry is the error for a name that needs no word of the user's, where one
// was to be recorded.
func NoProjectEntry(name string) error {
	return &Error{Code_: CodeNotFound, Message: "no project entry is called '" + name + "'", Hint_: "the user's own servers need no approval"}
}
