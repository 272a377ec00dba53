package supervisor

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/mcpctl/mcpctl/internal/engine/wire"
)

// TestClosedSessionsLeaveNothing: sessions with real servers, calls and watches come
// and go with their connections, and each time goroutines, descriptors and processes
// are as they were.
func TestClosedSessionsLeaveNothing(t *testing.T) {
	p := newPlace(t)
	entry := map[string]any{"command": ownFile(), "env": map[string]string{asStub: "1"}}
	text, err := json.Marshal(map[string]any{"mcpServers": map[string]any{"a": entry, "b": entry, "c": entry}})
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(p.dir, "config", "mcp", "mcp.json")
	if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o700), os.WriteFile(file, text, 0o600)); err != nil {
		t.Fatal(err)
	}
	p.serve(t, nil, nil)
	dir := p.workspace(t, "w")
	round := func() {
		c, err := Dial(t.Context(), p.options(false))
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		for range 3 {
			open := p.open(dir)
			open.ID = ""
			opened, err := c.Open(t.Context(), open)
			if err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithCancel(t.Context())
			err = c.Watch(ctx, opened.Session, func(wire.Status) error { cancel(); return nil })
			if !errors.Is(err, context.Canceled) {
				t.Fatal(err)
			}
			var tools wire.Tools
			if err := c.Call(t.Context(), wire.MethodListTools, wire.InServer{Session: opened.Session}, &tools); err != nil {
				t.Fatal(err)
			}
			for _, s := range tools.Servers {
				if s.Error != nil && s.Name != "w" { // that one waits for approval
					t.Fatalf("%s: %v", s.Name, s.Error)
				}
			}
			if _, err := c.CallTool(t.Context(), wire.CallTool{Session: opened.Session, Server: "a", Tool: "echo", Arguments: json.RawMessage(`{}`)}); err != nil {
				t.Fatal(err)
			}
		}
	}
	closed := func() {
		eventually(t, "the sessions are closed", func() bool {
			info, err := Status(t.Context(), p.places)
			return err == nil && len(info.Sessions) == 0
		})
	}
	round() // what is made once, such as the poller, is there from now on
	closed()
	var goroutines, descriptors int
	eventually(t, "rest", func() bool {
		before := runtime.NumGoroutine()
		goroutines, descriptors = runtime.NumGoroutine(), openDescriptors(t)
		return before == goroutines
	})
	defer func() {
		if t.Failed() {
			buf := make([]byte, 1<<20)
			t.Logf("%s", buf[:runtime.Stack(buf, true)])
		}
	}()
	for range 3 {
		round()
		closed()
	}
	eventually(t, "the goroutines have ended", func() bool { return runtime.NumGoroutine() <= goroutines })
	eventually(t, "the descriptors are closed", func() bool { return openDescriptors(t) <= descriptors })
}
