package gateway

import (
	"context"
	"slices"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcpctl/mcpctl/internal/engine/wire"
)

// cached is a list as it was asked for last. It is asked for again when the version has
// grown, by one caller at a time.
type cached[T any] struct {
	behind func()        // told that what was given out is not the newest; must not block
	turn   chan struct{} // one token, for who asks

	mu      sync.Mutex
	version uint64
	have    T
	at      uint64 // the version of have
	ok      bool   // there is one
	asking  bool
}

func (c *cached[T]) init(behind func()) { c.behind, c.turn = behind, make(chan struct{}, 1) }

// stale says that what was given out may be different now. Nobody needs to know before
// anything was, and who asks just now is told when he has the answer.
func (c *cached[T]) stale() {
	c.mu.Lock()
	c.version++
	tell := c.ok && !c.asking
	c.mu.Unlock()
	if tell {
		c.behind()
	}
}

// last is what was asked for last, and whether anything was.
func (c *cached[T]) last() (T, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.have, c.ok
}

func (c *cached[T]) fresh() (T, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.have, c.ok && c.at == c.version
}

// get asks if need be.
func (c *cached[T]) get(ctx context.Context, ask func(context.Context) (T, error)) (T, error) {
	if have, ok := c.fresh(); ok {
		return have, nil
	}
	var none T
	select {
	case c.turn <- struct{}{}:
		defer func() { <-c.turn }()
	case <-ctx.Done():
		return none, ctx.Err()
	}
	if have, ok := c.fresh(); ok { // meanwhile
		return have, nil
	}
	version := c.begin()
	have, err := ask(ctx)
	return have, c.finish(have, version, err)
}

// begin notes the version before it is asked: a change while the answer is on its way is
// one that is still to be seen.
func (c *cached[T]) begin() uint64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.asking = true
	return c.version
}

func (c *cached[T]) finish(have T, version uint64, err error) error {
	c.mu.Lock()
	c.asking = false
	if err == nil {
		c.have, c.at, c.ok = have, version, true
	}
	tell := c.ok && c.version > version
	c.mu.Unlock()
	if tell {
		c.behind()
	}
	return err
}

// changed: everything may be different.
func (o *offer) changed() {
	o.tools.stale()
	o.prompts.stale()
	o.resources.stale()
}

// listChanged: a server lists something else, or has come or gone.
func (o *offer) listChanged(c wire.ListChanged) {
	switch c.List {
	case wire.ListOfTools:
		o.tools.stale()
	case wire.ListOfPrompts:
		o.prompts.stale()
	case wire.ListOfResources:
		o.resources.stale()
	}
}

// statusChanged notices who needs a sign-in, and who does not any more: there is a tool
// that tells so.
func (o *offer) statusChanged(st wire.Status) {
	var waiting []string
	for _, sv := range st.Servers {
		if sv.State == wire.NeedsSignIn {
			waiting = append(waiting, sv.Name)
		}
	}
	o.mu.Lock()
	same := slices.Equal(waiting, o.waiting)
	o.waiting = waiting
	o.mu.Unlock()
	if !same {
		o.tools.stale()
	}
}

// bell tells the client that lists have changed. The SDK does so, once in ten
// milliseconds and to who has asked for it, when something is added to its own lists or
// removed; nobody sees those, since receive answers for them.
type bell struct {
	server *mcp.Server

	mu      sync.Mutex
	down    map[string]bool // which of the SDK's lists have the mark
	stopped bool
}

const bellMark = "mcpctl"

func (b *bell) ring(list string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.stopped {
		return
	}
	if b.down == nil {
		b.down = map[string]bool{}
	}
	b.down[list] = !b.down[list]
	b.pull(list, b.down[list])
}

func (b *bell) pull(list string, add bool) {
	switch {
	case list == wire.ListOfTools && add:
		b.server.AddTool(&mcp.Tool{Name: bellMark, InputSchema: map[string]any{"type": "object"}}, nil)
	case list == wire.ListOfTools:
		b.server.RemoveTools(bellMark)
	case list == wire.ListOfPrompts && add:
		b.server.AddPrompt(&mcp.Prompt{Name: bellMark}, nil)
	case list == wire.ListOfPrompts:
		b.server.RemovePrompts(bellMark)
	case list == wire.ListOfResources && add:
		b.server.AddResource(&mcp.Resource{URI: bellMark + "://", Name: bellMark}, nil)
	case list == wire.ListOfResources:
		b.server.RemoveResources(bellMark + "://")
	}
}

func (b *bell) stop() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.stopped = true
}
