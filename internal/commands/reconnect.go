package commands

import (
	"context"
	"sync"

	"github.com/spf13/cobra"

	"github.com/mcpctl/mcpctl/internal/commands/report"
	"github.com/mcpctl/mcpctl/internal/engine/wire"
)

const reconnectHelp = `Start servers of this workspace's session again, whatever state they are in, and
wait until each is connected or has failed. It is the way back for a server that left
too often and is no longer started by itself. Calls in flight are lost: whether their
tools ran is not known.

A server that is switched off, not approved or invalid is not started; the error says
what to do. Of several names each is tried.

With --json the document is that of mcpctl status for these servers.`

func newReconnectCmd(a *app) *cobra.Command {
	return &cobra.Command{
		Use: "reconnect NAME...", Short: "start servers again", Long: reconnectHelp, Example: "  mcpctl reconnect docs",
		Args: names(1, -1, "a server"), ValidArgsFunction: a.completeServers,
		RunE: func(cmd *cobra.Command, args []string) error { return runReconnect(cmd.Context(), a, unique(args)) },
	}
}

func runReconnect(ctx context.Context, a *app, names []string) error {
	client, err := a.connect(ctx)
	if err != nil {
		return err
	}
	defer client.Close()
	results := make([]error, len(names))
	var wg sync.WaitGroup
	for i, name := range names {
		wg.Go(func() {
			results[i] = client.Call(ctx, wire.MethodReconnect, wire.InServer{Session: wire.DefaultSession, Server: name}, nil)
		})
	}
	wg.Wait()
	var errs []error
	for _, err := range results {
		if err != nil {
			errs = append(errs, err)
		}
	}
	if err := joined(errs); err != nil || a.json == "" {
		return err
	}
	var status wire.Status
	if err := client.Call(ctx, wire.MethodStatus, wire.InSession{Session: wire.DefaultSession}, &status); err != nil {
		return err
	}
	status.Servers = only(status.Servers, names)
	return report.JSON(&a.out, status)
}
