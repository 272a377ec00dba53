package oauth

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"math/big"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"
)

func (x *exchange) serverMetadata(path string) {
	if x.odd(x.o.Metadata) {
		return
	}
	place := map[string]string{"oauth": "/.well-known/oauth-authorization-server" + x.o.IssuerPath,
		"openid": "/.well-known/openid-configuration" + x.o.IssuerPath, "appended": x.o.IssuerPath + "/.well-known/openid-configuration"}[x.o.Metadata]
	if path != place {
		http.NotFound(x.w, x.req)
		return
	}
	doc := map[string]any{"issuer": x.issuer(), "authorization_endpoint": x.base + "/authorize", "token_endpoint": x.base + "/token",
		"response_types_supported": []string{"code"}, "registration_endpoint": nil}
	list := func(key, words string) {
		if words != "-" && words != "" {
			doc[key] = strings.Fields(words)
		}
	}
	list("scopes_supported", x.o.Scopes)
	list("token_endpoint_auth_methods_supported", x.o.Methods)
	list("grant_types_supported", x.o.Grants)
	list("code_challenge_methods_supported", x.o.PKCE)
	set := func(key, own, odd string, there bool) {
		if odd != "" {
			own = odd
		}
		if there || odd != "" {
			doc[key] = own
		}
	}
	set("issuer", x.issuer(), x.o.Issuer, true)
	set("authorization_endpoint", x.base+"/authorize", x.o.AuthorizeURL, true)
	set("token_endpoint", x.base+"/token", x.o.TokenURL, true)
	set("registration_endpoint", x.base+"/register", x.o.RegisterURL, !x.o.NoDCR)
	set("revocation_endpoint", x.base+"/revoke", x.o.RevokeURL, !x.o.NoRevoke)
	set("device_authorization_endpoint", x.base+"/device", "", x.o.Device)
	if x.o.IssAdvertised {
		doc["authorization_response_iss_parameter_supported"] = true
	}
	if x.o.CIMD {
		doc["client_id_metadata_document_supported"] = true
	}
	x.json(http.StatusOK, doc)
}

func (x *exchange) register() {
	if x.o.NoDCR {
		http.NotFound(x.w, x.req)
		return
	}
	if x.o.DCRFail != 0 {
		x.json(x.o.DCRFail, map[string]any{"error": "unapproved_client", "error_description": "ask <b>us</b>\x1b[2J first"})
		return
	}
	var doc map[string]any
	_ = json.Unmarshal(x.body, &doc)
	x.mu.Lock()
	x.n++
	id, c := fmt.Sprintf("client-%d", x.n), client{method: "none"}
	if x.o.DCRMethod != "" {
		c = client{secret: fmt.Sprintf("client-secret-%d", x.n), method: x.o.DCRMethod}
		doc["client_secret"], doc["client_secret_expires_at"] = c.secret, 0
	}
	x.clients[id] = c
	x.mu.Unlock()
	doc["client_id"], doc["token_endpoint_auth_method"] = id, c.method
	x.json(http.StatusCreated, doc)
}

// authorize answers at once, as a user who says yes to all.
func (x *exchange) authorize() {
	q := x.req.URL.Query()
	back, err := url.Parse(q.Get("redirect_uri"))
	x.mu.Lock()
	_, known := x.clients[q.Get("client_id")]
	x.mu.Unlock()
	known = known || x.o.CIMD && strings.HasPrefix(q.Get("client_id"), "https://") || x.o.Metadata == "none"
	if err != nil || back.Host == "" || x.o.RedirectExact != "" && q.Get("redirect_uri") != x.o.RedirectExact || !known ||
		q.Get("code_challenge_method") != "S256" || q.Get("resource") == "" {
		http.Error(x.w, "bad request to authorize", http.StatusBadRequest)
		return
	}
	x.mu.Lock()
	x.n++
	x.families++
	code := fmt.Sprintf("code-%d", x.n)
	x.codes[code] = grant{client: q.Get("client_id"), scope: q.Get("scope"), redirect: q.Get("redirect_uri"), challenge: q.Get("code_challenge"),
		resource: q.Get("resource"), family: x.families}
	x.mu.Unlock()
	out := url.Values{"state": {q.Get("state")}, "code": {code}}
	if x.o.Deny {
		out.Del("code")
		out.Set("error", "access_denied")
		out.Set("error_description", "the user said no")
	}
	switch x.o.Iss {
	case "right":
		out.Set("iss", x.issuer())
	case "wrong":
		out.Set("iss", "https://other.example.net")
	case "slash":
		out.Set("iss", x.issuer()+"/")
	case "case":
		out.Set("iss", strings.ToUpper(x.issuer()))
	case "port":
		out.Set("iss", strings.Replace(x.issuer(), "127.0.0.1", "127.0.0.1:80", 1))
	case "twice":
		out["iss"] = []string{x.issuer(), x.issuer()}
	}
	back.RawQuery = out.Encode()
	http.Redirect(x.w, x.req, back.String(), http.StatusFound)
}

