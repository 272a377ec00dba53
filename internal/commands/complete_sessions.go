package commands

import (
	"context"
	"slices"

	"github.com/spf13/cobra"

	"github.com/mcpctl/mcpctl/internal/engine/supervisor"
	"github.com/mcpctl/mcpctl/internal/engine/wire"
)

// completeSessions completes the ids of sessions that can be named, those that stand
// there already left out. A supervisor that does not run is not started.
func (a *app) completeSessions(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	ctx, cancel := context.WithTimeout(context.Background(), lookTimeout)
	defer cancel()
	var known wire.Sessions
	_ = a.withRunning(ctx, func(ctx context.Context, c *supervisor.Client) error { // without an answer there is nothing to offer
		return c.Call(ctx, wire.MethodSessionList, nil, &known)
	})
	s, err := a.openQuietly()
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var out proposals
	for _, info := range known.Sessions {
		here := info.Kind == wire.KindKept || info.Kind == wire.KindDefault && info.Workspace == s.Workspace.Dir && info.Client == s.Client.Name
		if here && !slices.Contains(args, info.Session) {
			out.add(info.Session, info.Workspace)
		}
	}
	return out, cobra.ShellCompDirectiveNoFileComp
}
