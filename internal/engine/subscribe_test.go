package engine

import (
	"testing"
	"time"

	"github.com/mcpctl/mcpctl/internal/engine/wire"
)

// TestLastGoesAsTheNextComes: a subscription that is taken back takes none away from who
// subscribed before the server was told.
func TestLastGoesAsTheNextComes(t *testing.T) {
	h := newHome(t)
	h.write(h.user, `{"mcpServers": {"s": `+stubEntry(t, true, "-subscribe", "-resources", "stub://a")+`}}`)
	s := h.session(true)
	heard := make(chan struct{}, 1)
	cancel, err := s.Subscribe(t.Context(), wire.Resource{Server: "s", URI: "stub://a"}, func(string) { poke(heard) })
	if err != nil {
		t.Fatal(err)
	}
	sv, err := s.server("s")
	if err != nil {
		t.Fatal(err)
	}
	sv.takeBack("stub://a") // of one who was the last when he went
	for range 2 {           // of the change-over, and of the change
		select {
		case <-heard:
		case <-time.After(patience):
			t.Fatal("the subscription is lost")
		}
		if _, err := s.CallTool(t.Context(), wire.CallTool{Server: "s", Tool: "echo"}); err != nil {
			t.Fatal(err)
		}
	}
	cancel()
	if s.hub.wants("s", "stub://a") {
		t.Error("nobody wants it")
	}
}
