package main

//lint:file-ignore SA1019 roots, sampling and logging belong to every revision before 2026-07-28

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// The gateway, driven as editors drive it: by the SDK's client, on stdio and at a URL,
// in both eras of the protocol.

// gatewayClient is one client of a gateway and what it was told.
type gatewayClient struct {
	t  *testing.T
	cs *mcp.ClientSession

	mu       sync.Mutex
	changed  map[string]int
	progress []float64
	logs     []string
	updated  []string
}

// options are those of a client that can do everything and notes what it is told.
func (c *gatewayClient) options(name string) *mcp.ClientOptions {
	c.changed = map[string]int{}
	count := func(list string) {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.changed[list]++
	}
	caps := &mcp.ClientCapabilities{
		RootsV2: &mcp.RootCapabilities{ListChanged: true}, Sampling: &mcp.SamplingCapabilities{},
		Elicitation: &mcp.ElicitationCapabilities{Form: &mcp.FormElicitationCapabilities{}, URL: &mcp.URLElicitationCapabilities{}},
	}
	return &mcp.ClientOptions{
		Capabilities: caps,
		ElicitationHandler: func(_ context.Context, req *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			if req.Params.Mode == "url" {
				return &mcp.ElicitResult{Action: "accept"}, nil
			}
			return &mcp.ElicitResult{Action: "accept", Content: map[string]any{"name": name}}, nil
		},
		CreateMessageHandler: func(_ context.Context, req *mcp.CreateMessageRequest) (*mcp.CreateMessageResult, error) {
			return &mcp.CreateMessageResult{Role: "assistant", Model: "model of " + name, Content: &mcp.TextContent{Text: "sampled by " + name}}, nil
		},
		ToolListChangedHandler:     func(context.Context, *mcp.ToolListChangedRequest) { count("tools") },
		PromptListChangedHandler:   func(context.Context, *mcp.PromptListChangedRequest) { count("prompts") },
		ResourceListChangedHandler: func(context.Context, *mcp.ResourceListChangedRequest) { count("resources") },
		ProgressNotificationHandler: func(_ context.Context, req *mcp.ProgressNotificationClientRequest) {
			c.mu.Lock()
			defer c.mu.Unlock()
			c.progress = append(c.progress, req.Params.Progress)
		},
		LoggingMessageHandler: func(_ context.Context, req *mcp.LoggingMessageRequest) {
			c.mu.Lock()
			defer c.mu.Unlock()
			c.logs = append(c.logs, fmt.Sprint(req.Params.Logger, " ", req.Params.Data))
		},
		ResourceUpdatedHandler: func(_ context.Context, req *mcp.ResourceUpdatedNotificationRequest) {
			c.mu.Lock()
			defer c.mu.Unlock()
			c.updated = append(c.updated, req.Params.URI)
		},
	}
}

func (c *gatewayClient) connect(version, name string, transport mcp.Transport) *gatewayClient {
	c.t.Helper()
	client := mcp.NewClient(&mcp.Implementation{Name: name, Version: "1"}, c.options(name))
	client.AddRoots(&mcp.Root{URI: "file:///of/" + name, Name: name})
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	cs, err := client.Connect(ctx, transport, &mcp.ClientSessionOptions{ProtocolVersion: version})
	if err != nil {
		c.t.Fatal(err)
	}
	c.cs = cs
	c.t.Cleanup(func() { _ = cs.Close() })
	return c
}

// serveStdio connects to a gateway on stdio.
func (p *place) serveStdio(version, name string, args ...string) *gatewayClient {
	p.t.Helper()
	cmd := p.command(context.Background(), append([]string{"serve"}, args...)...)
	cmd.Stderr = os.Stderr
	return (&gatewayClient{t: p.t}).connect(version, name, &mcp.CommandTransport{Command: cmd})
}

// served is a gateway that listens.
type served struct {
	url, token string
	cmd        *exec.Cmd
}

