package oauth

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"syscall"
	"time"

	"golang.org/x/net/http/httpproxy"

	"github.com/mcpctl/mcpctl/internal/store"
	"github.com/mcpctl/mcpctl/internal/store/atomicfile"
	"github.com/mcpctl/mcpctl/internal/store/redact"
)

// The limits of one request to an authorization server, or for metadata (design §11).
const (
	requestTimeout = 15 * time.Second
	maxBody        = 1 << 20
	maxHeader      = 64 << 10
	maxRedirects   = 5
	maxPEM         = 8 << 20 // a certificate store, or a key
)

// client sends the requests of one flow. It is not the one that speaks to the MCP
// server: it has the rules of design §11 for hosts that a server names.
type client struct {
	t         Target
	gate      *gate
	transport *http.Transport
	http      *http.Client
	timeout   time.Duration // requestTimeout; tests have less
}

// newClient makes the client; close must be called.
func newClient(t Target) (*client, error) {
	roots, err := roots(t.env)
	if err != nil {
		return nil, t.failed(err.Error(), "")
	}
	c := &client{t: t, gate: newGate(t), timeout: requestTimeout}
	choose := proxies(t.env)
	c.transport = &http.Transport{
		Proxy: func(req *http.Request) (*url.URL, error) {
			proxy, err := choose(req.URL)
			if err == nil && proxy != nil {
				c.gate.proxies.Store(net.JoinHostPort(proxy.Hostname(), proxyPort(proxy)), true)
			}
			return proxy, err
		},
		DialContext:            c.gate.dial,
		TLSClientConfig:        &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12},
		TLSHandshakeTimeout:    reachTimeout,
		ForceAttemptHTTP2:      true,
		MaxResponseHeaderBytes: maxHeader,
		DisableCompression:     true, // a bomb would be inflated before any limit of ours
	}
	c.http = &http.Client{Transport: c.transport, CheckRedirect: c.redirect}
	return c, nil
}

func (c *client) close() { c.transport.CloseIdleConnections() }

// proxies follows HTTP_PROXY, HTTPS_PROXY and NO_PROXY of the session, in either case.
func proxies(env store.Environ) func(*url.URL) (*url.URL, error) {
	either := func(upper string) string {
		if v := env[upper]; v != "" {
			return v
		}
		return env[strings.ToLower(upper)]
	}
	config := httpproxy.Config{HTTPProxy: either("HTTP_PROXY"), HTTPSProxy: either("HTTPS_PROXY"), NoProxy: either("NO_PROXY")}
	return config.ProxyFunc()
}

func proxyPort(u *url.URL) string {
	if port := u.Port(); port != "" {
		return port
	}
	if ports := map[string]string{"http": "80", "https": "443", "socks5": "1080", "socks5h": "1080"}; ports[u.Scheme] != "" {
		return ports[u.Scheme]
	}
	return "80"
}

// roots adds the certificates in SSL_CERT_FILE to the system's; nil means the
// system's alone.
func roots(env store.Environ) (*x509.CertPool, error) {
	path := env["SSL_CERT_FILE"]
	if path == "" {
		return nil, nil
	}
	pem, info, err := atomicfile.ReadFile(path, maxPEM)
	if err == nil && info == nil {
		err = fs.ErrNotExist
	}
	if err != nil {
		return nil, fmt.Errorf("cannot read SSL_CERT_FILE '%s': %w", path, err)
	}
	pool, err := x509.SystemCertPool()
	if err != nil {
		pool = x509.NewCertPool()
	}
	if !pool.AppendCertsFromPEM(pem) {
		return nil, fmt.Errorf("SSL_CERT_FILE '%s' holds no certificate", path)
	}
	return pool, nil
}

// redirectError says that a redirect was not followed.
type redirectError struct{ to string }

func (e *redirectError) Error() string { return "it redirects to '" + e.to + "'" }

// redirect lets a GET go on within its origin; no form is ever sent on.
func (c *client) redirect(req *http.Request, via []*http.Request) error {
	if via[0].Method != http.MethodGet || len(via) > maxRedirects || origin(req.URL) != origin(via[0].URL) {
		return &redirectError{to: c.t.shown(req.URL.Redacted())}
	}
	return nil
}

