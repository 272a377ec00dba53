package http

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	nethttp "net/http"
	"os"
	"strconv"
	"strings"
	"sync"

	"github.com/mcpctl/mcpctl/testdata/servers/mark"
)

// handler answers all requests of one run.
type handler struct {
	*options
	next nethttp.Handler // with -sdk

	mu       sync.Mutex // guards all below
	posts    int
	issued   int
	sessions map[string]bool

	old legacy
}

const sessionHeader = "Mcp-Session-Id"

func newHandler(o *options) *handler {
	h := &handler{options: o, sessions: map[string]bool{}}
	if o.sdk {
		h.next = newSDK()
	}
	return h
}

// message is a request, a notification (no id) or an answer (no method).
type message struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
}

// entry is one line of the log.
type entry struct {
	Method  string            `json:"method"`
	Path    string            `json:"path"`
	RPC     string            `json:"rpc,omitempty"` // the method in the body, if it has one
	Headers map[string]string `json:"headers"`
	Body    string            `json:"body"`
}

// ServeHTTP notes the request and answers it.
func (h *handler) ServeHTTP(w nethttp.ResponseWriter, r *nethttp.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // the client is gone
	}
	var m message
	parseErr := json.Unmarshal(body, &m)
	h.note(r, m.Method, string(body))

	need := h.needed()
	switch name, value, _ := strings.Cut(need, "="); {
	case h.legacySSE:
		h.old.serve(h, w, r, m)
	case h.redirect != "" && r.URL.Path == h.path:
		w.Header().Set("Location", h.redirect)
		w.WriteHeader(h.redirectCode)
	case !h.serves(r.URL.Path):
		w.WriteHeader(nethttp.StatusNotFound)
	case need != "" && r.Header.Get(name) != value:
		w.WriteHeader(nethttp.StatusUnauthorized)
	case h.next != nil:
		r.Body = io.NopCloser(bytes.NewReader(body))
		h.next.ServeHTTP(w, r)
	case r.Method == nethttp.MethodGet:
		h.getRequest(w, r)
	case r.Method == nethttp.MethodDelete:
		h.forget(r.Header.Get(sessionHeader))
	case r.Method != nethttp.MethodPost:
		w.WriteHeader(nethttp.StatusMethodNotAllowed)
	default:
		n := h.count()
		switch {
		case h.refused(w, n):
		case parseErr != nil:
			w.WriteHeader(nethttp.StatusBadRequest)
		default:
			h.post(w, r, m)
		}
		h.dropAfter(n)
	}
}

// serves tells whether MCP lives at the path.
func (h *handler) serves(path string) bool {
	return path == h.path || path == h.path+"/" || path == h.redirect
}

// count returns how many POSTs have come as far as an answer, this one included.
func (h *handler) count() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.posts++
	return h.posts
}

// note logs the request.
func (h *handler) note(r *nethttp.Request, rpc, body string) {
	if h.log == "" {
		return
	}
	headers := map[string]string{"Host": r.Host}
	for name, values := range r.Header {
		headers[name] = strings.Join(values, ", ")
	}
	e := entry{Method: r.Method, Path: r.RequestURI, RPC: rpc, Headers: headers, Body: body}
	if err := mark.Append(h.log, e); err != nil {
		fmt.Fprintf(os.Stderr, "http-server: %v\n", err)
	}
}

// refused answers the nth POST as the flags against all POSTs say, and tells
// whether one of them did.
func (h *handler) refused(w nethttp.ResponseWriter, n int) bool {
	code := h.always
	if n <= h.failFirst {
		code = h.failCode
	}
	switch {
	case code != 0:
		if h.retryAfter != "" {
			w.Header().Set("Retry-After", h.retryAfter)
		}
		w.WriteHeader(code)
	case h.bigError > 0:
		w.Header().Set("Content-Type", "text/plain")
		w.WriteHeader(nethttp.StatusInternalServerError)
		io.WriteString(w, strings.Repeat("x", h.bigError))
	case h.html:
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		io.WriteString(w, "<!doctype html>\n<title>Sign in</title>\n<p>Please sign in.</p>\n")
	default:
		return false
	}
	return true
}

// getRequest answers the optional stream of messages from the server.
func (h *handler) getRequest(w nethttp.ResponseWriter, r *nethttp.Request) {
	if h.get != getStream {
		code, _ := strconv.Atoi(h.get) // checked by parse
		w.WriteHeader(code)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	w.WriteHeader(nethttp.StatusOK)
	nethttp.NewResponseController(w).Flush()
	<-r.Context().Done()
}

// forget ends one session.
func (h *handler) forget(id string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.sessions, id)
}

// dropAfter ends all sessions when n is the number of -drop. That number comes
// by only once, so later sessions stay.
func (h *handler) dropAfter(n int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.drop > 0 && n == h.drop {
		clear(h.sessions)
	}
}

// needed is the header without which a request is refused, as NAME=VALUE.
func (h *handler) needed() string {
	if h.needFile == "" {
		return h.needHeader
	}
	text, err := os.ReadFile(h.needFile)
	if err != nil {
		return "X-Missing=" + err.Error()
	}
	return strings.TrimSpace(string(text))
}
