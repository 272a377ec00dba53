package oauth

import (
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// request is an authorization request that waits for its answer: what the answer is
// checked against, and what the code is exchanged with. It is what a ticket keeps.
type request struct {
	Server       string    `json:"server"`
	Key          key       `json:"key"`
	Resource     string    `json:"resource"`
	Issuer       string    `json:"issuer"` // validated, and noted before the browser goes there (RFC 9207)
	IssParameter bool      `json:"issParameter"`
	Bare         bool      `json:"bare,omitempty"`
	Token        string    `json:"tokenEndpoint"`
	Revocation   string    `json:"revocationEndpoint,omitempty"`
	Client       identity  `json:"client"`
	ClientSecret string    `json:"clientSecret,omitempty"` // of a dynamic registration
	Redirect     string    `json:"redirect"`
	Scope        string    `json:"scope"`
	State        string    `json:"state"`
	Verifier     string    `json:"verifier"`
	Ends         time.Time `json:"ends"`
}

func (f *flow) newRequest(who applicant, redirect string) *request {
	r := &request{Server: f.t.server, Key: f.t.key(), Resource: f.d.resource, Issuer: f.d.as.issuer, IssParameter: f.d.as.issParameter,
		Bare: f.d.as.bare, Token: f.d.as.token, Revocation: f.d.as.revoke, Client: who.identity, Redirect: redirect, Scope: f.scope,
		State: random(), Verifier: random(), Ends: f.keeper.now().Add(signInTime).UTC()}
	if who.From == fromDynamic {
		r.ClientSecret = who.secret
	}
	f.hide(r.State, r.Verifier)
	return r
}

// address is the page that the user has to open.
func (f *flow) address(r *request) (string, error) {
	if f.d.as.authorization == "" {
		return "", f.t.failed("the authorization server '"+f.t.shown(r.Issuer)+"' has no page to sign in at", "")
	}
	if err := f.c.binds(f.d.as); err != nil && !f.d.as.bare {
		return "", err
	}
	u, why := f.page(f.d.as.authorization)
	if why != "" {
		return "", f.t.failed("the page to sign in at '"+f.t.shown(f.d.as.authorization)+"' "+why, "")
	}
	sum := sha256.Sum256([]byte(r.Verifier))
	q := url.Values{"response_type": {"code"}, "client_id": {r.Client.ID}, "redirect_uri": {r.Redirect}, "state": {r.State},
		"code_challenge": {base64.RawURLEncoding.EncodeToString(sum[:])}, "code_challenge_method": {"S256"}, "resource": {r.Resource}}
	if r.Scope != "" {
		q.Set("scope", r.Scope)
	}
	if strings.Contains(" "+r.Scope+" ", " offline_access ") {
		q.Set("prompt", "consent") // OpenID Connect Core §11
	}
	if u.Host == "accounts.google.com" {
		q.Set("access_type", "offline") // its own word for it
	}
	u.RawQuery = without(u.RawQuery, q)
	if u.RawQuery != "" {
		u.RawQuery += "&"
	}
	if u.RawQuery += q.Encode(); len(u.String()) > maxURL {
		return "", f.t.failed("the address of the page to sign in at would be longer than "+strconv.Itoa(maxURL)+" characters", "ask for less with: --scopes")
	}
	return u.String(), nil
}

// without is a query without the parameters that we set: none stands there twice (RFC
// 6749 §3.1), and what the metadata says of them does not count.
func without(query string, ours url.Values) string {
	var kept []string
	for part := range strings.SplitSeq(query, "&") {
		name, _, _ := strings.Cut(part, "=")
		if name, err := url.QueryUnescape(name); err != nil || ours.Has(name) || part == "" || name == "scope" {
			continue
		}
		kept = append(kept, part)
	}
	return strings.Join(kept, "&")
}

// isOurs tells whether an answer is to this request.
func (r *request) isOurs(q url.Values) bool {
	return len(q["state"]) == 1 && subtle.ConstantTimeCompare([]byte(q.Get("state")), []byte(r.State)) == 1
}

// judge looks at an answer that is ours. Whose it is comes first (RFC 9207 §2.4, MCP
// 2026-07-28): of another server's answer nothing is shown, and its code goes
// nowhere. The issuer is compared letter by letter.
func (f *flow) judge(r *request, q url.Values) (code string, err error) {
	switch issuers := q["iss"]; {
	case len(issuers) > 1, len(q["code"]) > 1:
		return "", f.t.failed("the answer of the authorization server says the same thing twice", "")
	case len(issuers) == 1 && (r.Bare || issuers[0] != r.Issuer):
		return "", f.t.failed("the answer is of the authorization server '"+f.t.shown(issuers[0])+"', and not of '"+f.t.shown(r.Issuer)+"'",
			"nothing was sent there; tell the people who run the server")
	case len(issuers) == 0 && r.IssParameter:
		return "", f.t.failed("the answer does not say that it is of the authorization server '"+f.t.shown(r.Issuer)+"', as it ought to", "")
	}
	if q.Get("error") != "" {
		doc := document{"error": quoted(q.Get("error")), "error_description": quoted(q.Get("error_description"))}
		return "", f.t.failed("the authorization server refused"+f.says(doc), "")
	}
	f.hide(q.Get("code"))
	return q.Get("code"), nil
}

// complete tells whether an answer holds what one has to.
func complete(q url.Values) bool { return q.Get("code") != "" || q.Get("error") != "" }

// pasted reads what a user has copied: the address the browser was sent to, or the
// query of it. noise is something else.
func (r *request) pasted(text string) (q url.Values, noise bool) {
	text = trimmed(text)
	text, _, _ = strings.Cut(text, "#")
	base, query, is := strings.Cut(text, "?")
	if !is {
		base, query = "", text
	}
	if base != "" && !sameAddress(base, r.Redirect) {
		return nil, true
	}
	q, err := url.ParseQuery(query)
	return q, err != nil || !complete(q)
}

// sameAddress compares without the port's and the host's odd spellings.
func sameAddress(a, b string) bool {
	u, errU := url.Parse(a)
	v, errV := url.Parse(b)
	return errU == nil && errV == nil && origin(u) == origin(v) && pathOf(u) == pathOf(v)
}
