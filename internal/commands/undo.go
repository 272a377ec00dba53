package commands

import (
	"bytes"
	"context"

	"github.com/spf13/cobra"

	"github.com/mcpctl/mcpctl/internal/commands/report"
	"github.com/mcpctl/mcpctl/internal/engine/wire"
	"github.com/mcpctl/mcpctl/internal/store"
)

const undoHelp = `Put back what a file held before the last change that mcpctl made to it, byte for
byte, or with --to before the change of that id. An undo is a change like any other:
undoing it brings the undone change back.

When more than one file of the workspace has a history, a scope flag or an id has to
say which one is meant, unless one command made the newest change of all of them.

What one command changed is taken back together: all servers that a remove or an enable
named, and the private override in the local file that went along with a rename or a
remove. A change that a later one of the same file lies on stays, which a warning tells.

When the file is not what mcpctl left, because somebody has edited it since, nothing
is done and the exit status is 11. --force puts the old bytes back all the same; the
present ones are kept in the history like any others. A file that did not exist
before the change is removed, but only while it is exactly what mcpctl wrote, with
--force too.

Undo changes files of servers alone: approvals and refusals, stored sign-ins, settings,
and what import has unpacked stay, and so do the files of other clients; for those there
is mcpctl --client NAME undo. Undo approves nothing. An entry of a project that comes back
has to be approved again, unless it is exactly what was approved last under its name: an
approval is for a content.`

const undoExamples = `  mcpctl undo
  mcpctl undo --project --dry-run
  mcpctl undo --to user-7`

type undoOptions struct {
	scope  scopeFlags
	to     string
	force  bool
	dryRun bool
}

func newUndoCmd(a *app) *cobra.Command {
	o := &undoOptions{}
	cmd := &cobra.Command{
		Use: "undo", Short: "put back what a file held before", Long: undoHelp, Example: undoExamples, Args: names(0, 0, ""),
		RunE: func(cmd *cobra.Command, _ []string) error { return runUndo(cmd.Context(), a, o) },
	}
	f := cmd.Flags()
	o.scope.register(f)
	f.StringVar(&o.to, "to", "", "the file as it was before the change `ID`, such as user-7")
	f.BoolVar(&o.force, "force", false, "also when somebody else has edited the file since")
	f.BoolVar(&o.dryRun, "dry-run", false, "write nothing; show the difference")
	_ = cmd.RegisterFlagCompletionFunc("to", a.completeCommits) // fails only for a flag that is not there
	return cmd
}

func runUndo(ctx context.Context, a *app, o *undoOptions) error {
	s, err := a.open()
	if err != nil {
		return err
	}
	scope, number, err := o.scope.keptTogether(a, s, o.to)
	if err != nil {
		return err
	}
	all, left, err := s.UndoTogether(ctx, store.UndoRequest{Scope: scope, Number: number, Force: o.force, DryRun: o.dryRun})
	if err != nil {
		return err
	}
	doc := report.Undo{Schema: wire.Schema, Also: []report.Undone{}}
	for i, u := range all {
		if one := a.undone(s, u); i == 0 {
			doc.Undone = one
		} else {
			doc.Also = append(doc.Also, one)
		}
	}
	for _, p := range left {
		a.warn(p.Message, p.Hint)
	}
	doc.Warnings = a.takeWarnings()
	return a.print(doc, func(w *bytes.Buffer) error {
		for _, u := range append([]report.Undone{doc.Undone}, doc.Also...) {
			w.WriteString(u.Diff)
		}
		return nil
	})
}

// undone tells of one file.
func (a *app) undone(s *store.Store, u store.Undone) report.Undone {
	doc := report.Undone{Scope: string(u.Scope), Source: u.Path, ID: u.Commit.ID(), Verb: u.Commit.Verb,
		Names: emptyList(u.Commit.Names), Restored: fileState(u.Commit.Before), Unchanged: u.Unchanged}
	if u.DryRun {
		doc.DryRun, doc.Diff = true, s.UnifiedFile(u.Path, u.Before, u.After)
		return doc
	}
	switch {
	case u.Unchanged:
		a.say("unchanged: %s is as it was before %s (%s)", u.Path, doc.ID, what(u.Commit))
	case u.After == nil:
		a.say("removed %s, as it was before %s (%s)", u.Path, doc.ID, what(u.Commit))
	default:
		a.say("put back %s as it was before %s (%s)", u.Path, doc.ID, what(u.Commit))
	}
	return doc
}
