package commands

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/mcpctl/mcpctl/internal/engine"
	"github.com/mcpctl/mcpctl/internal/store"
)

const enableHelp = `Switch a server on. Without a scope flag this is the user's private word for this
workspace: what disables the server in the local file is taken away, or, when the
server is disabled below, the local file says that it is enabled. It holds for mcpctl
and what runs servers through it: another program goes by its own files, in which --user
or --project switches it. With a client chosen, by --client or the settings, it is for the
server of that client alone, and above what is said without one, which is for the servers
of that name of every client.

With --user or --project the entry's own switch in that file is set. A server that
the local file itself defines has its switch there.

With --session, or --scope session, it is the word of one session alone, above every
file, until the session ends: of the workspace's default one, or of --session=ID. See
mcpctl session.

An override of the local file that lies on no server any more is taken away.
Several names are all switched, or, when one is not there, none.

Enabling never approves: an entry of a project that waits for approval still does.`

const disableHelp = `Switch a server off without losing its entry. Without a scope flag this is the
user's private word for this workspace: an override {"enabled": false} in the local
file, so that a project's file stays as it is for everybody else. It holds for mcpctl
and what runs servers through it: another program goes by its own files, in which --user
or --project switches it. With a client chosen, by --client or the settings, it is for the
server of that client alone, in the part clients.CLIENT.mcpServers of the local file, and
above what is said without one, which is for the servers of that name of every client.
A server that the local file itself defines is the same one for every client.

With --user or --project the entry's own switch in that file is set; with --project
a server that is defined elsewhere gets an override in the project's file, which is
approved, since its author is the user. A server that the local file itself defines
has its switch there.

With --session, or --scope session, it is the word of one session alone, above every
file, until the session ends: of the workspace's default one, or of --session=ID. A
server with calls in flight stops when they are done. What the session itself
registered has no switch: mcpctl remove NAME --session.

Several names are all switched, or, when one is not there, none.`

func newEnableCmd(a *app) *cobra.Command {
	return newSwitchCmd(a, &cobra.Command{Use: "enable NAME...", Short: "switch a server on", Long: enableHelp,
		Example: "  mcpctl enable docs\n  mcpctl enable docs --user"}, true)
}

func newDisableCmd(a *app) *cobra.Command {
	return newSwitchCmd(a, &cobra.Command{Use: "disable NAME...", Short: "switch a server off and keep its entry", Long: disableHelp,
		Example: "  mcpctl disable docs\n  mcpctl disable docs --project\n  mcpctl disable docs --session"}, false)
}

type switchOptions struct {
	scope  scopeFlags
	names  []string
	on     bool
	dryRun bool
}

func newSwitchCmd(a *app, cmd *cobra.Command, on bool) *cobra.Command {
	o := &switchOptions{on: on}
	cmd.Args, cmd.ValidArgsFunction = names(1, -1, "servers"), a.completeServers
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		o.names = unique(args)
		return runSwitch(cmd.Context(), a, o)
	}
	o.scope.registerWithSession(cmd)
	cmd.Flags().BoolVar(&o.dryRun, "dry-run", false, "write nothing; show the difference")
	return cmd
}

func runSwitch(ctx context.Context, a *app, o *switchOptions) error {
	if session, err := a.inSession(&o.scope); err != nil || session {
		if err == nil {
			err = a.changeSession(ctx, o.dryRun, func(w *sessionChange) error { return w.switchAll(ctx, o.names, o.on) })
		}
		return err
	}
	scope, err := o.scope.scope(store.Local)
	if err != nil {
		return err
	}
	c, err := a.load()
	if err != nil {
		return err
	}
	for _, name := range o.names { // all or none: what would fail is found out before anything is written
		if len(c.Named(name)) == 0 {
			return c.NotFound(name)
		}
		if len(o.names) > 1 {
			if _, err := c.Switch(ctx, store.SwitchRequest{Scope: scope, Name: name, On: o.on, DryRun: true}); err != nil {
				return err
			}
		}
	}
	if len(o.names) > 1 {
		c.Store = c.Store.Together()
	}
	for _, name := range o.names {
		if err := o.one(ctx, a, c, scope, name); err != nil {
			return err
		}
		c = c.Store.Load() // with what was just written
	}
	return nil
}

// one switches one server in a file.
func (o *switchOptions) one(ctx context.Context, a *app, c *store.Config, scope store.Scope, name string) error {
	change, err := c.Switch(ctx, store.SwitchRequest{Scope: scope, Name: name, On: o.on, DryRun: o.dryRun})
	if err != nil {
		return err
	}
	done := map[bool]string{true: "enabled", false: "disabled"}[o.on]
	if !o.dryRun {
		for _, w := range engine.Overruled(c.Store.Load(), name, o.on) {
			a.warn(w.Message, w.Hint)
		}
	}
	a.warnOf(change)
	return a.printEdit(c.Store, change, done)
}