// serveHTTP starts a gateway that listens, and ends it with the test.
func (p *place) serveHTTP(args ...string) *served {
	p.t.Helper()
	cmd := p.command(context.Background(), append([]string{"serve", "--http", "127.0.0.1:0"}, args...)...)
	stderr, err := cmd.StderrPipe()
	if err != nil {
		p.t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		p.t.Fatal(err)
	}
	p.t.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		if err := cmd.Wait(); err != nil {
			p.t.Errorf("serve: %v", err)
		}
	})
	s := &served{cmd: cmd}
	lines := bufio.NewScanner(stderr)
	for lines.Scan() {
		if _, at, ok := strings.Cut(lines.Text(), "serving at "); ok {
			s.url = at
		}
		if _, file, ok := strings.Cut(lines.Text(), "token is in "); ok {
			data, err := os.ReadFile(file)
			if err != nil {
				p.t.Fatal(err)
			}
			s.token = strings.TrimSpace(string(data))
		}
		if s.url != "" && (s.token != "" || slices.Contains(args, "--no-token")) {
			go func() { // ends with the gateway
				for lines.Scan() {
					fmt.Fprintln(os.Stderr, lines.Text())
				}
			}()
			return s
		}
	}
	p.t.Fatal("serve did not say where it listens")
	return nil
}

// bearing adds the token to every request.
type bearing string

func (token bearing) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+string(token))
	return http.DefaultTransport.RoundTrip(r)
}

func (s *served) connect(t *testing.T, version, name string) *gatewayClient {
	t.Helper()
	return (&gatewayClient{t: t}).connect(version, name, s.transport())
}

func (s *served) transport() mcp.Transport {
	return &mcp.StreamableClientTransport{Endpoint: s.url, HTTPClient: &http.Client{Transport: bearing(s.token)}}
}

// everyWay runs a test on stdio and at a URL, in each era.
func everyWay(t *testing.T, config func(p *place), args []string, test func(t *testing.T, p *place, c *gatewayClient)) {
	for _, version := range []string{"2025-11-25", "2026-07-28"} {
		t.Run("stdio "+version, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t)
			config(p)
			test(t, p, p.serveStdio(version, "one", args...))
		})
		t.Run("http "+version, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t)
			config(p)
			test(t, p, p.serveHTTP(args...).connect(t, version, "one"))
		})
	}
}

func (c *gatewayClient) ctx() context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	c.t.Cleanup(cancel)
	return ctx
}

// tools are the names that are listed.
func (c *gatewayClient) tools() []string {
	c.t.Helper()
	var names []string
	for tool, err := range c.cs.Tools(c.ctx(), nil) {
		if err != nil {
			c.t.Fatal(err)
		}
		names = append(names, tool.Name)
	}
	return names
}

// call calls a tool and returns its text.
func (c *gatewayClient) call(tool string, args any) string {
	c.t.Helper()
	res, err := c.cs.CallTool(c.ctx(), &mcp.CallToolParams{Name: tool, Arguments: args})
	if err != nil {
		c.t.Fatalf("%s: %v", tool, err)
	}
	return textOf(res)
}

func textOf(res *mcp.CallToolResult) string {
	var b strings.Builder
	for _, content := range res.Content {
		if text, ok := content.(*mcp.TextContent); ok {
			b.WriteString(text.Text)
		}
	}
	return b.String()
}

func (c *gatewayClient) wants(what string, got, want any) {
	c.t.Helper()
	g, _ := json.Marshal(got)
	w, _ := json.Marshal(want)
	if string(g) != string(w) {
		c.t.Errorf("%s: %s, want %s", what, g, w)
	}
}

func (c *gatewayClient) until(what string, f func() bool) {
	c.t.Helper()
	err := until(func() error {
		c.mu.Lock()
		defer c.mu.Unlock()
		if f() {
			return nil
		}
		return fmt.Errorf("%s: not yet", what)
	})
	if err != nil {
		c.t.Errorf("%v; changed %v progress %v logs %v updated %v", err, c.changed, c.progress, c.logs, c.updated)
	}
}

