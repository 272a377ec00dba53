package main

//lint:file-ignore SA1019 logging belongs to every revision before 2026-07-28

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// TestServePinsReachClients: approvals of tools and the setting pinTools count for clients
// that are there already, and what is withheld is told.
func TestServePinsReachClients(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	pinned(p, "asks more")
	p.exits([]int{0}, "reconnect", "db")
	c := p.serveStdio("2025-11-25", "one")
	becomes := func(what string, want ...string) {
		t.Helper()
		c.until(what, func() bool { return c.changed["tools"] > 0 })
		c.wants(what, c.tools(), want)
		c.mu.Lock()
		defer c.mu.Unlock()
		c.changed = map[string]int{}
	}
	c.wants("tools", c.tools(), []string{"db__same"})
	if said := c.cs.InitializeResult().Instructions; !strings.Contains(said, "- of db: ask is not as it was approved") || !strings.Contains(said, "approve --tools db") {
		t.Errorf("instructions: %s", said)
	}
	p.exits([]int{0}, "config", "unset", "pinTools")
	becomes("pinTools unset", "db__same", "db__ask")
	p.exits([]int{0}, "config", "set", "pinTools", "true")
	becomes("pinTools set", "db__same")
	_, said, _ := strings.Cut(p.exits([]int{0}, "approve", "--list", "--tools", "db", "--json").out, `"name":"db","fingerprint":"`)
	fingerprint, _, _ := strings.Cut(said, `"`)
	p.exits([]int{0}, "approve", "--tools", "db", "--fingerprint", fingerprint)
	becomes("approved", "db__same", "db__ask")
}

// TestServeUnknownTools: what is not there is told with its reason, and a hidden tool has
// nobody suggested in its place.
func TestServeUnknownTools(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.write(p.userFile(), `{"mcpServers":{"a":{"command":"stub-server","args":["-tools","read"],"toolExposure":{"read":"hidden"}},
		"b":{"command":"stub-server","args":["-tools","read"]},"off":{"command":"stub-server","enabled":false}}}`)
	p.write(".mcp.json", `{"mcpServers":{"theirs":{"command":"stub-server","args":["-tools","y"]}}}`)
	c := p.serveStdio("2025-11-25", "one")
	c.wants("tools", c.tools(), []string{"b__read"})
	for name, want := range map[string]string{"theirs__y": "waits for the user's approval", "off__x": "switched off", "b__raed": `did you mean "b__read"?`} {
		if _, err := c.try(name, nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", name, err, want)
		}
	}
	if _, err := c.try("a__read", nil); err == nil || strings.Contains(err.Error(), "did you mean") {
		t.Errorf("hidden: %v", err)
	}
}

// TestServeOwnToolsCheckArguments: a model is told what is wrong with a call of ours.
func TestServeOwnToolsCheckArguments(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.write(p.userFile(), `{"mcpServers":{"files":{"command":"stub-server","args":["-tools","x,y"],"exposure":"deferred"}}}`)
	c := p.serveStdio("2025-11-25", "one")
	if said := c.cs.InitializeResult().Instructions; !strings.Contains(said, "files (2)") {
		t.Errorf("instructions: %s", said)
	}
	for tool, err := range c.cs.Tools(c.ctx(), nil) {
		if err != nil {
			t.Fatal(err)
		}
		if tool.Name == "search_tools" && !strings.Contains(tool.Description, "files (2)") {
			t.Errorf("search_tools: %s", tool.Description)
		}
	}
	for _, row := range []struct {
		tool string
		args map[string]any
		want string
	}{
		{"search_tools", map[string]any{}, "query is missing"},
		{"search_tools", map[string]any{"qery": "x"}, `unknown field "qery"`},
		{"search_tools", map[string]any{"query": 1}, "do not fit"},
		{"describe_tool", map[string]any{}, "name is missing"},
		{"call_tool", map[string]any{"name": "files__x", "arguments": "{}"}, "has to be an object"},
		{"call_tool", map[string]any{"name": "files__z"}, "unknown tool"},
		{"call_tool", map[string]any{}, "name is missing"},
	} {
		res, err := c.cs.CallTool(c.ctx(), &mcp.CallToolParams{Name: row.tool, Arguments: row.args})
		if err != nil || !res.IsError || !strings.Contains(textOf(res), row.want) {
			t.Errorf("%s %v: %v %v, want %s", row.tool, row.args, res, err, row.want)
		}
	}
	c.call("search_tools", map[string]any{"query": ""})
	if err := c.cs.SetLoggingLevel(c.ctx(), &mcp.SetLoggingLevelParams{Level: "loud"}); err == nil || !strings.Contains(err.Error(), "level is one of") {
		t.Errorf("level: %v", err)
	}
}

