package dial

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// TestNoticesOverHTTP: subscriptions, log messages and sampling with the SDK's own
// servers of both eras.
func TestNoticesOverHTTP(t *testing.T) {
	t.Parallel()
	for _, stateless := range []bool{false, true} {
		name := "session"
		if stateless {
			name = "stateless"
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := mcp.NewServer(&mcp.Implementation{Name: "live", Version: "1"}, &mcp.ServerOptions{
				SubscribeHandler:   func(context.Context, *mcp.SubscribeRequest) error { return nil },
				UnsubscribeHandler: func(context.Context, *mcp.UnsubscribeRequest) error { return nil },
			})
			read := func(context.Context, *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
				return &mcp.ReadResourceResult{}, nil
			}
			server.AddResource(&mcp.Resource{Name: "a", URI: "live://a"}, read)
			server.AddResource(&mcp.Resource{Name: "b", URI: "live://b"}, read)
			server.AddTool(&mcp.Tool{Name: "talk", InputSchema: json.RawMessage(`{"type":"object"}`)}, func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
				//lint:ignore SA1019 servers of all revisions before 2026-07-28 have it
				_ = req.Session.Log(ctx, &mcp.LoggingMessageParams{Level: "info", Data: "said"})
				return &mcp.CallToolResult{}, nil
			})
			web := httptest.NewServer(mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, &mcp.StreamableHTTPOptions{Stateless: stateless}))
			t.Cleanup(web.Close)
			f := newEntry(t, map[string]any{"type": "http", "url": web.URL})
			var mu sync.Mutex
			var updated, said []string
			f.options.ListChanged = func(string) {}
			f.options.Updated = func(uri string) {
				mu.Lock()
				defer mu.Unlock()
				updated = append(updated, uri)
			}
			f.options.Said = func(params json.RawMessage) {
				mu.Lock()
				defer mu.Unlock()
				said = append(said, string(params))
			}
			c := f.connect()
			if got := c.Info(); !got.Subscriptions || !got.Logging || (got.ProtocolVersion >= firstModern) != stateless {
				t.Fatalf("%+v", got)
			}
			if err := c.SetLogLevel(t.Context(), "debug"); err != nil {
				t.Fatal(err)
			}
			if _, err := c.CallTool(t.Context(), "talk", nil, 0); err != nil {
				t.Fatal(err)
			}
			mu.Lock()
			if len(said) != 1 { // before the result
				t.Errorf("%q", said)
			}
			mu.Unlock()
			if err := c.Subscribe(t.Context(), "live://a"); err != nil {
				t.Fatal(err)
			}
			eventually(t, "the notice of a change", func() bool {
				for _, uri := range []string{"live://b", "live://a"} {
					if err := server.ResourceUpdated(t.Context(), &mcp.ResourceUpdatedNotificationParams{URI: uri}); err != nil {
						t.Fatal(err)
					}
				}
				mu.Lock()
				defer mu.Unlock()
				return len(updated) > 0
			})
			mu.Lock()
			for _, uri := range updated {
				if uri != "live://a" {
					t.Error(uri)
				}
			}
			mu.Unlock()
			if err := c.Unsubscribe(t.Context(), "live://a"); err != nil {
				t.Fatal(err)
			}
		})
	}
}
