package oauth

import (
	"context"
	"net/url"
	"strings"

	"github.com/mcpctl/mcpctl/internal/store"
	"github.com/mcpctl/mcpctl/internal/store/redact"
)

// LoggedOut is what became of a credential.
type LoggedOut struct {
	Stored  Stored
	Revoked bool   // the authorization server has taken the tokens back
	Why     string // why not, fit for one line; "" when it was
}

// TargetOf makes a target of what is stored, for a server whose entry is not there any
// more. It serves to log out and for nothing else: it has no secret of an entry.
func TargetOf(s Stored, env store.Environ, version string) Target {
	return Target{server: s.Server, url: s.URL, account: s.Account, env: env, agent: strings.TrimSuffix("mcpctl/"+version, "/"), mask: redact.NewMask()}
}

// Logout revokes the tokens of the credential with an id at its authorization server
// (RFC 7009), where that can be done, and deletes it in any case. t is its target.
// Errors: MCP_NOT_FOUND, and MCP_IO when it cannot be deleted.
func Logout(ctx context.Context, k *Keeper, t Target, id string) (LoggedOut, error) {
	c, err := k.byID(id)
	if err == nil && c == nil {
		err = &Error{Code_: CodeNotFound, Message: "no credential has the id '" + redact.Line(id) + "'", Hint_: "see them with: mcpctl credentials list"}
	}
	if err != nil {
		return LoggedOut{}, err
	}
	release, err := k.lock(ctx, c.key())
	if err != nil {
		return LoggedOut{}, t.waited(err)
	}
	defer release()
	if now, err := k.byID(id); err == nil && now != nil { // as a refresh has left it
		c = now
	}
	out := LoggedOut{Stored: c.stored()}
	out.Revoked, out.Why = k.revoke(ctx, t, c)
	_, err = k.remove(context.WithoutCancel(ctx), id)
	return out, err
}

func (k *Keeper) revoke(ctx context.Context, t Target, c *credential) (done bool, why string) {
	switch {
	case c.Access == "" && c.Refresh == "":
		return false, "there was no token"
	case c.Revocation == "":
		return false, "the authorization server takes none back"
	}
	f, err := newFlow(k, t, c)
	if err != nil {
		return false, err.Error()
	}
	defer f.close()
	who := applicant{identity: c.Client, secret: c.ClientSecret}
	if who.From == fromConfig {
		who.secret = t.config.ClientSecret
	}
	for hint, token := range map[string]string{"refresh_token": c.Refresh, "access_token": c.Access} {
		if token == "" {
			continue
		}
		if err := f.takeBack(ctx, c, who, hint, token); err != nil {
			return false, err.Error()
		}
	}
	return true, ""
}

func (f *flow) takeBack(ctx context.Context, c *credential, who applicant, hint, token string) error {
	u, why := endpoint(c.Revocation)
	if why != "" {
		return f.t.failed("the revocation endpoint "+why, "")
	}
	form := url.Values{"token": {token}, "token_type_hint": {hint}}
	auth, err := f.authenticate(form, c.Issuer, who)
	if err != nil {
		return err
	}
	a, err := f.c.post(ctx, u, "application/x-www-form-urlencoded", form.Encode(), auth)
	if err != nil {
		return err
	}
	if !a.ok() {
		doc, _ := readDocument(a.body)
		return f.t.failed("the authorization server answers "+status(a.status)+f.says(doc), "")
	}
	return nil
}
