package supervisor

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/mcpctl/mcpctl/internal/engine/wire"
)

// TestSDKServers: one that keeps to the rules, over a pipe and over HTTP, in the
// newest revision and in an older one.
func TestSDKServers(t *testing.T) {
	p := newPlace(t)
	url := httpServer(t, p.dir, "-sdk")
	stdio := func() map[string]any {
		return map[string]any{"command": ownFile(), "args": []string{"-more"}, "env": map[string]string{asEcho: "1"}}
	}
	old, oldHTTP := stdio(), map[string]any{"url": url}
	old["protocolVersion"], oldHTTP["protocolVersion"] = "2025-11-25", "2025-11-25"
	servers := map[string]any{"pipe": stdio(), "old-pipe": old, "http": map[string]any{"url": url}, "old-http": oldHTTP}
	p.entries(t, servers)
	p.serve(t, nil, nil)
	c := p.join(t)
	c.OnElicit(func(_ context.Context, q wire.Elicitation) wire.ElicitReply {
		if q.Mode == "url" {
			return wire.ElicitReply{Action: "accept"}
		}
		return wire.ElicitReply{Action: "accept", Content: json.RawMessage(`{"name":"Ann"}`)}
	})
	for name := range servers {
		t.Run(name, func(t *testing.T) {
			resources := must[wire.Resources](t, c, wire.MethodListResources, wire.InServer{Session: inDefault, Server: name}).Servers[0]
			if len(resources.Resources) != 2003 || len(resources.Templates) != 1 {
				t.Errorf("%d resources, %d templates", len(resources.Resources), len(resources.Templates))
			}
			for uri, want := range map[string]string{"urn:echo:opaque": "note of urn:echo:opaque", "echo://item/42": "note of echo://item/42", "echo://blob/dot": "AAEC"} {
				got := must[wire.ResourceResult](t, c, wire.MethodReadResource, wire.ReadResource{Session: inDefault, Server: name, URI: uri})
				if !strings.Contains(string(got.Result), want) {
					t.Errorf("%s", got.Result)
				}
			}
			_, err := asks[wire.ResourceResult](t, c, wire.MethodReadResource, wire.ReadResource{Session: inDefault, Server: name, URI: "urn:none"})
			wantCode(t, err, wire.NotFound)
			prompt := must[wire.PromptResult](t, c, wire.MethodGetPrompt, wire.GetPrompt{Session: inDefault, Server: name, Prompt: "paint", Arguments: map[string]string{"colour": "black"}})
			if !strings.Contains(string(prompt.Result), "Paint it black.") {
				t.Errorf("%s", prompt.Result)
			}
			done := must[wire.Completions](t, c, wire.MethodComplete, wire.Complete{Session: inDefault, Server: name, Prompt: "paint", Argument: "colour", Value: "bl"})
			if len(done.Values) != 2 {
				t.Errorf("%+v", done)
			}
			h := &heard{}
			defer c.OnProgress("storm-"+name, h.take)()
			began := time.Now()
			for tool, want := range map[string]string{"ask": `"n":30`, "visit": `"action":"accept"`, "storm": "the storm is over"} {
				got, err := c.CallTool(t.Context(), wire.CallTool{Session: inDefault, Server: name, Tool: tool, Elicit: true, ProgressToken: "storm-" + name})
				if err != nil || !strings.Contains(strings.ReplaceAll(string(got.Result), `\`, ""), want) {
					t.Errorf("%s: %s %v", tool, got.Result, err)
				}
			}
			most := maxNews * (2 + int(time.Since(began)/newsEvery)) // a storm on a slow machine takes longer
			h.mu.Lock()
			defer h.mu.Unlock()
			if n := len(h.news); n == 0 || h.news[n-1].Progress != 5000 || n > most {
				t.Errorf("%d, at most %d: %+v", n, most, h.news[max(n-1, 0):])
			}
		})
	}
}

// httpServer starts the shared HTTP server and returns its URL; it ends with the
// test.
func httpServer(t *testing.T, dir string, flags ...string) string {
	t.Helper()
	port := filepath.Join(dir, "port")
	cmd := exec.Command(ownFile(), append(flags, "-portfile", port, "-until-eof")...)
	cmd.Env = append(os.Environ(), asHTTP+"=1")
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		in.Close()
		_ = cmd.Wait()
	})
	for deadline := time.Now().Add(testTimeout); ; time.Sleep(5 * time.Millisecond) {
		if digits, err := os.ReadFile(port); err == nil {
			return "http://127.0.0.1:" + string(digits) + "/mcp"
		}
		if time.Now().After(deadline) {
			t.Fatal("the HTTP server does not come up")
		}
	}
}
