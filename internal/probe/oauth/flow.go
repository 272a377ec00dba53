package oauth

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/mcpctl/mcpctl/internal/store"
)

// flow is one exchange with one authorization server: a sign-in, a refresh or a
// revocation.
type flow struct {
	t      Target
	keeper *Keeper
	c      *client
	opts   Options
	d      *discovery  // nil for a refresh, which goes by what is stored
	old    *credential // what is stored already; nil for nothing
	scope  string      // what is asked for; "" for what the server likes
}

// newFlow makes a flow; close must be called.
func newFlow(k *Keeper, t Target, old *credential) (*flow, error) {
	c, err := newClient(t)
	if err != nil {
		return nil, err
	}
	f := &flow{t: t, keeper: k, c: c, old: old}
	if old != nil {
		f.hide(old.hidden()...)
	}
	f.hide(t.config.ClientSecret, t.config.PrivateKey)
	return f, nil
}

func (f *flow) close() { f.c.close() }

// hide makes values invisible in every text from here on.
func (f *flow) hide(values ...string) {
	f.t.mask = f.t.mask.With(slices.DeleteFunc(slices.Clone(values), func(s string) bool { return s == "" })...)
	f.c.t = f.t
}

// find finds out where to sign in, and for which scope.
func (f *flow) find(ctx context.Context, ch Challenge) error {
	known := ""
	if f.old != nil {
		known = f.old.Issuer
	}
	d, err := f.c.discover(ctx, ch, known)
	if err != nil {
		return err
	}
	f.d = d
	f.scope = f.scopes(ch)
	return nil
}

// scopes are what is asked for: what the user says; else what the entry and the
// server's challenge say, and on a step-up what was granted before (MCP 2026-07-28,
// Scope Selection); else all that the resource supports; else nothing. Offline access
// is added where the server has it: without it many give no refresh token.
func (f *flow) scopes(ch Challenge) string {
	scope := words(f.opts.Scope)
	if scope == "" {
		scope = union(f.t.config.Scope, ch.Scope)
		if old := f.old; old != nil && old.Issuer == f.d.as.issuer && (ch.insufficient() || old.Wanted != "") {
			scope = union(old.Scope, scope, old.Wanted)
		}
	}
	if scope == "" {
		scope = f.d.scope
	}
	if f.t.config.Grant != store.GrantClient && slices.Contains(f.d.as.scopes, "offline_access") {
		scope = union(scope, "offline_access")
	}
	return scope
}

func (f *flow) device() bool { return f.opts.Device || f.t.config.Grant == store.GrantDevice }

// fresh is the record of a sign-in that has succeeded.
func (f *flow) fresh(who applicant, t tokens, r *request) credential {
	c := credential{Server: f.t.server, URL: r.Key.URL, Account: r.Key.Account, Resource: r.Resource, Issuer: r.Issuer,
		Token: r.Token, Revocation: r.Revocation, Client: who.identity}
	if who.From == fromDynamic {
		c.ClientSecret = who.secret
	}
	c.take(t, r.Scope, f.keeper.now())
	return c
}

// save stores a new credential under its lock, so that no refresh of the old one
// writes over it.
func (f *flow) save(ctx context.Context, c credential) (credential, error) {
	release, err := f.keeper.lock(ctx, c.key())
	if err != nil {
		if ctx.Err() != nil {
			return c, f.t.cancelled(ctx)
		}
		return c, err
	}
	defer release()
	return c, f.keeper.put(ctx, &c)
}

// machine signs in without a person: the client is its own owner (RFC 6749 §4.4).
func (f *flow) machine(ctx context.Context) (credential, error) {
	who, err := f.configured("")
	if err != nil {
		return credential{}, err
	}
	if f.t.config.ClientID == "" || who.Method == methodNone {
		return credential{}, f.t.failed("the grant client_credentials needs a client id, and a secret or a private key", "set 'oauth.clientId' and 'oauth.clientSecret' in the entry")
	}
	r := f.newRequest(who, "")
	t, err := f.ask(ctx, r.Token, r.Issuer, who, f.machineForm(r.Scope, r.Resource))
	if err != nil {
		return credential{}, err
	}
	c := f.fresh(who, t, r)
	c.Grant, c.Refresh = string(store.GrantClient), "" // the grant itself is the way to renew it
	return c, nil
}

func (f *flow) machineForm(scope, resource string) url.Values {
	form := url.Values{"grant_type": {string(store.GrantClient)}, "resource": {resource}}
	if scope != "" {
		form.Set("scope", scope)
	}
	return form
}

// random is 32 bytes that nobody guesses.
func random() string {
	b := make([]byte, 32)
	rand.Read(b) // never fails
	return base64.RawURLEncoding.EncodeToString(b)
}

// settle makes of an error of a flow the one that is returned: whatever was going on
// when the time was over, that is what happened.
func (f *flow) settle(ctx context.Context, err error) error {
	if err == nil || ctx.Err() == nil || isCode(err, CodeLoginCancelled) {
		return err
	}
	return f.t.cancelled(ctx)
}

// transient tells whether another try may succeed: the server was not reached, or was
// not well.
func transient(err error) bool {
	var u unreachable
	return errors.As(err, &u)
}

// signInTime bounds a sign-in, the person included (design §11).
const signInTime = 10 * time.Minute

// trimmed is a text without the blanks and quotes that copying puts around it.
func trimmed(s string) string { return strings.Trim(strings.TrimSpace(s), `"'<>`) }
