package commands

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/mcpctl/mcpctl/internal/engine/supervisor"
	"github.com/mcpctl/mcpctl/internal/store"
)

// route is a way to servers: the supervisor, or with --direct a connection of this
// command's own. Both take the requests of the wire and give its answers and errors.
type route interface {
	// Call sends one request and waits for its answer.
	Call(ctx context.Context, method string, params, result any) error
	// Listen names who is told of what comes back while a call is under way. It is
	// called before the call, and told from another goroutine.
	Listen(l supervisor.Listener)
	Close() error
}

func directFlag(cmd *cobra.Command, direct *bool) {
	cmd.Flags().BoolVar(direct, "direct", false, "connect for this command alone, without the supervisor")
}

// reach finds the way to the servers of s.
func (a *app) reach(ctx context.Context, s *store.Store, direct bool) (route, error) {
	if direct {
		return a.newDirect(s), nil
	}
	return a.connectFor(ctx, s)
}