func TestServeOffersEverything(t *testing.T) {
	config := func(p *place) {
		p.write(p.userFile(), `{"mcpServers":{
			"echo":{"command":"echo-server","args":["-more"]},
			"stub":{"command":"stub-server","args":["-tools","a,b","-resources","stub://1","-prompts","greet","-complete","red,green","-instructions","Stub away."]}}}`)
		p.write(".mcp.json", `{"mcpServers":{"theirs":`+p.pwn()+`}}`)
	}
	everyWay(t, config, nil, func(t *testing.T, p *place, c *gatewayClient) {
		said := c.cs.InitializeResult().Instructions
		for _, want := range []string{"## stub", "Stub away.", "theirs", "approve theirs"} {
			if !strings.Contains(said, want) {
				t.Errorf("the instructions lack %q:\n%s", want, said)
			}
		}
		tools := c.tools()
		for _, name := range []string{"echo__echo", "echo__add", "stub__a", "stub__b"} {
			if !slices.Contains(tools, name) {
				t.Errorf("%s is not listed: %v", name, tools)
			}
		}
		c.wants("echo", c.call("echo__echo", map[string]any{"text": "hello"}), "hello")
		ask := c.call("echo__ask", map[string]any{})
		if !strings.Contains(ask, `"name":"one"`) || !strings.Contains(ask, `"n":30`) {
			t.Errorf("ask: %s", ask)
		}
		if visit := c.call("echo__visit", map[string]any{}); !strings.Contains(visit, "accept") {
			t.Errorf("visit: %s", visit)
		}
		prompt, err := c.cs.GetPrompt(c.ctx(), &mcp.GetPromptParams{Name: "echo__paint", Arguments: map[string]string{"colour": "red"}})
		if err != nil || prompt.Messages[0].Content.(*mcp.TextContent).Text != "Paint it red." {
			t.Errorf("prompt: %v %v", prompt, err)
		}
		read, err := c.cs.ReadResource(c.ctx(), &mcp.ReadResourceParams{URI: "echo://item/7"})
		if err != nil || read.Contents[0].Text != "note of echo://item/7" {
			t.Errorf("read: %v %v", read, err)
		}
		if read, err := c.cs.ReadResource(c.ctx(), &mcp.ReadResourceParams{URI: "mcp://stub/stub://1"}); err != nil || !strings.Contains(read.Contents[0].Text, "stub://1") {
			t.Errorf("read: %v %v", read, err)
		}
		done, err := c.cs.Complete(c.ctx(), &mcp.CompleteParams{Ref: &mcp.CompleteReference{Type: "ref/prompt", Name: "echo__paint"}, Argument: mcp.CompleteParamsArgument{Name: "colour", Value: "b"}})
		if err != nil || !slices.Equal(done.Completion.Values, []string{"black", "blue"}) {
			t.Errorf("complete: %v %v", done, err)
		}
		params := &mcp.CallToolParams{Name: "echo__sleep", Arguments: map[string]any{"ms": 50}}
		params.SetProgressToken("p1")
		if _, err := c.cs.CallTool(c.ctx(), params); err != nil {
			t.Error(err)
		}
		c.until("progress", func() bool { return slices.Contains(c.progress, 5) })
		_, err = c.cs.CallTool(c.ctx(), &mcp.CallToolParams{Name: "echo__ecko"})
		if err == nil || !strings.Contains(err.Error(), `did you mean "echo__echo"`) {
			t.Errorf("a wrong name: %v", err)
		}
		p.notPwned()
		p.write(p.userFile(), `{"mcpServers":{"stub":{"command":"stub-server","args":["-tools","a,c"]}}}`)
		c.until("list_changed", func() bool { return c.changed["tools"] > 0 })
		if err := until(func() error {
			if got := c.tools(); !slices.Equal(got, []string{"stub__a", "stub__c"}) {
				return fmt.Errorf("%v", got)
			}
			return nil
		}); err != nil {
			t.Error(err)
		}
	})
}

func TestServeSingleServerKeepsNames(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.write(p.userFile(), `{"mcpServers":{"a":{"command":"stub-server","args":["-tools","a.b/c","-prompts","p q"]},"b":{"command":"echo-server"}}}`)
	c := p.serveStdio("2025-11-25", "one", "--naming", "none", "--servers", "a")
	c.wants("tools", c.tools(), []string{"a.b/c"})
	if a := p.mcpctl("serve", "--naming", "none"); a.exit != 129 || !strings.Contains(a.err, "these are 2") {
		t.Errorf("%d %s", a.exit, a.err)
	}
	if a := p.mcpctl("serve", "--servers", "bb"); a.exit != 14 {
		t.Errorf("%d %s", a.exit, a.err)
	}
}

