package dial

import (
	"net"
	"net/http"
	"sync"
	"testing"
)

// hangUp closes a request's connection, with a reset or without.
func hangUp(t *testing.T, w http.ResponseWriter, reset bool) {
	t.Helper()
	c, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		t.Error(err)
		return
	}
	if reset {
		c.(*net.TCPConn).SetLinger(0)
	}
	c.Close()
}

// TestAKeptConnectionIsGivenUp: a server may close a connection that was kept open just
// when the next request is on its way. What may be repeated goes out once more; a tool
// call does not.
func TestAKeptConnectionIsGivenUp(t *testing.T) {
	t.Parallel()
	for name, reset := range map[string]bool{"closed": false, "reset": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var mu sync.Mutex
			used := map[string]bool{} // connections, by the client's port
			s := newWeb(t, func(w http.ResponseWriter, r *http.Request, m oddMessage) bool {
				mu.Lock()
				again := used[r.RemoteAddr]
				used[r.RemoteAddr] = true
				mu.Unlock()
				if again {
					hangUp(t, w, reset)
				}
				return again
			})
			c := s.fixture(t).connect()
			if tools, err := c.ListTools(t.Context()); err != nil || names(tools) != "echo" {
				t.Errorf("%v %v", tools, err)
			}
			_, err := c.CallTool(t.Context(), "echo", nil, 0)
			wantError(t, err, CodeOutcomeUnknown)
			if n := s.count("tools/call"); n != 1 {
				t.Errorf("%d calls", n)
			}
		})
	}
}
