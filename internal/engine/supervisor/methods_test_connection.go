package supervisor

import (
	"context"
	"time"

	"github.com/mcpctl/mcpctl/internal/engine"
	"github.com/mcpctl/mcpctl/internal/engine/wire"
)

// maxTestMS bounds what a client may wait for a test, as an entry's own timeout is
// bounded.
const maxTestMS = int64(24 * time.Hour / time.Millisecond)

// testConnection connects to a server outside of the engines, or to all that are in
// force when none is named. That one fails is an answer, not an error.
func testConnection(c *connection, req wire.Request) (func(context.Context), error) {
	var in wire.InServer
	sess, err := c.decode(req, &in, &in.Session)
	if err != nil {
		return nil, err
	}
	if in.TimeoutMS < 0 || in.TimeoutMS > maxTestMS {
		return nil, wire.NewError(wire.Usage, "'timeoutMs' is at least 0 and at most a day", "")
	}
	env := c.environFor(in.Session)
	return func(ctx context.Context) {
		st, err := reopened(sess, env)
		if err != nil {
			req.Reply(ctx, nil, err)
			return
		}
		config, names := st.Load(), []string{in.Server}
		if in.Server == "" {
			if names, err = engine.ToTest(config); err != nil {
				req.Reply(ctx, nil, err)
				return
			}
		}
		doc, _ := engine.Test(ctx, config, names, engine.TestOptions{Version: c.s.o.Version, Timeout: time.Duration(in.TimeoutMS) * time.Millisecond, SignIns: c.s.signInsOf(st)})
		req.Reply(ctx, doc, nil)
	}, nil
}