// TestServeOnlySome: what is left out is not there, and is not started.
func TestServeOnlySome(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	mark := func(name string) string { return filepath.Join(p.work, "started-"+name) }
	var entries []string
	for _, name := range []string{"aa", "ab", "b"} {
		entries = append(entries, fmt.Sprintf(`%q:{"command":"stub-server","args":["-tools","x","-mark",%q]}`, name, mark(name)))
	}
	p.write(p.userFile(), `{"mcpServers":{`+strings.Join(entries, ",")+`}}`)
	c := p.serveStdio("2025-11-25", "one", "--servers", "a*", "--exclude", "*b")
	c.wants("tools", c.tools(), []string{"aa__x"})
	for _, name := range []string{"ab__x", "b__x"} {
		if _, err := c.cs.CallTool(c.ctx(), &mcp.CallToolParams{Name: name}); err == nil {
			t.Errorf("%s can be called", name)
		}
	}
	for name, want := range map[string]bool{"aa": true, "ab": false, "b": false} {
		if _, err := os.Stat(mark(name)); (err == nil) != want {
			t.Errorf("%s: started: %v", name, err == nil)
		}
	}
}

// TestServeH3: tools of two servers whose names join alike keep apart.
func TestServeH3(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.write(p.userFile(), `{"mcpServers":{"a":{"command":"stub-server","args":["-tools","b__c"]},"a__b":{"command":"stub-server","args":["-tools","c"]}}}`)
	c := p.serveStdio("2025-11-25", "one")
	tools := c.tools()
	if len(tools) != 2 || tools[0] == tools[1] || slices.Contains(tools, "a__b__c") {
		t.Errorf("%v", tools)
	}
}

func TestServeDefersAndHides(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.write(p.userFile(), `{"mcpServers":{
		"a":{"command":"stub-server","args":["-tools","get_one,get_two,put,gone"],"toolExposure":{"get_*":"deferred","gone":"hidden"}},
		"b":{"command":"stub-server","args":["-tools","x"],"exposure":"hidden"}}}`)
	c := p.serveStdio("2025-11-25", "one")
	c.wants("tools", c.tools(), []string{"a__put", "search_tools", "describe_tool", "call_tool"})
	if got := c.call("search_tools", map[string]any{"query": "two"}); !strings.Contains(got, "a__get_two") || strings.Contains(got, "a__get_one") {
		t.Errorf("search: %s", got)
	}
	if got := c.call("describe_tool", map[string]any{"name": "a__get_two"}); !strings.Contains(got, `"inputSchema"`) {
		t.Errorf("describe: %s", got)
	}
	if got := c.call("call_tool", map[string]any{"name": "a__get_two", "arguments": map[string]any{}}); got == "" {
		t.Errorf("call: %s", got)
	}
	if _, err := c.cs.CallTool(c.ctx(), &mcp.CallToolParams{Name: "a__gone"}); err == nil {
		t.Error("a hidden tool can be called")
	}
}

// TestServeEnds: the end of the client is the end of its session and servers.
func TestServeEnds(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	ends := filepath.Join(p.work, "ends")
	p.write(p.userFile(), `{"mcpServers":{"a":{"command":"stub-server","args":["-mark-end","`+ends+`","-tools","x"]}}}`)
	c := p.serveStdio("2025-11-25", "one")
	c.tools()
	if err := c.cs.Close(); err != nil {
		t.Error(err)
	}
	if err := until(func() error { return recurs(ends, "\n", 1) }); err != nil {
		t.Error(err)
	}
	s := p.serveHTTP()
	h := s.connect(t, "2025-11-25", "two")
	h.tools()
	if err := h.cs.Close(); err != nil { // a DELETE
		t.Error(err)
	}
	if err := until(func() error { return recurs(ends, "\n", 2) }); err != nil {
		t.Error(err)
	}
}
