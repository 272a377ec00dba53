package supervisor

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/internal/engine/wire"
)

// TestRealServers speaks to the published servers, where they are installed.
func TestRealServers(t *testing.T) {
	npm, err := filepath.Abs("../../../testdata/npm/node_modules/@modelcontextprotocol")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(npm); err != nil {
		t.Skip(err)
	}
	p := newPlace(t)
	notes := filepath.Join(p.dir, "notes")
	if err := os.Mkdir(notes, 0o755); err != nil {
		t.Fatal(err)
	}
	server := func(name string, args ...string) map[string]any {
		return map[string]any{"command": "node", "args": append([]string{filepath.Join(npm, "server-"+name, "dist/index.js")}, args...)}
	}
	p.entries(t, map[string]any{"everything": server("everything"), "files": server("filesystem", notes)})
	p.serve(t, nil, nil)
	c := p.join(t)
	call := func(server, tool, args string) string {
		t.Helper()
		got, err := c.CallTool(t.Context(), wire.CallTool{Session: inDefault, Server: server, Tool: tool, Arguments: json.RawMessage(args), ProgressToken: "p", Elicit: true})
		if err != nil {
			t.Error(tool, err)
		}
		return string(got.Result)
	}

	resources := must[wire.Resources](t, c, wire.MethodListResources, wire.InServer{Session: inDefault, Server: "everything"}).Servers[0]
	if len(resources.Resources) != 7 || len(resources.Templates) != 2 || resources.TemplatesError != nil {
		t.Errorf("%d resources, %d templates", len(resources.Resources), len(resources.Templates))
	}
	none := must[wire.Resources](t, c, wire.MethodListResources, wire.InServer{Session: inDefault, Server: "files"}).Servers[0]
	if len(none.Resources) != 0 {
		t.Errorf("%+v", none)
	}
	for _, uri := range []string{"demo://resource/dynamic/text/1", "demo://resource/dynamic/blob/2"} {
		read := must[wire.ResourceResult](t, c, wire.MethodReadResource, wire.ReadResource{Session: inDefault, Server: "everything", URI: uri})
		if !strings.Contains(string(read.Result), uri) {
			t.Errorf("%s", read.Result)
		}
	}
	_, err = asks[wire.ResourceResult](t, c, wire.MethodReadResource, wire.ReadResource{Session: inDefault, Server: "everything", URI: "demo://none"})
	wantCode(t, err, wire.NotFound)

	prompts := must[wire.Prompts](t, c, wire.MethodListPrompts, wire.InServer{Session: inDefault, Server: "everything"}).Servers[0]
	if len(prompts.Prompts) != 4 {
		t.Errorf("%s", prompts.Prompts)
	}
	get := wire.GetPrompt{Session: inDefault, Server: "everything", Prompt: "args-prompt", Arguments: map[string]string{"city": "Oslo"}}
	if got := must[wire.PromptResult](t, c, wire.MethodGetPrompt, get); !strings.Contains(string(got.Result), "Oslo") {
		t.Errorf("%s", got.Result)
	}
	get.Arguments = nil
	_, err = asks[wire.PromptResult](t, c, wire.MethodGetPrompt, get)
	wantCode(t, err, wire.Usage)
	done := must[wire.Completions](t, c, wire.MethodComplete, wire.Complete{Session: inDefault, Server: "everything", Prompt: "completable-prompt", Argument: "department", Value: "E"})
	if len(done.Values) == 0 {
		t.Errorf("%+v", done)
	}

	h := &heard{}
	c.OnProgress("p", h.take)
	call("everything", "trigger-long-running-operation", `{"duration":0.6,"steps":3}`)
	h.mu.Lock()
	if n := len(h.news); n == 0 || h.news[n-1].Progress != 3 {
		t.Errorf("%+v", h.news)
	}
	h.mu.Unlock()

	var asked []wire.Elicitation
	c.OnElicit(func(_ context.Context, q wire.Elicitation) wire.ElicitReply {
		asked = append(asked, q)
		return wire.ElicitReply{Action: "accept", Content: json.RawMessage(`{"name":"Ann"}`)}
	})
	if got := call("everything", "trigger-elicitation-request", `{}`); !strings.Contains(got, "Ann") || len(asked) != 1 || len(asked[0].Schema) == 0 {
		t.Errorf("%s, asked %+v", got, asked)
	}
	if got := call("everything", "trigger-url-elicitation", `{"url":"https://example.com/visit"}`); !strings.Contains(got, "accept") || len(asked) != 2 || asked[1].Mode != "url" {
		t.Errorf("%s, asked %+v", got, asked)
	}
	if got := call("everything", "trigger-url-elicitation", `{"url":"https://example.com/visit","errorPath":true}`); !strings.Contains(got, "accept") || len(asked) != 4 {
		t.Errorf("%s, asked %+v", got, asked)
	}
	if got := call("everything", "get-roots-list", `{}`); !strings.Contains(got, "file://"+filepath.Join(p.dir, "work")) {
		t.Error(got)
	}
	if got := call("files", "list_allowed_directories", `{}`); !strings.Contains(got, notes) || strings.Contains(got, filepath.Join(p.dir, "work")) {
		t.Error(got)
	}
}
