package dial

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcpctl/mcpctl/internal/store"
)

const (
	// farewell bounds the DELETE of a session and the notifications that are still
	// on their way when a connection is closed.
	farewell = time.Second
	// abandon bounds the wait for the SDK once all its requests have been broken
	// off; it is only reached if the SDK is at fault.
	abandon = 2 * time.Second
	// sdkRetries is the SDK's own count of tries to resume a stream. The guard
	// gives up earlier, so that the SDK never ends a session over it.
	sdkRetries = 2 * maxResumes
)

// remote is a server spoken to over HTTP.
type remote struct {
	guard *guard
	http  *http.Transport
	carry mcp.Transport
	end   context.CancelCauseFunc // of guard.life

	once sync.Once
	over chan struct{}
	why  error

	mu      sync.Mutex
	session *mcp.ClientSession // once connected
	leaving bool
}

// newRemote prepares the connection; nothing is sent yet. close must be called.
func (d *dialer) newRemote() (*remote, error) {
	l, v := d.launch, d.voice
	transport, err := newTransport(d.opts.Env)
	if err != nil {
		return nil, v.fail(CodeConnectFailed, v.quote(err.Error()), "")
	}
	u, err := url.Parse(l.URL)
	if err != nil {
		return nil, v.fail(CodeConnectFailed, "the URL cannot be read", "check the 'url' in its entry")
	}
	life, end := context.WithCancelCause(context.Background())
	r := &remote{http: transport, end: end, over: make(chan struct{})}
	r.guard = &guard{
		next: transport, proxy: transport.Proxy, origin: origin(u), headers: l.Headers.Clone(), legacy: l.Transport == store.SSE,
		retries: d.opts.Retries, patient: min(discoverWait, d.limit/2), voice: v, ledger: newLedger(),
		life: life, initialized: make(chan struct{}), onLost: r.lost,
	}
	if d.auth != nil {
		r.guard.next = &signer{next: transport, auth: d.auth, voice: v, onLost: r.lostWith, leaving: r.isLeaving}
	}
	if r.guard.headers.Get("User-Agent") == "" {
		r.guard.headers.Set("User-Agent", strings.TrimSuffix("mcpctl/"+d.opts.Client, "/"))
	}
	if l.Sends() {
		r.guard.onRefused = func(err error) { r.refused(d.opts.Values, err) }
	}
	client := &http.Client{Transport: r.guard, CheckRedirect: r.guard.checkRedirect}
	const sdkLimit = 2 * maxMessage // the guard's own is the one that counts
	if r.guard.legacy {
		r.carry = &mcp.SSEClientTransport{Endpoint: l.URL, HTTPClient: client, MaxEventSize: sdkLimit}
		return r, nil
	}
	r.carry = &mcp.StreamableClientTransport{
		Endpoint: l.URL, HTTPClient: client, MaxRetries: sdkRetries, MaxEventSize: sdkLimit,
		DisableStandaloneSSE: d.opts.ListChanged == nil, // what else comes that way has no listener
	}
	return r, nil
}

// checkRedirect is the second lock: the guard lets only a redirect of a GET to
// the same origin through.
func (g *guard) checkRedirect(req *http.Request, via []*http.Request) error {
	const most = 5
	if req.Method != http.MethodGet || origin(req.URL) != g.origin || len(via) > most {
		return g.voice.fail(CodeConnectFailed, "the server redirects to '"+g.voice.hiding().URL(req.URL.Redacted())+"'", "")
	}
	return nil
}

func (r *remote) transport() mcp.Transport { return r.carry }
func (r *remote) book() *ledger            { return r.guard.ledger }
func (r *remote) pid() int                 { return 0 }
func (r *remote) done() <-chan struct{}    { return r.over }
func (r *remote) strays() int              { return r.guard.noise() }

// connected takes the session over and watches for its end; the watch ends with
// the session.
func (r *remote) connected(s *mcp.ClientSession) {
	r.mu.Lock()
	r.session = s
	r.mu.Unlock()
	go func() {
		err := s.Wait()
		var known *Error
		if err == nil || !errors.As(err, &known) {
			message := "the server closed the connection"
			if err != nil {
				message = "the connection broke: " + r.guard.voice.quote(err.Error())
			}
			known = r.guard.voice.fail(CodeConnectFailed, message, "")
		}
		r.lost(known)
	}()
}

// refused forgets the values of commands and, once connected, ends the
// connection: only a new one gets new values.
func (r *remote) refused(values *Values, err error) {
	values.Forget()
	r.lostWith(err)
}

func (r *remote) isLeaving() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.leaving
}

// lostWith ends the connection once there is one; before, the handshake says why.
func (r *remote) lostWith(err error) {
	r.mu.Lock()
	connected := r.session != nil
	r.mu.Unlock()
	if connected {
		r.lost(err)
	}
}

// lost notes the end of the connection; the first reason stays.
func (r *remote) lost(err error) {
	r.mu.Lock()
	leaving := r.leaving
	r.mu.Unlock()
	r.once.Do(func() {
		if !leaving {
			r.why = err
		}
		close(r.over)
	})
}

// barrier lets a background stream that is just beginning begin.
func (g *guard) barrier() {
	g.mu.Lock()
	defer g.mu.Unlock()
}

func (r *remote) err() error {
	if within(r.over, 0) {
		return r.why
	}
	return nil
}

// close says good-bye within farewell, unless in a hurry, and breaks off what is
// left.
func (r *remote) close(hurry bool) {
	r.mu.Lock()
	r.leaving = true
	session := r.session
	r.mu.Unlock()
	if session != nil {
		closed := make(chan struct{})
		go func() { // ends at the latest when life does
			defer close(closed)
			session.Close()
		}()
		if !hurry {
			within(closed, farewell)
		}
		r.end(errClosed)
		within(closed, abandon)
	}
	r.end(errClosed)
	r.lost(nil)
	r.guard.barrier()
	r.guard.streams.Wait() // they end with life
	r.http.CloseIdleConnections()
}
