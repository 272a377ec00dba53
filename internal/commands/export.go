package commands

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mcpctl/mcpctl/internal/store"
)

const exportHelp = `Copy the servers that are in force here into another client's file, in its shape.
Without names all of them are meant: what mcpctl list shows as in force, with what
overrides say of it; what is not in force is left out, and counted in a warning. One that
is switched off here is switched off there, or, where the
client has no such switch, refused. References such as ${API_KEY} stay references,
spelt as the client spells them.

--to says where they go. With a client, that is its file of the user, or with --project the
one of the project. A FILE that is there is written in the shape that it has, and keeps its other
bytes; a new one, or one without servers, in that of mcpctl's own or of the client that --as
names. --as with another shape than the file's is refused. With - the text is printed.

With --gateway no servers are copied, but one entry, by which the client starts mcpctl
serve and has them all; with -C it names that workspace. See mcpctl serve --print-config,
which prints it.

A FILE in the project, and what is printed, must hold no secrets, as a project's file;
--secrets prints them all the same.

`

const exportExamples = `  mcpctl export --to cursor --dry-run
  mcpctl export --to pi docs --on-conflict replace
  mcpctl -C . export --gateway --to cursor
  mcpctl export --to - --as vscode --env-placeholders > mcp.json`

type exportOptions struct {
	copyFlags
	to, as  string
	secrets bool
	gateway bool
	names   []string
}

func newExportCmd(a *app) *cobra.Command {
	o := &exportOptions{}
	cmd := &cobra.Command{
		Use: "export --to {CLIENT | FILE | -} [NAME...]", Short: "copy servers from here into another program's file", Long: exportHelp + copyHelp, Example: exportExamples,
		Args: names(0, -1, ""), ValidArgsFunction: a.completeServers,
		RunE: func(cmd *cobra.Command, args []string) error {
			o.names = args
			return runExport(cmd.Context(), a, o)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.to, "to", "", "copy to `TARGET`: a client, a file, or - for stdout")
	f.StringVar(&o.as, "as", "", "write the file as one of client `NAME`")
	f.BoolVar(&o.gateway, "gateway", false, "copy no servers, but the entry by which the client starts mcpctl serve")
	f.BoolVar(&o.secrets, "secrets", false, "print secrets, with --to -")
	o.register(f)
	_ = cmd.RegisterFlagCompletionFunc("to", func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return store.Clients(), cobra.ShellCompDirectiveDefault
	})
	return cmd
}

func runExport(ctx context.Context, a *app, o *exportOptions) error {
	if err := o.check(); err != nil {
		return err
	}
	req, err := o.request(o.names)
	if err != nil {
		return err
	}
	c, err := a.load()
	if err != nil {
		return err
	}
	into, err := o.target(a, c.Store, &req)
	if err != nil {
		return err
	}
	from, err := o.offers(a, c)
	if err != nil {
		return err
	}
	if o.to == "-" {
		return o.toStdout(a, into, from, req)
	}
	return copying{flags: &o.copyFlags, from: from, into: into, req: req}.run(ctx, a)
}

// offers are the servers in force here, or the gateway that offers them.
func (o *exportOptions) offers(a *app, c *store.Config) (store.Offered, error) {
	if o.gateway {
		args, err := a.workspaceArgs()
		if err != nil {
			return store.Offered{}, err
		}
		text, _ := json.Marshal(map[string]map[string]json.RawMessage{"mcpServers": {gatewayName: gatewayEntry(args...)}}) // it always encodes
		return c.Store.TextOffers("mcpctl serve", text, store.TextRequest{})
	}
	from := store.Offered{Offers: c.Offers(), From: c.Store.Client.Title}
	if ready, left := store.Ready(from.Offers); len(o.names) == 0 && left > 0 && len(ready) > 0 {
		from.Offers = ready
		a.warn(fmt.Sprintf("left out, because not in force: %d", left), "see: mcpctl list; name one to be told why")
	}
	return from, nil
}

func (o *exportOptions) check() error {
	isClient := isClient(o.to)
	scope, err := o.scope.scope("")
	switch {
	case err != nil:
		return err
	case o.to == "":
		return usagef("say where to: --to CLIENT, --to FILE or --to -")
	case o.as != "" && isClient:
		return usagef("--as goes with a file or -: './%s' is the file of that name", o.to)
	case o.gateway && len(o.names) > 0:
		return usagef("--gateway copies no servers: mcpctl serve --servers says which it offers")
	case o.gateway && (o.to == store.NativeClient || !isClient && o.as == ""):
		return usagef("--gateway is for another client's file: the gateway would offer itself")
	case o.secrets && o.to != "-":
		return usagef("only --to - goes with --secrets")
	case !isClient && scope != "":
		return usagef("a scope goes with a client, not with a file")
	}
	return nil
}

// target is the store whose file is written.
func (o *exportOptions) target(a *app, s *store.Store, req *store.CopyRequest) (*store.Store, error) {
	if o.to == "-" {
		if a.json != "" {
			return nil, usagef("--to - prints the file itself: without --json")
		}
		into, _, err := s.At(store.Stdout, o.shape())
		return into, err
	}
	if isClient(o.to) {
		if o.to == s.Client.Name {
			return nil, usagef("these are the files of %s already", s.Client.Title)
		}
		return a.openFor(o.to)
	}
	if !strings.ContainsAny(o.to, "/.") { // a slip in a client's name makes no file
		err := usagef("no client is called '%s'", o.to)
		if err.Advice = "a file is written as ./" + o.to; store.Closest(o.to, store.Clients()) != "" {
			err.Advice = "did you mean '" + store.Closest(o.to, store.Clients()) + "'?"
		}
		return nil, err
	}
	path, err := a.absolute(o.to)
	if err != nil {
		return nil, err
	}
	shape, err := s.ShapeAt(path, o.as)
	if err != nil {
		return nil, err
	}
	into, inWorkspace, err := s.At(path, shape)
	req.Published = inWorkspace
	return into, err
}

func (o *exportOptions) shape() string {
	if o.as == "" {
		return store.NativeClient
	}
	return o.as
}

// toStdout prints what a file of its own would hold.
func (o *exportOptions) toStdout(a *app, into *store.Store, from store.Offered, req store.CopyRequest) error {
	req.Offers, req.Published = from.Offers, !o.secrets
	plan, err := into.PlanText(req)
	if err != nil {
		return err
	}
	text, err := plan.Text()
	if err != nil {
		return err
	}
	plan.Preview.DryRun = true // nothing is written that could be told of
	a.tellCopied(plan, false)
	a.writeText(string(text))
	if plan.Refused() > 0 {
		return exit(1)
	}
	return nil
}
