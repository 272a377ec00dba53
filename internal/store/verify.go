package store

import (
	"slices"

	"github.com/mcpctl/mcpctl/internal/store/redact"
)

// Verify looks at the covered files of a project's stdio server again, right before
// it is started with l. It fails with MCP_NOT_APPROVED naming the file when one is
// not as it was approved, and when a value of the session's environment names a file
// of the project that the approval does not cover (design §5.2).
//
// This narrows the time in which a file may be swapped, and does not close it: the
// program opens its files itself, after this. Who may write in the workspace at that
// very moment can still win; nothing short of running a private copy would help, and
// a copy would not find what lies beside it.
func (a Admitted) Verify(l Launch) error {
	if a.approved == nil || a.approved.EntryOnly || l.Transport != Stdio {
		return nil
	}
	changed := changedFiles(a.approved.Files, a.store.coveredFiles(a.entry))
	for _, f := range a.store.coveredAmong(a.store.startedPaths(a.entry.Definition, l)) {
		if !slices.ContainsFunc(a.approved.Files, func(known coveredFile) bool { return known.Path == f.Path }) {
			changed = append(changed, FileChange{f.Path, "uncovered"})
		}
	}
	if len(changed) == 0 {
		return nil
	}
	e := a.entry
	out := &Error{Code_: CodeNotApproved, Path: e.Source.Path, Line: e.Line, Column: e.Column, Server_: e.Name,
		Message: "server '" + e.Name + "' is not approved: the file " + changed[0].Path + ", which it runs, " + changed[0].since(),
		Hint_:   "review the file; then: mcpctl approve " + redact.ShellWord(e.Name)}
	if changed[0].What == "uncovered" {
		out.Message = "server '" + e.Name + "' would be given the file " + changed[0].Path + " of the project by a variable, and the approval does not cover it"
		out.Hint_ = "name the file in the entry itself, or approve the entry alone: mcpctl approve " + redact.ShellWord(e.Name) + " --entry-only"
	}
	return out
}
