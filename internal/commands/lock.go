package commands

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/mcpctl/mcpctl/internal/commands/report"
	"github.com/mcpctl/mcpctl/internal/engine"
	"github.com/mcpctl/mcpctl/internal/engine/wire"
	"github.com/mcpctl/mcpctl/internal/store"
)

const lockHelp = `Write mcp.lock.json at the workspace root: what the servers of the project's files are
now, so that "mcpctl check" can tell when one is not that any more. It is meant to be
committed, and holds no secrets, no times and no places of this machine.

Of each server it has the fingerprint of its entry, the package that its command fetches,
the protocol version, the name and version that the server tells of itself, and of every
tool the definition and a hash over it in which every leaf counts. Secrets in definitions
are hidden; the folder of the workspace and the home directory are written as <workspace>
and <home>. Prompts and resources are not locked: a person picks the former, and the
latter are data.

The version of a package is "pinned" where the command names one that cannot come to mean
another: npx pkg@1.2.3, uvx pkg==1.2, docker run image@sha256:..., a repository with its
whole commit. Otherwise it is what the running server says of itself, "reported", or
"unknown". No registry is asked.

Servers are connected to once, as a test does, several at the same time. Only approved ones
are: one that is not ends the command with MCP_NOT_APPROVED. When one of them cannot be
asked, nothing is written, each such is told, and the exit status is that of the first; to
lock the others, name them. A disabled server, and one that
the user's own hides, is not asked, and keeps its record if it has one.

A server that is locked for the very entry it has now is kept as it stands; --update asks
it again. Servers that the project does not have any more are dropped, unless names are
given. Keys are sorted, and what has not changed is not written anew.

The file decides which tools count as approved where a server is connected to for the first
time. Where tools were approved before, a new lock file does not change that: approve what
has changed with "mcpctl approve --tools NAME". A lock file in which a merge has left its marks
is refused by every command that reads it: settle it, or take one side and lock again.`

const lockExamples = `  mcpctl lock
  mcpctl lock docs --update --dry-run`

type lockOptions struct {
	names   []string
	update  bool
	dryRun  bool
	timeout time.Duration
}

func newLockCmd(a *app) *cobra.Command {
	o := &lockOptions{}
	cmd := &cobra.Command{
		Use: "lock [NAME...]", Short: "record what the project's servers are in mcp.lock.json", Long: lockHelp, Example: lockExamples,
		ValidArgsFunction: a.completeProject,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := positive(cmd, "timeout", o.timeout); err != nil {
				return err
			}
			o.names = args
			return runLock(cmd.Context(), a, o)
		},
	}
	f := cmd.Flags()
	f.BoolVar(&o.update, "update", false, "ask servers again that are locked already")
	f.BoolVar(&o.dryRun, "dry-run", false, "write nothing; show the difference")
	f.DurationVar(&o.timeout, "timeout", 0, "limit for one server, `D` such as 20s (default: the entry's timeout)")
	return cmd
}

// positive refuses a duration that was given and is no limit.
func positive(cmd *cobra.Command, name string, d time.Duration) error {
	if d < 0 || cmd.Flags().Changed(name) && d == 0 {
		return usageOf(cmd, "--"+name+" takes a duration above 0, such as 20s")
	}
	return nil
}

func runLock(ctx context.Context, a *app, o *lockOptions) error {
	c, err := a.load()
	if err != nil {
		return err
	}
	plan, errs := engine.Lock(ctx, c, o.names, engine.LockOptions{Version: a.version, Timeout: o.timeout, Update: o.update, Log: a.verboseLog})
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if len(errs) > 0 {
		return a.notLocked(errs)
	}
	if len(plan.Rows) == 0 {
		return wire.NewError(wire.NotFound, "the project has no servers to be locked", "add one with: mcpctl add NAME --project -- COMMAND")
	}
	change, err := c.Store.WriteLock(ctx, plan.File, o.dryRun)
	if err != nil {
		return err
	}
	for _, row := range plan.Rows {
		if row.Reason != "" {
			a.warn("server '"+row.Name+"' was not asked: "+row.Reason, "")
		}
	}
	doc := wire.Lock{Schema: wire.Schema, Source: change.Path, Unchanged: change.Unchanged, DryRun: o.dryRun, Servers: plan.Rows, Warnings: a.takeWarnings()}
	if change.Unchanged && !o.update && !o.dryRun && !a.quiet && a.json == "" && kept(plan.Rows) {
		report.Tell(a.streams.Err, report.Message{Text: "what is locked already was not asked again", Hint: "to ask again: mcpctl lock --update"})
	}
	if o.dryRun {
		doc.Diff = change.Diff()
	}
	return a.printLock(doc)
}

// notLocked is why nothing was written: the code is that of the first server that could not
// be asked, and each is told with what to do.
func (a *app) notLocked(errs []error) error {
	if a.json != "" {
		return together(errs)
	}
	for _, err := range errs[1:] {
		a.tellError(wire.FromError(err), "mcpctl test -v ")
	}
	return errs[0]
}

// printLock reports the write: nothing on a pipe, a table on a terminal.
func (a *app) printLock(doc wire.Lock) error {
	return a.print(doc, func(w *bytes.Buffer) error {
		if doc.DryRun {
			w.WriteString(doc.Diff)
			return nil
		}
		if !terminal(a.streams.Out) || a.quiet {
			return nil
		}
		if doc.Unchanged {
			a.say("unchanged: %s", doc.Source)
			return nil
		}
		var rows [][]string
		for _, sv := range doc.Servers {
			rows = append(rows, []string{sv.Name, string(sv.Result), packageCell(sv.Package), strconv.Itoa(sv.Tools)})
		}
		return report.Table(w, []string{"NAME", "RESULT", "PACKAGE", "TOOLS"}, rows)
	})
}

// kept tells whether a server was kept as it stood.
func kept(rows []wire.LockedRow) bool {
	return slices.ContainsFunc(rows, func(row wire.LockedRow) bool { return row.Result == wire.LockKept })
}

func packageCell(p *wire.Package) string {
	switch {
	case p == nil:
		return "-"
	case p.Origin == string(store.UnknownVersion):
		return p.Name + " (unknown version)"
	}
	return fmt.Sprintf("%s %s (%s)", p.Name, p.Version, p.Origin)
}
