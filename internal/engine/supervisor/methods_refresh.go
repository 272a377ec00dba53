package supervisor

import (
	"context"
	"fmt"
	"runtime/debug"
	"sync"

	"github.com/mcpctl/mcpctl/internal/engine/wire"
	"github.com/mcpctl/mcpctl/internal/store"
)

// refresh has every session look at its files, all at the same time: the user's file
// is every workspace's, and one that takes long holds up no other.
func refresh(c *connection, req wire.Request) (func(context.Context), error) {
	var in wire.Refresh
	if len(req.Params) > 0 {
		if err := req.Decode(&in); err != nil {
			return nil, err
		}
	}
	return func(ctx context.Context) {
		var all sync.WaitGroup
		for _, sess := range c.s.openSessions() {
			all.Go(func() { c.s.refreshed(sess, in.Files) })
		}
		all.Wait()
		req.Reply(ctx, struct{}{}, nil)
	}, nil
}

// refreshed lets one session look. Its panic is its own.
func (s *server) refreshed(sess session, files []string) {
	defer func() {
		if p := recover(); p != nil {
			s.log.event("error", fmt.Sprintf("reading the files of a session failed: %v\n%s", p, debug.Stack()))
		}
	}()
	sess.Edited(files)
}

// Tell lets the supervisor of these places, if one runs, know that files were edited,
// and returns when its sessions have seen it or ctx ends. It starts none. One that does
// not know the request finds out by itself.
func Tell(ctx context.Context, p store.Places, version string, files []string) error {
	c, err := Dial(ctx, DialOptions{Places: p, Version: version})
	if err != nil {
		return err
	}
	defer c.Close()
	return c.Call(ctx, wire.MethodRefresh, wire.Refresh{Files: files}, nil)
}
