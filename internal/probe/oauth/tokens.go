package oauth

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"time"

	"github.com/mcpctl/mcpctl/internal/store"
	"github.com/mcpctl/mcpctl/internal/store/atomicfile"
	"github.com/mcpctl/mcpctl/internal/store/redact"
)

// Tokens gives a connection the Authorization header of its requests, and renews it.
// It never asks a person anything. It may be used from several goroutines.
type Tokens struct {
	keeper *Keeper
	t      Target
}

// NewTokens makes the tokens of one target. A target whose entry has an Authorization
// header of its own is not to have any.
func NewTokens(k *Keeper, t Target) *Tokens { return &Tokens{keeper: k, t: t} }

// Authorization returns the value of the header for the next request to the target's
// URL, and to nowhere else; "" when there is no sign-in, and then the server decides.
// A token that is about to run out is renewed first.
//
// Errors: LOGIN_REQUIRED when the sign-in has ended for good; CONNECT_FAILED when the
// token has run out and the authorization server could not be reached; MCP_IO when the
// credentials cannot be read.
func (k *Tokens) Authorization(ctx context.Context) (string, error) {
	c, err := k.current()
	if err != nil || c == nil || !c.ending(k.keeper.now()) || !c.renewable() {
		return c.header(), err
	}
	if err := k.keeper.renew(ctx, k.t, c); err != nil {
		if now := k.keeper.now(); now.Before(c.Expires) && !isCode(err, CodeLoginRequired) {
			return c.header(), nil // it is still good for a moment
		}
		return "", err
	}
	c, err = k.current()
	return c.header(), err
}

// Access returns the access token itself, for a server that gets it in its environment
// (OAUTH_ACCESS_TOKEN); otherwise it is Authorization, and none is LOGIN_REQUIRED.
func (k *Tokens) Access(ctx context.Context) (string, error) {
	header, err := k.Authorization(ctx)
	if err != nil || header == "" {
		if err == nil {
			err = k.t.required("there is no sign-in for the credential '" + k.t.quote(k.t.credential) + "'")
		}
		return "", err
	}
	return header[len("Bearer "):], nil
}

// Secrets returns the tokens and the client's secret as they are stored now, so that no
// text shows them.
func (k *Tokens) Secrets() []string {
	c, err := k.current()
	if c == nil || err != nil {
		return nil
	}
	return c.hidden()
}

// justIssued is how long a token counts as new that was had because the one before was
// refused. When it is refused as well, a third would be, too.
const justIssued = 10 * time.Second

// remade is such a token.
type remade struct {
	header string
	at     time.Time
}

// Refused tells what a 401 or 403 to a request means that carried the header used.
// With again the request may be sent once more, with a new Authorization. The error is
// LOGIN_REQUIRED, with the scope the server asks for, or one of Authorization's; it is
// nil with again false when the answer is not about the sign-in.
func (k *Tokens) Refused(ctx context.Context, used string, status int, challenge ...string) (again bool, err error) {
	ch := ParseChallenge(challenge...)
	if status != http.StatusUnauthorized && (status != http.StatusForbidden || !ch.insufficient()) {
		return false, nil
	}
	c, err := k.current()
	if err != nil {
		return false, err
	}
	if header := c.header(); header != used && header != "" {
		return true, nil // somebody has renewed it meanwhile
	}
	if ch.insufficient() {
		return false, k.moreScope(ctx, c, ch.Scope)
	}
	machine := k.t.config.Grant == store.GrantClient
	if c.header() == "" && machine {
		err := k.keeper.fly(ctx, k.t.key(), func(ctx context.Context) error { return k.machine(ctx, challenge) })
		return err == nil, err
	}
	if c.header() == "" {
		return false, k.t.required("the server asks for a sign-in")
	}
	now := k.keeper.now()
	if !c.renewable() {
		return false, k.t.required("the server no longer accepts the sign-in")
	}
	k.keeper.mu.Lock()
	last := k.keeper.remade[k.t.key()]
	k.keeper.mu.Unlock()
	if last.header == used && !c.ending(now) && now.Sub(last.at) < justIssued {
		return false, k.t.required("the server refuses a token that was issued just now")
	}
	if err := k.keeper.renew(ctx, k.t, c); err != nil {
		return false, err
	}
	if c, err = k.current(); err != nil {
		return false, err
	}
	k.keeper.mu.Lock()
	k.keeper.remade[k.t.key()] = remade{header: c.header(), at: now}
	k.keeper.mu.Unlock()
	return c.header() != "", nil
}

// current is the credential as it is stored now. One that was issued to another client
// than the entry names is not this entry's.
func (k *Tokens) current() (*credential, error) {
	c, err := k.keeper.find(k.t)
	if c == nil || err != nil {
		return nil, err
	}
	if id := k.t.config.ClientID; k.t.credential == "" && id != "" && c.Client.ID != id {
		return nil, nil
	}
	return c, nil
}

// renewable tells whether a new access token can be had without a person.
func (c *credential) renewable() bool { return c.Access != "" && (c.Refresh != "" || c.Grant != "") }

// moreScope notes what the server asks for, so that the next sign-in does as well.
func (k *Tokens) moreScope(ctx context.Context, c *credential, scope string) error {
	e := k.t.required("the server asks for more scope")
	if scope != "" {
		e.Message = "the server asks for the scope '" + k.t.quote(scope) + "', which the sign-in does not have"
	}
	e.Scope = scope
	if c == nil || lacks(union(c.Scope, c.Wanted), scope) == "" {
		return e
	}
	release, err := k.keeper.lock(ctx, c.key())
	if err != nil {
		return e // it is only for comfort
	}
	defer release()
	if now, err := k.keeper.byID(c.ID); err == nil && now != nil {
		now.Wanted = union(now.Wanted, lacks(now.Scope, scope))
		_ = k.keeper.put(ctx, now)
	}
	return e
}