func (x *exchange) fail(code string) {
	x.json(http.StatusBadRequest, map[string]any{"error": code, "error_description": "no: " + code})
}

func (x *exchange) token() {
	q, _ := url.ParseQuery(string(x.body))
	if x.o.OnToken != nil {
		x.o.OnToken()
	}
	how := x.o.Token
	if q.Get("grant_type") == "refresh_token" {
		how = x.o.Refresh
	}
	switch how {
	case "":
	case "empty":
		x.json(http.StatusOK, map[string]any{"token_type": "Bearer"})
		return
	case "ok-false":
		x.json(http.StatusOK, map[string]any{"ok": false, "error": "invalid_code"})
		return
	case "dpop":
		x.json(http.StatusOK, map[string]any{"access_token": "at", "token_type": "DPoP"})
		return
	case "newline":
		x.json(http.StatusOK, map[string]any{"access_token": "at\r\nX-Evil: 1", "token_type": "Bearer"})
		return
	default:
		if !x.odd(how) {
			x.fail(how)
		}
		return
	}
	id, ok := x.client(q)
	if !ok {
		x.json(http.StatusUnauthorized, map[string]any{"error": "invalid_client"})
		return
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	switch q.Get("grant_type") {
	case "authorization_code":
		g, found := x.codes[q.Get("code")]
		delete(x.codes, q.Get("code"))
		sum := sha256.Sum256([]byte(q.Get("code_verifier")))
		if !found || g.client != id || g.redirect != q.Get("redirect_uri") || g.resource != q.Get("resource") ||
			g.challenge != base64.RawURLEncoding.EncodeToString(sum[:]) {
			x.fail("invalid_grant")
			return
		}
		x.give(g, !x.o.NoRefresh)
	case "refresh_token":
		x.renew(q, id)
	case "client_credentials":
		x.give(grant{client: id, scope: q.Get("scope"), resource: q.Get("resource")}, false)
	case "urn:ietf:params:oauth:grant-type:device_code":
		n, found := x.device[q.Get("device_code")]
		x.device[q.Get("device_code")] = n + 1
		switch {
		case !found:
			x.fail("invalid_grant")
		case x.o.Deny:
			x.fail("access_denied")
		case n < x.o.DevicePolls:
			x.fail("authorization_pending")
		default:
			x.families++
			x.give(grant{client: id, family: x.families}, true)
		}
	default:
		x.fail("unsupported_grant_type")
	}
}

func (x *exchange) renew(q url.Values, id string) {
	token := q.Get("refresh_token")
	if family, again := x.used[token]; again {
		x.ended[family] = true
	}
	g, ok := x.refresh[token]
	if !ok || g.client != id || x.ended[g.family] || q.Get("resource") == "" {
		x.fail("invalid_grant")
		return
	}
	if x.o.Rotate {
		delete(x.refresh, token)
		x.used[token] = g.family
	}
	x.give(g, !x.o.NoRefreshBack)
}

// give hands tokens out. held: mu.
func (x *exchange) give(g grant, refresh bool) {
	x.n++
	access, again := fmt.Sprintf("%sat-%d-secret-access", x.o.Tokens, x.n), fmt.Sprintf("%srt-%d-secret-refresh", x.o.Tokens, x.n)
	g.ends = x.o.Now().Add(time.Duration(x.o.TTL) * time.Second)
	x.access[access] = g
	doc := map[string]any{"access_token": access, "token_type": "Bearer", "expires_in": x.o.TTL}
	if refresh {
		x.refresh[again] = g
		doc["refresh_token"] = again
	}
	if g.scope != "" {
		doc["scope"] = g.scope
	}
	switch x.o.Expires {
	case "string":
		doc["expires_in"] = fmt.Sprint(x.o.TTL)
	case "absent":
		delete(doc, "expires_in")
	case "null":
		doc["expires_in"] = nil
	}
	if x.o.ScopeEmpty {
		doc["scope"], doc["expires_in"] = "", nil
	}
	x.json(http.StatusOK, doc)
}

// client finds out who asks, by any of the methods.
func (x *exchange) client(q url.Values) (id string, ok bool) {
	method, secret := "none", ""
	id = q.Get("client_id")
	if user, pass, is := x.req.BasicAuth(); is {
		method = "client_secret_basic"
		id, _ = url.QueryUnescape(user)
		secret, _ = url.QueryUnescape(pass)
	} else if q.Get("client_secret") != "" {
		method, secret = "client_secret_post", q.Get("client_secret")
	} else if q.Get("client_assertion") != "" {
		return id, x.verify(q.Get("client_assertion"), id)
	}
	x.mu.Lock()
	c, known := x.clients[id]
	x.mu.Unlock()
	if !known {
		return id, method == "none" && (x.o.CIMD && strings.HasPrefix(id, "https://") || x.o.Metadata == "none")
	}
	return id, c.secret == secret && (c.method == "" || c.method == method)
}

// verify checks a JWT of ES256 or RS256 against the public key.
func (x *exchange) verify(jwt, id string) bool {
	data, err := os.ReadFile(x.o.PublicKey)
	block, _ := pem.Decode(data)
	parts := strings.Split(jwt, ".")
	if err != nil || block == nil || len(parts) != 3 {
		return false
	}
	key, err := x509.ParsePKIXPublicKey(block.Bytes)
	signature, errS := base64.RawURLEncoding.DecodeString(parts[2])
	claims, errC := base64.RawURLEncoding.DecodeString(parts[1])
	var c struct {
		Iss, Sub, Aud, Jti string
		Exp                int64
	}
	if err != nil || errS != nil || errC != nil || json.Unmarshal(claims, &c) != nil || c.Iss != id || c.Sub != id || c.Aud != x.issuer() ||
		c.Jti == "" || c.Exp < x.o.Now().Unix() {
		return false
	}
	digest := sha256.Sum256([]byte(parts[0] + "." + parts[1]))
	switch k := key.(type) {
	case *ecdsa.PublicKey:
		return len(signature) == 64 && ecdsa.Verify(k, digest[:], new(big.Int).SetBytes(signature[:32]), new(big.Int).SetBytes(signature[32:]))
	case *rsa.PublicKey:
		return rsa.VerifyPKCS1v15(k, crypto.SHA256, digest[:], signature) == nil
	}
	return false
}

func (x *exchange) deviceCode() {
	x.mu.Lock()
	x.n++
	code := fmt.Sprintf("device-%d", x.n)
	x.device[code] = 0
	x.mu.Unlock()
	x.json(http.StatusOK, map[string]any{"device_code": code, "user_code": "WDJB-MJHT", "verification_uri": x.base + "/activate",
		"verification_uri_complete": x.base + "/activate?user_code=WDJB-MJHT", "expires_in": 600, "interval": 1})
}

func (x *exchange) revoke() {
	q, _ := url.ParseQuery(string(x.body))
	x.mu.Lock()
	delete(x.access, q.Get("token"))
	delete(x.refresh, q.Get("token"))
	x.mu.Unlock()
	x.w.WriteHeader(http.StatusOK)
	io.WriteString(x.w, "")
}
