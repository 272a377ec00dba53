package dial

import (
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"
	"time"
)

// web is an MCP server over HTTP that answers in the legacy way, unless a test
// takes a request over.
type web struct {
	*httptest.Server
	// take may answer a request itself; it then returns true.
	take func(w http.ResponseWriter, r *http.Request, m oddMessage) bool
	// session makes it hand out and ask for session ids.
	session bool

	mu       sync.Mutex
	requests []seen
}

type seen struct {
	method, rpc, session, auth, accept string
}

func newWeb(t *testing.T, take func(http.ResponseWriter, *http.Request, oddMessage) bool) *web {
	t.Helper()
	s := &web{take: take}
	s.Server = httptest.NewServer(s)
	t.Cleanup(func() { s.CloseClientConnections(); s.Close() })
	return s
}

func (s *web) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	var m oddMessage
	_ = json.Unmarshal(body, &m)
	m.raw = string(body)
	s.mu.Lock()
	s.requests = append(s.requests, seen{r.Method, m.Method, r.Header.Get(sessionHeader), r.Header.Get("Authorization"), r.Header.Get("Accept")})
	s.mu.Unlock()
	switch {
	case s.take != nil && s.take(w, r, m):
	case r.Method == http.MethodDelete:
	case r.Method != http.MethodPost:
		w.WriteHeader(http.StatusMethodNotAllowed)
	case len(m.ID) == 0:
		w.WriteHeader(http.StatusAccepted)
	default:
		if s.session && m.Method == "initialize" {
			w.Header().Set(sessionHeader, "session-1")
		}
		answerWeb(w, m, webResult(m.Method))
	}
}

// answerWeb answers with JSON; "" is "method not found".
func answerWeb(w http.ResponseWriter, m oddMessage, result string) {
	w.Header().Set("Content-Type", "application/json")
	if result == "" {
		fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"no method"}}`, m.ID)
		return
	}
	fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":%s}`, m.ID, result)
}

func webResult(method string) string {
	switch method {
	case "initialize":
		return `{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"web","version":"1"}}`
	case "tools/list":
		return `{"tools":[{"name":"echo","inputSchema":{"type":"object"}}]}`
	case "tools/call":
		return rawResult
	}
	return ""
}

// count counts the requests with a method, of HTTP or of JSON-RPC.
func (s *web) count(method string) (n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range s.requests {
		if r.method == method || r.rpc == method {
			n++
		}
	}
	return n
}

func (s *web) fixture(t *testing.T) *fixture {
	t.Helper()
	return newEntry(t, map[string]any{"url": s.URL + "/mcp"})
}

func TestHTTP(t *testing.T) {
	t.Parallel()
	s := newWeb(t, nil)
	s.session = true
	f := s.fixture(t)
	f.entry["headers"] = map[string]any{"Authorization": "Bearer hunter2-secret-value", "Accept": "text/plain"}
	c := f.connect()
	if i := c.Info(); i.ServerName != "web" || i.ProtocolVersion != "2025-11-25" || c.PID() != 0 {
		t.Errorf("%+v", i)
	}
	if tools, err := c.ListTools(t.Context()); err != nil || names(tools) != "echo" {
		t.Error(tools, err)
	}
	if got, err := c.CallTool(t.Context(), "echo", nil, 0); err != nil || string(got) != rawResult {
		t.Errorf("%s %v", got, err)
	}
	c.Close()
	if !within(c.Done(), 0) || c.Err() != nil {
		t.Error("not closed", c.Err())
	}
	if s.count("DELETE") != 1 {
		t.Error("the session was not ended")
	}
	for _, r := range s.requests {
		if r.auth != "Bearer hunter2-secret-value" || r.method == "POST" && r.accept != "application/json, text/event-stream" {
			t.Errorf("%+v", r)
		}
	}
	if n := s.count("server/discover"); n != 1 {
		t.Errorf("%d discovers", n)
	}
	f.connect()
	if n := s.count("server/discover"); n != 1 {
		t.Error("the era was not remembered")
	}
}

