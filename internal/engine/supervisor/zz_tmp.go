package supervisor

import (
	"context"

	"github.com/mcpctl/mcpctl/internal/engine/wire"
)

func (c *Client) OnProgress(token string, f func(wire.Progress)) (stop func()) { return func() {} }
func (c *Client) OnElicit(f func(ctx context.Context, q wire.Elicitation) wire.ElicitReply) {
}
