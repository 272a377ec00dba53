package dial

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// joined is the list as one text, in the server's bytes.
func joined(items []json.RawMessage) string {
	var texts []string
	for _, item := range items {
		texts = append(texts, string(item))
	}
	return strings.Join(texts, "\n")
}

func TestListsAreTheServersBytes(t *testing.T) {
	t.Parallel()
	for _, mode := range []string{"-crlf", "-modern"} {
		c := newFixture(t, "stub", mode, "-resources", "stub://a,urn:x:y", "-templates", "stub://item/{id}", "-prompts", "greet").connect()
		resources, err := c.ListResources(t.Context())
		if err != nil || joined(resources) != `{"mimeType":"text/plain","name":"stub://a","uri":"stub://a","x-unknown":1.50}`+"\n"+
			`{"mimeType":"text/plain","name":"urn:x:y","uri":"urn:x:y","x-unknown":1.50}` {
			t.Error(joined(resources), err)
		}
		templates, err := c.ListResourceTemplates(t.Context())
		if err != nil || joined(templates) != `{"name":"stub://item/{id}","uriTemplate":"stub://item/{id}","x-unknown":1.50}` {
			t.Error(joined(templates), err)
		}
		prompts, err := c.ListPrompts(t.Context())
		if err != nil || !strings.Contains(joined(prompts), `"name":"greet","x-unknown":1.50`) {
			t.Error(joined(prompts), err)
		}
	}
}

// HT-21 and B163, for lists other than that of tools.
func TestHT21OtherLists(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ cursor, text string }{
		{cursor: "advance"}, {cursor: "empty"}, {cursor: "null"},
		{cursor: "stuck", text: "list of resources repeats the page '0'"},
		{cursor: "endless", text: "list of resources has more than 1000 pages"},
	} {
		t.Run(c.cursor, func(t *testing.T) {
			t.Parallel()
			conn := newFixture(t, "stub", "-many-resources", "25", "-page", "10", "-cursor", c.cursor).connect()
			list, err := conn.ListResources(t.Context())
			if c.text != "" {
				wantError(t, err, CodeConnectFailed, c.text)
			} else if err != nil || len(list) != 25 || !strings.Contains(string(list[24]), "stub://many/24") {
				t.Error(joined(list), err)
			}
		})
	}
}

func TestHT22TemplatesUnknown(t *testing.T) {
	t.Parallel()
	c := newFixture(t, "stub", "-resources", "stub://a", "-deny", "resources/templates/list").connect()
	if list, err := c.ListResources(t.Context()); err != nil || len(list) != 1 {
		t.Error(joined(list), err)
	}
	if list, err := c.ListResourceTemplates(t.Context()); err != nil || len(list) != 0 {
		t.Error(joined(list), err)
	}
}

// What a server has not announced is not asked for.
func TestUnannounced(t *testing.T) {
	t.Parallel()
	f := newFixture(t, "stub", "-caps", "tools", "-record")
	f.entry["args"] = append(f.entry["args"].([]string), f.path("record"))
	c := f.connect()
	for _, list := range []func() ([]json.RawMessage, error){
		func() ([]json.RawMessage, error) { return c.ListResources(t.Context()) },
		func() ([]json.RawMessage, error) { return c.ListResourceTemplates(t.Context()) },
		func() ([]json.RawMessage, error) { return c.ListPrompts(t.Context()) },
	} {
		if got, err := list(); got != nil || err != nil {
			t.Error(joined(got), err)
		}
	}
	_, err := c.ReadResource(t.Context(), "stub://a", 0)
	wantError(t, err, "MCP_NOT_FOUND", "server 's' offers no resources")
	_, err = c.GetPrompt(t.Context(), "greet", nil, 0)
	wantError(t, err, "MCP_NOT_FOUND", "server 's' offers no prompts")
	_, err = c.Complete(t.Context(), Completion{Prompt: "greet", Argument: "name"}, 0)
	wantError(t, err, "MCP_NOT_FOUND", "server 's' offers no completion")
	if sent := f.read("record"); strings.Contains(sent, "resources/") || strings.Contains(sent, "prompts/") || strings.Contains(sent, "completion/") {
		t.Error(sent)
	}
}