func TestEventStreamAnswers(t *testing.T) {
	t.Parallel()
	s := newWeb(t, func(w http.ResponseWriter, r *http.Request, m oddMessage) bool {
		if len(m.ID) == 0 || webResult(m.Method) == "" {
			return false
		}
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprint(w, ": hello\n\nretry: 0\nno colon here\n\nevent: other\ndata: x\n\ndata: no message\n\n")
		fmt.Fprintf(w, "event:message\r\ndata: {\"jsonrpc\":\"2.0\",\"id\":%s,\r\ndata:\"result\":%s}\r\n\r\n", m.ID, webResult(m.Method))
		return true
	})
	c := s.fixture(t).connect()
	if got, err := c.CallTool(t.Context(), "echo", nil, 0); err != nil || string(got) != rawResult {
		t.Errorf("%s %v", got, err)
	}
	if c.Noise() != 2 {
		t.Errorf("%d stray events", c.Noise())
	}
}

func TestHTTPFails(t *testing.T) {
	t.Parallel()
	reply := func(code int, kind, body string) func(http.ResponseWriter, *http.Request, oddMessage) bool {
		return func(w http.ResponseWriter, _ *http.Request, _ oddMessage) bool {
			w.Header().Set("Content-Type", kind)
			w.Header().Set("WWW-Authenticate", `Bearer resource_metadata="x"`)
			w.Header().Set("Location", "https://user:pw@other.example/mcp?token=abcdef")
			w.Header().Set("Retry-After", "7")
			w.WriteHeader(code)
			io.WriteString(w, body)
			return true
		}
	}
	for _, c := range []struct {
		name       string
		take       func(http.ResponseWriter, *http.Request, oddMessage) bool
		code, text string
		posts      int
	}{
		{"sign-in", reply(401, "text/plain", "who?"), CodeLoginRequired, "the server asks for a sign-in", 1},
		{"page", reply(200, "text/html; charset=utf-8", "<html>"), CodeConnectFailed, "the URL answered text/html (a sign-in page or a wrong path?)", 1},
		{"busy", reply(503, "text/html", "<html>"), CodeConnectFailed, "the server answered 503 Service Unavailable", 1},
		{"forbidden", reply(403, "text/plain", "not hunter2-secret-value\x1b"), CodeConnectFailed, `the server answered 403 Forbidden: not ***\x1b`, 2},
		{"empty", reply(200, "", ""), CodeConnectFailed, "empty answer", 2},
		{"text", reply(200, "text/plain", "hi"), CodeConnectFailed, "'text/plain'", 2},
		{"no json", reply(200, "application/json", "hi"), CodeConnectFailed, "no JSON-RPC answer", 2},
		{"redirect", reply(307, "", ""), CodeConnectFailed, "the server redirects to 'https://", 1},
		{"see other", reply(302, "", ""), CodeConnectFailed, "other.example/mcp", 1},
		{"accepted", reply(202, "", ""), CodeConnectFailed, "202 Accepted and nothing else", 2},
		{"huge error", reply(500, "text/plain", strings.Repeat("x", 1<<20)), CodeConnectFailed, "500 Internal Server Error: xxx", 2},
		{"huge answer", reply(200, "application/json", strings.Repeat(" ", maxMessage+1)), CodeConnectFailed, "longer than 16 MiB", 2},
		{"huge event", reply(200, "text/event-stream", "data: "+strings.Repeat("x", maxMessage+1)), CodeConnectFailed, "longer than 16 MiB", 2},
		{"endless header", func(w http.ResponseWriter, _ *http.Request, _ oddMessage) bool {
			w.Header().Set("X-Long", strings.Repeat("x", 100<<10))
			return true
		}, CodeConnectFailed, "cannot reach", 1},
		{"gone", func(w http.ResponseWriter, r *http.Request, _ oddMessage) bool {
			panic(http.ErrAbortHandler)
		}, CodeConnectFailed, "the connection was closed without an answer", 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := newWeb(t, c.take)
			f := s.fixture(t)
			f.entry["headers"] = map[string]any{"X-Key": "hunter2-secret-value"}
			e := f.refused(c.code, c.text)
			if strings.Contains(e.Message, "abcdef") || strings.Contains(e.Message, "pw@") || len(e.Message) > 1000 {
				t.Error(e.Message)
			}
			if n := s.count("POST"); n != c.posts {
				t.Errorf("%d POSTs, want %d", n, c.posts)
			}
			switch c.name {
			case "sign-in":
				if e.Challenge != `Bearer resource_metadata="x"` || !strings.Contains(e.Hint(), "mcpctl login s") {
					t.Errorf("%q %q", e.Challenge, e.Hint())
				}
			case "busy":
				if e.RetryAfter != 7*time.Second {
					t.Error(e.RetryAfter)
				}
			}
		})
	}
}

