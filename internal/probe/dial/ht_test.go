package dial

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mcpctl/mcpctl/internal/store"
)

// The tests of this file are named after the lines of the list of faults that other
// programs had over HTTP; what is not here has its test beside what it is about.

// flood answers with a head and then without end, until the other side has gone; it
// then closes gone, and counts what it could write.
func flood(w http.ResponseWriter, head string, wrote *atomic.Int64, gone chan struct{}) {
	defer close(gone)
	piece := []byte(strings.Repeat("x", 64<<10))
	if _, err := io.WriteString(w, head); err != nil {
		return
	}
	for {
		n, err := w.Write(piece)
		if wrote.Add(int64(n)); err != nil {
			return
		}
	}
}

// HT-02, HT-03, HT-04: what is too large is not read on, and its connection is
// closed.
func TestHT02HT03HT04EndlessAnswers(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		status     int
		kind, head string
		text       string
		most       int64 // read of it; what the system buffers comes on top
	}{
		"event":      {200, "text/event-stream", "data: ", "longer than 16 MiB", maxMessage},
		"events":     {200, "text/event-stream", "", "longer than 16 MiB", maxMessage},
		"json":       {200, "application/json", `{"a":"`, "longer than 16 MiB", maxMessage},
		"error body": {500, "text/plain", "", "500 Internal Server Error: xxx", maxErrorBody},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var wrote atomic.Int64
			gone := make(chan struct{})
			s := newWeb(t, func(w http.ResponseWriter, r *http.Request, m oddMessage) bool {
				if m.Method != "tools/call" {
					return false
				}
				w.Header().Set("Content-Type", c.kind)
				w.WriteHeader(c.status)
				flood(w, c.head, &wrote, gone)
				return true
			})
			conn := s.fixture(t).connect()
			_, err := conn.CallTool(t.Context(), "echo", nil, 0)
			if err == nil || !strings.Contains(err.Error(), c.text) {
				t.Error(err)
			}
			if !within(gone, patience) {
				t.Fatal("the connection was not closed")
			}
			const buffers = 16 << 20
			if n := wrote.Load(); n > c.most+buffers {
				t.Errorf("%d bytes were taken", n)
			}
			if _, err := conn.ListTools(t.Context()); err != nil {
				t.Error("the session did not survive:", err)
			}
		})
	}
}

func TestHT06CloseWaitsForNoDelete(t *testing.T) {
	t.Parallel()
	s := newWeb(t, func(_ http.ResponseWriter, r *http.Request, _ oddMessage) bool {
		if r.Method == http.MethodDelete {
			<-r.Context().Done()
		}
		return r.Method == http.MethodDelete
	})
	s.session = true
	c := s.fixture(t).connect()
	closed := make(chan struct{})
	go func() { c.Close(); close(closed) }()
	if !within(closed, patience) || s.count(http.MethodDelete) != 1 {
		t.Error("it waits for ever, or said no good-bye")
	}
}

// HT-09, HT-10: what could not be resumed is not sent again.
func TestHT10CallIsSentOnce(t *testing.T) {
	t.Parallel()
	s := newWeb(t, func(w http.ResponseWriter, r *http.Request, m oddMessage) bool {
		switch {
		case m.Method == "tools/call":
			w.Header().Set("Content-Type", "text/event-stream")
			fmt.Fprint(w, "id: e1\nretry: 1\n\n")
		case r.Method == http.MethodGet:
			w.WriteHeader(404)
		default:
			return false
		}
		return true
	})
	_, err := s.fixture(t).connect().CallTool(t.Context(), "echo", nil, 0)
	if err == nil || s.count("tools/call") != 1 {
		t.Errorf("%d calls, %v", s.count("tools/call"), err)
	}
}

