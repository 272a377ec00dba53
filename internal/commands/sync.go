package commands

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/mcpctl/mcpctl/internal/store"
)

const syncHelp = `Copy the servers of one client's file into another client's, in its shape. Without
names all of them are meant. Servers that only the target has stay: nothing is removed.

The files are those of the user, or with --project those of the project; --from-scope
takes the servers from another one of the source's. A server of a project file is copied
only when it is approved there.

`

const syncExamples = `  mcpctl sync --from native --to pi --dry-run
  mcpctl sync --from claude --to cursor --on-conflict replace --yes`

type syncOptions struct {
	copyFlags
	from, to, fromScope string
	names               []string
}

func newSyncCmd(a *app) *cobra.Command {
	o := &syncOptions{}
	cmd := &cobra.Command{
		Use: "sync --from CLIENT --to CLIENT [NAME...]", Short: "copy servers from one client's file to another's", Long: syncHelp + copyHelp, Example: syncExamples,
		Args: names(0, -1, ""), ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, args []string) error {
			o.names = args
			return runSync(cmd.Context(), a, o)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.from, "from", "", "copy from the files of client `NAME`")
	f.StringVar(&o.to, "to", "", "copy into the file of client `NAME`")
	f.StringVar(&o.fromScope, "from-scope", "", "take the servers of `SCOPE`: user, project or local")
	o.register(f)
	for _, name := range []string{"from", "to"} {
		_ = cmd.RegisterFlagCompletionFunc(name, cobra.FixedCompletions(store.Clients(), cobra.ShellCompDirectiveNoFileComp))
	}
	return cmd
}

func runSync(ctx context.Context, a *app, o *syncOptions) error {
	switch {
	case o.from == "" || o.to == "":
		return usagef("say --from CLIENT and --to CLIENT")
	case a.client != "":
		return usagef("--client says nothing here: --from and --to name the clients")
	}
	req, err := o.request(o.names)
	if err != nil {
		return err
	}
	scope, err := fromScope(o.fromScope, req.Scope)
	if err != nil {
		return err
	}
	if o.from == o.to && scope == req.Scope {
		return usagef("that is the same file twice")
	}
	into, err := a.openFor(o.to)
	if err != nil {
		return err
	}
	from, err := into.ClientOffers(o.from, scope)
	if err != nil {
		return err
	}
	return copying{flags: &o.copyFlags, from: from, into: into, req: req}.run(ctx, a)
}

// openFor is open for the files of one client.
func (a *app) openFor(name string) (*store.Store, error) {
	before := a.client
	a.client = name
	defer func() { a.client = before }()
	return a.open()
}
