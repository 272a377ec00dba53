package oauth

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/mcpctl/mcpctl/internal/store"
)

// location is where the browser ends: an address that does not open.
func location(t *testing.T, page string) string {
	t.Helper()
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	resp, err := client.Get(page)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	return resp.Header.Get("Location")
}

// TestTwoSteps: one process begins, another one finishes, once.
func TestTwoSteps(t *testing.T) {
	ctx := context.Background()
	w := newWorld(t, "-dcr-method", methodBasic, "-methods", methodBasic)
	ticket, err := Start(ctx, w.keeper, w.target("o"), w.options())
	if err != nil {
		t.Fatal(err)
	}
	other := NewKeeper(w.places, nil)
	if name, err := other.ServerOf(ticket.ID); name != "o" || err != nil {
		t.Errorf("%q, %v", name, err)
	}
	for path, text := range w.files() {
		if strings.Contains(path, ticket.ID) || strings.Contains(text, ticket.ID) {
			t.Errorf("the ticket is in %s", path)
		}
	}
	answer := location(t, ticket.URL)
	for _, wrong := range []string{"", "hello", strings.Replace(answer, "state=", "state=x", 1), "http://127.0.0.1:1/callback?code=a&state=b"} {
		_, err := Finish(ctx, other, w.target("o"), ticket.ID, wrong)
		wantError(t, err, CodeLoginFailed, "not the answer")
	}
	moved := w.target("o")
	moved.url = "https://evil.example/mcp"
	_, err = Finish(ctx, other, moved, ticket.ID, answer)
	wantError(t, err, CodeLoginFailed, "address has changed")
	_, err = Finish(ctx, other, w.target("o"), "another-ticket", answer)
	wantError(t, err, CodeLoginFailed, "no sign-in waits")
	if s, err := Finish(ctx, other, w.target("o"), ticket.ID, answer); err != nil || !s.SignedIn {
		t.Fatalf("%+v, %v", s, err)
	}
	_, err = Finish(ctx, other, w.target("o"), ticket.ID, answer)
	wantError(t, err, CodeLoginFailed, "no sign-in waits")
	if _, err := w.call(NewTokens(w.keeper, w.target("o")), "ping"); err != nil {
		t.Error(err)
	}
}

func TestTicketExpires(t *testing.T) {
	ctx := context.Background()
	w := newWorld(t)
	ticket, err := Start(ctx, w.keeper, w.target("o"), w.options())
	if err != nil {
		t.Fatal(err)
	}
	answer := location(t, ticket.URL)
	w.keeper.now = func() time.Time { return time.Now().Add(signInTime + time.Second) }
	_, err = Finish(ctx, w.keeper, w.target("o"), ticket.ID, answer)
	wantError(t, err, CodeLoginFailed, "older than ten minutes")
	if _, err := Start(ctx, w.keeper, w.target("p"), w.options()); err != nil {
		t.Fatal(err)
	}
	if left, _ := filepath.Glob(filepath.Join(w.places.State(), "signins", "*.json")); len(left) != 1 {
		t.Errorf("left are %q", left)
	}
}

// TestMachine: client credentials, by secret and by key, without anybody.
func TestMachine(t *testing.T) {
	w := newWorld(t, "-no-dcr", "-client-id", "bot", "-client-secret", "s-e-c-r-e-t", "-methods", methodBasic, "-ttl", "1", "-resource-scopes", "a", "-pkce", "-")
	w.config = store.OAuth{Grant: store.GrantClient, ClientID: "bot", ClientSecret: "s-e-c-r-e-t"}
	s := w.mustSignIn("o")
	if !s.Refreshable || s.Scope != "a" {
		t.Errorf("%+v", s)
	}
	later(w)
	w.srv.RevokeAccess()
	w.srv.Change(func(o *fakeOptions) { o.TTL = 3600 })
	if _, err := w.call(NewTokens(w.keeper, w.target("o")), "ping"); err != nil {
		t.Error(err)
	}
	if got := w.forms("/token", "resource"); len(got) != 2 || got[0] != w.base()+"/mcp" || got[1] != got[0] {
		t.Error(got)
	}
	w.opens(0)
	if _, err := w.call(NewTokens(w.keeper, w.target("inline")), "ping"); err != nil { // without a sign-in
		t.Error(err)
	}
	w.config.ClientSecret = ""
	_, err := w.signIn("p")
	wantError(t, err, CodeLoginFailed, "client_credentials needs")
}