func TestOU21ReadResource(t *testing.T) {
	t.Parallel()
	uris := []string{"stub://a/", "urn:x:y", "blob:%7e?a=b&c=<d>#f", "stub://parts"}
	f := newFixture(t, "stub", "-resources", strings.Join(uris, ","), "-templates", "stub://item/{id}")
	c := f.connect()
	for _, uri := range append(uris, "stub://item/42") {
		got, err := c.ReadResource(t.Context(), uri, 0)
		if err != nil {
			t.Fatal(uri, err)
		}
		var r struct {
			Contents []struct{ URI, Text, Blob string }
		}
		if json.Unmarshal(got, &r) != nil || len(r.Contents) == 0 || r.Contents[0].URI != uri {
			t.Errorf("%s: %s", uri, got)
		}
		if !strings.HasPrefix(uri, "blob") && !strings.Contains(string(got), `"x-unknown":1.50`) {
			t.Errorf("%s", got)
		}
	}
	_, err := c.ReadResource(t.Context(), "stub://none", 0)
	if e := wantError(t, err, "MCP_NOT_FOUND", "the server has no resource 'stub://none': no resource stub://none"); !strings.Contains(e.Hint(), "mcpctl resources s") {
		t.Error(e.Hint())
	}
	c = newFixture(t, "stub", "-modern", "-resources", "stub://a", "-no-resource-code", "-32602").connect()
	_, err = c.ReadResource(t.Context(), "stub://none", 0)
	wantError(t, err, "MCP_NOT_FOUND", "has no resource")
	c = newFixture(t, "stub", "-resources", "stub://a", "-hang", "resources/read").connect()
	_, err = c.ReadResource(t.Context(), "stub://a", 100*time.Millisecond)
	wantError(t, err, CodeTimeout, "no answer to resources/read within 100ms")
	c = newFixture(t, "stub", "-resources", "stub://a", "-exit-on", "resources/read").connect()
	_, err = c.ReadResource(t.Context(), "stub://a", 0)
	wantError(t, err, CodeConnectFailed, "exited with status 7") // and not an unknown outcome
}

func TestGetPrompt(t *testing.T) {
	t.Parallel()
	c := newFixture(t, "stub", "-prompts", "greet", "-complete", "red,green,great").connect()
	got, err := c.GetPrompt(t.Context(), "greet", map[string]string{"name": "<Ann>"}, 0)
	if err != nil || !strings.Contains(string(got), `greet {\"name\":`) {
		t.Errorf("%s %v", got, err)
	}
	_, err = c.GetPrompt(t.Context(), "greet", nil, 0)
	if e := wantError(t, err, "USAGE", "the server refused the prompt 'greet': the argument name is missing"); !strings.Contains(e.Hint(), "mcpctl prompts s") {
		t.Error(e.Hint())
	}
	got, err = c.Complete(t.Context(), Completion{Prompt: "greet", Argument: "style", Value: "gre", Context: map[string]string{"name": "x"}}, 0)
	if want := `{"_meta":{"context":{"arguments":{"name":"x"}},"ref":{"name":"greet","type":"ref/prompt"}},` +
		`"completion":{"hasMore":false,"total":2,"values":["green","great"]}}`; err != nil || string(got) != want {
		t.Errorf("%s %v", got, err)
	}
	got, err = c.Complete(t.Context(), Completion{Template: "stub://{id}", Argument: "id", Value: "x"}, 0)
	if err != nil || !strings.Contains(string(got), `"ref":{"type":"ref/resource","uri":"stub://{id}"}`) {
		t.Errorf("%s %v", got, err)
	}
}

