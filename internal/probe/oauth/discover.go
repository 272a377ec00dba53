package oauth

import (
	"context"
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"golang.org/x/net/publicsuffix"

	"github.com/mcpctl/mcpctl/internal/store/redact"
)

// discovery is what a server says about how to sign in to it.
type discovery struct {
	resource string // byte for byte as it is asked for (RFC 8707)
	scope    string // all that the resource supports
	as       server
}

// server is an authorization server's metadata (RFC 8414 §2), as far as it is used.
type server struct {
	issuer, authorization, token    string
	registration, device, revoke    string
	scopes, methods, grants, pkce   []string
	saysMethods, saysGrants         bool
	issParameter, metadataDocuments bool
	bare                            bool // there is no metadata: the addresses are those of MCP 2025-03-26
}

const (
	wellKnownResource = "/.well-known/oauth-protected-resource"
	wellKnownServer   = "/.well-known/oauth-authorization-server"
	wellKnownOpenID   = "/.well-known/openid-configuration"
)

// discover finds the resource and its authorization server, from the server's own
// challenge on (MCP 2025-11-25, Authorization Server Discovery). known is the issuer of
// the credential that is there, which is preferred where the server names several.
func (c *client) discover(ctx context.Context, ch Challenge, known string) (*discovery, error) {
	resource, err := c.protectedResource(ctx, ch)
	if err != nil {
		return nil, err
	}
	d := &discovery{resource: identifier(c.t.url)}
	var issuers []string
	if resource != nil {
		d.resource = resource.text("resource")
		scopes, _ := resource.texts("scopes_supported")
		d.scope = union(scopes...)
		named, _ := resource.texts("authorization_servers")
		if issuers, err = c.issuers(named); err != nil {
			return nil, err
		}
	}
	switch {
	case c.t.config.AuthServerMetadataURL != "":
		d.as, err = c.configured(ctx)
	case slices.Contains(issuers, known):
		d.as, err = c.authorizationServer(ctx, known)
	case len(issuers) > 0:
		d.as, err = c.authorizationServer(ctx, issuers[0])
	default:
		d.as, err = c.atOrigin(ctx)
	}
	if err == nil {
		err = c.usable(d.as)
	}
	if err != nil {
		return nil, err
	}
	return d, nil
}

// issuers are those of the named authorization servers that may be asked. What is no
// address at all counts as not said (some servers write their own name there); one that
// is, and is refused, is not replaced by a guess.
func (c *client) issuers(named []string) (usable []string, err error) {
	for _, raw := range named {
		u, perr := url.Parse(raw)
		if _, why := endpoint(raw); why == "" {
			usable = append(usable, raw)
		} else if perr == nil && u.Host != "" && err == nil {
			err = c.t.failed("the authorization server '"+c.t.shown(raw)+"' "+why, "tell the people who run the server")
		}
	}
	if len(usable) > 0 {
		return usable, nil
	}
	return nil, err
}

// protectedResource finds the metadata of the protected resource (RFC 9728): where the
// challenge says, else at the path, else at the root; nil when there is none.
func (c *client) protectedResource(ctx context.Context, ch Challenge) (document, error) {
	self, err := url.Parse(c.t.url)
	if err != nil {
		return nil, c.t.failed("its URL cannot be read", "check the 'url' in its entry")
	}
	var places []*url.URL
	if ch.Metadata != "" {
		u, why := c.placeOfMetadata(self, ch.Metadata)
		if why != "" {
			return nil, c.t.failed("the server names '"+c.t.shown(ch.Metadata)+"' for its metadata, which "+why, "")
		}
		places = append(places, u)
	}
	at := func(path string) *url.URL { return &url.URL{Scheme: self.Scheme, Host: self.Host, Path: path} }
	if path := strings.TrimSuffix(self.Path, "/"); path != "" {
		places = append(places, at(wellKnownResource+path))
	}
	places = append(places, at(wellKnownResource))
	doc, place, err := c.first(ctx, places)
	if doc == nil || err != nil {
		return nil, err
	}
	if resource := doc.text("resource"); !covers(resource, c.t.url) {
		return nil, c.t.failed("the metadata at '"+c.t.shown(place.String())+"' is of the resource '"+c.t.shown(resource)+
			"', and not of '"+c.t.shown(c.t.url)+"'", "tell the people who run the server")
	}
	return doc, nil
}

// first gets the first document that is at one of the places; nil when there is none.
func (c *client) first(ctx context.Context, places []*url.URL) (document, *url.URL, error) {
	for _, place := range places {
		if doc, err := c.document(ctx, place); doc != nil || err != nil {
			return doc, place, err
		}
	}
	return nil, nil, nil
}

