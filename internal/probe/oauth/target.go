// Package oauth runs one sign-in from start to stored credential, for one owner,
// and refreshes it: OAuth 2.1 as the MCP specification has it (2025-06-18 to
// 2026-07-28). It is the only room with the callback listener, the credential store
// and the client for authorization servers.
//
// SignIn makes a credential, Tokens uses it for the requests of a connection, Keeper
// keeps it, Logout ends it. What can open a browser is handed in; nothing here does.
// A Target is made from an Admitted server only (design §5, §11).
package oauth

import (
	"net/url"
	"strings"

	"github.com/mcpctl/mcpctl/internal/store"
	"github.com/mcpctl/mcpctl/internal/store/redact"
)

// Target is the server that is signed in to. The zero value is none.
type Target struct {
	server     string
	url        string // as the entry has it, its references expanded
	account    string
	credential string // the id of the stored credential the entry names; "" for none
	config     store.OAuth
	env        store.Environ // proxies and certificates
	agent      string        // the User-Agent
	mask       *redact.Mask
}

// NewTarget makes the target of an admitted server; l is its Launch, and env the
// session's environment. version is mcpctl's own.
func NewTarget(server store.Admitted, l store.Launch, env store.Environ, version string) Target {
	t := Target{server: server.Name(), url: l.URL, account: l.OAuth.Account, credential: l.CredentialID, config: l.OAuth,
		env: env, agent: strings.TrimSuffix("mcpctl/"+version, "/"), mask: redact.NewMask(l.Secrets...)}
	if t.account == "" {
		t.account = t.server
	}
	return t
}

// Server returns the server's name.
func (t Target) Server() string { return t.server }

// Account returns what tells this credential from others at the same address.
func (t Target) Account() string { return t.account }

// key is where the credential is found: the address and the account.
func (t Target) key() key { return key{URL: canonical(t.url), Account: t.account} }

// canonical is a URL as credentials are kept by it: scheme and host in lower case,
// no default port, no user info, no fragment. The path stays: two paths are two
// resources.
func canonical(raw string) string {
	u, err := url.Parse(raw)
	if err != nil {
		return raw
	}
	u.Scheme, u.Host, u.User, u.Fragment, u.RawFragment = strings.ToLower(u.Scheme), hostPort(u), nil, "", ""
	if u.Path == "" {
		u.Path = "/"
	}
	return u.String()
}

// hostPort is the host in lower case, with the port unless it is the scheme's own.
func hostPort(u *url.URL) string {
	host := strings.ToLower(u.Hostname())
	if strings.Contains(host, ":") {
		host = "[" + host + "]"
	}
	port := u.Port()
	if port == "" || u.Scheme == "https" && port == "443" || u.Scheme == "http" && port == "80" {
		return host
	}
	return host + ":" + port
}

// origin is the scheme, host and port of a URL, for comparing.
func origin(u *url.URL) string { return strings.ToLower(u.Scheme) + "://" + hostPort(u) }

// identifier is the resource of a server that publishes no metadata (RFC 8707 §2; MCP
// 2025-06-18, Canonical Server URI): its URL, without what identifies no resource.
func identifier(raw string) string {
	u, err := url.Parse(raw)
	if err != nil {
		return raw
	}
	u.User, u.RawQuery, u.ForceQuery, u.Fragment, u.RawFragment = nil, "", false, "", ""
	return u.String()
}

// covers tells whether a resource is the server at raw or lies above it: the same
// origin, and the path or the segments it begins with (design §11).
func covers(resource, raw string) bool {
	r, err := url.Parse(resource)
	if err != nil || r.Fragment != "" || r.Host == "" {
		return false
	}
	u, err := url.Parse(raw)
	if err != nil || origin(r) != origin(u) || r.RawQuery != "" && r.RawQuery != u.RawQuery {
		return false
	}
	above, path := strings.TrimSuffix(r.EscapedPath(), "/"), strings.TrimSuffix(u.EscapedPath(), "/")
	return path == above || strings.HasPrefix(path, above+"/")
}
