package dial

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

// A stream that breaks off is resumed; when that fails, only its call is lost.
func TestResume(t *testing.T) {
	t.Parallel()
	for name, resumed := range map[string]bool{"resumed": true, "refused": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var mu sync.Mutex
			var id string
			s := newWeb(t, func(w http.ResponseWriter, r *http.Request, m oddMessage) bool {
				mu.Lock()
				defer mu.Unlock()
				w.Header().Set("Content-Type", "text/event-stream")
				switch {
				case m.Method == "tools/call":
					id = string(m.ID)
					fmt.Fprint(w, "id: e1\nretry: 1\n\n")
				case r.Method == http.MethodGet && r.Header.Get(lastEventHeader) == "e1" && resumed:
					fmt.Fprintf(w, "id: e2\ndata: {\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":%s}\n\n", id, rawResult)
				case r.Method == http.MethodGet:
					w.WriteHeader(401)
				default:
					return false
				}
				return true
			})
			c := s.fixture(t).connect()
			got, err := c.CallTool(t.Context(), "echo", nil, 0)
			if resumed && (err != nil || string(got) != rawResult) {
				t.Errorf("%s %v", got, err)
			}
			if !resumed && err == nil {
				t.Error("no error")
			}
			if _, err := c.ListTools(t.Context()); err != nil {
				t.Error("the session did not survive:", err)
			}
		})
	}
}

