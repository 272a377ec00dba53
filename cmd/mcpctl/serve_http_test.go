package main

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// request is one to the gateway's HTTP side, with the token.
func (s *served) request(t *testing.T, method, body string) *http.Request {
	t.Helper()
	r, err := http.NewRequest(method, s.url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	r.Header.Set("Authorization", "Bearer "+s.token)
	return r
}

// post sends one message to the gateway's HTTP side.
func (s *served) post(t *testing.T, body string, change func(*http.Request)) (status int, answer string, header http.Header) {
	t.Helper()
	r := s.request(t, http.MethodPost, body)
	if change != nil {
		change(r)
	}
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	data, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res.StatusCode, string(data), res.Header
}

const helloMessage = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}`

// TestServeD6: nothing but a program of the user that has the token gets in: no page of a
// browser, by whatever name it reaches the port, and nobody without the token.
func TestServeD6(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	started := filepath.Join(p.work, "started")
	p.write(p.userFile(), `{"mcpServers":{"a":{"command":"stub-server","args":["-mark","`+started+`"]}}}`)
	s := p.serveHTTP()
	_, port, _ := strings.Cut(strings.TrimSuffix(strings.TrimPrefix(s.url, "http://"), "/mcp"), ":")
	set := func(key, value string) func(*http.Request) {
		return func(r *http.Request) { r.Header.Set(key, value) }
	}
	host := func(h string) func(*http.Request) { return func(r *http.Request) { r.Host = h } }
	for _, row := range []struct {
		what   string
		change func(*http.Request)
		want   int
	}{
		{"another host (rebinding)", host("evil.example"), 403},
		{"another host with our port", host("evil.example:" + port), 403},
		{"another port", host("127.0.0.1:1"), 403},
		{"no port", host("localhost"), 403},
		{"an address of everybody", host("0.0.0.0:" + port), 403},
		{"a name that only begins like ours", host("localhost.evil.example:" + port), 403},
		{"another origin", set("Origin", "https://evil.example"), 403},
		{"a page of a local port", set("Origin", "http://localhost:3000"), 403},
		{"our address over another scheme", set("Origin", "https://127.0.0.1:"+port), 403},
		{"an origin that is none", set("Origin", "null"), 403},
		{"a sandboxed page of us", set("Sec-Fetch-Site", "cross-site"), 403},
		{"no token", func(r *http.Request) { r.Header.Del("Authorization") }, 401},
		{"a wrong token", set("Authorization", "Bearer "+s.token+"x"), 401},
		{"an empty token", set("Authorization", "Bearer "), 401},
		{"another scheme", set("Authorization", "Basic "+s.token), 401},
		{"two tokens", func(r *http.Request) { r.Header.Add("Authorization", "Bearer x") }, 401},
		{"a form", set("Content-Type", "application/x-www-form-urlencoded"), 415},
		{"plain text, which a page may send", set("Content-Type", "text/plain"), 415},
		{"no type", func(r *http.Request) { r.Header.Del("Content-Type") }, 415},
		{"another path", func(r *http.Request) { r.URL.Path = "/" }, 404},
	} {
		if status, answer, _ := s.post(t, helloMessage, row.change); status != row.want {
			t.Errorf("%s: %d %s, want %d", row.what, status, answer, row.want)
		}
	}
	if _, err := os.Stat(started); err == nil {
		t.Error("a server was started for a stranger")
	}
	for what, change := range map[string]func(*http.Request){"as it is": nil, "localhost": host("localhost:" + port), "our own page": set("Origin", "http://127.0.0.1:"+port), "scheme in small letters": set("Authorization", "bearer "+s.token)} {
		if status, answer, _ := s.post(t, helloMessage, change); status != 200 {
			t.Errorf("%s: %d %s", what, status, answer)
		}
	}
	if status, _, _ := s.post(t, `{"x":"`+strings.Repeat("x", 17<<20)+`"}`, nil); status != 413 {
		t.Errorf("a message of 17 MiB: %d", status)
	}
}

func TestServeListensOnLoopbackOnly(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	for _, addr := range []string{"0.0.0.0:0", ":0", "[::]:0", "192.0.2.1:0", "localhost:0", "example.com:80", "127.0.0.1", "127.0.0.2:0", "8080", ""} {
		if a := p.mcpctl("serve", "--http="+addr); a.exit != 129 || a.out != "" {
			t.Errorf("%q: %d %s", addr, a.exit, a.err)
		}
	}
}

func TestServeTokenFiles(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	good := p.write(filepath.Join(p.work, "token"), "0123456789abcdef0123\n")
	s := p.serveHTTP("--token-file", good)
	if status, _, _ := s.post(t, helloMessage, nil); s.token != "0123456789abcdef0123" || status != 200 {
		t.Errorf("%q %d", s.token, status)
	}
	short := p.write(filepath.Join(p.work, "short"), "0123\n")
	two := p.write(filepath.Join(p.work, "two"), "0123456789abcdef 0123456789abcdef\n")
	open := p.write(filepath.Join(p.work, "open"), "0123456789abcdef0123\n")
	if err := os.Chmod(open, 0o640); err != nil {
		t.Fatal(err)
	}
	for file, want := range map[string]int{short: 10, two: 10, open: 13, filepath.Join(p.work, "none"): 17, p.work: 13} {
		if a := p.mcpctl("serve", "--http", "127.0.0.1:0", "--token-file", file); a.exit != want || strings.Contains(a.err, "0123") {
			t.Errorf("%s: %d %s", file, a.exit, a.err)
		}
	}
	made := p.serveHTTP()
	info, err := os.Stat(filepath.Join(p.home, ".local/state/mcpctl/serve-token"))
	if err != nil || info.Mode().Perm() != 0o600 || len(made.token) < 26 {
		t.Errorf("%v %v %q", info, err, made.token)
	}
	if again := p.serveHTTP(); again.token != made.token {
		t.Error("each serve has a token of its own; clients could not keep it")
	}
	free := p.serveHTTP("--no-token")
	if status, _, _ := free.post(t, helloMessage, func(r *http.Request) { r.Header.Del("Authorization") }); status != 200 {
		t.Errorf("%d", status)
	}
	if status, _, _ := free.post(t, helloMessage, func(r *http.Request) { r.Header.Set("Origin", "https://evil.example") }); status != 403 {
		t.Errorf("%d", status)
	}
}

// modernMessage is a request of 2026-07-28 of a client that can be asked everything.
func modernMessage(t *testing.T, method, params string) string {
	t.Helper()
	meta := `{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"x","version":"1"},"io.modelcontextprotocol/clientCapabilities":{"elicitation":{"form":{}},"sampling":{},"roots":{}}},`
	var b bytes.Buffer
	if err := json.Compact(&b, []byte(`{"jsonrpc":"2.0","id":1,"method":"`+method+`","params":`+meta+strings.TrimPrefix(params, "{")+`}`)); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// modern sends such a request and returns its result, or its error.
func (s *served) modern(t *testing.T, method, name, params string) (result map[string]any, failure string) {
	t.Helper()
	answer := s.modernText(t, method, name, params)
	var message struct {
		Result map[string]any `json:"result"`
		Error  struct{ Message string }
	}
	for _, line := range strings.Split(answer, "\n") {
		if text, ok := strings.CutPrefix(line, "data: "); ok || strings.HasPrefix(line, "{") {
			if err := json.Unmarshal([]byte(text), &message); err != nil && !ok {
				t.Fatalf("%v in %s", err, answer)
			}
		}
	}
	if message.Result == nil && message.Error.Message == "" {
		t.Fatalf("no answer: %s", answer)
	}
	return message.Result, message.Error.Message
}

// modernText is the answer as it came.
func (s *served) modernText(t *testing.T, method, name, params string) string {
	t.Helper()
	_, answer, _ := s.post(t, modernMessage(t, method, params), func(r *http.Request) {
		r.Header.Set("Mcp-Protocol-Version", "2026-07-28")
		r.Header.Set("Mcp-Method", method)
		if name != "" {
			r.Header.Set("Mcp-Name", name)
		}
	})
	return answer
}

// TestServeHoldsRounds: a question of a server becomes a result that asks; the state that
// leads on is used once, and only for the same request.
func TestServeHoldsRounds(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.write(p.userFile(), `{"mcpServers":{"s":{"command":"stub-server","args":["-elicit","form"]}}}`)
	s := p.serveHTTP()
	first, _ := s.modern(t, "tools/call", "s__echo", `{"name":"s__echo","arguments":{"a":1,"b":{"d":2,"c":3}}}`)
	state, _ := first["requestState"].(string)
	inputs, _ := first["inputRequests"].(map[string]any)
	if first["resultType"] != "input_required" || len(state) < 26 || len(inputs) != 1 {
		t.Fatalf("%v", first)
	}
	answers := `"inputResponses":{`
	for id, in := range inputs {
		if in.(map[string]any)["method"] != "elicitation/create" {
			t.Errorf("%v", in)
		}
		answers += quote(t, id) + `:{"action":"accept","content":{"name":"me"}}}`
	}
	state = quote(t, state)
	for what, params := range map[string]string{
		"a state that was guessed": `{"name":"s__echo","arguments":{"a":1,"b":{"d":2,"c":3}},"requestState":"AAAAAAAAAAAAAAAAAAAAAAAAAA",` + answers + `}`,
		"other arguments":          `{"name":"s__echo","arguments":{"a":2,"b":{"d":2,"c":3}},"requestState":` + state + `,` + answers + `}`,
	} {
		if res, failure := s.modern(t, "tools/call", "s__echo", params); !strings.Contains(failure, "requestState") {
			t.Errorf("%s: %v %s", what, res, failure)
		}
	}
	again := `{"name":"s__echo","arguments":{"b":{"c":3,"d":2},"a":1},"requestState":` + state + `,` + answers + `}`
	done, failure := s.modern(t, "tools/call", "s__echo", again)
	if text, _ := json.Marshal(done); done["resultType"] != "complete" || !strings.Contains(string(text), `me`) {
		t.Errorf("%s %s", text, failure)
	}
	if _, failure := s.modern(t, "tools/call", "s__echo", again); !strings.Contains(failure, "requestState") {
		t.Errorf("a state serves twice: %s", failure)
	}
}

// TestServeAsksTogether: what a server asks in one answer the client is asked in one, its
// roots among it, under the names that the server gives; and it may say more than it is
// asked, before it is asked or then.
func TestServeAsksTogether(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.write(p.userFile(), `{"mcpServers":{"s":{"command":"stub-server","args":["-modern","-elicit","form","-ask","sampling/createMessage","-embed","roots/list"]}}}`)
	s := p.serveHTTP()
	const given = `{"q0":{"roots":[{"uri":"file:///mine"}]},"q1":{"action":"accept","content":{"name":"me"}},"q2":{"role":"assistant","content":{"type":"text","text":"hi"},"model":"m"},"more":{"action":"decline"}}`
	for range 3 {
		first, failure := s.modern(t, "tools/call", "s__echo", `{"name":"s__echo","arguments":{}}`)
		asked := map[string]any{}
		for id, in := range first["inputRequests"].(map[string]any) {
			asked[id] = in.(map[string]any)["method"]
		}
		want := map[string]any{"q0": "roots/list", "q1": "elicitation/create", "q2": "sampling/createMessage"}
		if !reflect.DeepEqual(asked, want) {
			t.Fatalf("%v %s", first, failure)
		}
		// Those that it leaves out it is asked again, and those alone.
		state, _ := first["requestState"].(string)
		part, failure := s.modern(t, "tools/call", "s__echo", `{"name":"s__echo","arguments":{},"requestState":`+quote(t, state)+`,"inputResponses":{"q1":{"action":"accept","content":{"name":"me"}}}}`)
		if left, _ := part["inputRequests"].(map[string]any); len(left) != 2 || left["q1"] != nil {
			t.Fatalf("%v %s", part, failure)
		}
		state, _ = part["requestState"].(string)
		done, failure := s.modern(t, "tools/call", "s__echo", `{"name":"s__echo","arguments":{},"requestState":`+quote(t, state)+`,"inputResponses":`+given+`}`)
		if text, _ := json.Marshal(done); done["resultType"] != "complete" || !strings.Contains(string(text), `file:///mine`) {
			t.Errorf("%s %s", text, failure)
		}
	}
	done, failure := s.modern(t, "tools/call", "s__echo", `{"name":"s__echo","arguments":{},"inputResponses":`+given+`}`)
	if text, _ := json.Marshal(done); done["resultType"] != "complete" || !strings.Contains(string(text), `file:///mine`) {
		t.Errorf("%s %s", text, failure)
	}
}

