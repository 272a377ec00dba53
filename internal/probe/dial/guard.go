package dial

import (
	"bytes"
	"context"
	"errors"
	"io"
	"mime"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// discoverWait bounds server/discover on HTTP: a server that lets an unknown
// method hang is still asked to initialize. It is longer than on stdio, because
// the way and a server that is woken up by the request take their time.
const discoverWait = 10 * time.Second

const (
	sessionHeader   = "Mcp-Session-Id"
	lastEventHeader = "Last-Event-Id" // as net/http writes Last-Event-ID
	jsonType        = "application/json"
	eventType       = "text/event-stream"
)

// guard stands between the SDK and the network. It lets requests go to the
// configured origin only, bounds what comes back, keeps results as they were
// sent, says precisely what went wrong, and keeps one bad answer from ending the
// whole session, which the SDK would do.
type guard struct {
	next    http.RoundTripper
	proxy   func(*http.Request) (*url.URL, error)
	origin  string
	headers http.Header
	legacy  bool          // the old HTTP+SSE transport
	retries int           // of what may be repeated, when the server says it is busy
	patient time.Duration // discoverWait, or less when the whole handshake has less
	voice   *voice
	ledger  *ledger

	life        context.Context // every request ends with it
	initialized chan struct{}   // closed once notifications/initialized was accepted
	initOnce    sync.Once
	streams     sync.WaitGroup // background streams; they end with life
	hears       hearing        // the stream of messages that answer nothing

	mirror    func(*jsonrpc.Request, http.Header) // sets headers of a call; may be nil
	onLost    func(error)                         // the session is of no use any more
	onRefused func(error)                         // the server says 401 to values that commands gave; nil: there are none

	mu     sync.Mutex
	sticky error // a failure of server/discover that initialize would only repeat
	gone   bool  // the server has forgotten the session
	strays int
}

// RoundTrip implements http.RoundTripper.
func (g *guard) RoundTrip(req *http.Request) (*http.Response, error) {
	if origin(req.URL) != g.origin {
		err := g.voice.fail(CodeConnectFailed, "the server names another origin for its messages: "+g.voice.hiding().URL(req.URL.Redacted()), "")
		exchangeOf(req.Context()).setFault(err)
		return nil, err
	}
	switch req.Method {
	case http.MethodPost:
		return g.post(req)
	case http.MethodGet:
		return g.get(req)
	}
	if g.isGone() { // the DELETE of a session that is not there any more
		return synthetic(req, http.StatusOK, "", http.NoBody), nil
	}
	return g.send(req, nil)
}

// post sends one JSON-RPC message.
func (g *guard) post(req *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(req.Body) // the SDK's own bytes, all in memory
	req.Body.Close()
	if err != nil {
		return nil, err
	}
	m, err := jsonrpc.DecodeMessage(body)
	if err != nil {
		return nil, err
	}
	x := exchangeOf(req.Context())
	call, _ := m.(*jsonrpc.Request)
	if call == nil { // an answer of ours
		return g.exchange(req, body, &jsonrpc.Request{}, nil)
	}
	if out, changed := g.ledger.sending(req.Context(), call); changed {
		call = out
		if body, err = jsonrpc.EncodeMessage(call); err != nil {
			return nil, err
		}
	}
	if g.mirror != nil {
		g.mirror(call, req.Header)
	}
	switch call.Method {
	case "subscriptions/listen":
		return g.listen(req, call), nil
	case discoverMethod:
		return g.discover(req, body, call)
	case "initialize":
		if err := g.stuck(); err != nil {
			x.setFault(err)
			return nil, err
		}
	}
	if call.Method == "tools/call" {
		g.hears.await(req.Context())
	}
	resp, err := g.exchange(req, body, call, x)
	if err != nil {
		x.setFault(err)
		return nil, err
	}
	g.ledger.sent(call)
	if call.Method == "notifications/initialized" {
		g.initOnce.Do(func() { close(g.initialized) })
	}
	return resp, nil
}

// discover sends server/discover, which may fail for its own sake: then the SDK
// goes on to initialize. What initialize would only repeat is kept.
func (g *guard) discover(req *http.Request, body []byte, call *jsonrpc.Request) (*http.Response, error) {
	ctx, cancel := context.WithTimeout(req.Context(), g.patient)
	x := exchangeOf(ctx)
	resp, err := g.exchange(req.WithContext(ctx), body, call, x)
	if err != nil {
		cancel()
		x.setFault(err)
		var wide serverWide
		if errors.As(err, &wide) {
			g.mu.Lock()
			defer g.mu.Unlock()
			g.sticky = err
		}
		return nil, err
	}
	resp.Body = &releasing{ReadCloser: resp.Body, release: cancel}
	return resp, nil
}

// exchange sends a message and judges the answer. call has no id when no answer
// is expected.
func (g *guard) exchange(req *http.Request, body []byte, call *jsonrpc.Request, x *exchange) (*http.Response, error) {
	if x != nil {
		trace := &httptrace.ClientTrace{WroteHeaders: x.markSent}
		req = req.WithContext(httptrace.WithClientTrace(req.Context(), trace))
	}
	resp, err := g.sendAgain(req, body, call.Method)
	if err != nil {
		return nil, err
	}
	switch {
	case resp.StatusCode >= 400:
		return g.refused(resp, call, x)
	case resp.StatusCode >= 300:
		resp.Body.Close()
		return nil, g.redirected(req, resp)
	case headerSafe(resp.Header.Get(sessionHeader)) == "" && resp.Header.Get(sessionHeader) != "":
		drain(resp)
		return nil, g.voice.fail(CodeConnectFailed, "the server gives a session id that cannot be sent back", "")
	case !call.IsCall() || g.legacy: // the old transport answers on its stream
		x.markAccepted()
		drain(resp)
		return resp, nil
	}
	x.markAccepted()
	kind, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	switch {
	case kind == eventType:
		resp.Body = g.newFilter(resp.Body, x, nil)
		return resp, nil
	case resp.StatusCode == http.StatusAccepted, resp.StatusCode == http.StatusNoContent:
		drain(resp)
		return nil, g.voice.fail(CodeConnectFailed, "the server answered "+status(resp)+" and nothing else", "")
	case kind == jsonType:
		return g.answer(resp, call)
	}
	return nil, g.unexpected(resp, kind)
}

// answer reads the one JSON message in the body of an answer.
func (g *guard) answer(resp *http.Response, call *jsonrpc.Request) (*http.Response, error) {
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxMessage+1))
	resp.Body.Close()
	switch {
	case err != nil:
		return nil, g.voice.fail(CodeConnectFailed, "the answer broke off: "+g.voice.quote(errno(err)), "")
	case len(body) > maxMessage:
		return nil, g.voice.fail(CodeConnectFailed, errTooLong.Error(), "")
	case len(bytes.TrimSpace(body)) == 0:
		return nil, g.voice.fail(CodeConnectFailed, "the server gave an empty answer", "")
	}
	body = g.voice.valid(body)
	m, err := decodeMessage(body)
	answer, ok := m.(*jsonrpc.Response)
	if err != nil || !ok || answer.ID != call.ID {
		return nil, g.voice.fail(CodeConnectFailed, "the server's answer is no JSON-RPC answer to the request", "")
	}
	g.ledger.received(answer)
	resp.Body = io.NopCloser(bytes.NewReader(body))
	return resp, nil
}

