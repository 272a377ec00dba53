package commands

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/mcpctl/mcpctl/internal/commands/report"
	"github.com/mcpctl/mcpctl/internal/engine/wire"
)

const toolsHelp = `List the tools of one server, or of all. The supervisor is started when there is
none, and keeps the connections.

With --json each tool's definition is what the server sent. JOINED is the name by
which the tools of several servers can be told apart. A server that cannot be
asked does not hide the tools of the others; --timeout bounds the wait for each,
which is a minute otherwise.`

func newToolsCmd(a *app) *cobra.Command {
	var timeout time.Duration
	cmd := &cobra.Command{
		Use: "tools [SERVER]", Short: "list the tools of servers", Long: toolsHelp,
		Example: "  mcpctl tools\n  mcpctl tools docs --json | jq '.servers[0].tools[].definition.inputSchema'",
		Args:    names(0, 1, "a server"), ValidArgsFunction: a.completeOneServer,
		RunE: func(cmd *cobra.Command, args []string) error {
			if timeout < 0 || cmd.Flags().Changed("timeout") && timeout == 0 {
				return usageOf(cmd, "--timeout takes a duration above 0, such as 20s")
			}
			in := wire.InServer{Session: wire.DefaultSession, Server: strings.Join(args, ""), TimeoutMS: timeout.Milliseconds()}
			return runTools(cmd.Context(), a, in)
		},
	}
	cmd.Flags().DurationVar(&timeout, "timeout", 0, "wait at most `D` such as 20s for each server (default 1m)")
	return cmd
}

func runTools(ctx context.Context, a *app, in wire.InServer) error {
	client, err := a.connect(ctx)
	if err != nil {
		return err
	}
	defer client.Close()
	var doc wire.Tools
	if err := client.Call(ctx, wire.MethodListTools, in, &doc); err != nil {
		return err
	}
	if err := a.print(doc, func(w *bytes.Buffer) error { return toolsTable(w, doc) }); err != nil {
		return err
	}
	failed := false
	for _, sv := range doc.Servers {
		if sv.Error == nil {
			continue
		}
		failed = true
		if a.json == "" {
			a.tellError(sv.Error.On(sv.Name), "mcpctl logs ")
		}
	}
	if failed {
		return exit(1)
	}
	return nil
}

func toolsTable(w *bytes.Buffer, doc wire.Tools) error {
	var rows [][]string
	for _, sv := range doc.Servers {
		for _, t := range sv.Tools {
			detail := firstLine(t.Definition)
			if t.Unusable != "" {
				detail = "unusable: " + t.Unusable
			}
			rows = append(rows, []string{sv.Name, t.Name, t.Joined, detail})
		}
	}
	if len(rows) == 0 {
		return nil
	}
	return report.Table(w, []string{"SERVER", "TOOL", "JOINED", "DESCRIPTION"}, rows)
}

// firstLine is the first line of a tool's description, or its title.
func firstLine(definition json.RawMessage) string {
	var d struct{ Description, Title string }
	if json.Unmarshal(definition, &d) != nil {
		return ""
	}
	if d.Description == "" {
		d.Description = d.Title
	}
	line, _, _ := strings.Cut(strings.TrimSpace(d.Description), "\n")
	return line
}