func TestMachineKeys(t *testing.T) {
	dir := t.TempDir()
	write := func(name, kind string, der []byte, err error) string {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	ec, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	der, err := x509.MarshalPKCS8PrivateKey(ec)
	ecFile := write("ec.pem", "PRIVATE KEY", der, err)
	der, err = x509.MarshalECPrivateKey(ec)
	sec1 := write("sec1.pem", "EC PRIVATE KEY", der, err)
	der, err = x509.MarshalPKIXPublicKey(&ec.PublicKey)
	ecPublic := write("ec.pub", "PUBLIC KEY", der, err)
	rs, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	rsaFile := write("rsa.pem", "RSA PRIVATE KEY", x509.MarshalPKCS1PrivateKey(rs), nil)
	der, err = x509.MarshalPKIXPublicKey(&rs.PublicKey)
	rsaPublic := write("rsa.pub", "PUBLIC KEY", der, err)
	text, _ := os.ReadFile(ecFile)
	for _, tt := range []struct {
		config store.OAuth
		public string
		want   string
	}{
		{store.OAuth{PrivateKeyFile: ecFile}, ecPublic, ""}, {store.OAuth{PrivateKeyFile: sec1, SigningAlgorithm: "ES256"}, ecPublic, ""},
		{store.OAuth{PrivateKey: string(text)}, ecPublic, ""}, {store.OAuth{PrivateKeyFile: rsaFile, SigningAlgorithm: "RS256"}, rsaPublic, ""},
		{store.OAuth{PrivateKeyFile: ecFile}, rsaPublic, "invalid_client"}, {store.OAuth{PrivateKeyFile: ecFile, SigningAlgorithm: "RS256"}, ecPublic, "not one of the key's"},
		{store.OAuth{PrivateKey: "x"}, ecPublic, "no key in PEM"}, {store.OAuth{PrivateKeyFile: ecPublic}, ecPublic, "no private key"},
	} {
		w := newWorld(t, "-no-dcr", "-client-id", "bot", "-public-key", tt.public)
		w.config = tt.config
		w.config.Grant, w.config.ClientID = store.GrantClient, "bot"
		_, err := w.signIn("o")
		if tt.want != "" {
			wantError(t, err, CodeLoginFailed, tt.want)
			continue
		}
		if err != nil {
			t.Errorf("%+v: %v", tt.config, err)
		}
	}
}

// TestLogout revokes where it can, and deletes in any case.
func TestLogout(t *testing.T) {
	ctx := context.Background()
	for flags, revoked := range map[string]bool{"": true, "-no-revoke": false, "-dcr-method client_secret_post -methods client_secret_post": true} {
		w := newWorld(t, strings.Fields(flags)...)
		s := w.mustSignIn("o")
		out, err := Logout(ctx, w.keeper, TargetOf(s, nil, "test"), s.ID)
		if err != nil || out.Revoked != revoked || (out.Why == "") != revoked {
			t.Errorf("%s: %+v, %v", flags, out, err)
		}
		if revoked && len(w.forms("/revoke", "token")) != 2 {
			t.Errorf("revoked %q", w.forms("/revoke", "token"))
		}
		for path, text := range w.files() {
			if strings.Contains(text, "secret-") {
				t.Errorf("%s: %s holds a secret", flags, path)
			}
		}
		_, err = Logout(ctx, w.keeper, TargetOf(s, nil, "test"), s.ID)
		wantError(t, err, CodeNotFound)
	}
	w := newWorld(t)
	s := w.mustSignIn("o")
	w.http.Close()
	out, err := Logout(ctx, w.keeper, w.target("o"), s.ID)
	if err != nil || out.Revoked || !strings.Contains(out.Why, "cannot be reached") {
		t.Errorf("%+v, %v", out, err)
	}
	if list, _ := w.keeper.List(); len(list) != 0 {
		t.Error("it is still there")
	}
}