// placeOfMetadata is where a challenge says the metadata is. On the server's own
// origin plain http is no worse than the server itself.
func (c *client) placeOfMetadata(self *url.URL, raw string) (*url.URL, string) {
	if u, err := url.Parse(raw); err == nil && u.User == nil && u.Host != "" && origin(u) == origin(self) && len(raw) <= maxURL {
		return u, ""
	}
	return endpoint(raw)
}

// document gets a JSON object; nil when there is none at that place. What is broken
// behind a gateway (5xx) is an error: the next place would be a guess.
func (c *client) document(ctx context.Context, u *url.URL) (document, error) {
	a, err := c.get(ctx, u)
	if err != nil {
		return nil, err
	}
	if a.status >= 500 && a.status != 502 {
		return nil, c.t.failed("'"+c.t.shown(u.String())+"' answers "+status(a.status), "try again later")
	}
	if !a.ok() {
		return nil, nil
	}
	doc, _ := readDocument(a.body)
	return doc, nil
}

// authorizationServer gets the metadata of an issuer, at the places of RFC 8414 §3.1
// and OpenID Connect Discovery in the order of the MCP specification. The document
// counts only if it is the issuer's own, letter by letter (RFC 8414 §3.3).
func (c *client) authorizationServer(ctx context.Context, issuer string) (server, error) {
	u, why := endpoint(issuer)
	if why != "" {
		return server{}, c.t.failed("the authorization server '"+c.t.shown(issuer)+"' "+why, "")
	}
	doc, place, err := c.first(ctx, metadataPlaces(u))
	if err != nil {
		return server{}, err
	}
	if doc != nil {
		if got := doc.text("issuer"); got != issuer {
			return server{}, c.otherIssuer(place, got, issuer)
		}
		return readServer(doc), nil
	}
	return server{}, c.t.failed("the authorization server '"+c.t.shown(issuer)+"' publishes no metadata",
		"if you know where it is, set 'oauth.authServerMetadataUrl' in the entry")
}

func (c *client) otherIssuer(place *url.URL, got, want string) error {
	return c.t.failed("the metadata at '"+c.t.shown(place.String())+"' is of the issuer '"+c.t.shown(got)+"', and not of '"+c.t.shown(want)+"'",
		"if you trust that document, set its address as 'oauth.authServerMetadataUrl' in the entry")
}

func metadataPlaces(issuer *url.URL) []*url.URL {
	at := func(path string) *url.URL { return &url.URL{Scheme: issuer.Scheme, Host: issuer.Host, Path: path} }
	path := strings.TrimSuffix(issuer.Path, "/")
	if path == "" {
		return []*url.URL{at(wellKnownServer), at(wellKnownOpenID)}
	}
	return []*url.URL{at(wellKnownServer + path), at(wellKnownOpenID + path), at(path + wellKnownOpenID)}
}

// configured gets the metadata that the entry names, and takes the issuer from it.
func (c *client) configured(ctx context.Context) (server, error) {
	raw := c.t.config.AuthServerMetadataURL
	u, why := endpoint(raw)
	if why != "" {
		return server{}, c.t.failed("'oauth.authServerMetadataUrl' "+why, "")
	}
	doc, err := c.document(ctx, u)
	if err != nil {
		return server{}, err
	}
	if doc == nil || doc.text("issuer") == "" {
		return server{}, c.t.failed("there is no authorization server's metadata at '"+c.t.shown(raw)+"'", "check 'oauth.authServerMetadataUrl' in the entry")
	}
	return readServer(doc), nil
}

// atOrigin is for a server that publishes nothing of its own: as in MCP 2025-03-26 its
// origin is the authorization server. The document there may be of an issuer below it.
// Without a document nothing says that the code is bound to us, so that has to be
// allowed by the user.
func (c *client) atOrigin(ctx context.Context) (server, error) {
	self, err := url.Parse(c.t.url)
	if err != nil {
		return server{}, c.t.failed("its URL cannot be read", "check the 'url' in its entry")
	}
	root := origin(self)
	u, why := endpoint(root)
	if why != "" {
		return server{}, c.t.failed("the server says nothing about how to sign in, and '"+c.t.shown(root)+"' "+why, "")
	}
	doc, place, err := c.first(ctx, metadataPlaces(u))
	if err != nil {
		return server{}, err
	}
	if doc != nil {
		got := doc.text("issuer")
		if at, err := url.Parse(got); err != nil || origin(at) != root {
			return server{}, c.otherIssuer(place, got, root)
		}
		return readServer(doc), nil
	}
	if !c.t.config.AllowLegacy {
		e := c.t.failed("the server says nothing about how to sign in: it publishes no metadata",
			"if it is of before 2025-06-18, say so in the user or local file: mcpctl update "+redact.ShellWord(c.t.server)+" --set oauth.allowLegacy=true")
		e.Err = ErrNoMetadata
		return server{}, e
	}
	return server{issuer: root, authorization: root + "/authorize", token: root + "/token", registration: root + "/register", bare: true}, nil
}