// TestServeEraOfTheClient: a server of both eras is spoken to in that of the client, so
// that what it asks in the one alone reaches it.
func TestServeEraOfTheClient(t *testing.T) {
	config := func(p *place) {
		p.write(p.userFile(), `{"mcpServers":{"s":{"command":"echo-server","args":["-more"]}}}`)
	}
	everyWay(t, config, nil, func(t *testing.T, p *place, c *gatewayClient) {
		if got := c.call("s__ask", map[string]any{}); !strings.Contains(got, `"name":"one"`) {
			t.Error(got)
		}
		r := p.mcpctl("logs", "s")
		want := "protocol " + c.cs.InitializeResult().ProtocolVersion
		if !strings.Contains(r.out, want) {
			t.Errorf("no %q in %s", want, r.out)
		}
	})
}

// TestServeChecksHeaders: a call says the same in its headers as in its body, also when it
// comes before any list.
func TestServeChecksHeaders(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.write(p.userFile(), `{"mcpServers":{"s":{"command":"stub-server","args":["-schema",`+
		quote(t, `{"type":"object","properties":{"city":{"type":"string","x-mcp-header":"City"}}}`)+`]}}}`)
	s := p.serveHTTP()
	call := func(city string) (int, string) {
		status, answer, _ := s.post(t, modernMessage(t, "tools/call", `{"name":"s__echo","arguments":{"city":"Ulm"}}`), func(r *http.Request) {
			r.Header.Set("Mcp-Protocol-Version", "2026-07-28")
			r.Header.Set("Mcp-Method", "tools/call")
			r.Header.Set("Mcp-Name", "s__echo")
			if city != "" {
				r.Header.Set("Mcp-Param-City", city)
			}
		})
		return status, answer
	}
	if _, answer := call("Rome"); !strings.Contains(answer, `"code":-32020`) {
		t.Errorf("before the list: %s", answer)
	}
	s.modern(t, "tools/list", "", `{"cursor":""}`)
	for city, want := range map[string]int{"Ulm": 200, "=?base64?VWxt?=": 200, "Rome": 400, "": 400, "=?base64?VWx?=": 400} {
		status, answer := call(city)
		if status != want || (want == 400) != strings.Contains(answer, `"code":-32020`) {
			t.Errorf("%q: %d %s", city, status, answer)
		}
	}
	// Of the older versions no headers are wanted.
	c := s.connect(t, "2025-11-25", "old")
	if got := c.call("s__echo", map[string]any{"city": "Ulm"}); !strings.Contains(got, "Ulm") {
		t.Error("no answer")
	}
}
