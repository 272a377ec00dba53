package commands

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/mcpctl/mcpctl/internal/engine/wire"
	"github.com/mcpctl/mcpctl/internal/store"
)

// route is a way to servers: the supervisor, or with --direct a connection of this
// command's own. Both take the requests of the wire and give its answers and errors.
type route interface {
	// Call sends one request and waits for its answer.
	Call(ctx context.Context, method string, params, result any) error
	// OnProgress tells f of the progress of the call with that token, in order and
	// never behind its result, until stop is called. f must not block.
	OnProgress(token string, f func(wire.Progress)) (stop func())
	// OnElicit has f answer what servers ask for calls that say Elicit; each question
	// in a goroutine of its own.
	OnElicit(f func(ctx context.Context, q wire.Elicitation) wire.ElicitReply)
	Close() error
}

func directFlag(cmd *cobra.Command, direct *bool) {
	cmd.Flags().BoolVar(direct, "direct", false, "connect for this command alone, without the supervisor")
}

// reachHere finds the way to the servers of the configuration that a.open finds.
func (a *app) reachHere(ctx context.Context, direct bool) (route, error) {
	s, err := a.open()
	if err != nil {
		return nil, err
	}
	return a.reach(ctx, s, direct)
}

// reach finds the way to the servers of s.
func (a *app) reach(ctx context.Context, s *store.Store, direct bool) (route, error) {
	if direct && a.session != "" {
		return nil, usagef("--direct works in no session: give it or --session")
	}
	if direct {
		return a.newDirect(s), nil
	}
	return a.connectFor(ctx, s)
}
