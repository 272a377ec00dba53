package oauth

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/mcpctl/mcpctl/internal/store"
	"github.com/mcpctl/mcpctl/internal/store/redact"
)

// The ways to authenticate at a token endpoint (RFC 7591 §2, OpenID Connect Core §9).
const (
	methodNone  = "none"
	methodBasic = "client_secret_basic"
	methodPost  = "client_secret_post"
	methodKey   = "private_key_jwt"
)

const (
	grantCode    = "authorization_code"
	grantRefresh = "refresh_token"
	grantDevice  = "urn:ietf:params:oauth:grant-type:device_code"
)

// applicant is who asks for tokens: the identity, with its secret.
type applicant struct {
	identity
	secret string
}

// applicant finds the client's identity: configured, stored, by metadata document, or
// registered now (MCP 2025-11-25, Client Registration Approaches). redirect is the
// redirect URI that will be used.
func (f *flow) applicant(ctx context.Context, redirect string) (applicant, error) {
	cfg := f.t.config
	if cfg.ClientID != "" {
		return f.configured(redirect)
	}
	if old := f.old; old != nil && old.Client.From == fromDynamic && old.Issuer == f.d.as.issuer && cfg.ClientRegistration != store.RegisterCIMD &&
		(redirect == "" || old.Client.Redirect == redirect) && (old.Client.Expires.IsZero() || f.keeper.now().Before(old.Client.Expires)) {
		return applicant{identity: old.Client, secret: old.ClientSecret}, nil
	}
	if cfg.ClientRegistration != store.RegisterDCR && cfg.ClientMetadataURL != "" && f.d.as.metadataDocuments {
		return applicant{identity: identity{ID: cfg.ClientMetadataURL, From: fromDocument, Method: methodNone, Redirect: redirect}}, nil
	}
	if cfg.ClientRegistration == store.RegisterCIMD {
		why := "the authorization server takes no client metadata documents"
		if cfg.ClientMetadataURL == "" {
			why = "'oauth.clientMetadataUrl' is not set"
		}
		return applicant{}, f.t.failed("cannot become a client by a metadata document: "+why, "set 'oauth.clientRegistration' to auto, or register a client and set 'oauth.clientId'")
	}
	return f.register(ctx, redirect)
}

// configured is the client of the entry. What it was given is for one authorization
// server: another one does not get it (MCP 2026-07-28).
func (f *flow) configured(redirect string) (applicant, error) {
	cfg, as := f.t.config, f.d.as
	if old := f.old; old != nil && old.Client.From == fromConfig && old.Client.ID == cfg.ClientID && old.Issuer != as.issuer {
		return applicant{}, f.t.failed("the server now sends to the authorization server '"+f.t.shown(as.issuer)+"', and the client '"+f.t.quote(cfg.ClientID)+
			"' is known to '"+f.t.shown(old.Issuer)+"'", "if that is right, register a client there, set 'oauth.clientId', and run: mcpctl logout "+redact.ShellWord(f.t.server))
	}
	a := applicant{identity: identity{ID: cfg.ClientID, From: fromConfig, Redirect: redirect}, secret: cfg.ClientSecret}
	switch {
	case cfg.PrivateKey != "" || cfg.PrivateKeyFile != "":
		a.Method = methodKey
	case a.secret == "" || as.bare: // a secret is not shown to who publishes nothing
		a.Method, a.secret = methodNone, ""
	case as.saysMethods && !slices.Contains(as.methods, methodBasic) && slices.Contains(as.methods, methodPost):
		a.Method = methodPost
	default:
		a.Method = methodBasic
	}
	return a, nil
}

// register registers a client dynamically (RFC 7591).
func (f *flow) register(ctx context.Context, redirect string) (applicant, error) {
	as := f.d.as
	const own = "register a client with the people who run the server, and run: mcpctl update "
	hint := own + f.t.server + " --oauth-client-id ID"
	if as.registration == "" {
		return applicant{}, f.t.failed("the authorization server '"+f.t.shown(as.issuer)+"' does not register clients by itself: a client id is needed (oauth.clientId)", hint)
	}
	if redirect == "" {
		redirect = "http://127.0.0.1/callback" // never used
	}
	ask := map[string]any{
		"client_name": f.t.config.ClientName, "redirect_uris": []string{redirect}, "grant_types": f.grants(),
		"response_types": []string{"code"}, "token_endpoint_auth_method": f.methodToAsk(), "application_type": "native",
	}
	if f.t.config.ClientName == "" {
		ask["client_name"] = "mcpctl"
	}
	if f.scope != "" {
		ask["scope"] = f.scope
	}
	body, err := json.Marshal(ask)
	if err != nil {
		return applicant{}, err
	}
	u, why := endpoint(as.registration)
	if why != "" {
		return applicant{}, f.t.failed("the registration endpoint "+why, "")
	}
	a, err := f.c.post(ctx, u, "application/json", string(body), nil)
	if err != nil {
		return applicant{}, err
	}
	doc, _ := readDocument(a.body)
	id := doc.text("client_id")
	if !a.ok() || id == "" {
		says := "answers " + status(a.status) + f.says(doc)
		if a.ok() {
			says = "gave no client id"
		}
		return applicant{}, f.t.failed("the authorization server did not register mcpctl: '"+f.t.shown(as.registration)+"' "+says, hint)
	}
	return f.registered(doc, id, redirect), nil
}

func (f *flow) registered(doc document, id, redirect string) applicant {
	a := applicant{identity: identity{ID: id, From: fromDynamic, Redirect: redirect, Method: doc.text("token_endpoint_auth_method")}, secret: doc.text("client_secret")}
	f.hide(a.secret)
	if n := doc.seconds("client_secret_expires_at"); n > 0 && a.secret != "" {
		a.Expires = time.Unix(n, 0).UTC()
	}
	switch {
	case a.secret == "":
		a.Method = methodNone
	case a.Method != methodPost && a.Method != methodBasic:
		a.Method = methodBasic
		if f.d.as.saysMethods && !slices.Contains(f.d.as.methods, methodBasic) && slices.Contains(f.d.as.methods, methodPost) {
			a.Method = methodPost
		}
	}
	return a
}

// grants are those to register for. A refresh token is asked for unless the server
// says that it knows none.
func (f *flow) grants() []string {
	out := []string{grantCode}
	if f.device() {
		out = append(out, grantDevice)
	}
	if !f.d.as.saysGrants || slices.Contains(f.d.as.grants, grantRefresh) {
		out = append(out, grantRefresh)
	}
	return out
}

// methodToAsk: a program on a user's machine keeps no secret, so none where possible.
func (f *flow) methodToAsk() string {
	as := f.d.as
	for _, method := range []string{methodNone, methodBasic, methodPost} {
		if !as.saysMethods || slices.Contains(as.methods, method) {
			return method
		}
	}
	return methodNone
}

// says is what an error of an authorization server adds to a message: its code and
// description, and nothing else of the body.
func (f *flow) says(doc document) string {
	code, text := doc.text("error"), doc.text("error_description")
	switch {
	case code == "" && text == "":
		return ""
	case text == "":
		return ": " + f.t.quote(code)
	case code == "":
		return ": " + f.t.quote(text)
	}
	return ": " + f.t.quote(code) + " (" + f.t.quote(text) + ")"
}

func status(code int) string {
	return strings.TrimSpace(fmt.Sprintf("%d %s", code, http.StatusText(code)))
}
