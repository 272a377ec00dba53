package dial

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"
)

// One bad answer costs its own call and no more.
func TestCallFailsAlone(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name       string
		status     int
		kind, body string
		code, text string
	}{
		{"bad request", 400, "text/plain", "what?", CodeConnectFailed, "400 Bad Request: what?"},
		{"forbidden", 403, "", "", CodeConnectFailed, "403 Forbidden"},
		{"page", 200, "text/html", "<p>", CodeOutcomeUnknown, "the URL answered text/html"},
		{"error", 500, "", "", CodeOutcomeUnknown, "500"},
		{"busy", 503, "", "", CodeConnectFailed, "503"},
		{"gateway", 502, "", "", CodeOutcomeUnknown, "502"},
		{"sign-in", 401, "", "", CodeLoginRequired, "sign-in"},
		{"empty", 200, "application/json", "", CodeOutcomeUnknown, "empty answer"},
		{"JSON-RPC error", 400, "application/json", `{"jsonrpc":"2.0","id":null,"error":{"code":-32602,"message":"bad argument"}}`, CodeToolError, "bad argument"},
		{"broken off", 200, "text/event-stream", "data: {}\n\n", CodeOutcomeUnknown, "may have run"},
		{"strange result", 200, "application/json", `{"jsonrpc":"2.0","id":ID,"result":7}`, CodeConnectFailed, "without a result"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var once sync.Once
			s := newWeb(t, func(w http.ResponseWriter, r *http.Request, m oddMessage) (taken bool) {
				if m.Method == "tools/call" {
					once.Do(func() {
						taken = true
						w.Header().Set("Content-Type", c.kind)
						w.WriteHeader(c.status)
						io.WriteString(w, strings.Replace(c.body, "ID", string(m.ID), 1))
					})
				}
				return taken
			})
			f := s.fixture(t)
			f.options.Retries = 2 // not for calls
			conn := f.connect()
			_, err := conn.CallTool(t.Context(), "echo", nil, 0)
			wantError(t, err, c.code, c.text)
			if got, err := conn.CallTool(t.Context(), "echo", nil, 0); err != nil || string(got) != rawResult {
				t.Errorf("the next call: %s %v", got, err)
			}
			if n := s.count("tools/call"); n != 2 {
				t.Errorf("%d calls went out", n)
			}
		})
	}
}

func TestSessionGone(t *testing.T) {
	t.Parallel()
	for name, reply := range map[string]func(http.ResponseWriter){
		"404": func(w http.ResponseWriter) { w.WriteHeader(404) },
		"404 with JSON-RPC": func(w http.ResponseWriter) {
			w.WriteHeader(404)
			io.WriteString(w, `{"jsonrpc":"2.0","id":null,"error":{"code":-32001,"message":"Session not found"}}`)
		},
		"400 with -32000": func(w http.ResponseWriter) {
			w.WriteHeader(400)
			io.WriteString(w, `{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"Server not initialized"}}`)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newWeb(t, func(w http.ResponseWriter, r *http.Request, m oddMessage) bool {
				if m.Method != "tools/call" {
					return false
				}
				reply(w)
				return true
			})
			s.session = true
			c := s.fixture(t).connect()
			_, err := c.CallTool(t.Context(), "echo", nil, 0)
			wantError(t, err, CodeConnectFailed, "has forgotten the session")
			if !errors.Is(err, ErrSessionGone) {
				t.Error("does not wrap ErrSessionGone")
			}
			if !within(c.Done(), patience) || !errors.Is(c.Err(), ErrSessionGone) {
				t.Error(c.Err())
			}
			c.Close()
			if n := s.count("DELETE"); n != 0 {
				t.Error("a session that is gone was ended")
			}
		})
	}
}