// HT-09: the pause that a server asks for before a stream is resumed is kept, also
// one that is shorter than others have to be.
func TestHT09RetryOfACall(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ asked, want time.Duration }{
		{500 * time.Millisecond, 500 * time.Millisecond}, {0, minResume}, {time.Hour, maxReconnect},
	} {
		stream := fmt.Sprintf("id: 1\nretry: %d\n\n", c.asked.Milliseconds())
		for x, want := range map[*exchange]time.Duration{newExchange(nil): c.want, nil: max(c.want, minReconnect)} {
			g := &guard{voice: &voice{}, ledger: newLedger()}
			got, err := io.ReadAll(g.newFilter(io.NopCloser(strings.NewReader(stream)), x, nil))
			if err != nil || !strings.Contains(string(got), fmt.Sprintf("retry: %d\n", want.Milliseconds())) {
				t.Errorf("%s: %q %v", c.asked, got, err)
			}
		}
	}
	x := newExchange(nil)
	for range soonResumes {
		x.resumed("e")
	}
	if x.soon() {
		t.Error("a stream that breaks off again and again need not make a pause")
	}
}

// HT-11, HT-12: one limit covers the head, the body and every event of an answer.
func TestHT11HT12StalledAnswers(t *testing.T) {
	t.Parallel()
	for name, stall := range map[string]func(w http.ResponseWriter){
		"head": func(http.ResponseWriter) {},
		"body": func(w http.ResponseWriter) {
			w.Header().Set("Content-Type", "application/json")
			io.WriteString(w, `{"jsonrpc"`)
		},
		"events": func(w http.ResponseWriter) {
			w.Header().Set("Content-Type", "text/event-stream")
			io.WriteString(w, ": hello\n\n")
		},
		"half of": func(w http.ResponseWriter) {
			w.Header().Set("Content-Type", "text/event-stream")
			io.WriteString(w, "data: {")
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newWeb(t, func(w http.ResponseWriter, r *http.Request, m oddMessage) bool {
				stalls := m.Method == "tools/call" || m.Method == "notifications/cancelled"
				if stalls {
					stall(w)
					http.NewResponseController(w).Flush()
					<-r.Context().Done()
				}
				return stalls
			})
			c := s.fixture(t).connect()
			_, err := c.CallTool(t.Context(), "echo", nil, 200*time.Millisecond)
			wantError(t, err, CodeTimeout, "'echo' gave no answer within 200ms")
			if _, err := c.ListTools(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
}

// HT-13: no limit but that of the request ends a silent one.
func TestHT13NoOtherLimit(t *testing.T) {
	t.Parallel()
	transport, err := newTransport(store.Environ{})
	if err != nil || transport.ResponseHeaderTimeout != 0 || transport.ExpectContinueTimeout != 0 {
		t.Errorf("%v %v", transport, err)
	}
}

// HT-14: closing the old transport ends what is being sent, and says why.
func TestHT14CloseOfTheOldTransport(t *testing.T) {
	t.Parallel()
	s := oldServer(t, func(*web) string { return "/messages" })
	old := s.take
	s.take = func(w http.ResponseWriter, r *http.Request, m oddMessage) bool {
		if m.Method == "tools/call" {
			<-r.Context().Done()
			return true
		}
		return old(w, r, m)
	}
	f := s.fixture(t)
	f.entry["type"] = "sse"
	c := f.connect()
	failed := make(chan error, 1)
	go func() { _, err := c.CallTool(t.Context(), "echo", nil, 0); failed <- err }()
	eventually(t, "the call is under way", func() bool { return s.count("tools/call") == 1 })
	c.Close()
	wantError(t, <-failed, CodeOutcomeUnknown, "the connection was closed")
}

// HT-16, HT-17: notifications around an answer are heard, answers to others are not
// taken for it, and the next request is none the worse.
func TestHT16HT17WhatStandsAroundAnAnswer(t *testing.T) {
	t.Parallel()
	s := newWeb(t, func(w http.ResponseWriter, r *http.Request, m oddMessage) bool {
		if m.Method != "tools/call" {
			return false
		}
		w.Header().Set("Content-Type", "text/event-stream")
		note := func(text string) {
			fmt.Fprintf(w, "data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\",\"params\":{\"level\":\"info\",\"logger\":\"x\",\"data\":%q}}\n\n", text)
		}
		note("before")
		for _, id := range []string{`"other"`, "999", "null"} {
			fmt.Fprintf(w, "data: {\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":{\"content\":[\"wrong\"]}}\n\n", id)
		}
		fmt.Fprintf(w, "data: {\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":%s}\n\n", m.ID, rawResult)
		note("behind")
		return true
	})
	f := s.fixture(t)
	c := f.connect()
	for range 2 {
		if got, err := c.CallTool(t.Context(), "echo", nil, 0); err != nil || string(got) != rawResult {
			t.Errorf("%s %v", got, err)
		}
	}
	eventually(t, "both are logged", func() bool {
		return strings.Contains(f.logged("x"), "before") && strings.Contains(f.logged("x"), "behind")
	})
}

// HT-19: the version is said behind the handshake, and an entry cannot set it, or
// anything else that the protocol says in headers.
func TestHT19HeadersOfTheProtocol(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	versions := map[string]string{}
	s := newWeb(t, func(_ http.ResponseWriter, r *http.Request, m oddMessage) bool {
		mu.Lock()
		defer mu.Unlock()
		versions[m.Method] = r.Header.Get("Mcp-Protocol-Version")
		for _, name := range []string{"Mcp-Session-Id", "Last-Event-Id", "Mcp-Param-Region", "Upgrade"} {
			if got := r.Header.Get(name); got != "" {
				t.Errorf("%s of %s is %q", name, m.Method, got)
			}
		}
		return false
	})
	f := s.fixture(t)
	f.entry["headers"] = map[string]any{"mcp-protocol-version": "2099-01-01", "MCP-Session-ID": "x", "last-event-id": "x",
		"mcp-param-region": "x", "upgrade": "x", "X-Mine": "y"}
	f.entry["protocolVersion"] = "2025-11-25"
	if _, err := f.connect().CallTool(t.Context(), "echo", nil, 0); err != nil {
		t.Fatal(err)
	}
	if versions["initialize"] != "" || versions["tools/call"] != "2025-11-25" || versions["notifications/initialized"] != "2025-11-25" {
		t.Errorf("%+v", versions)
	}
}

// F8: an id that is no visible ASCII is not sent back.
func TestF8SessionID(t *testing.T) {
	t.Parallel()
	s := newWeb(t, func(w http.ResponseWriter, _ *http.Request, m oddMessage) bool {
		w.Header().Set(sessionHeader, "caf\xc3\xa9")
		return false
	})
	s.fixture(t).refused(CodeConnectFailed, "a session id that cannot be sent back")
}

func TestHT20OlderVersions(t *testing.T) {
	t.Parallel()
	for _, version := range []string{"2025-06-18", "2025-03-26", "2024-11-05"} {
		s := newWeb(t, func(w http.ResponseWriter, _ *http.Request, m oddMessage) bool {
			if m.Method == "initialize" {
				answerWeb(w, m, `{"protocolVersion":"`+version+`","capabilities":{"tools":{}},"serverInfo":{"name":"web","version":"1"}}`)
			}
			return m.Method == "initialize"
		})
		c := s.fixture(t).connect()
		if got, err := c.CallTool(t.Context(), "echo", nil, 0); err != nil || string(got) != rawResult || c.Info().ProtocolVersion != version {
			t.Errorf("%s: %s %v", version, got, err)
		}
	}
}

// HT-29: nothing of a request, its headers least of all, goes to another origin.
func TestHT29RedirectsGoNowhere(t *testing.T) {
	t.Parallel()
	sink := newWeb(t, nil)
	for _, status := range []int{301, 302, 303, 307, 308} {
		s := newWeb(t, func(w http.ResponseWriter, r *http.Request, m oddMessage) bool {
			if m.Method != "tools/call" && r.Method != http.MethodGet {
				return false
			}
			w.Header().Set("Location", sink.URL+"/mcp")
			w.WriteHeader(status)
			return true
		})
		f := s.fixture(t)
		f.options.ListChanged = func(string) {}
		f.entry["headers"] = map[string]any{"Authorization": "Bearer hunter2-secret-value"}
		_, err := f.connect().CallTool(t.Context(), "echo", nil, 0)
		wantError(t, err, CodeOutcomeUnknown, "redirects to '"+sink.URL)
	}
	if n := sink.count(http.MethodPost) + sink.count(http.MethodGet); n != 0 {
		t.Errorf("%d requests arrived", n)
	}
}

// The rows of the table of stdio servers that have no test elsewhere.
func TestStdioBlankLinesAndStderr(t *testing.T) {
	t.Parallel()
	c := newFixture(t, "stub", "-noise-each", "", "-stderr-bytes", "300000").connect()
	if got, err := c.CallTool(t.Context(), "echo", nil, 0); err != nil || string(got) == "" || c.Noise() != 0 {
		t.Errorf("%s %v, %d stray lines", got, err, c.Noise())
	}
}

func TestStdioDiesInACall(t *testing.T) {
	t.Parallel()
	c := newFixture(t, "stub", "-exit-on", "tools/call", "-stderr-text", "out of cheese").connect()
	_, err := c.CallTool(t.Context(), "echo", nil, 0)
	wantError(t, err, CodeOutcomeUnknown, "may have run", "exited with status 7; its last words on stderr: out of cheese")
	_, err = c.CallTool(t.Context(), "echo", nil, 0)
	wantError(t, err, CodeConnectFailed, "exited with status 7") // it was never sent
}

// Arguments go into headers as the definitions of the session's tools say, and
// verbatim into the body, whatever they are.
func TestMirroredArguments(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	var header http.Header
	var body string
	s := newWeb(t, func(w http.ResponseWriter, r *http.Request, m oddMessage) bool {
		switch m.Method {
		case "server/discover":
			answerWeb(w, m, `{"supportedVersions":["2026-07-28"],"capabilities":{"tools":{}},"resultType":"complete"}`)
		case "tools/list":
			answerWeb(w, m, `{"resultType":"complete","tools":[{"name":7,"inputSchema":{}},
				{"name":"h\u00e9","inputSchema":{"type":"object","properties":{"region":{"type":"string","x-mcp-header":"Region"},
					"n":{"type":"integer","x-mcp-header":"N"},"ok":{"type":"boolean","x-mcp-header":"Ok"},
					"deep":{"type":"object","properties":{"er":{"type":"string","x-mcp-header":"Deeper"}}},"plain":{"type":"string"}}}},
				{"name":"twice","inputSchema":{"type":"object","properties":{"a":{"type":"string","x-mcp-header":"A"},"b":{"type":"string","x-mcp-header":"a"}}}},
				{"name":"split","inputSchema":{"type":"object","properties":{"a":{"type":"string","x-mcp-header":"A\r\nB: c"}}}},
				{"name":"number","inputSchema":{"type":"object","properties":{"a":{"type":"number","x-mcp-header":"A"}}}},
				{"name":"empty","inputSchema":{"type":"object","properties":{"a":{"type":"string","x-mcp-header":""}}}}]}`)
		case "tools/call":
			mu.Lock()
			defer mu.Unlock()
			header, body = r.Header.Clone(), m.raw
			answerWeb(w, m, rawResult)
		default:
			return false
		}
		return true
	})
	c := s.fixture(t).connect()
	tools, err := c.ListTools(t.Context())
	if err != nil || len(tools) != 6 {
		t.Fatal(tools, err)
	}
	for i, tool := range tools {
		if bad := strings.Contains(tool.Unusable, "x-mcp-header"); bad != (i >= 2) || (i == 1) != (tool.Unusable == "") {
			t.Errorf("%s: %s", tool.Name, tool.Unusable)
		}
	}
	for _, try := range []struct {
		args string
		want map[string]string
	}{
		{`{"region":"us-west1","n":30.0,"ok":false,"deep":{"er":"x"},"plain":"p"}`, map[string]string{"Region": "us-west1", "N": "30", "Ok": "false", "Deeper": "x"}},
		{`{"region":null,"n":1.5,"plain":null}`, nil},
		{`{"region":"","n":9007199254740993}`, map[string]string{"Region": ""}},
		{`{"region":"a\u0001\r\nX: y","ok":"true"}`, map[string]string{"Region": "=?base64?YQENClg6IHk=?=", "Ok": "true"}},
		{`{"region":" =?base64?x?="}`, map[string]string{"Region": "=?base64?ID0/YmFzZTY0P3g/PQ==?="}},
	} {
		if _, err := c.CallTool(t.Context(), "hé", json.RawMessage(try.args), 0); err != nil {
			t.Fatal(try.args, err)
		}
		if !strings.Contains(body, `"arguments":`+try.args) {
			t.Errorf("%s was sent as %s", try.args, body)
		}
		for _, name := range []string{"Region", "N", "Ok", "Deeper"} {
			want, set := try.want[name]
			if got, ok := header["Mcp-Param-"+name]; ok != set || ok && got[0] != want {
				t.Errorf("%s: %s is %q, want %q", try.args, name, got, want)
			}
		}
		if header.Get("Mcp-Name") != "=?base64?aMOp?=" || header.Get("Mcp-Method") != "tools/call" || len(header["Mcp-Param-Plain"]) > 0 {
			t.Errorf("%v", header)
		}
	}
}

// A question over HTTP comes in the answer to the call that caused it, so several
// callers are asked their own.
func TestQuestionsOverHTTP(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	waiting := map[string]chan string{}
	both := make(chan struct{})
	s := newWeb(t, func(w http.ResponseWriter, r *http.Request, m oddMessage) bool {
		mu.Lock()
		answered := waiting[string(m.ID)]
		mu.Unlock()
		switch {
		case m.Method == "" && answered != nil:
			w.WriteHeader(202)
			answered <- m.raw
		case m.Method == "tools/call":
			var p struct{ Params struct{ Name string } }
			_ = json.Unmarshal([]byte(m.raw), &p)
			reply := make(chan string, 1)
			mu.Lock()
			waiting[`"ask-`+p.Params.Name+`"`] = reply
			if len(waiting) == 2 {
				close(both)
			}
			mu.Unlock()
			<-both
			w.Header().Set("Content-Type", "text/event-stream")
			fmt.Fprintf(w, "data: {\"jsonrpc\":\"2.0\",\"id\":\"ask-%s\",\"method\":\"elicitation/create\",\"params\":{\"message\":\"for %[1]s\"}}\n\n", p.Params.Name)
			http.NewResponseController(w).Flush()
			select {
			case got := <-reply:
				fmt.Fprintf(w, "data: {\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":{\"got\":%q}}\n\n", m.ID, got)
			case <-r.Context().Done():
			}
		default:
			return false
		}
		return true
	})
	f := s.fixture(t)
	f.options.Elicit = true
	c := f.connect()
	var calls sync.WaitGroup
	for _, name := range []string{"a", "b"} {
		calls.Go(func() {
			ctx := WithCaller(t.Context(), Caller{Ask: func(_ context.Context, q Question) Answer {
				return Answer{Action: Accept, Content: json.RawMessage(`{"said":"` + q.Message + `, as ` + name + `"}`)}
			}})
			got, err := c.CallTool(ctx, name, nil, 0)
			if want := `for ` + name + `, as ` + name; err != nil || !strings.Contains(string(got), want) {
				t.Errorf("%s: %s %v", name, got, err)
			}
		})
	}
	calls.Wait()
}