func readServer(d document) server {
	s := server{
		issuer: d.text("issuer"), authorization: d.text("authorization_endpoint"), token: d.text("token_endpoint"),
		registration: d.text("registration_endpoint"), device: d.text("device_authorization_endpoint"), revoke: d.text("revocation_endpoint"),
		issParameter:      d.yes("authorization_response_iss_parameter_supported"),
		metadataDocuments: d.yes("client_id_metadata_document_supported"),
	}
	s.scopes, _ = d.texts("scopes_supported")
	s.pkce, _ = d.texts("code_challenge_methods_supported")
	s.methods, s.saysMethods = d.texts("token_endpoint_auth_methods_supported")
	s.grants, s.saysGrants = d.texts("grant_types_supported")
	return s
}

// address is one that the metadata names, under its name there.
type address struct{ name, raw string }

// addresses are all that the metadata names.
func (s server) addresses() []address {
	return slices.DeleteFunc([]address{{"authorization_endpoint", s.authorization}, {"token_endpoint", s.token},
		{"registration_endpoint", s.registration}, {"device_authorization_endpoint", s.device}, {"revocation_endpoint", s.revoke}},
		func(a address) bool { return a.raw == "" })
}

// usable checks every address of the metadata, used or not: who puts a program's
// address into one of them is not to be trusted with the others.
func (c *client) usable(s server) error {
	for _, a := range s.addresses() {
		if _, why := endpoint(a.raw); why != "" {
			return c.t.failed("the authorization server's "+a.name+" '"+c.t.shown(a.raw)+"' "+why, "")
		}
	}
	if s.token == "" {
		return c.t.failed("the authorization server '"+c.t.shown(s.issuer)+"' has no token endpoint", "")
	}
	return c.together(s)
}

// together checks that all addresses belong to the issuer's site: a page of an honest
// server with the token endpoint of another would hand the code to that one. Who gives
// the client or the metadata himself has chosen the server.
func (c *client) together(s server) error {
	if c.t.config.ClientID != "" || c.t.config.AuthServerMetadataURL != "" || s.bare {
		return nil
	}
	issuer, err := url.Parse(s.issuer)
	if err != nil {
		return c.t.failed("the issuer '"+c.t.shown(s.issuer)+"' is not a URL", "")
	}
	for _, a := range s.addresses() {
		if u, err := url.Parse(a.raw); err != nil || !sameSite(issuer, u) {
			return c.t.failed("the authorization server '"+c.t.shown(s.issuer)+"' names '"+c.t.shown(a.raw)+"' as its "+a.name+", which is another site",
				"if you trust both, set 'oauth.clientId' to a client that is registered there, or 'oauth.authServerMetadataUrl'")
		}
	}
	return nil
}

// sameSite tells whether two addresses are of one owner: the same origin, or hosts of
// the same registrable domain over https.
func sameSite(a, b *url.URL) bool {
	if origin(a) == origin(b) {
		return true
	}
	one, err := publicsuffix.EffectiveTLDPlusOne(a.Hostname())
	other, err2 := publicsuffix.EffectiveTLDPlusOne(b.Hostname())
	_, ip := netip.ParseAddr(a.Hostname())
	return err == nil && err2 == nil && ip != nil && one == other && a.Scheme == "https" && b.Scheme == "https"
}

// binds checks that the server ties a code to who asked for it: PKCE with S256 (MCP
// 2025-11-25: a client must refuse where the metadata does not say so).
func (c *client) binds(s server) error {
	if slices.Contains(s.pkce, "S256") || c.t.config.AllowLegacy && len(s.pkce) == 0 {
		return nil
	}
	says := "does not say that it supports PKCE"
	if len(s.pkce) > 0 {
		says = "supports PKCE only as " + c.t.quote(strings.Join(s.pkce, ", "))
	}
	return c.t.failed("the authorization server '"+c.t.shown(s.issuer)+"' "+says+", and a code could be stolen", "tell the people who run it: S256 is missing in its metadata")
}
