package commands

import (
	"github.com/spf13/cobra"

	"github.com/mcpctl/mcpctl/internal/commands/report"
	"github.com/mcpctl/mcpctl/internal/engine/wire"
)

const reconnectHelp = `Start a server of this workspace's session again, whatever state it is in, and
wait until it is connected or has failed. It is the way back for a server that left
too often and is no longer started by itself.

With --json the document is that of mcpctl status for this server.`

func newReconnectCmd(a *app) *cobra.Command {
	return &cobra.Command{
		Use: "reconnect NAME", Short: "start a server again", Long: reconnectHelp, Example: "  mcpctl reconnect docs",
		Args: names(1, 1, "a server"), ValidArgsFunction: a.completeOneServer,
		RunE: func(cmd *cobra.Command, args []string) error {
			ctx := cmd.Context()
			client, err := a.connect(ctx)
			if err != nil {
				return err
			}
			defer client.Close()
			if err := client.Call(ctx, wire.MethodReconnect, wire.InServer{Session: wire.DefaultSession, Server: args[0]}, nil); err != nil || a.json == "" {
				return err
			}
			var status wire.Status
			if err := client.Call(ctx, wire.MethodStatus, wire.InSession{Session: wire.DefaultSession}, &status); err != nil {
				return err
			}
			status.Servers = only(status.Servers, args)
			return report.JSON(&a.out, status)
		},
	}
}
