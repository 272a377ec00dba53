package oauth

import (
	"context"
	"errors"
	"net/url"
	"time"

	"github.com/mcpctl/mcpctl/internal/store/redact"
)

// The pauses between questions for a device code (RFC 8628 §3.5).
const (
	devicePause    = 5 * time.Second
	maxDevicePause = time.Minute
)

// byDevice is the device authorization grant (RFC 8628): the user types a code in on
// another machine.
func (f *flow) byDevice(ctx context.Context) (credential, error) {
	as := f.d.as
	if as.device == "" {
		return credential{}, f.t.failed("the authorization server '"+f.t.shown(as.issuer)+"' knows no sign-in by device code", "sign in with a browser: mcpctl login "+redact.ShellWord(f.t.server))
	}
	who, err := f.applicant(ctx, "")
	if err != nil {
		return credential{}, err
	}
	r := f.newRequest(who, "")
	doc, err := f.deviceCode(ctx, r, who)
	if err != nil {
		return credential{}, err
	}
	page, pause := Page{Code: f.t.quote(doc.text("user_code")), Ends: r.Ends}, devicePause
	if n := doc.seconds("expires_in"); n > 0 {
		if end := f.keeper.now().Add(time.Duration(n) * time.Second); end.Before(page.Ends) {
			page.Ends = end
		}
	}
	if n := doc.seconds("interval"); n > 0 {
		pause = min(time.Duration(n)*time.Second, maxDevicePause)
	}
	raw := doc.text("verification_uri_complete")
	if raw == "" {
		raw = doc.text("verification_uri")
	}
	u, why := f.page(raw)
	if why != "" {
		return credential{}, f.t.failed("the page to sign in at '"+f.t.shown(raw)+"' "+why, "")
	}
	page.URL = u.String()
	f.opts.Show(page)
	return f.poll(ctx, r, who, doc.text("device_code"), pause, page.Ends)
}

// deviceCode asks for the codes.
func (f *flow) deviceCode(ctx context.Context, r *request, who applicant) (document, error) {
	u, why := endpoint(f.d.as.device)
	if why != "" {
		return nil, f.t.failed("the device authorization endpoint "+why, "")
	}
	form := url.Values{"client_id": {who.ID}, "resource": {r.Resource}}
	if r.Scope != "" {
		form.Set("scope", r.Scope)
	}
	auth, err := f.authenticate(form, r.Issuer, who)
	if err != nil {
		return nil, err
	}
	a, err := f.c.post(ctx, u, "application/x-www-form-urlencoded", form.Encode(), auth)
	if err != nil {
		return nil, err
	}
	doc, _ := readDocument(a.body)
	if !a.ok() || doc.text("device_code") == "" || doc.text("user_code") == "" {
		return nil, f.t.failed("the authorization server gave no device code: "+status(a.status)+f.says(doc), "")
	}
	f.hide(doc.text("device_code"))
	return doc, nil
}

// poll asks until the user has said yes or no.
func (f *flow) poll(ctx context.Context, r *request, who applicant, code string, pause time.Duration, ends time.Time) (credential, error) {
	ctx, cancel := context.WithDeadlineCause(ctx, ends, errTooLong)
	defer cancel()
	for {
		timer := time.NewTimer(pause)
		select {
		case <-ctx.Done():
			timer.Stop()
			return credential{}, f.t.cancelled(ctx)
		case <-timer.C:
		}
		t, err := f.ask(ctx, r.Token, r.Issuer, who, url.Values{"grant_type": {grantDevice}, "device_code": {code}, "resource": {r.Resource}})
		var refused grantError
		switch {
		case err == nil:
			return f.fresh(who, t, r), nil
		case errors.As(err, &refused) && refused.code == "authorization_pending":
		case errors.As(err, &refused) && refused.code == "slow_down":
			pause = min(pause+devicePause, maxDevicePause)
		case errors.As(err, &refused) && refused.code == "expired_token":
			e := f.t.fail(CodeLoginCancelled, "the sign-in took too long and was cancelled", "begin again with: mcpctl login "+redact.ShellWord(f.t.server))
			return credential{}, e
		case transient(err) && ctx.Err() == nil:
			pause = min(2*pause, maxDevicePause)
		default:
			return credential{}, err
		}
	}
}
