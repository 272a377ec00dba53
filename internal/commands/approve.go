package commands

import (
	"bytes"
	"context"
	"errors"

	"github.com/spf13/cobra"

	"github.com/mcpctl/mcpctl/internal/commands/report"
	"github.com/mcpctl/mcpctl/internal/engine"
	"github.com/mcpctl/mcpctl/internal/engine/wire"
	"github.com/mcpctl/mcpctl/internal/store"
)

const approveHelp = `Approve entries of project files, so that they may be started. What is approved is
the exact entry that is shown: any later change of it, or of a file in the project
that its command or arguments name, ends the approval.

On a terminal each entry is shown whole, with what it runs, which variables it
reads and where they go, which files are covered, and what is risky about it; when
it was approved before, also what changed since. Then the answer is asked for, and
anything but "y" or "yes" is a no, the end of input and Ctrl-C included. Elsewhere
the full fingerprint of what was reviewed must be given; --list --json supplies it.
--files does the same for the files that the approval covers; it is required when
only they have changed since the last approval. An entry that is approved as it
stands is left alone: nothing is asked, and nothing written.
There is no approval of entries that are not there yet. Where the
project files of several clients hold the name, the fingerprint says which is meant;
without it, it is the strongest that is not approved. A file that several clients read,
each in its own way, is approved for each of them: --client says for which.

Literal values of variables and headers, and what looks like a secret, are hidden;
their fields are named, and "show --reveal" shows them. An entry whose name,
command, host, or names of variables or headers hold invisible, reordering or
control characters cannot be approved.

What a server does once it runs is not limited by this: it runs with the user's
rights. Files that an approved program loads in turn are not covered.

With --tools the word is on the tools that a server lists, of the user's own servers as
well. What they were is kept when a definition of the server is connected for the first
time, or taken from mcp.lock.json where that has it. A tool whose definition is not
that any more, a new one, and one that is gone are told by "list" and in the log, and
with the setting pinTools a call of one is refused with MCP_NOT_APPROVED. While a record or
a lock file that would count cannot be relied on, because it is damaged, newer than this
mcpctl, or holds the marks of a merge, no tool is known to be approved. The difference
is shown whole and asked about; elsewhere than on a terminal --fingerprint has to be
that of all tools, which --list --tools --json supplies. The supervisor is started when
there is none, and asks the server. Sessions that run are told at once. Servers may list
other tools to clients that can do more, or less: a client of another kind has the tools
that no other saw added when it first comes, which is no change, and with --session=ID
those are approved that its session lists. An approved definition counts for all.`

const approveExamples = `  mcpctl approve db
  mcpctl approve --list
  mcpctl approve db --fingerprint sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08
  mcpctl approve --tools db`

type approveOptions struct {
	names       []string
	list        bool
	fingerprint string
	files       string
	entryOnly   bool
	tools       bool
}

func newApproveCmd(a *app) *cobra.Command {
	o := &approveOptions{}
	cmd := &cobra.Command{
		Use: "approve [NAME...]", Short: "let a project's servers run", Long: approveHelp, Example: approveExamples,
		ValidArgsFunction: func(cmd *cobra.Command, args []string, word string) ([]string, cobra.ShellCompDirective) {
			if o.tools {
				return a.completeServers(cmd, args, word)
			}
			return a.completeProject(cmd, args, word)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			o.names = args
			if len(args) == 0 && !o.list {
				return usageOf(cmd, "name a server, or give --list")
			}
			if o.tools {
				return runApproveTools(cmd.Context(), a, o)
			}
			return runApprove(cmd.Context(), a, o)
		},
	}
	f := cmd.Flags()
	f.BoolVar(&o.list, "list", false, "list what needs approval, and change nothing")
	f.StringVar(&o.fingerprint, "fingerprint", "", "approve only the entry with exactly this fingerprint `FP`")
	f.BoolVar(&o.tools, "tools", false, "approve the tools that the servers list now, and not entries")
	f.StringVar(&o.files, "files", "", "with --fingerprint: only while the files it covers have exactly this fingerprint `FP`")
	f.BoolVar(&o.entryOnly, "entry-only", false, "do not cover the files of the project that the entry names")
	return cmd
}

func runApprove(ctx context.Context, a *app, o *approveOptions) error {
	c, err := a.load()
	if err != nil {
		return err
	}
	if o.list {
		return a.listApprovals(c, o.names)
	}
	if o.fingerprint != "" && len(o.names) > 1 {
		return usagef("--fingerprint goes with one name")
	}
	if o.files != "" && (o.fingerprint == "" || o.entryOnly) {
		return usagef("--files goes with --fingerprint, and not with --entry-only")
	}
	err = allThere(o.names, func(name string) error {
		_, err := c.ProjectRows(name)
		return err
	})
	if err != nil {
		return err
	}
	doc := wire.Approvals{Schema: wire.Schema, Servers: []wire.ApprovalRow{}}
	errs := eachName(ctx, o.names, func(name string) error {
		row, err := a.approveOne(ctx, c, name, o)
		if err == nil {
			doc.Servers = append(doc.Servers, row)
		}
		return err
	})
	if a.json != "" && len(errs) == 0 {
		return report.JSON(&a.out, doc)
	}
	return together(errs)
}

