// Package gateway offers one session's servers as one MCP server (design §13): what a
// client asks goes to the server it concerns, and what servers say by themselves to the
// client whose request caused it. The protocol is the SDK's; names, routing and what is
// offered are decided here. Results of servers pass as the bytes they sent.
package gateway

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/mcpctl/mcpctl/internal/engine"
	"github.com/mcpctl/mcpctl/internal/engine/supervisor"
	"github.com/mcpctl/mcpctl/internal/engine/wire"
)

// Options say what is offered.
type Options struct {
	Dial    supervisor.DialOptions // how the supervisor is reached; Notified is set here
	Open    wire.SessionOpen       // the session of each client; its ID, Roots, Capabilities, ProtocolVersion and For are set here
	Version string                 // of this program
	Naming  engine.Naming          // "": one server, whose names are left alone
	Whole   bool                   // results are never cut
	Wait    time.Duration          // of a client at its start, for servers that start; see DefaultWait
	Idle    time.Duration          // after which a session over HTTP ends; see DefaultIdle
	Origins []string               // of pages that are served over HTTP, such as http://localhost:6274
	Tell    func(string)           // is told what goes wrong beside the protocol; not nil
}

// Gateway offers servers to clients, each of which has a session of its own at the
// supervisor.
type Gateway struct {
	o Options

	mu     sync.Mutex
	offers map[*offer]bool
	shared *offer // of all clients that have no session, nil before the first
	closed bool
}

// New makes a gateway. Nothing is reached before a client asks.
func New(o Options) *Gateway {
	return &Gateway{o: o, offers: map[*offer]bool{}}
}

// Close ends what is offered, and with it the sessions at the supervisor.
func (g *Gateway) Close() {
	g.mu.Lock()
	g.closed = true
	offers := g.offers
	g.offers, g.shared = nil, nil
	g.mu.Unlock()
	for o := range offers {
		o.end()
	}
}

// add keeps an offer that is used, so that Close ends it. False: it is too late.
func (g *Gateway) add(o *offer) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.closed {
		return false
	}
	g.offers[o] = true
	return true
}

func (g *Gateway) drop(o *offer) {
	g.mu.Lock()
	defer g.mu.Unlock()
	delete(g.offers, o)
}

// stateless is the offer that all clients share whose protocol has no sessions: they
// cannot be told apart, since all of them hold the one token of this gateway.
func (g *Gateway) stateless() *offer {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.shared == nil {
		g.shared = newOffer(g, true)
	}
	return g.shared
}

// find is the offer of an HTTP session; nil when there is none. Requests that stand alone
// have no session, and no id.
func (g *Gateway) find(id string) *offer {
	if id == "" {
		return nil
	}
	g.mu.Lock()
	offers := slices.Collect(maps.Keys(g.offers))
	g.mu.Unlock() // an offer that begins holds its own lock and takes this one
	for _, o := range offers {
		if o.sessionID() == id {
			return o
		}
	}
	return nil
}

// call sends one request to the supervisor and returns its answer.
func call[R any](ctx context.Context, u *upstream, method string, params func(session string) any) (R, error) {
	var result R
	err := u.call(ctx, method, params, &result)
	return result, err
}