// unexpected is the error for an answer of another type.
func (g *guard) unexpected(resp *http.Response, kind string) error {
	drain(resp)
	if kind == "text/html" || kind == "application/xhtml+xml" {
		return serverWide{g.voice.fail(CodeConnectFailed, "the URL answered "+kind+" (a sign-in page or a wrong path?)",
			"check the 'url' in its entry")}
	}
	if kind == "" {
		return g.voice.fail(CodeConnectFailed, "the server gave an empty answer", "")
	}
	return g.voice.fail(CodeConnectFailed, "the server answered with the content type '"+g.voice.quote(kind)+"', not with JSON", "")
}

// redirected is the error for a redirect: none is followed for a POST, and none
// to another origin, or headers and tokens would go with it.
func (g *guard) redirected(req *http.Request, resp *http.Response) error {
	target := resp.Header.Get("Location")
	if u, err := req.URL.Parse(target); err == nil {
		target = u.Redacted()
	}
	return serverWide{g.voice.fail(CodeConnectFailed, "the server redirects to '"+g.voice.quote(g.voice.hiding().URL(target))+"'",
		"if you trust that URL, put it into the entry")}
}

// idempotencyKey without a value is not sent: it tells net/http that a request may go
// out once more when the server has given up the kept connection it went out on.
const idempotencyKey = "Idempotency-Key"

// sendAgain sends a message, and again while the server says that it is busy. A
// tool call is sent once (design §9.2).
func (g *guard) sendAgain(req *http.Request, body []byte, method string) (*http.Response, error) {
	if method != "tools/call" && g.headers.Get(idempotencyKey) == "" {
		req.Header[idempotencyKey] = nil
	}
	for try := 0; ; try++ {
		resp, err := g.send(req, body)
		if err != nil || try >= g.retries || method == "tools/call" || !busy(resp.StatusCode, method) {
			return resp, err
		}
		wait := pauseBefore(resp, try)
		if wait > maxRetryPause {
			return resp, nil
		}
		drain(resp)
		if !pause(req.Context(), wait) {
			return nil, context.Cause(req.Context())
		}
	}
}

// send passes a request on, with the entry's headers, for as long as the
// connection lives.
func (g *guard) send(req *http.Request, body []byte) (*http.Response, error) {
	ctx, cancel := context.WithCancelCause(req.Context())
	unlink := context.AfterFunc(g.life, func() { cancel(errClosed) })
	out := req.Clone(ctx)
	if body != nil {
		out.Body, out.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
		out.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(body)), nil }
	}
	for name, values := range g.headers {
		switch _, taken := out.Header[name]; {
		case name == "Host":
			out.Host = values[0]
		case !taken && !protocols(name):
			out.Header[name] = values
		}
	}
	release := func() { unlink(); cancel(nil) }
	resp, err := g.next.RoundTrip(out)
	if err != nil {
		defer release()
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		var known *Error
		if errors.As(err, &known) { // of the sign-in
			return nil, err
		}
		return nil, serverWide{g.unreachable(out, err)}
	}
	resp.Body = &releasing{ReadCloser: resp.Body, release: release}
	return resp, nil
}

// protocols tells the headers that are the protocol's own and not the entry's to set,
// also on a request that is sent without them.
func protocols(name string) bool {
	switch name {
	case "Mcp-Protocol-Version", "Mcp-Method", nameHeader, sessionHeader, lastEventHeader,
		"Accept", "Content-Type", "Content-Length", "Transfer-Encoding", "Connection", "Upgrade":
		return true
	}
	return strings.HasPrefix(name, paramHeader)
}

// releasing frees what belongs to a request when its body is closed.
type releasing struct {
	io.ReadCloser
	release func()
}

func (r *releasing) Close() error {
	err := r.ReadCloser.Close()
	r.release()
	return err
}

func (g *guard) stuck() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.sticky
}

func (g *guard) isGone() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.gone
}

// noise returns the number of messages that made no sense.
func (g *guard) noise() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.strays
}