// together is one error for several names: the code of the first, all messages.
func together(errs []error) error {
	if len(errs) < 2 {
		return errors.Join(errs...)
	}
	first := *wire.FromError(errs[0])
	first.Text = bare(&first, "")
	for _, err := range errs[1:] {
		if errors.Is(err, context.Canceled) {
			return errors.Join(errs...) // the signal is the answer
		}
		first.Text += "; " + bare(wire.FromError(err), "")
	}
	first.Name = ""
	return &first
}

func (a *app) approveOne(ctx context.Context, c *store.Config, name string, o *approveOptions) (wire.ApprovalRow, error) {
	row, err := c.ProjectRow(name, store.Fingerprint(o.fingerprint))
	if err != nil {
		return wire.ApprovalRow{}, err
	}
	if row == nil {
		a.say("'%s' is the user's own and needs no approval", name)
		return engine.OwnRow(name), nil
	}
	review, err := c.Store.Review(row.Entry, o.entryOnly)
	if err != nil {
		return wire.ApprovalRow{}, err
	}
	if err := a.agreed(ctx, reviewed{config: c, row: row, review: review}, o); err != nil {
		return wire.ApprovalRow{}, err
	}
	out, unchanged, err := engine.Approve(ctx, c, row, review)
	switch {
	case err != nil:
	case unchanged:
		a.say("unchanged: '%s' is approved", name)
	default:
		a.say("approved '%s'", name)
	}
	return out, err
}

// listApprovals shows every entry of the project that needs a word, or has one.
func (a *app) listApprovals(c *store.Config, names []string) error {
	doc := engine.ListApprovals(c, names)
	return a.print(doc, func(w *bytes.Buffer) error {
		var rows [][]string
		for _, r := range doc.Servers {
			rows = append(rows, []string{r.Name, r.Approval, r.Fingerprint, place(r.Source, r.Line, r.Column)})
		}
		if len(rows) == 0 {
			return nil
		}
		return report.Table(w, []string{"NAME", "APPROVAL", "FINGERPRINT", "ORIGIN"}, rows)
	})
}

const denyHelp = `Deny entries of project files. The refusal is remembered for the file and the name
and survives every edit; "approve" lifts it, "revoke" forgets it. A running server
of that name is stopped. Where the project files of several clients hold the name,
all of them are denied. Of several names all are looked for first: when one is not
there, nothing changes.`

func newDenyCmd(a *app) *cobra.Command {
	return &cobra.Command{
		Use: "deny NAME...", Short: "refuse a project's servers for good", Long: denyHelp, Example: "  mcpctl deny db",
		Args: names(1, -1, "a server"), ValidArgsFunction: a.completeProject,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.eachProjectEntry(args, "denied", func(c *store.Config, e *store.Entry) error {
				return c.Store.Deny(cmd.Context(), e.Source.Real, e.Name)
			})
		},
	}
}

const revokeHelp = `Forget what was approved or denied about entries of project files. They wait for
approval again, and running servers of those names are stopped. Of several
names all are looked for first: when one is not there, nothing changes.`

func newRevokeCmd(a *app) *cobra.Command {
	return &cobra.Command{
		Use: "revoke NAME...", Short: "forget an approval or a refusal", Long: revokeHelp, Example: "  mcpctl revoke db",
		Args: names(1, -1, "a server"), ValidArgsFunction: a.completeProject,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.eachProjectEntry(args, "revoked", func(c *store.Config, e *store.Entry) error {
				_, err := c.Store.Revoke(cmd.Context(), e.Source.Real, e.Name)
				return err
			})
		},
	}
}

// allThere looks for every name before anything is changed.
func allThere(names []string, find func(name string) error) error {
	var errs []error
	for _, name := range names {
		if err := find(name); err != nil {
			errs = append(errs, err)
		}
	}
	err := joined(errs)
	if err == nil || len(names) == 1 {
		return err
	}
	e := *wire.FromError(err)
	e.Text += "; nothing was changed"
	return &e
}

// eachProjectEntry changes what is recorded about each name and reports it.
func (a *app) eachProjectEntry(names []string, done string, change func(*store.Config, *store.Entry) error) error {
	c, err := a.load()
	if err != nil {
		return err
	}
	doc := wire.Approvals{Schema: wire.Schema, Servers: []wire.ApprovalRow{}}
	found := map[string][]*store.Row{}
	err = allThere(names, func(name string) error {
		rows, err := c.ProjectRows(name)
		if err == nil && len(rows) == 0 {
			err = store.NoProjectEntry(name)
		}
		found[name] = rows
		return err
	})
	if err != nil {
		return err
	}
	for _, name := range unique(names) {
		for _, row := range found[name] {
			if err := change(c, row.Entry); err != nil {
				return err
			}
			doc.Servers = append(doc.Servers, engine.PresentRow(c, row))
		}
		a.say("%s '%s'", done, name)
	}
	return a.print(doc, func(*bytes.Buffer) error { return nil })
}

// eachName does what is asked for by one name after the other. What fails for one does not
// stop the others, but Ctrl-C is a no to all that was to follow.
func eachName(ctx context.Context, names []string, do func(name string) error) (errs []error) {
	for _, name := range names {
		err := do(name)
		if err == nil {
			continue
		}
		if errs = append(errs, err); ctx.Err() != nil {
			break
		}
	}
	return errs
}
