package dial

import (
	"net/http"
	"sync"
	"testing"
)

// TestKeptConnectionsGivenUp: a server may give up a connection while a request is on its
// way to it. The request goes out on another one, unless it is a tool call, which is sent
// once.
func TestKeptConnectionsGivenUp(t *testing.T) {
	t.Parallel()
	var used sync.Map
	s := newWeb(t, func(w http.ResponseWriter, r *http.Request, _ oddMessage) bool {
		if _, again := used.LoadOrStore(r.RemoteAddr, true); !again {
			return false
		}
		kept, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			t.Error(err)
			return true
		}
		kept.Close()
		return true
	})
	c := s.fixture(t).connect()
	if _, err := c.ListTools(t.Context()); err != nil {
		t.Error(err)
	}
	_, err := c.CallTool(t.Context(), "echo", nil, 0)
	wantError(t, err, CodeOutcomeUnknown, "may have run")
	if n := s.count("tools/call"); n != 1 {
		t.Errorf("the call was sent %d times", n)
	}
}
