package dial

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"time"

	"golang.org/x/net/http/httpproxy"

	"github.com/mcpctl/mcpctl/internal/store"
)

const (
	// reachTimeout bounds the way to a host: name, route, TLS. A host that is up
	// takes well under a second; the rest is for bad networks.
	reachTimeout = 15 * time.Second
	// idleTimeout is for connections without a request, as net/http has it.
	idleTimeout = 90 * time.Second
	// maxHeader bounds the header of an answer.
	maxHeader = 64 << 10
	// maxErrorBody is what is read of the body of an error (design §9.2).
	maxErrorBody = 8 << 10
	// maxCA bounds the files of certificates; a system's whole set has 250 KB.
	maxCA = 8 << 20
)

// newTransport makes the HTTP transport of one server. Proxies and certificate
// authorities come from the session's environment, not from this process's.
func newTransport(env store.Environ) (*http.Transport, error) {
	roots, err := rootsFrom(env)
	if err != nil {
		return nil, err
	}
	dialer := &net.Dialer{Timeout: reachTimeout}
	return &http.Transport{
		Proxy:                  proxyFrom(env),
		DialContext:            dialer.DialContext,
		TLSClientConfig:        &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12},
		TLSHandshakeTimeout:    reachTimeout,
		ForceAttemptHTTP2:      true,
		IdleConnTimeout:        idleTimeout,
		MaxResponseHeaderBytes: maxHeader,
		DisableCompression:     true, // a bomb would be inflated before any limit of ours
	}, nil
}

// proxyFrom follows HTTP_PROXY, HTTPS_PROXY and NO_PROXY, in either case, as
// net/http does for the process's environment; loopback is never proxied.
func proxyFrom(env store.Environ) func(*http.Request) (*url.URL, error) {
	either := func(upper, lower string) string {
		if v := env[upper]; v != "" {
			return v
		}
		return env[lower]
	}
	config := httpproxy.Config{
		HTTPProxy:  either("HTTP_PROXY", "http_proxy"),
		HTTPSProxy: either("HTTPS_PROXY", "https_proxy"),
		NoProxy:    either("NO_PROXY", "no_proxy"),
	}
	choose := config.ProxyFunc()
	return func(req *http.Request) (*url.URL, error) { return choose(req.URL) }
}

// rootsFrom adds the certificates in SSL_CERT_FILE to the system's; nil means the
// system's alone.
func rootsFrom(env store.Environ) (*x509.CertPool, error) {
	path := env["SSL_CERT_FILE"]
	if path == "" {
		return nil, nil
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("cannot read SSL_CERT_FILE '%s': %s", path, errno(err))
	}
	defer f.Close()
	pem, err := io.ReadAll(io.LimitReader(f, maxCA))
	if err != nil {
		return nil, fmt.Errorf("cannot read SSL_CERT_FILE '%s': %s", path, errno(err))
	}
	roots, err := x509.SystemCertPool()
	if err != nil {
		roots = x509.NewCertPool()
	}
	if !roots.AppendCertsFromPEM(pem) {
		return nil, fmt.Errorf("SSL_CERT_FILE '%s' holds no certificate", path)
	}
	return roots, nil
}

// origin is what a server's requests may go to: scheme, host and port.
func origin(u *url.URL) string {
	port := u.Port()
	switch {
	case port != "":
	case u.Scheme == "https":
		port = "443"
	case u.Scheme == "http":
		port = "80"
	}
	return u.Scheme + "://" + net.JoinHostPort(u.Hostname(), port)
}

// unreachable puts into words why no answer came at all.
func (g *guard) unreachable(req *http.Request, err error) *Error {
	var op *net.OpError
	var dns *net.DNSError
	reason := err.Error()
	switch {
	case errors.As(err, &dns):
		reason = "no such host"
		if !dns.IsNotFound {
			reason = dns.Err
		}
	case errors.As(err, &op):
		reason = op.Err.Error()
		if op.Op == "dial" {
			reason = errno(op.Err)
		}
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		reason = "the connection was closed without an answer"
	}
	way := ""
	if proxy, perr := g.proxy(req); perr == nil && proxy != nil {
		way = " through the proxy '" + g.voice.hiding().URL(proxy.Redacted()) + "'"
	}
	return &Error{
		Code_: CodeConnectFailed, Server_: g.voice.server, Err: err,
		Message: "cannot reach " + g.voice.quote(req.URL.Host) + way + ": " + g.voice.quote(reason),
	}
}