// The optional stream of notifications is opened behind the handshake, whatever
// the server makes of it, and opened again when it ends.
func TestBackgroundStream(t *testing.T) {
	t.Parallel()
	var changes atomic.Int64
	var after sync.Map
	s := newWeb(t, func(w http.ResponseWriter, r *http.Request, m oddMessage) bool {
		if m.Method == "notifications/initialized" {
			after.Store("initialized", true)
		}
		if r.Method != http.MethodGet {
			return false
		}
		if _, ok := after.Load("initialized"); !ok {
			t.Error("GET before initialized")
		}
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprintf(w, "id: n%d\nretry: 0\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/tools/list_changed\"}\n\n", changes.Load())
		return true
	})
	f := s.fixture(t)
	f.options.ListChanged = func(string) { changes.Add(1) }
	c := f.connect()
	eventually(t, "two notices over two streams", func() bool { return changes.Load() >= 2 })
	if n := s.count("GET"); n > 3 {
		t.Errorf("%d GETs", n)
	}
	if _, err := c.ListTools(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestBackgroundStreamIsOptional(t *testing.T) {
	t.Parallel()
	for _, status := range []int{405, 404, 406, 501, 401, 307, 200, 0} { // 0: never answers
		s := newWeb(t, func(w http.ResponseWriter, r *http.Request, _ oddMessage) bool {
			if r.Method == http.MethodGet && status == 0 {
				<-r.Context().Done()
			} else if r.Method == http.MethodGet {
				w.WriteHeader(status)
			}
			return r.Method == http.MethodGet
		})
		f := s.fixture(t)
		f.options.ListChanged = func(string) {}
		c := f.connect()
		eventually(t, "a GET", func() bool { return s.count("GET") == 1 })
		if _, err := c.CallTool(t.Context(), "echo", nil, 0); err != nil || within(c.Done(), 0) {
			t.Error(status, err, c.Err())
		}
		c.Close()
	}
}

// The stream of notifications of 2026-07-28 is asked for again, too.
func TestModernHTTP(t *testing.T) {
	t.Parallel()
	var changes atomic.Int64
	s := newWeb(t, func(w http.ResponseWriter, r *http.Request, m oddMessage) bool {
		switch m.Method {
		case "server/discover":
			answerWeb(w, m, `{"supportedVersions":["2026-07-28"],"capabilities":{"tools":{"listChanged":true}},"resultType":"complete"}`)
		case "subscriptions/listen":
			w.Header().Set("Content-Type", "text/event-stream")
			fmt.Fprint(w, "data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/tools/list_changed\"}\n\n")
			fmt.Fprintf(w, "data: {\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":{}}\n\n", m.ID)
		case "tools/list":
			answerWeb(w, m, `{"resultType":"complete","ttlMs":60000,"tools":[{"name":"echo","inputSchema":{"type":"object"},"x":1.0},
				{"name":"bad","inputSchema":{"type":"object","properties":{"a":{"type":"object","x-mcp-header":"A"}}}}]}`)
		default:
			return false
		}
		return true
	})
	f := s.fixture(t)
	f.options.ListChanged = func(string) { changes.Add(1) }
	c := f.connect()
	if c.Info().ProtocolVersion != "2026-07-28" || s.count("initialize") != 0 {
		t.Errorf("%+v", c.Info())
	}
	eventually(t, "two notices over two streams", func() bool { return changes.Load() >= 2 })
	for range 2 { // the second may come out of the SDK's cache
		tools, err := c.ListTools(t.Context())
		if err != nil || names(tools) != "echo bad" || !strings.HasSuffix(string(tools[0].Raw), `"x":1.0}`) {
			t.Fatal(tools, err)
		}
		if !strings.Contains(tools[1].Unusable, "x-mcp-header") {
			t.Errorf("%+v", tools[1])
		}
	}
	if got, err := c.CallTool(t.Context(), "echo", nil, 0); err != nil || string(got) != rawResult {
		t.Errorf("%s %v", got, err)
	}
}

// oldServer speaks HTTP+SSE and names endpoint as the place for messages.
func oldServer(t *testing.T, endpoint func(*web) string) *web {
	t.Helper()
	var s *web
	var mu sync.Mutex
	out := make(chan string, 10)
	s = newWeb(t, func(w http.ResponseWriter, r *http.Request, m oddMessage) bool {
		switch {
		case r.Method == http.MethodGet && r.URL.Path == "/mcp":
			w.Header().Set("Content-Type", "text/event-stream")
			fmt.Fprintf(w, "event: endpoint\ndata: %s\n\n", endpoint(s))
			for {
				http.NewResponseController(w).Flush()
				select {
				case <-r.Context().Done():
					return true
				case line := <-out:
					if line == "" {
						return true
					}
					fmt.Fprintf(w, ": ping\n\nevent: message\ndata: %s\n\n", line)
				}
			}
		case r.Method == http.MethodPost && r.URL.Path == "/messages":
			mu.Lock()
			defer mu.Unlock()
			w.WriteHeader(202)
			if len(m.ID) > 0 {
				out <- fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":%s}`, m.ID, webResult(m.Method))
			} else if m.Method == "notifications/bye" {
				out <- ""
			}
		default:
			w.WriteHeader(405)
		}
		return true
	})
	return s
}

func TestOldTransport(t *testing.T) {
	t.Parallel()
	s := oldServer(t, func(*web) string { return "/messages?id=1" })
	f := s.fixture(t)
	f.entry["type"] = "sse"
	f.entry["headers"] = map[string]any{"Authorization": "Bearer x"}
	c := f.connect()
	if got, err := c.CallTool(t.Context(), "echo", nil, 0); err != nil || string(got) != rawResult {
		t.Errorf("%s %v", got, err)
	}
	for _, r := range s.requests {
		if r.auth != "Bearer x" {
			t.Errorf("%+v", r)
		}
	}
	resp, err := http.Post(s.URL+"/messages", "application/json", strings.NewReader(`{"method":"notifications/bye"}`))
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if !within(c.Done(), patience) {
		t.Fatal("the end of the stream was not noticed")
	}
	wantError(t, c.Err(), CodeConnectFailed, "closed the connection")
}

func TestOldTransportFails(t *testing.T) {
	t.Parallel()
	sink := newWeb(t, nil)
	f := oldServer(t, func(*web) string { return sink.URL + "/messages" }).fixture(t)
	f.entry["type"] = "sse"
	f.refused(CodeConnectFailed, "names another origin for its messages: "+sink.URL)
	if len(sink.requests) != 0 {
		t.Error("the other origin got a request")
	}
	f = newWeb(t, func(w http.ResponseWriter, _ *http.Request, _ oddMessage) bool {
		w.WriteHeader(401)
		return true
	}).fixture(t)
	f.entry["type"] = "sse"
	f.refused(CodeLoginRequired, "sign-in")

	// An entry of type http is told what the server is.
	s := oldServer(t, func(*web) string { return "/messages" })
	if e := s.fixture(t).refused(CodeConnectFailed, "only speaks the old HTTP+SSE transport"); !strings.Contains(e.Hint(), "'sse'") {
		t.Error(e.Hint())
	}
	if len(s.requests) > 4 {
		t.Errorf("%d requests", len(s.requests))
	}
}

func TestOldTransportFollowsOnlyItsOrigin(t *testing.T) {
	t.Parallel()
	for target, ok := range map[string]bool{"/mcp": true, "http://127.0.0.1:1/mcp": false} {
		s := oldServer(t, func(*web) string { return "/messages" })
		old := s.take
		s.take = func(w http.ResponseWriter, r *http.Request, m oddMessage) bool {
			if r.URL.Path != "/sse" {
				return old(w, r, m)
			}
			http.Redirect(w, r, target, http.StatusMovedPermanently)
			return true
		}
		f := newEntry(t, map[string]any{"type": "sse", "url": s.URL + "/sse"})
		if ok {
			f.connect()
		} else {
			f.refused(CodeConnectFailed, "the server redirects to 'http://127.0.0.1:1/mcp'")
		}
	}
}
