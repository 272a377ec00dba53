package dial

import (
	"context"
	"errors"
	"maps"
	"net/http"
	"strings"
	"sync/atomic"

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
	// Secrets returns what no text may show, as it is now.
	Secrets() []string
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
	d.voice.hide(append(auth.Secrets(), token)...)
	env := maps.Clone(l.Env) // the launch is not ours alone
	env[accessVariable] = token
	l.Env = env
	return nil
}

// signer stands below the guard and signs each request. It knows the one origin that
// the guard lets requests go to.
type signer struct {
	next    http.RoundTripper
	auth    Auth
	voice   *voice
	onLost  func(error) // the sign-in that the connection lived on has ended
	leaving func() bool // the connection is being closed: nothing is renewed for that

	last atomic.Pointer[string] // the header that was used last; nil: none was
}

// RoundTrip implements http.RoundTripper. A request that is refused is sent once more
// when there is a new token: the server has not acted on it.
func (s *signer) RoundTrip(req *http.Request) (*http.Response, error) {
	for try := 0; ; try++ {
		used, resp, err := s.send(req)
		if err != nil || resp.StatusCode != http.StatusUnauthorized && resp.StatusCode != http.StatusForbidden {
			return resp, err
		}
		if s.leaving() {
			return resp, nil
		}
		again, err := s.refused(req, used, resp)
		switch {
		case err != nil:
			drain(resp)
			return nil, err
		case !again || try > 0 || req.Body != nil && req.Body != http.NoBody && req.GetBody == nil:
			return resp, nil
		}
		drain(resp)
	}
}

// refused finds out what a refusal means. One of the whole sign-in ends the connection,
// unless that has never had any.
func (s *signer) refused(req *http.Request, used string, resp *http.Response) (again bool, err error) {
	challenge := resp.Header.Values("WWW-Authenticate")
	again, err = s.auth.Refused(req.Context(), used, resp.StatusCode, challenge...)
	if err == nil {
		return again, nil
	}
	if err = s.voice.unsigned(err, challenge); resp.StatusCode != http.StatusUnauthorized {
		return false, err // about this request's scope
	}
	if s.last.Load() == nil && unauthorized(err) {
		return false, nil // there was nothing to refuse but what the entry itself sends: the guard says so
	}
	s.end(req, err)
	return false, serverWide{err}
}

// end ends the connection over a sign-in that is needed. What is wrong with the
// authorization server only, or with the caller, ends none.
func (s *signer) end(req *http.Request, err error) {
	if unauthorized(err) {
		exchangeOf(req.Context()).setFault(err) // before the connection ends over it
		s.onLost(err)
	}
}

func (s *signer) send(req *http.Request) (used string, resp *http.Response, err error) {
	if last := s.last.Load(); last != nil && s.leaving() {
		used = *last
	} else if used, err = s.auth.Authorization(req.Context()); err != nil {
		err = s.voice.unsigned(err, nil)
		s.end(req, err)
		return "", nil, serverWide{err}
	}
	out := req.Clone(req.Context())
	if req.GetBody != nil {
		if out.Body, err = req.GetBody(); err != nil {
			return "", nil, err
		}
	}
	if used != "" {
		if last := s.last.Load(); last == nil || *last != used {
			s.voice.hide(append(s.auth.Secrets(), used)...)
		}
		s.last.Store(&used)
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