// flight is one renewal, which all who need it wait for.
type flight struct {
	done chan struct{}
	err  error
}

// fly does f once at a time per key in this process. f is not broken off when a caller
// goes: a server that has been asked may have changed the token already. Close waits
// for it.
func (k *Keeper) fly(ctx context.Context, of key, f func(context.Context) error) error {
	k.mu.Lock()
	fl := k.flights[of]
	if fl == nil {
		fl = &flight{done: make(chan struct{})}
		k.flights[of] = fl
		k.flying.Add(1)
		go func() { // ends with the limits of the lock and of the request
			defer k.flying.Done()
			fl.err = f(context.WithoutCancel(ctx))
			k.mu.Lock()
			delete(k.flights, of)
			k.mu.Unlock()
			close(fl.done)
		}()
	}
	k.mu.Unlock()
	select {
	case <-fl.done:
		return fl.err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// renew makes stale's tokens new, unless somebody else has done so meanwhile.
func (k *Keeper) renew(ctx context.Context, t Target, stale *credential) error {
	return k.fly(ctx, stale.key(), func(ctx context.Context) error { return k.refresh(ctx, t, stale) })
}

// refresh is renew under the lock that all processes share. The first to get it asks
// the server, the others find that done (design §11).
func (k *Keeper) refresh(ctx context.Context, t Target, stale *credential) error {
	release, err := k.lock(ctx, stale.key())
	if err != nil {
		return t.waited(err)
	}
	defer release()
	c, err := k.byID(stale.ID)
	switch {
	case err != nil:
		return err
	case c == nil || !c.renewable():
		if other, err := k.find(t); err == nil && other.header() != "" && !other.same(stale) {
			return nil // signed in again, at another issuer
		}
		return t.required("the sign-in has ended")
	case !c.same(stale):
		return nil
	}
	f, err := newFlow(k, t, c)
	if err != nil {
		return err
	}
	defer f.close()
	if err := k.writable(ctx); err != nil {
		return err
	}
	got, err := f.askAgain(ctx, c)
	if err != nil {
		return f.notRenewed(ctx, c, err)
	}
	if c.Grant != "" {
		got.refresh = ""
	}
	c.take(got, "", k.now())
	return k.put(ctx, c)
}

func (t Target) waited(err error) error {
	var held *atomicfile.LockedError
	if errors.As(err, &held) {
		return t.fail(CodeConnectFailed, "another process has been renewing the token of '"+t.server+"' for too long", "try again")
	}
	return err
}

// askAgain asks for new tokens: by the refresh token (RFC 6749 §6), or by the grant
// itself. The identity is the stored one, whatever the entry says about ports and names.
func (f *flow) askAgain(ctx context.Context, c *credential) (tokens, error) {
	who := applicant{identity: c.Client, secret: c.ClientSecret}
	if who.From == fromConfig && f.t.config.ClientID == c.Client.ID {
		who.secret = f.t.config.ClientSecret
	}
	if c.Grant != "" {
		return f.ask(ctx, c.Token, c.Issuer, who, f.machineForm(c.Scope, c.Resource))
	}
	return f.ask(ctx, c.Token, c.Issuer, who, url.Values{"grant_type": {grantRefresh}, "refresh_token": {c.Refresh}, "resource": {c.Resource}})
}

// notRenewed says what a failed refresh means. Only a definite refusal costs the
// sign-in, and only if what was refused is still what is stored.
func (f *flow) notRenewed(ctx context.Context, c *credential, err error) error {
	var refused grantError
	if !errors.As(err, &refused) {
		e := f.t.fail(CodeConnectFailed, "the token cannot be renewed: "+err.Error(), "the sign-in is kept; try again later")
		e.Err = err
		return e
	}
	switch refused.code {
	case "invalid_grant":
	case "invalid_client", "unauthorized_client":
		if c.Client.From != fromDynamic {
			e := f.t.required("the authorization server does not accept the client '" + f.t.quote(c.Client.ID) + "': " + refused.Error())
			e.Hint_ = "check 'oauth.clientId' and its secret in the entry; then: mcpctl login " + redact.ShellWord(f.t.server)
			return e
		}
		c.Client, c.ClientSecret = identity{}, ""
	default:
		e := f.t.fail(CodeConnectFailed, "the token cannot be renewed: "+refused.Error(), "the sign-in is kept; if this stays so, run: mcpctl login "+redact.ShellWord(f.t.server))
		e.Err = err
		return e
	}
	now, readErr := f.keeper.byID(c.ID)
	if readErr != nil {
		return readErr
	}
	if now != nil && (now.Access != f.old.Access || now.Refresh != f.old.Refresh) {
		return nil // renewed by something that does not know our lock
	}
	c.forget()
	if err := f.keeper.put(ctx, c); err != nil {
		return err
	}
	return f.t.required("the sign-in has ended: " + refused.Error())
}

// machine signs in by client credentials because the server asked for it.
func (k *Tokens) machine(ctx context.Context, challenge []string) error {
	release, err := k.keeper.lock(ctx, k.t.key())
	if err != nil {
		return k.t.waited(err)
	}
	defer release()
	if c, err := k.current(); err != nil || c.header() != "" {
		return err
	}
	f, err := newFlow(k.keeper, k.t, nil)
	if err != nil {
		return err
	}
	defer f.close()
	if err := f.find(ctx, ParseChallenge(challenge...)); err != nil {
		return err
	}
	c, err := f.machine(ctx)
	if err != nil {
		return err
	}
	return k.keeper.put(ctx, &c)
}