func TestRefusedHeader(t *testing.T) {
	t.Parallel()
	f := newWeb(t, func(w http.ResponseWriter, _ *http.Request, _ oddMessage) bool {
		w.WriteHeader(401)
		return true
	}).fixture(t)
	f.entry["headers"] = map[string]any{"authorization": "Bearer x"}
	if e := f.refused(CodeLoginRequired, "refused the given Authorization header"); strings.Contains(e.Hint(), "login") {
		t.Error(e.Hint())
	}
}

func TestUnreachable(t *testing.T) {
	t.Parallel()
	closed, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := closed.Addr().String()
	closed.Close()
	f := newEntry(t, map[string]any{"url": "http://" + address + "/mcp"})
	f.refused(CodeConnectFailed, "cannot reach "+address+": connection refused")

	f = newEntry(t, map[string]any{"url": "http://mcp.example.com/mcp"})
	f.env["HTTP_PROXY"] = "http://me:hunter2-secret@" + address
	e := f.refused(CodeConnectFailed, "cannot reach mcp.example.com through the proxy", address)
	if strings.Contains(e.Message, "hunter2") {
		t.Error(e.Message)
	}
}

func TestProxy(t *testing.T) {
	t.Parallel()
	s := newWeb(t, nil) // answers whatever host is asked for
	f := newEntry(t, map[string]any{"url": "http://mcp.example.com/mcp"})
	f.env["http_proxy"] = s.URL
	f.connect()
	f.env["NO_PROXY"] = ".example.com"
	f.entry["timeout"] = "2s"
	if _, err := f.open(); err == nil {
		t.Error("NO_PROXY was not heeded")
	}
}

func TestCertificates(t *testing.T) {
	t.Parallel()
	s := &web{}
	s.Server = httptest.NewUnstartedServer(s)
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	s.StartTLS()
	t.Cleanup(s.Close)
	f := s.fixture(t)
	f.refused(CodeConnectFailed, "certificate")
	f.env["SSL_CERT_FILE"] = f.path("none.pem")
	f.refused(CodeConnectFailed, "cannot read SSL_CERT_FILE")
	f.env["SSL_CERT_FILE"] = f.path("ca.pem")
	block := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw})
	if err := os.WriteFile(f.path("ca.pem"), block, 0o600); err != nil {
		t.Fatal(err)
	}
	f.connect()
}

func TestHungHTTP(t *testing.T) {
	t.Parallel()
	s := newWeb(t, func(_ http.ResponseWriter, r *http.Request, _ oddMessage) bool {
		<-r.Context().Done()
		return true
	})
	f := s.fixture(t)
	f.options.StartTimeout = 300 * time.Millisecond
	began := time.Now()
	f.refused(CodeTimeout, "no answer to initialize within 300ms")
	if took := time.Since(began); took > patience {
		t.Error(took)
	}
}
