package dial

import (
	"net/http"
	"sync/atomic"
	"testing"
	"time"
)

// TestCallsWaitForTheStream: a call is not sent before the server has answered the GET
// on which it asks its questions; one that never does costs a moment, once.
func TestCallsWaitForTheStream(t *testing.T) {
	t.Parallel()
	var opened, overtaken atomic.Bool
	called := make(chan struct{}, 9)
	s := newWeb(t, func(w http.ResponseWriter, r *http.Request, m oddMessage) bool {
		if m.Method == "tools/call" {
			overtaken.Store(overtaken.Load() || !opened.Load())
			called <- struct{}{}
		}
		if r.Method != http.MethodGet {
			return false
		}
		select { // a server that takes its time
		case <-called:
		case <-time.After(openingWait / 5):
		}
		opened.Store(true)
		w.Header().Set("Content-Type", "text/event-stream")
		w.WriteHeader(http.StatusOK)
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
		return true
	})
	f := s.fixture(t)
	f.options.ListChanged = func(string) {}
	c := f.connect()
	for range 2 {
		if _, err := c.CallTool(t.Context(), "echo", nil, 0); err != nil {
			t.Fatal(err)
		}
	}
	if overtaken.Load() {
		t.Error("a call came before the stream was open")
	}
}