// TestSessionGoneUnderAnother: that the session is gone says of the call that was
// told so that it did not run, and nothing of one that was under way.
func TestSessionGoneUnderAnother(t *testing.T) {
	t.Parallel()
	arrived := make(chan struct{})
	s := newWeb(t, func(w http.ResponseWriter, r *http.Request, m oddMessage) bool {
		switch {
		case m.Method != "tools/call":
			return false
		case strings.Contains(m.raw, `"slow"`):
			close(arrived)
			<-r.Context().Done()
		default:
			w.WriteHeader(404)
		}
		return true
	})
	s.session = true
	c := s.fixture(t).connect()
	slow := make(chan error, 1)
	go func() {
		_, err := c.CallTool(t.Context(), "slow", nil, 0)
		slow <- err
	}()
	<-arrived
	if _, err := c.CallTool(t.Context(), "echo", nil, 0); !errors.Is(err, ErrSessionGone) {
		t.Errorf("the call that was told: %v", err)
	}
	c.Close() // as the engine does, which connects anew
	err := <-slow
	wantError(t, err, CodeOutcomeUnknown, "may have run")
	if errors.Is(err, ErrSessionGone) {
		t.Error("it would be sent once more")
	}
}

func TestCallsOverHTTPEnd(t *testing.T) {
	t.Parallel()
	s := newWeb(t, func(w http.ResponseWriter, r *http.Request, m oddMessage) bool {
		if m.Method == "tools/call" {
			<-r.Context().Done()
			return true
		}
		return false
	})
	c := s.fixture(t).connect()
	_, err := c.CallTool(t.Context(), "echo", nil, 200*time.Millisecond)
	wantError(t, err, CodeTimeout)
	eventually(t, "the server is told", func() bool { return s.count("notifications/cancelled") == 1 })
	if _, err := c.ListTools(t.Context()); err != nil {
		t.Error(err)
	}
	time.AfterFunc(200*time.Millisecond, func() { c.Close() })
	_, err = c.CallTool(t.Context(), "echo", nil, 0)
	wantError(t, err, CodeOutcomeUnknown, "the connection was closed")
}

func TestCallLostOverHTTP(t *testing.T) {
	t.Parallel()
	s := newWeb(t, func(w http.ResponseWriter, r *http.Request, m oddMessage) bool {
		if m.Method == "tools/call" {
			panic(http.ErrAbortHandler)
		}
		return false
	})
	c := s.fixture(t).connect()
	_, err := c.CallTool(t.Context(), "echo", nil, 0)
	wantError(t, err, CodeOutcomeUnknown, "may have run")
	s.Server.Close()
	_, err = c.CallTool(t.Context(), "echo", nil, 0)
	wantError(t, err, CodeConnectFailed, "cannot reach") // refused, or reset by a system that is slow to close
}

func TestRetriesOfAProbe(t *testing.T) {
	t.Parallel()
	failing := func(n, code int, after string) *web {
		var mu sync.Mutex
		return newWeb(t, func(w http.ResponseWriter, r *http.Request, _ oddMessage) bool {
			mu.Lock()
			defer mu.Unlock()
			if n--; n < 0 || r.Method != http.MethodPost {
				return false
			}
			w.Header().Set("Retry-After", after)
			w.WriteHeader(code)
			return true
		})
	}
	for _, c := range []struct {
		name    string
		fail    int
		code    int
		after   string
		connect bool
		posts   int
	}{
		{"short", 2, 503, "", true, 5},
		{"always", 1000, 503, "", false, 3},
		{"asks for a day", 1, 429, "86400", false, 1},
		{"not busy", 2, 400, "", false, 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := failing(c.fail, c.code, c.after)
			f := s.fixture(t)
			f.options.Retries = 2
			conn, err := f.open()
			if (err == nil) != c.connect {
				t.Error(err)
			}
			if err == nil {
				conn.Close()
			}
			if n := s.count("POST"); n != c.posts {
				t.Errorf("%d POSTs, want %d", n, c.posts)
			}
		})
	}
}