// answer is what came back.
type answer struct {
	status int
	body   []byte
}

func (a answer) ok() bool { return a.status >= 200 && a.status < 300 }

// get asks for a document.
func (c *client) get(ctx context.Context, u *url.URL) (answer, error) {
	return c.do(ctx, http.MethodGet, u, "", nil)
}

// post sends a form or a document.
func (c *client) post(ctx context.Context, u *url.URL, kind, body string, auth *url.Userinfo) (answer, error) {
	return c.do(ctx, http.MethodPost, u, kind, func(req *http.Request) {
		req.Body, req.ContentLength = io.NopCloser(strings.NewReader(body)), int64(len(body))
		if auth != nil {
			password, _ := auth.Password()
			req.SetBasicAuth(auth.Username(), password)
		}
	})
}

func (c *client) do(ctx context.Context, method string, u *url.URL, kind string, fill func(*http.Request)) (answer, error) {
	if ip, err := netip.ParseAddr(u.Hostname()); err == nil { // a proxy would dial it for us
		if err := c.gate.check(ctx, u.Hostname(), ip); err != nil {
			return answer{}, c.explain(ctx, u, err)
		}
	}
	limited, cancel := context.WithTimeout(ctx, c.timeout)
	defer cancel()
	req, err := http.NewRequestWithContext(limited, method, u.String(), nil)
	if err != nil {
		return answer{}, c.explain(ctx, u, err)
	}
	if fill != nil {
		fill(req)
	}
	req.Header.Set("Accept", "application/json")
	req.Header.Set("User-Agent", c.t.agent)
	if kind != "" {
		req.Header.Set("Content-Type", kind)
	}
	resp, err := c.http.Do(req)
	if err != nil {
		return answer{}, c.explain(ctx, u, err)
	}
	defer resp.Body.Close()
	if resp.StatusCode >= 300 && resp.StatusCode < 400 {
		return answer{}, c.explain(ctx, u, &redirectError{to: c.t.shown(resp.Header.Get("Location"))})
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxBody+1))
	if err == nil && len(body) > maxBody {
		err = errors.New("the answer is larger than 1 MiB")
	}
	if err != nil {
		return answer{}, c.explain(ctx, u, err)
	}
	return answer{status: resp.StatusCode, body: body}, nil
}

// unreachable marks a request that got no answer: another try may.
type unreachable struct{ err *Error }

func (u unreachable) Error() string { return u.err.Message }

func (u unreachable) Unwrap() error { return u.err }

// explain turns the error of a request into one that names the host and no more of
// the URL than may be seen.
func (c *client) explain(ctx context.Context, u *url.URL, err error) error {
	if ctx.Err() != nil {
		return c.t.cancelled(ctx)
	}
	var private *addressError
	if errors.As(err, &private) {
		return c.t.failed("the sign-in leads to an address that is not public: "+c.t.quote(private.Error()),
			"if that is your own network, say so in the user or local file: mcpctl update "+redact.ShellWord(c.t.server)+" --set oauth.allowPrivate=true")
	}
	var redirect *redirectError
	if errors.As(err, &redirect) {
		return c.t.failed("'"+u.Host+"' cannot be asked: "+redirect.Error(), "")
	}
	return unreachable{c.t.failed("'"+u.Host+"' cannot be reached: "+c.t.quote(reason(err)), "")}
}

// reason drops the URL that net/http puts into its errors.
func reason(err error) string {
	var call *url.Error
	if errors.As(err, &call) {
		if call.Timeout() {
			return "no answer within " + requestTimeout.String()
		}
		err = call.Err
	}
	var dns *net.DNSError
	if errors.As(err, &dns) {
		if dns.IsNotFound {
			return "no such host"
		}
		return "its name cannot be looked up"
	}
	var errno syscall.Errno
	if errors.As(err, &errno) {
		return errno.Error()
	}
	return err.Error()
}
