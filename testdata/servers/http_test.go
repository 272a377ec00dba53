package servers_test

import (
	"encoding/json"
	"io"
	nethttp "net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// startHTTP runs the server and returns its URL and the file of its log.
func startHTTP(t *testing.T, flags ...string) (url, log string) {
	t.Helper()
	portfile := filepath.Join(t.TempDir(), "port")
	log = filepath.Join(t.TempDir(), "log")
	start(t, "http-server", append([]string{"-portfile", portfile, "-log", log}, flags...)...)
	waitFor(t, portfile)
	return "http://127.0.0.1:" + read(t, portfile)[0] + "/mcp", log
}

// noFollow is a client that shows redirects instead of following them.
var noFollow = &nethttp.Client{
	Timeout:       patience,
	CheckRedirect: func(*nethttp.Request, []*nethttp.Request) error { return nethttp.ErrUseLastResponse },
}

const (
	post      = nethttp.MethodPost
	helloBody = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":` + helloParams + `}`
	callBody  = `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"echo","arguments":{"text":"<hi>"}}}`
	listBody  = `{"jsonrpc":"2.0","id":3,"method":"tools/list"}`
	pingBody  = `{"jsonrpc":"2.0","id":4,"method":"ping"}`
	noteBody  = `{"jsonrpc":"2.0","method":"notifications/initialized"}`
)

// do sends one request; header is NAME=VALUE or empty.
func do(t *testing.T, method, url, header, body string) (*nethttp.Response, string) {
	t.Helper()
	r, err := nethttp.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if name, value, found := strings.Cut(header, "="); found {
		r.Header.Set(name, value)
	}
	w, err := noFollow.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Body.Close()
	text, err := io.ReadAll(w.Body)
	if err != nil {
		t.Fatal(err)
	}
	return w, string(text)
}

func TestHTTPAnswers(t *testing.T) {
	for _, c := range []struct {
		flags, method, path, header, body string
		status                            int
		contentType, want                 string
	}{
		{"", post, "", "", helloBody, 200, "application/json", `"protocolVersion":"2025-06-18"`},
		{"", post, "", "", listBody, 200, "application/json", `"name":"echo"`},
		{"", post, "/", "", callBody, 200, "application/json", `"structuredContent":{"text":"<hi>"}`},
		{"", post, "", "", pingBody, 200, "application/json", `"result":{}`},
		{"", post, "", "", noteBody, 202, "", ""},
		{"", post, "", "", "{", 400, "", ""},
		{"", post, "x", "", helloBody, 404, "", ""},
		{"", "GET", "", "", "", 405, "", ""},
		{"-get 404", "GET", "", "", "", 404, "", ""},
		{"-sse", post, "", "", callBody, 200, "text/event-stream", "event: message\ndata: {\"jsonrpc\""},
		{"-no-ping", post, "", "", pingBody, 200, "application/json", "-32601"},
		{"-post-ct text/plain", post, "", "", callBody, 200, "text/plain", "<hi>"},
		{"-empty-200", post, "", "", callBody, 200, "", ""},
		{"-html", post, "", "", callBody, 200, "text/html; charset=utf-8", "<title>Sign in</title>"},
		{"-always 503", post, "", "", callBody, 503, "", ""},
		{"-big-error 5000", post, "", "", callBody, 500, "text/plain", strings.Repeat("x", 5000)},
		{"-need-header X-Key=a=b", post, "", "", callBody, 401, "", ""},
		{"-need-header X-Key=a=b", post, "", "X-Key=a=b", callBody, 200, "application/json", "<hi>"},
		{"-redirect /mcp/", post, "", "", callBody, 307, "", ""},
		{"-redirect /mcp/", post, "/", "", callBody, 200, "application/json", "<hi>"},
		{"-redirect /mcp/ -redirect-code 301", post, "", "", callBody, 301, "", ""},
	} {
		t.Run(c.flags, func(t *testing.T) {
			t.Parallel()
			url, _ := startHTTP(t, strings.Fields(c.flags)...)
			w, body := do(t, c.method, url+c.path, c.header, c.body)
			if w.StatusCode != c.status || w.Header.Get("Content-Type") != c.contentType || !strings.Contains(body, c.want) {
				t.Errorf("%s %s: %s %v %q", c.method, c.body, w.Status, w.Header, body)
			}
			if location := w.Header.Get("Location"); c.status/100 == 3 && location != "/mcp/" {
				t.Errorf("location %q", location)
			}
		})
	}
}

func TestHTTPSequences(t *testing.T) {
	url, _ := startHTTP(t, "-fail", "2:429", "-retry-after", "1")
	for i, want := range []int{429, 429, 200} {
		if w, _ := do(t, post, url, "", listBody); w.StatusCode != want || (want == 429) != (w.Header.Get("Retry-After") == "1") {
			t.Errorf("-fail, request %d: %s %v", i, w.Status, w.Header)
		}
	}

	url, _ = startHTTP(t, "-drop", "3")
	var session string
	for i, want := range []struct {
		header, body string
		status       int
	}{
		{"", helloBody, 200},
		{"", listBody, 400},
		{"session", listBody, 200},
		{"session", listBody, 404}, // forgotten
		{"", helloBody, 200},
		{"session", listBody, 200},
	} {
		header := ""
		if want.header != "" {
			header = "Mcp-Session-Id=" + session
		}
		w, body := do(t, post, url, header, want.body)
		if w.StatusCode != want.status {
			t.Errorf("-drop, request %d: %s %s", i, w.Status, body)
		}
		if id := w.Header.Get("Mcp-Session-Id"); id != "" {
			session = id
		}
	}
	do(t, nethttp.MethodDelete, url, "Mcp-Session-Id="+session, "")
	if w, _ := do(t, post, url, "Mcp-Session-Id="+session, listBody); w.StatusCode != 404 {
		t.Errorf("after DELETE: %s", w.Status)
	}
}

func TestHTTPLog(t *testing.T) {
	url, log := startHTTP(t)
	do(t, post, url+"?k=v", "Authorization=Bearer x", callBody)
	do(t, "GET", url, "", "")
	lines := read(t, log)
	if len(lines) != 2 || !strings.HasPrefix(lines[0], `{"method":"POST","path":"/mcp?k=v","rpc":"tools/call","headers":{`) {
		t.Fatalf("log: %q", lines)
	}
	var e struct {
		Headers map[string]string
		Body    string
	}
	if err := json.Unmarshal([]byte(lines[0]), &e); err != nil {
		t.Fatal(err)
	}
	if e.Headers["Authorization"] != "Bearer x" || e.Headers["Host"] == "" || e.Body != callBody {
		t.Errorf("log: %+v", e)
	}
}

func TestHTTPEnds(t *testing.T) {
	portfile := filepath.Join(t.TempDir(), "port")
	p := start(t, "http-server", "-portfile", portfile, "-hang", "tools/call")
	waitFor(t, portfile)
	url := "http://127.0.0.1:" + read(t, portfile)[0] + "/mcp"
	impatient := &nethttp.Client{Timeout: 100 * time.Millisecond}
	if w, err := impatient.Post(url, "application/json", strings.NewReader(callBody)); err == nil {
		t.Errorf("-hang: %s", w.Status)
	}
	do(t, post, url, "", listBody)
	p.in.Close() // no matter without -until-eof
	do(t, post, url, "", listBody)
	p.cmd.Process.Signal(term)
	if code := p.wait().ExitCode(); code != 0 {
		t.Errorf("status %d after SIGTERM", code)
	}

	p = start(t, "http-server", "-until-eof")
	if line, _ := p.next(); !strings.HasPrefix(line, "http://127.0.0.1:") || !strings.HasSuffix(line, "/mcp") {
		t.Errorf("said %q", line)
	}
	p.end()

	p = start(t, "http-server", "-fail", "2")
	if code := p.wait().ExitCode(); code != 2 {
		t.Errorf("status %d for a wrong flag", code)
	}
}
