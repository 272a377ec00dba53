package dial

import (
	"context"
	"errors"
	"maps"
	"net/http"
	"strings"

	"github.com/mcpctl/mcpctl/internal/store"
)

// Auth is the sign-in that a connection has: oauth.Tokens is one. It asks no person
// anything, and may be used from several goroutines. Its errors have the codes
// LOGIN_REQUIRED, CONNECT_FAILED or MCP_IO.
type Auth interface {
	// Authorization returns the header's value for the next request; "" for none.
	Authorization(ctx context.Context) (string, error)
	// Refused says what a 401 or 403 means to a request that carried used: whether it
	// may be sent once more, or, as an error, that a person has to sign in.
	Refused(ctx context.Context, used string, status int, challenge ...string) (again bool, err error)
	// Access returns the token for the environment of a stdio server.
	Access(ctx context.Context) (string, error)
}

// accessVariable is where a stdio server finds the token of its entry's credential
// (design §3).
const accessVariable = "OAUTH_ACCESS_TOKEN"

// sign prepares the sign-in of the connection. An entry that has an Authorization
// header itself has no other; a stdio server has one only where its entry names it.
func (d *dialer) sign(ctx context.Context, server store.Admitted) error {
	if d.opts.Auth == nil {
		return nil
	}
	l := &d.launch
	switch {
	case l.Transport != store.Stdio:
		if l.Headers.Get("Authorization") == "" {
			d.auth = d.opts.Auth(server, *l)
		}
		return nil
	case l.CredentialID == "" || l.Env[accessVariable] != "":
		return nil
	}
	auth := d.opts.Auth(server, *l)
	if auth == nil {
		return nil
	}
	token, err := auth.Access(ctx)
	if err != nil {
		return d.voice.unsigned(err, nil)
	}
	d.voice.hide(token)
	env := maps.Clone(l.Env) // the launch is not ours alone
	env[accessVariable] = token
	l.Env = env
	return nil
}

// signer stands below the guard and signs each request. It knows the one origin that
// the guard lets requests go to.
type signer struct {
	next  http.RoundTripper
	auth  Auth
	voice *voice
}

// RoundTrip implements http.RoundTripper. A request that is refused is sent once more
// when there is a new token: the server has not acted on it.
func (s *signer) RoundTrip(req *http.Request) (*http.Response, error) {
	used, resp, err := s.send(req)
	if err != nil || resp.StatusCode != http.StatusUnauthorized && resp.StatusCode != http.StatusForbidden {
		return resp, err
	}
	challenge := resp.Header.Values("WWW-Authenticate")
	again, err := s.auth.Refused(req.Context(), used, resp.StatusCode, challenge...)
	if err != nil {
		drain(resp)
		if err = s.voice.unsigned(err, challenge); resp.StatusCode == http.StatusUnauthorized {
			return nil, serverWide{err}
		}
		return nil, err // about this request's scope
	}
	if !again || req.Body != nil && req.Body != http.NoBody && req.GetBody == nil {
		return resp, nil
	}
	drain(resp)
	_, resp, err = s.send(req)
	return resp, err
}

func (s *signer) send(req *http.Request) (used string, resp *http.Response, err error) {
	used, err = s.auth.Authorization(req.Context())
	if err != nil {
		return "", nil, serverWide{s.voice.unsigned(err, nil)}
	}
	out := req.Clone(req.Context())
	if req.GetBody != nil {
		if out.Body, err = req.GetBody(); err != nil {
			return "", nil, err
		}
	}
	if used != "" {
		s.voice.hide(used)
		out.Header.Set("Authorization", used)
	}
	resp, err = s.next.RoundTrip(out)
	return used, resp, err
}

// unsigned makes an error of a sign-in one of this room. One that has no code is not
// about the sign-in, but about the caller who has gone.
func (v *voice) unsigned(err error, challenge []string) error {
	var coded interface{ Code() string }
	if !errors.As(err, &coded) {
		return err
	}
	hint := ""
	var hinted interface{ Hint() string }
	if errors.As(err, &hinted) {
		hint = hinted.Hint()
	}
	e := v.fail(coded.Code(), v.quote(err.Error()), hint)
	e.Err, e.Challenge = err, strings.Join(challenge, ", ")
	return e
}
