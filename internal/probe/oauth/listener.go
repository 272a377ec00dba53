package oauth

import (
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// What the browser gets to see. The texts are fixed: nothing of a request is ever
// shown (threats of reflected script).
const (
	pageDone    = "mcpctl has got the answer. You can close this page and go back to where you came from.\n"
	pageRefused = "The sign-in did not work out. mcpctl says why, where you came from.\n"
	pageForeign = "This is not the answer mcpctl waits for.\n"
)

const (
	callbackPath    = "/callback"
	maxCallback     = 16 << 10 // of a request's head
	callbackTimeout = 10 * time.Second
)

// listener waits on this machine for the browser to come back (RFC 8252 §7.3). It is
// bound before its address is told to anybody, to literal addresses, without sharing
// the port.
type listener struct {
	redirect string // the redirect URI
	host     string // what the browser's Host has to be
	path     string
	sockets  []net.Listener
	server   *http.Server
	answers  chan url.Values // the one answer
}

// callback is where the redirect URI is, as far as the entry says.
type callback struct {
	raw   string // to be sent byte for byte; "" when the port is still to be found
	host  string
	path  string
	port  int  // 0: any
	fixed bool // the port was asked for by the user
}

func (f *flow) callback() callback {
	cb := callback{host: "127.0.0.1", path: callbackPath, port: f.t.config.CallbackPort, fixed: f.t.config.CallbackPort != 0}
	if u, err := url.Parse(f.t.config.CallbackURL); err == nil && f.t.config.CallbackURL != "" {
		cb.host, cb.path = u.Hostname(), pathOf(u)
		if port, err := strconv.Atoi(u.Port()); err == nil {
			cb.raw, cb.port, cb.fixed = f.t.config.CallbackURL, port, true
		}
	}
	if cb.port == 0 && f.old != nil && f.old.Client.Redirect != "" { // the port that is registered, if it is free
		if u, err := url.Parse(f.old.Client.Redirect); err == nil && u.Hostname() == cb.host && pathOf(u) == cb.path {
			cb.port, _ = strconv.Atoi(u.Port())
		}
	}
	return cb
}

// pathOf is what a browser asks for: no path is the root.
func pathOf(u *url.URL) string {
	if path := u.EscapedPath(); path != "" {
		return path
	}
	return "/"
}

func (cb callback) uri(port int) string {
	if cb.raw != "" {
		return cb.raw
	}
	return "http://" + net.JoinHostPort(cb.host, strconv.Itoa(port)) + cb.path
}

// listen binds the callback's port. A port that the user chose is taken or nothing;
// one that is only registered is given up for another one.
func (f *flow) listen() (*listener, error) {
	cb := f.callback()
	sockets, err := bind(cb.host, cb.port)
	if err != nil && !cb.fixed && cb.port != 0 {
		sockets, err = bind(cb.host, 0)
	}
	if err != nil {
		message := "cannot wait for the browser on " + net.JoinHostPort(cb.host, strconv.Itoa(cb.port)) + ": " + reason(err)
		if errors.Is(err, syscall.EADDRINUSE) {
			return nil, f.t.failed(message, "end the program that has the port, or choose another with 'oauth.callbackPort'")
		}
		return nil, f.t.failed(message, "")
	}
	port := sockets[0].Addr().(*net.TCPAddr).Port
	return &listener{redirect: cb.uri(port), host: net.JoinHostPort(cb.host, strconv.Itoa(port)), path: cb.path,
		sockets: sockets, answers: make(chan url.Values, 1)}, nil
}

// bind listens at a loopback address. localhost is both of them: a browser may try
// either, and nobody else may have the one we do not.
func bind(host string, port int) ([]net.Listener, error) {
	addrs := []string{host}
	if host == "localhost" {
		addrs = []string{"127.0.0.1", "::1"}
	}
	var out []net.Listener
	for i, addr := range addrs {
		network := "tcp4"
		if strings.Contains(addr, ":") {
			network = "tcp6"
		}
		l, err := net.Listen(network, net.JoinHostPort(addr, strconv.Itoa(port)))
		if err != nil && i > 0 && !errors.Is(err, syscall.EADDRINUSE) {
			break // a machine without IPv6
		}
		if err != nil {
			for _, l := range out {
				l.Close()
			}
			return nil, err
		}
		out = append(out, l)
		port = l.Addr().(*net.TCPAddr).Port
	}
	return out, nil
}

// serve answers requests for r until close; each ends with its connection.
func (l *listener) serve(r *request) {
	l.server = &http.Server{
		Handler:           http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) { l.handle(w, req, r) }),
		ReadHeaderTimeout: callbackTimeout, WriteTimeout: callbackTimeout, MaxHeaderBytes: maxCallback,
		ErrorLog: log.New(io.Discard, "", 0),
	}
	l.server.SetKeepAlivesEnabled(false)
	for _, socket := range l.sockets {
		go l.server.Serve(socket) // ends with close
	}
}

func (l *listener) handle(w http.ResponseWriter, req *http.Request, r *request) {
	switch {
	case !strings.EqualFold(req.Host, l.host), pathOf(req.URL) != l.path:
		page(w, http.StatusNotFound, pageForeign)
		return
	case req.Method != http.MethodGet:
		page(w, http.StatusMethodNotAllowed, pageForeign)
		return
	}
	q, err := url.ParseQuery(req.URL.RawQuery)
	if err != nil || !r.isOurs(q) || !complete(q) { // somebody else's; the real one may still come
		page(w, http.StatusBadRequest, pageForeign)
		return
	}
	text := pageDone
	if q.Get("error") != "" {
		text = pageRefused
	}
	page(w, http.StatusOK, text)
	_ = http.NewResponseController(w).Flush() // before close cuts the connection
	select {
	case l.answers <- q:
	default: // it has been answered already
	}
}

// page writes a page that can do nothing and is kept nowhere.
func page(w http.ResponseWriter, code int, text string) {
	h := w.Header()
	h.Set("Content-Type", "text/plain; charset=utf-8")
	h.Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("X-Frame-Options", "DENY")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cache-Control", "no-store")
	h.Set("Connection", "close")
	h.Set("Content-Length", strconv.Itoa(len(text)))
	w.WriteHeader(code)
	io.WriteString(w, text)
}

// close frees the port at once, whatever connections a browser keeps.
func (l *listener) close() {
	if l.server != nil {
		l.server.Close()
	}
	for _, socket := range l.sockets {
		socket.Close()
	}
}
