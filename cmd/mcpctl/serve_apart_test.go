package main

//lint:file-ignore SA1019 sampling and logging belong to every revision before 2026-07-28

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// apart is a client that finds out when it hears what is another's. All that is its own
// begins with its name.
type apart struct {
	name  string
	t     *testing.T
	cs    *mcp.ClientSession
	heard struct{ asked, sampled, progress, logs atomic.Int64 }
}

// own notes what was heard, and complains when it is another's.
func (a *apart) own(count *atomic.Int64, what, text string) {
	count.Add(1)
	if !strings.HasPrefix(text, a.name+" ") {
		a.t.Errorf("%s heard in %s: %q", a.name, what, text)
	}
}

func (a *apart) options() *mcp.ClientOptions {
	return &mcp.ClientOptions{
		Capabilities: &mcp.ClientCapabilities{Sampling: &mcp.SamplingCapabilities{},
			Elicitation: &mcp.ElicitationCapabilities{Form: &mcp.FormElicitationCapabilities{}}},
		ElicitationHandler: func(_ context.Context, req *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			a.own(&a.heard.asked, "a form", req.Params.Message)
			return &mcp.ElicitResult{Action: "accept", Content: map[string]any{"name": "user of " + req.Params.Message}}, nil
		},
		CreateMessageHandler: func(_ context.Context, req *mcp.CreateMessageRequest) (*mcp.CreateMessageResult, error) {
			text := req.Params.Messages[0].Content.(*mcp.TextContent).Text
			a.own(&a.heard.sampled, "sampling", text)
			return &mcp.CreateMessageResult{Role: "assistant", Model: a.name, Content: &mcp.TextContent{Text: "model of " + text}}, nil
		},
		ProgressNotificationHandler: func(_ context.Context, req *mcp.ProgressNotificationClientRequest) {
			a.own(&a.heard.progress, "progress", req.Params.Message)
		},
		LoggingMessageHandler: func(_ context.Context, req *mcp.LoggingMessageRequest) {
			a.own(&a.heard.logs, "a log message", fmt.Sprint(req.Params.Data))
		},
	}
}

func newApart(t *testing.T, version, name string, transport mcp.Transport) *apart {
	t.Helper()
	a := &apart{t: t, name: name}
	client := mcp.NewClient(&mcp.Implementation{Name: name, Version: "1"}, a.options())
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	var err error
	if a.cs, err = client.Connect(ctx, transport, &mcp.ClientSessionOptions{ProtocolVersion: version}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = a.cs.Close() })
	if version < "2026-07-28" {
		if err := a.cs.SetLoggingLevel(ctx, &mcp.SetLoggingLevelParams{Level: "debug"}); err != nil {
			t.Fatal(err)
		}
	}
	return a
}

// mingle makes a call in the course of which everything happens that can.
func (a *apart) mingle(own string) error {
	ctx, cancel := context.WithTimeout(context.Background(), 2*patience)
	defer cancel()
	params := &mcp.CallToolParams{Name: "echo__mingle", Arguments: map[string]any{"text": own}, Meta: mcp.Meta{mcp.MetaKeyLogLevel: "debug"}}
	params.SetProgressToken(own)
	res, err := a.cs.CallTool(ctx, params)
	if err != nil {
		return err
	}
	got := textOf(res)
	if !strings.HasPrefix(got, own+" ") || !strings.Contains(got, `"user of `+own+`"`) || !strings.Contains(got, `"model of `+own+`"`) {
		return fmt.Errorf("%s", got)
	}
	return nil
}

func (a *apart) echo(own string) error {
	ctx, cancel := context.WithTimeout(context.Background(), 2*patience)
	defer cancel()
	res, err := a.cs.CallTool(ctx, &mcp.CallToolParams{Name: "echo__echo", Arguments: map[string]any{"text": own}})
	if err != nil {
		return err
	}
	if got := textOf(res); got != own {
		return fmt.Errorf("%s", got)
	}
	return nil
}

// TestServeD10: what clients of one gateway, and of several, are answered, asked and told
// is their own. MCPCTL_STRESS=1 makes ten thousand calls.
func TestServeD10(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.write(p.userFile(), `{"mcpServers":{"echo":{"command":"echo-server","args":["-more"]}}}`)
	h := p.serveHTTP()
	stdio := func() mcp.Transport { return &mcp.CommandTransport{Command: p.command(context.Background(), "serve")} }
	http := func() mcp.Transport { return h.transport() }
	clients := []*apart{
		newApart(t, "2025-11-25", "stdio 1", stdio()), newApart(t, "2026-07-28", "stdio 2", stdio()),
		newApart(t, "2025-11-25", "http 1", http()), newApart(t, "2025-11-25", "http 2", http()),
		newApart(t, "2026-07-28", "http 3", http()), newApart(t, "2026-07-28", "http 4", http()),
	}
	const callers = 4
	each := rounds(360, 10_000) / callers / len(clients)
	var wg sync.WaitGroup
	for _, c := range clients {
		for i := range callers {
			wg.Go(func() {
				for n := range each {
					own := fmt.Sprint(c.name, " ", i, " ", n)
					do := c.echo
					if n%5 == 0 {
						do = c.mingle
					}
					if err := do(own); err != nil {
						t.Errorf("%s: %v", own, err)
						return
					}
				}
			})
		}
	}
	wg.Wait()
	for _, c := range clients {
		mingled := int64(callers * ((each + 4) / 5))
		modern := c.cs.InitializeResult().ProtocolVersion >= "2026-07-28"
		asked, sampled := c.heard.asked.Load(), c.heard.sampled.Load()
		if asked != mingled || sampled != mingled {
			t.Errorf("%s was asked %d times and its model %d times, want %d", c.name, asked, sampled, mingled)
		}
		if c.heard.progress.Load() == 0 {
			t.Errorf("%s was told no progress", c.name)
		}
		if c.heard.logs.Load() == 0 && !modern {
			t.Errorf("%s was told no log messages", c.name)
		}
	}
}
