package oauth

import (
	"context"
	"net/url"
	"strings"
	"time"
)

// grantError is a refusal of the token endpoint (RFC 6749 §5.2).
type grantError struct {
	err  *Error
	code string // "" when the server gave none
}

func (e grantError) Error() string { return e.err.Message }

func (e grantError) Unwrap() error { return e.err }

// tokens is a token answer.
type tokens struct {
	access, refresh, kind string
	scope                 string // "" when the server does not say
	lifetime              time.Duration
}

// ask sends one request to a token endpoint and reads the answer. resource goes with
// each (RFC 8707 §2.2).
func (f *flow) ask(ctx context.Context, raw, issuer string, who applicant, form url.Values) (tokens, error) {
	u, why := endpoint(raw)
	if why != "" {
		return tokens{}, f.t.failed("the token endpoint '"+f.t.shown(raw)+"' "+why, "")
	}
	auth, err := f.authenticate(form, issuer, who)
	if err != nil {
		return tokens{}, err
	}
	a, err := f.c.post(ctx, u, "application/x-www-form-urlencoded", form.Encode(), auth)
	if err != nil {
		return tokens{}, err
	}
	doc, isJSON := readDocument(a.body)
	if code := doc.text("error"); code != "" || !a.ok() {
		e := f.t.failed("the authorization server refused: "+strings.TrimPrefix(f.says(doc), ": "), "")
		if code == "" {
			e.Message = "the token endpoint of '" + f.t.shown(issuer) + "' answers " + status(a.status)
		}
		if a.status >= 500 || a.status == 429 || code == "temporarily_unavailable" || code == "server_error" {
			return tokens{}, unreachable{e}
		}
		return tokens{}, grantError{err: e, code: code}
	}
	t := tokens{access: doc.text("access_token"), refresh: doc.text("refresh_token"), kind: doc.text("token_type"),
		scope: words(doc.text("scope")), lifetime: time.Duration(doc.seconds("expires_in")) * time.Second}
	switch {
	case !isJSON || t.access == "":
		return tokens{}, f.t.failed("the token endpoint of '"+f.t.shown(issuer)+"' gave no access token", "")
	case t.kind != "" && !strings.EqualFold(t.kind, "bearer"):
		return tokens{}, f.t.failed("the authorization server gave a token of the type '"+f.t.quote(t.kind)+"', and mcpctl knows only Bearer", "")
	case !visible(t.access) || !visible(t.refresh):
		return tokens{}, f.t.failed("the authorization server gave a token with a character that no header may hold", "")
	}
	f.hide(t.access, t.refresh)
	return t, nil
}

// visible tells whether a text is of VCHAR alone (RFC 6749 A.12).
func visible(s string) bool {
	for _, c := range []byte(s) {
		if c <= ' ' || c >= 0x7f {
			return false
		}
	}
	return true
}

// authenticate puts the client's identity into the form, or returns what goes into
// the Authorization header (RFC 6749 §2.3.1).
func (f *flow) authenticate(form url.Values, issuer string, who applicant) (*url.Userinfo, error) {
	switch who.Method {
	case methodBasic:
		return url.UserPassword(url.QueryEscape(who.ID), url.QueryEscape(who.secret)), nil
	case methodPost:
		form.Set("client_id", who.ID)
		form.Set("client_secret", who.secret)
	case methodKey:
		form.Set("client_id", who.ID)
		assertion, err := f.assertion(who.ID, issuer)
		if err != nil {
			return nil, err
		}
		form.Set("client_assertion_type", "urn:ietf:params:oauth:client-assertion-type:jwt-bearer")
		form.Set("client_assertion", assertion)
	default:
		form.Set("client_id", who.ID)
	}
	return nil, nil
}

// take puts the answer into c. What the server leaves out stays: the refresh token
// (RFC 6749 §6) and the scope (§5.1).
func (c *credential) take(t tokens, asked string, now time.Time) {
	c.Access, c.Type = t.access, t.kind
	if t.refresh != "" {
		c.Refresh = t.refresh
	}
	if t.scope != "" {
		c.Scope = t.scope
	} else if asked != "" {
		c.Scope = asked
	}
	c.Updated, c.Expires = now.UTC(), time.Time{}
	if t.lifetime > 0 {
		c.Expires = now.UTC().Add(t.lifetime)
	}
}
