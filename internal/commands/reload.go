package commands

import (
	"bytes"
	"context"

	"github.com/spf13/cobra"

	"github.com/mcpctl/mcpctl/internal/commands/report"
	"github.com/mcpctl/mcpctl/internal/engine"
	"github.com/mcpctl/mcpctl/internal/engine/supervisor"
	"github.com/mcpctl/mcpctl/internal/engine/wire"
	"github.com/mcpctl/mcpctl/internal/store"
)

const reloadHelp = `Read every file of the workspace's session again, now, and bring its servers in line.
The supervisor does that by itself when a file changes; this is for those who cannot
wait, for file systems that give no events, and to have servers take up the variables
of this shell, which become those of the default session.

Only what changed is started again: an entry, what lies on it, its approval, or a variable
it names. A server with calls in flight reloads, or stops when it was removed or switched
off, when they are done, and is told as pending; one of a project that is not approved any
more, or is gone from the project's file, stops at once. With --all every server is
started again, whatever changed. The command does not wait for the servers; see mcpctl
status.

A file that is empty or blank has no servers, as one that is missing. By itself the
supervisor believes an empty file after 100 milliseconds in which it stayed so, and a
missing one after a second, since editors save in steps; reload believes it at once.

What does not parse is told, the exit status is then 10, and the servers of that file
go on as they were. Without a supervisor, or a session of this workspace, nothing runs
that could reload: nothing is started, and what is wrong with the files is told.`

func newReloadCmd(a *app) *cobra.Command {
	var all bool
	cmd := &cobra.Command{
		Use: "reload", Short: "read the files again now", Long: reloadHelp, Args: names(0, 0, ""),
		Example: "  mcpctl reload\n  mcpctl reload --all --json | jq .restarted",
		RunE:    func(cmd *cobra.Command, _ []string) error { return runReload(cmd.Context(), a, all) },
	}
	cmd.Flags().BoolVar(&all, "all", false, "start every server again, whatever changed")
	return cmd
}

func runReload(ctx context.Context, a *app, all bool) error {
	s, err := a.open()
	if err != nil {
		return err
	}
	doc := wire.Reloaded{}
	err = a.withRunning(ctx, func(ctx context.Context, c *supervisor.Client) error {
		open := a.sessionOpen(s)
		open.Existing = true // opening it would read the files, and this is to tell what that did
		if err := c.SendOpen(ctx, open); err != nil {
			return err
		}
		return c.Call(ctx, wire.MethodReload, wire.Reload{Session: wire.DefaultSession, All: all}, &doc)
	})
	switch absent := err != nil && wire.FromError(err).Word == wire.NotFound; {
	case err != nil && (!absent || a.namesSession()):
		return err
	case doc.Schema == 0 && a.namesSession():
		return noSession(a.session)
	case doc.Schema == 0:
		doc = nothingToReload(s)
		a.say("nothing runs here")
	}
	if err := a.print(doc, func(w *bytes.Buffer) error { return reloadTable(w, doc) }); err != nil {
		return err
	}
	if a.problems(doc.Problems) {
		return exit(wire.ConfigInvalid.Exit())
	}
	return nil
}

// nothingToReload is the answer where no session is: what the files say.
func nothingToReload(s *store.Store) wire.Reloaded {
	c := s.Load()
	doc := wire.Reloaded{Schema: wire.Schema, Session: wire.DefaultSession, Started: []string{}, Restarted: []string{}, Stopped: []string{}, Pending: []string{},
		Problems: engine.Problems(c.Problems)}
	for _, row := range c.Rows {
		doc.Problems = append(doc.Problems, engine.Problems(row.Entry.Problems)...)
	}
	return doc
}

func reloadTable(w *bytes.Buffer, doc wire.Reloaded) error {
	var rows [][]string
	for _, part := range []struct {
		what  string
		names []string
	}{{"started", doc.Started}, {"restarted", doc.Restarted}, {"stopped", doc.Stopped}, {"pending", doc.Pending}} {
		for _, name := range part.names {
			rows = append(rows, []string{name, part.what})
		}
	}
	if len(rows) == 0 {
		return nil
	}
	return report.Table(w, []string{"NAME", "RELOAD"}, rows)
}
