package commands

import (
	"bytes"
	"encoding/json"

	"github.com/spf13/cobra"

	"github.com/mcpctl/mcpctl/internal/commands/report"
	"github.com/mcpctl/mcpctl/internal/engine/wire"
	"github.com/mcpctl/mcpctl/internal/store"
)

const diffHelp = `Show what has changed, as a unified difference with the secrets hidden. A line of which
only a hidden value differs is there as removed and added, with the mask on both sides;
so it is with --dry-run of every command that has it.

Without a name: the file as it was before the last change that mcpctl made to it, or
with --from before the change of that id, against the file as it is now, whoever
changed it since. When more than one file of the workspace has a history, a scope flag
or an id has to say which one is meant.

With a name: the project's entry as it was approved, against the entry as it is now.
When nothing was approved the whole entry is new.

With --exit-code the exit status is 1 when there is a difference. It judges by the
contents, so a changed secret counts although it is hidden, and so does a changed
file that the approval covers. Diff writes nothing.`

const diffExamples = `  mcpctl diff --user
  mcpctl diff --from project-3
  mcpctl diff db --exit-code || mcpctl show db`

type diffOptions struct {
	scope    scopeFlags
	from     string
	exitCode bool
	name     string
	named    bool
}

func newDiffCmd(a *app) *cobra.Command {
	o := &diffOptions{}
	cmd := &cobra.Command{
		Use: "diff [NAME]", Short: "show what changed since mcpctl's last change, or since the approval", Long: diffHelp, Example: diffExamples,
		Args: names(0, 1, ""), ValidArgsFunction: a.completeOneServer,
		RunE: func(_ *cobra.Command, args []string) error {
			if o.named = len(args) == 1; o.named {
				o.name = args[0]
			}
			return runDiff(a, o)
		},
	}
	f := cmd.Flags()
	o.scope.register(f)
	f.StringVar(&o.from, "from", "", "compare with the file as it was before the change `ID`, such as user-7")
	f.BoolVar(&o.exitCode, "exit-code", false, "exit with 1 when there is a difference")
	_ = cmd.RegisterFlagCompletionFunc("from", a.completeCommits) // fails only for a flag that is not there
	return cmd
}

func runDiff(a *app, o *diffOptions) error {
	compare := a.fileDiff
	if o.named {
		compare = a.entryDiff
	}
	doc, err := compare(o)
	if err != nil {
		return err
	}
	doc.Warnings = a.takeWarnings()
	if err := a.print(doc, func(w *bytes.Buffer) error { w.WriteString(doc.Diff); return nil }); err != nil {
		return err
	}
	if o.exitCode && doc.Differs {
		return exit(1)
	}
	return nil
}

// fileDiff compares a file with its history.
func (a *app) fileDiff(o *diffOptions) (report.Diff, error) {
	s, err := a.open()
	if err != nil {
		return report.Diff{}, err
	}
	scope, number, err := o.scope.kept(a, s, o.from)
	if err != nil {
		return report.Diff{}, err
	}
	d, err := s.Since(scope, number)
	if err != nil {
		return report.Diff{}, err
	}
	id := d.Commit.ID()
	doc := report.Diff{
		Schema: wire.Schema, Source: d.Path, Scope: string(scope), Since: &id, From: revision(d.From), To: revision(d.To),
		Differs: d.Differs(), Diff: s.UnifiedFile(d.Path, d.Before, d.After),
	}
	return doc, nil
}

func revision(f *store.FileState) *string {
	if f == nil {
		return nil
	}
	text := string(f.Revision)
	return &text
}

// entryDiff compares an entry with its approval.
func (a *app) entryDiff(o *diffOptions) (report.Diff, error) {
	scope, err := o.scope.scope(store.Project)
	if err != nil {
		return report.Diff{}, err
	}
	if scope != store.Project || o.from != "" {
		return report.Diff{}, usagef("a name stands for an entry of the project against its approval: give no other scope and no --from with it")
	}
	c, err := a.load()
	if err != nil {
		return report.Diff{}, err
	}
	d, err := c.SinceApproval(o.name)
	if err != nil {
		return report.Diff{}, err
	}
	doc := report.Diff{
		Schema: wire.Schema, Source: d.Path, Scope: string(scope), Name: &o.name, From: fingerprint(d.From), To: fingerprint(d.To),
		Approval: string(d.State), Reason: d.Why, Differs: d.Differs(),
		Diff: store.Unified(d.Path+":"+o.name, store.ShownEntry(d.Before, laidOut), store.ShownEntry(d.After, laidOut)),
	}
	if d.State == "" {
		doc.Reason = "the entry is not in the file any more"
	}
	if p := c.Approvals.Problem; p != nil {
		a.warn(p.Source+": "+p.Message, p.Hint)
	}
	switch {
	case a.json != "":
	case d.Before == nil:
		a.warn("nothing was approved for '"+o.name+"': "+doc.Reason, "")
	case d.State == "", d.From == d.To && doc.Differs: // a file that the approval covers
		a.warn("'"+o.name+"': "+doc.Reason, "")
	}
	return doc, nil
}

func fingerprint(fp store.Fingerprint) *string {
	if fp == "" {
		return nil
	}
	text := string(fp)
	return &text
}

// laidOut is an entry for comparing by lines.
func laidOut(raw json.RawMessage) string { return report.Indented(raw) + "\n" }
