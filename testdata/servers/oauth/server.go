package oauth

import (
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Request is one that came in, as the log has it.
type Request struct {
	Method string            `json:"m"`
	Path   string            `json:"path"` // with the query
	Header map[string]string `json:"h"`
	Body   string            `json:"body"`
}

// Form is the body or the query as a form.
func (r Request) Form() url.Values {
	text := r.Body
	if r.Method == http.MethodGet {
		_, text, _ = strings.Cut(r.Path, "?")
	}
	q, _ := url.ParseQuery(text)
	return q
}

// Server is both servers. It is a handler.
type Server struct {
	mu  sync.Mutex
	o   Options
	log []Request

	n        int
	codes    map[string]grant
	access   map[string]grant
	refresh  map[string]grant
	used     map[string]int // refresh tokens that are used up, with their family
	ended    map[int]bool   // families
	device   map[string]int // questions so far
	clients  map[string]client
	families int
	called   int
}

// grant is what a code or token stands for.
type grant struct {
	client, scope, redirect, challenge, resource string
	family                                       int
	ends                                         time.Time
}

type client struct{ secret, method string }

// New makes a server.
func New(o Options) *Server {
	if o.Now == nil {
		o.Now = time.Now
	}
	s := &Server{o: o, codes: map[string]grant{}, access: map[string]grant{}, refresh: map[string]grant{}, used: map[string]int{},
		ended: map[int]bool{}, device: map[string]int{}, clients: map[string]client{}}
	if o.ClientID != "" {
		s.clients[o.ClientID] = client{secret: o.ClientSecret}
	}
	return s
}

// Change changes the options of a server that runs.
func (s *Server) Change(f func(*Options)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f(&s.o)
}

// Requests are those so far whose path begins with prefix.
func (s *Server) Requests(prefix string) []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []Request
	for _, r := range s.log {
		if strings.HasPrefix(r.Path, prefix) {
			out = append(out, r)
		}
	}
	return out
}

// Ended tells how many families of tokens were ended because one was used twice.
func (s *Server) Ended() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.ended)
}

// RevokeAll makes every token useless.
func (s *Server) RevokeAll() {
	s.mu.Lock()
	defer s.mu.Unlock()
	clear(s.access)
	clear(s.refresh)
}

// ServeHTTP implements http.Handler.
func (s *Server) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	body, _ := io.ReadAll(io.LimitReader(req.Body, 1<<20))
	r := Request{Method: req.Method, Path: req.URL.RequestURI(), Header: map[string]string{"host": req.Host}, Body: string(body)}
	for name, values := range req.Header {
		r.Header[strings.ToLower(name)] = strings.Join(values, ", ")
	}
	s.mu.Lock()
	s.log = append(s.log, r)
	o := s.o
	if o.Log != nil {
		line, _ := json.Marshal(r)
		o.Log.Write(append(line, '\n'))
	}
	s.mu.Unlock()
	x := &exchange{Server: s, o: o, w: w, req: req, body: body, base: "http://" + req.Host}
	x.route()
}

// exchange is one request.
type exchange struct {
	*Server
	o    Options
	w    http.ResponseWriter
	req  *http.Request
	body []byte
	base string // of this server, as it was asked for
}

func (x *exchange) issuer() string { return x.base + x.o.IssuerPath }

func (x *exchange) route() {
	path := x.req.URL.Path
	switch {
	case strings.HasPrefix(path, "/.well-known/oauth-protected-resource"), path == "/odd/metadata":
		x.resourceMetadata(path)
	case strings.Contains(path, "/.well-known/"):
		x.serverMetadata(path)
	case path == "/authorize":
		x.authorize()
	case path == "/token":
		x.token()
	case path == "/register":
		x.register()
	case path == "/device":
		x.deviceCode()
	case path == "/revoke":
		x.revoke()
	case strings.TrimSuffix(path, "/") == strings.TrimSuffix(x.o.Path, "/"):
		x.mcp()
	default:
		http.NotFound(x.w, x.req)
	}
}

func (x *exchange) json(code int, v any) {
	x.w.Header().Set("Content-Type", "application/json")
	x.w.WriteHeader(code)
	json.NewEncoder(x.w).Encode(v)
}

// odd answers in one of the ways that any endpoint can be broken.
func (x *exchange) odd(how string) bool {
	switch how {
	case "500":
		http.Error(x.w, "boom: internal detail 4711", http.StatusInternalServerError)
	case "hang":
		<-x.req.Context().Done()
	case "huge":
		x.w.Header().Set("Content-Type", "application/json")
		io.WriteString(x.w, `{"x":"`+strings.Repeat("a", 2<<20)+`"}`)
	case "html":
		x.w.Header().Set("Content-Type", "text/html")
		io.WriteString(x.w, "<!doctype html><title>Sign in</title>")
	case "redirect": // to the same server by another name: another origin
		http.Redirect(x.w, x.req, strings.Replace(x.base, "127.0.0.1", "localhost", 1)+x.req.URL.RequestURI(), http.StatusTemporaryRedirect)
	case "see-301", "see-302", "see-303", "see-307", "see-308":
		x.w.Header().Set("Location", "/elsewhere")
		code, _ := strconv.Atoi(how[len("see-"):])
		x.w.WriteHeader(code)
	default:
		return false
	}
	return true
}

// RevokeAccess makes every access token useless, and leaves the others.
func (s *Server) RevokeAccess() {
	s.mu.Lock()
	defer s.mu.Unlock()
	clear(s.access)
}

// Used is how many refresh tokens are used up.
func (s *Server) Used() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.used)
}