// Answers are not kept, whatever the server allows: who asks gets the present state.
func TestReadingIsNotCached(t *testing.T) {
	t.Parallel()
	n := 0
	s := newWeb(t, func(w http.ResponseWriter, r *http.Request, m oddMessage) bool {
		switch m.Method {
		case "server/discover":
			answerWeb(w, m, `{"supportedVersions":["2026-07-28"],"capabilities":{"resources":{},"prompts":{}},"resultType":"complete"}`)
		case "resources/read":
			n++
			answerWeb(w, m, fmt.Sprintf(`{"resultType":"complete","ttlMs":600000,"contents":[],"n":%d}`, n))
		case "resources/list":
			n++
			answerWeb(w, m, fmt.Sprintf(`{"resultType":"complete","ttlMs":600000,"resources":[%d]}`, n))
		default:
			return false
		}
		return true
	})
	c := s.fixture(t).connect()
	var got []string
	for range 2 {
		one, err := c.ReadResource(t.Context(), "stub://a", 0)
		list, listErr := c.ListResources(t.Context())
		if err != nil || listErr != nil {
			t.Fatal(err, listErr)
		}
		got = append(got, string(one)[len(`{"resultType":"complete","ttlMs":600000,"contents":[],`):], joined(list))
	}
	if diff := cmp.Diff([]string{`"n":1}`, "2", `"n":3}`, "4"}, got); diff != "" {
		t.Error(diff)
	}
}

// Every request of 2026-07-28 over HTTP says in headers what it is about, and in its
// _meta who asks and what they can.
func TestStandardHeaders(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	names := map[string]string{}
	s := newWeb(t, func(w http.ResponseWriter, r *http.Request, m oddMessage) bool {
		mu.Lock()
		names[m.Method] = r.Header.Get("Mcp-Name")
		mu.Unlock()
		if r.Method == http.MethodPost && (r.Header.Get("Mcp-Method") != m.Method || r.Header.Get("Mcp-Protocol-Version") != "2026-07-28" ||
			!strings.Contains(m.raw, `"io.modelcontextprotocol/protocolVersion":"2026-07-28"`) ||
			!strings.Contains(m.raw, `"io.modelcontextprotocol/clientCapabilities":{"elicitation":{"form":{},"url":{}},"roots":{}}`)) {
			t.Errorf("%v %s", r.Header, m.raw)
		}
		switch m.Method {
		case "server/discover":
			answerWeb(w, m, `{"supportedVersions":["2026-07-28"],"capabilities":{"tools":{},"resources":{},"prompts":{},"completions":{}},"resultType":"complete"}`)
		case "resources/list", "resources/templates/list", "prompts/list", "tools/list":
			answerWeb(w, m, `{"resultType":"complete"}`)
		default:
			answerWeb(w, m, `{"resultType":"complete","completion":{"values":[]}}`)
		}
		return true
	})
	f := s.fixture(t)
	f.options.Elicit, f.options.Workspace = true, f.home
	c, ctx := f.connect(), t.Context()
	for name, do := range map[string]func() error{
		"tools":     func() error { _, err := c.ListTools(ctx); return err },
		"resources": func() error { _, err := c.ListResources(ctx); return err },
		"templates": func() error { _, err := c.ListResourceTemplates(ctx); return err },
		"prompts":   func() error { _, err := c.ListPrompts(ctx); return err },
		"call":      func() error { _, err := c.CallTool(ctx, "t", nil, 0); return err },
		"read":      func() error { _, err := c.ReadResource(ctx, "urn:é", 0); return err },
		"prompt":    func() error { _, err := c.GetPrompt(ctx, "p", nil, 0); return err },
		"complete":  func() error { _, err := c.Complete(ctx, Completion{Prompt: "p", Argument: "a"}, 0); return err },
	} {
		if err := do(); err != nil {
			t.Error(name, err)
		}
	}
	if names["tools/call"] != "t" || names["prompts/get"] != "p" || names["resources/read"] != "=?base64?dXJuOsOp?=" {
		t.Errorf("%v", names)
	}
}