// TestServePassesAnswersAsGiven: what a client leaves out of a form is not made up.
func TestServePassesAnswersAsGiven(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.write(p.userFile(), `{"mcpServers":{"s":{"command":"stub-server","args":["-tools","hello","-elicit","form","-elicit-schema",
		"{\"type\":\"object\",\"properties\":{\"name\":{\"type\":\"string\"},\"age\":{\"type\":\"integer\",\"default\":42}}}"]}}}`)
	c := p.rude() // libraries of clients fill in defaults themselves
	c.say(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{"elicitation":{}},"clientInfo":{"name":"x","version":"1"}}}`)
	c.hears(`"id":1`)
	c.say(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	c.say(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"s__hello"}}`)
	id := c.question("elicitation/create")
	c.say(`{"jsonrpc":"2.0","id":` + id + `,"result":{"action":"accept","content":{"name":"bob"}}}`)
	if got := c.next(`"id":2`); !strings.Contains(got, "bob") || strings.Contains(got, "42") {
		t.Errorf("%s", got)
	}
}

// question is the id of the next request of a method.
func (c *rudeClient) question(method string) string {
	c.t.Helper()
	var request struct {
		ID json.RawMessage `json:"id"`
	}
	if err := json.Unmarshal([]byte(c.next(`"method":"`+method+`"`)), &request); err != nil {
		c.t.Fatal(err)
	}
	return string(request.ID)
}

// next is the next line that has the text.
func (c *rudeClient) next(text string) string {
	c.t.Helper()
	for c.lines.Scan() {
		if line := c.lines.Text(); strings.Contains(line, text) {
			return line
		}
	}
	c.t.Fatalf("nothing has %q", text)
	return ""
}

// TestServeHTTPStrangers: a client without the token is not led to a sign-in that there is
// not, and pages come in where the user has said so.
func TestServeHTTPStrangers(t *testing.T) {
	t.Parallel()
	s := newPlace(t).serveHTTP("--allow-origin", "http://localhost:6274")
	for _, row := range []struct {
		what   string
		change func(*http.Request)
		status int
		text   string
	}{
		{"metadata", func(r *http.Request) {
			r.URL.Path = "/.well-known/oauth-protected-resource"
			r.Header.Del("Authorization")
		}, 404, "no sign-in"},
		{"no token", func(r *http.Request) { r.Header.Del("Authorization") }, 401, "--token-file"},
		{"a wrong token", func(r *http.Request) { r.Header.Set("Authorization", "Bearer x") }, 401, "not the one"},
		{"the page", func(r *http.Request) {
			r.Header.Set("Origin", "http://localhost:6274")
			r.Header.Set("Sec-Fetch-Site", "same-site")
		}, 200, ""},
		{"the page without the token", func(r *http.Request) {
			r.Header.Set("Origin", "http://localhost:6274")
			r.Header.Del("Authorization")
		}, 401, ""},
		{"another page", func(r *http.Request) { r.Header.Set("Origin", "http://localhost:3000") }, 403, ""},
		{"the page's question", func(r *http.Request) {
			r.Method = http.MethodOptions
			r.Header.Set("Origin", "http://localhost:6274")
			r.Header.Del("Authorization")
		}, 204, ""},
		{"another page's question", func(r *http.Request) {
			r.Method = http.MethodOptions
			r.Header.Set("Origin", "http://localhost:3000")
		}, 403, ""},
	} {
		status, answer, header := s.post(t, helloMessage, row.change)
		if status != row.status || !strings.Contains(answer, row.text) {
			t.Errorf("%s: %d %s, want %d %s", row.what, status, answer, row.status, row.text)
		}
		allowed := header.Get("Access-Control-Allow-Origin") != ""
		if want := slices.Contains([]int{200, 204}, row.status); want != allowed {
			t.Errorf("%s: allowed %v", row.what, allowed)
		}
	}
}

// TestServeFirstRequest: what comes before initialize is answered with its id.
func TestServeFirstRequest(t *testing.T) {
	t.Parallel()
	c := newPlace(t).rude()
	c.say(`{"jsonrpc":"2.0","id":7,"method":"tools/list"}`)
	c.hears(`"id":7`, `-32600`, "the first request is initialize")
	c.hello("2025-11-25")
}
