package gateway

import (
	"context"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// The SDK leaves a request unanswered whose id is that of another one under way. Here it
// is refused before it gets there, and the other one goes on.

// idInUse is what such a request is answered.
const idInUse = "a request with this id is under way"

// ids are those of the requests of one client that are under way.
type ids struct {
	mu  sync.Mutex
	all map[jsonrpc.ID]bool
}

// take notes ids, all or none of them; false: one of them is in use.
func (s *ids) take(some ...jsonrpc.ID) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	fresh := map[jsonrpc.ID]bool{}
	for _, id := range some {
		if s.all[id] || fresh[id] {
			return false
		}
		fresh[id] = true
	}
	if s.all == nil {
		s.all = map[jsonrpc.ID]bool{}
	}
	for _, id := range some {
		s.all[id] = true
	}
	return true
}

// free lets ids be used again.
func (s *ids) free(some ...jsonrpc.ID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, id := range some {
		delete(s.all, id)
	}
}

// callsOf are the ids of the requests among messages.
func callsOf(messages []jsonrpc.Message) (out []jsonrpc.ID) {
	for _, m := range messages {
		if r, ok := m.(*jsonrpc.Request); ok && r.IsCall() {
			out = append(out, r.ID)
		}
	}
	return out
}

// freeing is a transport that frees the ids of requests with their answers.
type freeing struct {
	mcp.Transport
	used *ids
}

// Connect implements mcp.Transport.
func (f freeing) Connect(ctx context.Context) (mcp.Connection, error) {
	c, err := f.Transport.Connect(ctx)
	if err != nil {
		return nil, err
	}
	return &freeingConn{c, f.used}, nil
}

type freeingConn struct {
	mcp.Connection
	used *ids
}

// Write implements mcp.Connection. Who has read the answer may use the id at once.
func (c *freeingConn) Write(ctx context.Context, m jsonrpc.Message) error {
	if answer, ok := m.(*jsonrpc.Response); ok {
		c.used.free(answer.ID)
	}
	return c.Connection.Write(ctx, m)
}
