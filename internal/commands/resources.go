package commands

import (
	"bytes"
	"context"
	"encoding/json"
	"time"

	"github.com/spf13/cobra"

	"github.com/mcpctl/mcpctl/internal/commands/report"
	"github.com/mcpctl/mcpctl/internal/engine/wire"
)

const resourcesHelp = `List the resources of one server, or of all, and the templates of resources. The
supervisor is started when there is none, and keeps the connections.

What stands under URI is what "mcpctl read" takes; the variables of a template, in
braces, are filled in first. With --json each definition is what the server sent. A
server that cannot be asked does not hide the resources of the others.`

// listOptionsOf are the options of the verbs that list what servers offer.
type offerOptions struct {
	server  string
	timeout time.Duration
	direct  bool
}

// offerCmd adds to a verb that lists what servers offer what all of them have.
func offerCmd(a *app, cmd *cobra.Command, run func(context.Context, *app, *offerOptions) error) *cobra.Command {
	o := &offerOptions{}
	cmd.Args, cmd.ValidArgsFunction = names(0, 1, "a server"), a.completeOneServer
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if o.timeout < 0 || cmd.Flags().Changed("timeout") && o.timeout == 0 {
			return usageOf(cmd, "--timeout takes a duration above 0, such as 20s")
		}
		if len(args) > 0 {
			o.server = args[0]
		}
		return run(cmd.Context(), a, o)
	}
	cmd.Flags().DurationVar(&o.timeout, "timeout", 0, "wait at most `D` such as 20s for each server (default 1m)")
	directFlag(cmd, &o.direct)
	return cmd
}

// offered asks for what servers offer.
func (a *app) offered(ctx context.Context, o *offerOptions, method string, doc any) error {
	r, err := a.reachHere(ctx, o.direct)
	if err != nil {
		return err
	}
	defer r.Close()
	in := wire.InServer{Session: wire.DefaultSession, Server: o.server, TimeoutMS: o.timeout.Milliseconds()}
	return r.Call(ctx, method, in, doc)
}

func newResourcesCmd(a *app) *cobra.Command {
	return offerCmd(a, &cobra.Command{
		Use: "resources [SERVER]", Short: "list the resources of servers", Long: resourcesHelp,
		Example: "  mcpctl resources\n  mcpctl resources docs --json | jq '.servers[0].resources[].uri'",
	}, runResources)
}

func runResources(ctx context.Context, a *app, o *offerOptions) error {
	var doc wire.Resources
	if err := a.offered(ctx, o, wire.MethodListResources, &doc); err != nil {
		return err
	}
	if err := a.print(doc, func(w *bytes.Buffer) error { return resourcesTable(w, doc) }); err != nil {
		return err
	}
	a.sayNone(len(doc.Servers))
	var failed []*wire.Error
	for _, sv := range doc.Servers {
		for _, e := range []*wire.Error{sv.Error, sv.TemplatesError} {
			if e != nil {
				failed = append(failed, e.On(sv.Name))
			}
		}
	}
	return a.someFailed(failed)
}

func resourcesTable(w *bytes.Buffer, doc wire.Resources) error {
	var rows [][]string
	for _, sv := range doc.Servers {
		for _, raw := range sv.Resources {
			rows = append(rows, resourceRow(sv.Name, "resource", raw))
		}
		for _, raw := range sv.Templates {
			rows = append(rows, resourceRow(sv.Name, "template", raw))
		}
	}
	if len(rows) == 0 {
		return nil
	}
	return report.Table(w, []string{"SERVER", "KIND", "URI", "TYPE", "NAME", "DESCRIPTION"}, rows)
}

func resourceRow(server, kind string, raw json.RawMessage) []string {
	var r struct{ URI, URITemplate, MimeType, Name, Title, Description string }
	_ = json.Unmarshal(raw, &r) // what makes no sense has empty cells
	if r.URI == "" {
		r.URI = r.URITemplate
	}
	if r.Title != "" {
		r.Name = r.Title
	}
	return []string{server, kind, r.URI, r.MimeType, r.Name, firstLineOf(r.Description)}
}
