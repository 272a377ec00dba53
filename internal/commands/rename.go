package commands

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/mcpctl/mcpctl/internal/store"
	"github.com/mcpctl/mcpctl/internal/store/redact"
)

const renameHelp = `Give a server another name. Only the bytes of its key change; value, place and
comments stay. Malformed entries and names that mcpctl does not accept can be
renamed too, by their exact name. Without a scope flag the file that defines the
server is changed.

The new name must be free in that file: one that falls together with another name,
differing only in case or in '-' and '_', is refused as well. The private override in
the local file follows to the new name, which a warning tells, unless another file
defines a server of the old one.

An entry of a project that is approved stays approved under the new name; one that
is denied stays denied under both; any other waits for approval as before.`

type renameOptions struct {
	scope    scopeFlags
	from, to string
	dryRun   bool
}

func newRenameCmd(a *app) *cobra.Command {
	o := &renameOptions{}
	cmd := &cobra.Command{
		Use: "rename OLD NEW", Aliases: []string{"mv"}, Short: "give a server another name", Long: renameHelp,
		Example: "  mcpctl rename docs handbook\n  mcpctl rename 'acme/db' acme-db --project",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) != 2 {
				return usageOf(cmd, "name the server and its new name")
			}
			o.from, o.to = args[0], args[1]
			return nil
		},
		ValidArgsFunction: a.completeOneServer,
		RunE:              func(cmd *cobra.Command, _ []string) error { return runRename(cmd.Context(), a, o) },
	}
	o.scope.register(cmd.Flags())
	cmd.Flags().BoolVar(&o.dryRun, "dry-run", false, "write nothing; show the difference")
	return cmd
}

func runRename(ctx context.Context, a *app, o *renameOptions) error {
	c, err := a.load()
	if err != nil {
		return err
	}
	scope, err := o.scope.definition(c, o.from)
	if err != nil {
		return err
	}
	c.Store = c.Store.Together()
	req := store.RenameRequest{Scope: scope, From: o.from, To: o.to, DryRun: true}
	if _, err := c.Store.RenameOrphans(ctx, req); err != nil { // before anything is written
		return err
	}
	req.DryRun = o.dryRun
	change, err := c.Store.Rename(ctx, req)
	if err != nil {
		return err
	}
	a.warnOf(change)
	with, err := c.Store.RenameOrphans(ctx, req)
	if len(with) > 0 {
		a.warn("the override of '"+o.from+"' in "+with[0].Path+" goes by '"+o.to+"' as well", "")
	}
	if err != nil {
		a.warn("the override of '"+o.from+"' stays under the old name: "+err.Error(), "")
	}
	for _, src := range c.Sources {
		for _, e := range src.Entries {
			if stays := src.Scope != store.Local || len(with) == 0; stays && e.Name == o.from && e.Override != nil && src.Scope != scope && o.from != o.to {
				a.warn("an override of '"+o.from+"' stays under the old name in "+src.Path,
					"mcpctl rename "+redact.ShellWord(o.from)+" "+o.to+" --"+string(src.Scope))
			}
		}
	}
	return a.printEdit(c.Store, change, "renamed '"+o.from+"' to", with...)
}
