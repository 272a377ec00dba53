package oauth

import (
	"context"
	"errors"
	"net"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/internal/store"
)

func TestSignInAndCall(t *testing.T) {
	w := newWorld(t, "-resource-scopes", "a b")
	s := w.mustSignIn("o")
	if !s.SignedIn || !s.Refreshable || s.Issuer != w.base() || s.Scope != "a b" || s.Created.IsZero() || s.Where != "file" {
		t.Errorf("%+v", s)
	}
	w.opens(1)
	if _, err := w.call(NewTokens(w.keeper, w.target("o")), "tools/list"); err != nil {
		t.Error(err)
	}
	reg := w.srv.Requests("/register")[0].Body
	for _, want := range []string{`"application_type":"native"`, `"grant_types":["authorization_code","refresh_token"]`, `"scope":"a b"`,
		`"client_name":"mcpctl"`, `"token_endpoint_auth_method":"none"`} { // OA-01, OA-30
		if !strings.Contains(reg, want) {
			t.Errorf("the registration lacks %s: %s", want, reg)
		}
	}
}

// TestPlaces: every place where metadata may be, in the order of the specification
// (OA-25, OA-26).
func TestPlaces(t *testing.T) {
	for _, tt := range []struct{ flags, first string }{
		{"-prm header", "/odd/metadata"},
		{"-prm path -metadata openid", "/.well-known/oauth-protected-resource/mcp"},
		{"-prm root", "/.well-known/oauth-protected-resource/mcp"},
		{"-prm header -issuer-path /tenant", "/odd/metadata"},
		{"-prm path -issuer-path /tenant -metadata openid", "/.well-known/oauth-protected-resource/mcp"},
		{"-prm header -issuer-path /tenant/x -metadata appended", "/odd/metadata"},
		{"-prm none", "/.well-known/oauth-protected-resource/mcp"},
		{"-prm header -basic-first", "/odd/metadata"}, // OA-51
	} {
		t.Run(tt.flags, func(t *testing.T) {
			w := newWorld(t, strings.Fields(tt.flags)...)
			w.mustSignIn("o")
			if got := w.srv.Requests("/")[1].Path; got != tt.first {
				t.Errorf("asked first for %s", got)
			}
		})
	}
	w := newWorld(t, "-issuer-path", "/tenant", "-metadata", "oauth") // B092
	w.mustSignIn("o")
	if len(w.srv.Requests("/.well-known/oauth-authorization-server/tenant")) != 1 || len(w.srv.Requests("/.well-known/openid")) != 0 {
		t.Error("the metadata of an issuer with a path was not found at once")
	}
}

// TestE3Issuer: metadata of another issuer is not used (B092, OA-23).
func TestE3Issuer(t *testing.T) {
	for _, issuer := range []string{"https://other.example.net", "BASE/", "HTTP://BASE", "BASE:80"} {
		w := newWorld(t)
		w.srv.Change(func(o *fakeOptions) {
			o.Issuer = strings.Replace(strings.Replace(issuer, "HTTP://BASE", strings.ToUpper(w.base()), 1), "BASE", w.base(), 1)
		})
		w.refusedSignIn(CodeLoginFailed, "is of the issuer", "and not of '"+w.base()+"'")
		w.opens(0)
	}
}

// TestRefusedServerIsNoGuess: a named authorization server that is refused is told, and
// not replaced by the server's own origin.
func TestRefusedServerIsNoGuess(t *testing.T) {
	for _, named := range []string{"http://192.0.2.1", "https://user:pw@127.0.0.1"} {
		w := newWorld(t)
		w.srv.Change(func(o *fakeOptions) { o.Servers = named })
		w.refusedSignIn(CodeLoginFailed, "the authorization server")
		w.opens(0)
	}
}

// TestE3Resource: the metadata of another resource is not used (B094).
func TestE3Resource(t *testing.T) {
	for _, resource := range []string{"https://evil.example/mcp", "BASE/other", "BASE/mc", "BASE/mcp/deeper", "", "BASE/mcp#x", "BASE/mcp?tenant=1"} {
		w := newWorld(t)
		w.srv.Change(func(o *fakeOptions) { o.Resource = strings.Replace(resource, "BASE", w.base(), 1) })
		if resource == "" {
			continue
		}
		w.refusedSignIn(CodeLoginFailed, "is of the resource", "/mcp'")
		w.opens(0)
	}
}

// TestB094Resource: the value goes out as it stands in the metadata, everywhere (OA-27).
func TestB094Resource(t *testing.T) {
	for _, resource := range []string{"BASE/mcp", "BASE", "BASE/", "BASE/mcp/"} {
		w := newWorld(t, "-ttl", "1", "-rotate")
		resource = strings.Replace(resource, "BASE", w.base(), 1)
		w.srv.Change(func(o *fakeOptions) { o.Resource = resource })
		w.mustSignIn("o")
		w.srv.Change(func(o *fakeOptions) { o.TTL = 3600 })
		later(w)
		if _, err := w.call(NewTokens(w.keeper, w.target("o")), "ping"); err != nil {
			t.Error(err)
		}
		sent := append(w.forms("/authorize", "resource"), w.forms("/token", "resource")...)
		if len(sent) != 3 || len(slices.Compact(sent)) != 1 || sent[0] != resource {
			t.Errorf("resource %q was sent as %q", resource, sent)
		}
	}
}

// TestE4Iss is the four-row table of RFC 9207, and spellings that are not the issuer's
// (OA-02).
func TestE4Iss(t *testing.T) {
	for _, tt := range []struct {
		advertised bool
		iss        string
		ok         bool
	}{
		{true, "right", true}, {true, "", false}, {false, "right", true}, {false, "", true},
		{true, "wrong", false}, {false, "wrong", false}, {true, "slash", false}, {true, "case", false}, {false, "port", false}, {true, "twice", false},
	} {
		w := newWorld(t, "-iss", tt.iss)
		w.srv.Change(func(o *fakeOptions) { o.IssAdvertised = tt.advertised })
		if tt.ok {
			w.mustSignIn("o")
			continue
		}
		w.refusedSignIn(CodeLoginFailed)
		w.opens(1)
	}
	w := newWorld(t, "-iss", "wrong", "-deny") // nothing of another server's answer is shown
	_, err := w.signIn("o")
	wantError(t, err, CodeLoginFailed, "other.example.net")
	if strings.Contains(err.Error(), "user said no") {
		t.Error(err)
	}
	w = newWorld(t, "-prm", "none", "-metadata", "none", "-iss", "right") // OA-03
	w.config.AllowLegacy = true
	w.refusedSignIn(CodeLoginFailed, "the answer is of the authorization server")
}

// TestE11PKCE: no S256, no sign-in.
func TestE11PKCE(t *testing.T) {
	for _, pkce := range []string{"-", "plain"} {
		w := newWorld(t, "-pkce", pkce)
		w.refusedSignIn(CodeLoginFailed, "PKCE")
		w.opens(0)
	}
	w := newWorld(t, "-prm", "none", "-metadata", "none")
	w.refusedSignIn(CodeLoginFailed, "publishes no metadata", "oauth.allowLegacy=true")
	if len(w.srv.Requests("/register")) != 0 {
		t.Error("it registered")
	}
	w.config.AllowLegacy = true
	w.mustSignIn("o")
	if w.forms("/authorize", "code_challenge_method")[0] != "S256" {
		t.Error("no PKCE")
	}
	w = newWorld(t, "-pkce", "-")
	w.config.AllowLegacy = true
	w.mustSignIn("o")
	w = newWorld(t, "-pkce", "plain")
	w.config.AllowLegacy = true
	w.refusedSignIn(CodeLoginFailed, "only as plain")
}

// TestB085NoRegistration says what to do, before anything is opened (OA-33).
func TestB085NoRegistration(t *testing.T) {
	w := newWorld(t, "-no-dcr")
	w.refusedSignIn(CodeLoginFailed, "does not register clients", "oauth.clientId", "mcpctl update o --oauth-client-id")
	w.opens(0)
	w = newWorld(t, "-no-dcr", "-client-id", "client-x")
	w.config.ClientID = "client-x"
	w.mustSignIn("o")
	if got := append(w.forms("/authorize", "client_id"), w.forms("/token", "client_id")...); !slices.Equal(got, []string{"client-x", "client-x"}) {
		t.Error(got)
	}
	w = newWorld(t, "-dcr-fail", "403")
	w.refusedSignIn(CodeLoginFailed, "403 Forbidden", "unapproved_client", "/register", `\x1b[2J`)
	w.opens(0)
}

// TestB086RedirectURI: one string everywhere, and what is registered is what is used
// (OA-32).
func TestB086RedirectURI(t *testing.T) {
	w := newWorld(t)
	w.mustSignIn("o")
	first := w.forms("/authorize", "redirect_uri")[0]
	w.mustSignIn("o") // the same port is free again: no new registration
	if got := append(w.forms("/authorize", "redirect_uri"), w.forms("/token", "redirect_uri")...); len(slices.Compact(got)) != 1 {
		t.Errorf("redirect URIs %q", got)
	}
	if n := len(w.srv.Requests("/register")); n != 1 {
		t.Errorf("%d registrations", n)
	}
	u, _ := url.Parse(first)
	taken, err := net.Listen("tcp", u.Host)
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	w.mustSignIn("o") // it is not: another port, and another registration (OA-31)
	last := w.forms("/authorize", "redirect_uri")[2]
	if reg := w.srv.Requests("/register"); len(reg) != 2 || !strings.Contains(reg[1].Body, `"`+last+`"`) || last == first {
		t.Errorf("used %s, registered %+v", last, reg)
	}
	for _, where := range []string{"127.0.0.1/odd/back", "localhost/odd/back", "[::1]/odd/back", "127.0.0.1", "localhost/", "127.0.0.1/a%2Fb"} {
		host, path, slash := strings.Cut(where, "/")
		if slash {
			path = "/" + path
		}
		free, err := net.Listen("tcp", host+":0")
		if err != nil {
			continue // no IPv6 here
		}
		_, port, _ := net.SplitHostPort(free.Addr().String())
		free.Close()
		w := newWorld(t)
		w.config.CallbackURL = "http://" + host + ":" + port + path
		w.srv.Change(func(o *fakeOptions) { o.RedirectExact = w.config.CallbackURL })
		w.mustSignIn("o")
	}
}

// TestOA31BusyPort: a port the user chose is that port or nothing.
func TestOA31BusyPort(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	w := newWorld(t)
	w.config.CallbackPort = taken.Addr().(*net.TCPAddr).Port
	w.refusedSignIn(CodeLoginFailed, "address already in use", "oauth.callbackPort")
	w.opens(0)
	if n := len(w.srv.Requests("/register")); n != 0 {
		t.Errorf("%d registrations", n)
	}
}

// TestB095Accounts: two names at one URL are two sign-ins (OA-09).
func TestB095Accounts(t *testing.T) {
	w := newWorld(t)
	w.mustSignIn("work")
	if _, ok, _ := w.keeper.Find(w.target("play")); ok {
		t.Fatal("play is signed in")
	}
	w.mustSignIn("play")
	one, err1 := w.call(NewTokens(w.keeper, w.target("work")), "ping")
	two, err2 := w.call(NewTokens(w.keeper, w.target("play")), "ping")
	if err1 != nil || err2 != nil || one == two {
		t.Errorf("%v, %v, the same token: %v", err1, err2, one == two)
	}
	s, _, _ := w.keeper.Find(w.target("play"))
	out, err := Logout(context.Background(), w.keeper, w.target("play"), s.ID)
	if err != nil || !out.Revoked {
		t.Errorf("%+v, %v", out, err)
	}
	if _, err := w.call(NewTokens(w.keeper, w.target("work")), "ping"); err != nil {
		t.Error(err)
	}
	_, err = w.call(NewTokens(w.keeper, w.target("play")), "ping")
	wantError(t, err, CodeLoginRequired, "mcpctl login play")
}

// TestB100StepUp: the second sign-in asks for both scopes (OA-05).
func TestB100StepUp(t *testing.T) {
	w := newWorld(t, "-step-up", "files.write")
	w.config.Scope = "files.read"
	w.mustSignIn("o")
	tokens := NewTokens(w.keeper, w.target("o"))
	if _, err := w.call(tokens, "tools/list"); err != nil {
		t.Fatal(err)
	}
	_, err := w.call(tokens, "tools/call")
	wantError(t, err, CodeLoginRequired, "'files.write'")
	var e *Error
	if !errors.As(err, &e) || e.Scope != "files.write" {
		t.Errorf("%+v", e)
	}
	if n := len(w.refreshes()); n != 0 {
		t.Errorf("%d refreshes", n)
	}
	o := w.options()
	o.Challenge = nil // another process, which got no challenge
	if _, err := SignIn(context.Background(), w.keeper, w.target("o"), o); err != nil {
		t.Fatal(err)
	}
	if got := w.forms("/authorize", "scope"); !slices.Equal(got, []string{"files.read", "files.read files.write"}) {
		t.Errorf("scopes %q", got)
	}
	if _, err := w.call(tokens, "tools/call"); err != nil {
		t.Error(err)
	}
}

// TestScopes: where they come from (OA-06, OA-29, OA-38).
func TestScopes(t *testing.T) {
	for _, tt := range []struct{ flags, config, option, want, prompt string }{
		{"-resource-scopes=a,b -challenge-scope=c", "", "x,y", "x y", ""},
		{"-resource-scopes=a,b -challenge-scope=c", "", "", "c", ""},
		{"-resource-scopes=a,b -challenge-scope=c", "d", "", "d c", ""},
		{"-resource-scopes=a,b", "", "", "a b", ""},
		{"", "", "", "", ""},
		{"-resource-scopes=a -scopes=a,offline_access", "", "", "a offline_access", "consent"},
	} {
		w := newWorld(t, strings.Fields(tt.flags)...)
		w.srv.Change(func(o *fakeOptions) {
			for _, list := range []*string{&o.ResourceScopes, &o.Challenge, &o.Scopes} {
				*list = strings.ReplaceAll(*list, ",", " ")
			}
		})
		w.config.Scope = tt.config
		o := w.options()
		o.Scope = strings.ReplaceAll(tt.option, ",", " ")
		if _, err := SignIn(context.Background(), w.keeper, w.target("o"), o); err != nil {
			t.Fatal(err)
		}
		q := w.srv.Requests("/authorize")[0].Form()
		if got := q.Get("scope"); got != tt.want || q.Has("scope") != (tt.want != "") || q.Get("prompt") != tt.prompt {
			t.Errorf("%+v: scope %q, prompt %q", tt, got, q.Get("prompt"))
		}
	}
}

// TestTokenEndpointMethods: basic, post, none; by registration and by configuration.
func TestTokenEndpointMethods(t *testing.T) {
	for _, method := range []string{methodBasic, methodPost} {
		w := newWorld(t, "-dcr-method", method, "-methods", method, "-ttl", "1")
		w.mustSignIn("o")
		w.srv.Change(func(o *fakeOptions) { o.TTL = 3600 })
		later(w)
		if _, err := w.call(NewTokens(w.keeper, w.target("o")), "ping"); err != nil { // OA-21, OA-22
			t.Errorf("%s: %v", method, err)
		}
		r := w.srv.Requests("/token")[0]
		if is := strings.HasPrefix(r.Header["authorization"], "Basic "); is != (method == methodBasic) || r.Form().Has("client_secret") == is {
			t.Errorf("%s: %+v", method, r)
		}
		w = newWorld(t, "-no-dcr", "-client-id", "a:b c", "-client-secret", "p%+/ä", "-methods", method)
		w.config.ClientID, w.config.ClientSecret = "a:b c", "p%+/ä"
		w.mustSignIn("o")
		for path, text := range w.files() {
			if strings.Contains(text, "p%+/") {
				t.Errorf("the configured secret is in %s", path)
			}
		}
	}
}

// TestE12Migration: what one authorization server gave does not go to another.
func TestE12Migration(t *testing.T) {
	w, other := newWorld(t), newWorld(t)
	w.mustSignIn("o")
	w.srv.Change(func(o *fakeOptions) { o.Servers = other.base() })
	other.srv.Change(func(o *fakeOptions) { o.Resource = w.base() + "/mcp" })
	s := w.mustSignIn("o")
	if s.Issuer != other.base() || len(other.srv.Requests("/register")) != 1 || len(other.refreshes()) != 0 {
		t.Errorf("%+v", s)
	}
	if list, _ := w.keeper.List(); len(list) != 1 {
		t.Errorf("%d credentials", len(list))
	}
	w.srv.Change(func(o *fakeOptions) { o.Servers = w.base() + " " + other.base() }) // both: the one we know stays
	if s := w.mustSignIn("o"); s.Issuer != other.base() {
		t.Errorf("%+v", s)
	}
	w = newWorld(t, "-step-up", "b") // what one has granted is no matter of another
	w.config.Scope = "a"
	w.mustSignIn("o")
	_, err := w.call(NewTokens(w.keeper, w.target("o")), "tools/call")
	wantError(t, err, CodeLoginRequired)
	other = newWorld(t)
	w.config.Scope = "c"
	w.srv.Change(func(o *fakeOptions) { o.Servers = other.base() })
	w.mustSignIn("o")
	if got := other.forms("/authorize", "scope"); !slices.Equal(got, []string{"c"}) {
		t.Error(got)
	}
	other = newWorld(t)
	w = newWorld(t, "-no-dcr", "-client-id", "me", "-client-secret", "pre-registered-secret")
	w.config.ClientID, w.config.ClientSecret = "me", "pre-registered-secret"
	w.srv.Change(func(o *fakeOptions) { o.Methods = methodBasic })
	w.mustSignIn("o")
	w.srv.Change(func(o *fakeOptions) { o.Servers = other.base() })
	_, err = w.signIn("o")
	wantError(t, err, CodeLoginFailed, other.base(), w.base(), "oauth.clientId")
	if n := len(other.srv.Requests("/token")); n != 0 {
		t.Errorf("%d token requests", n)
	}
}

func TestDocumentAsClient(t *testing.T) {
	w := newWorld(t, "-cimd")
	w.config.ClientMetadataURL = "https://client.example/me.json"
	w.mustSignIn("o")
	if got := w.forms("/authorize", "client_id"); got[0] != w.config.ClientMetadataURL || len(w.srv.Requests("/register")) != 0 {
		t.Error(got)
	}
	w = newWorld(t)
	w.config.ClientMetadataURL, w.config.ClientRegistration = "https://client.example/me.json", store.RegisterCIMD
	w.refusedSignIn(CodeLoginFailed, "takes no client metadata documents")
	w = newWorld(t, "-cimd")
	w.config.ClientMetadataURL, w.config.ClientRegistration = "https://client.example/me.json", store.RegisterDCR
	w.mustSignIn("o")
	if len(w.srv.Requests("/register")) != 1 {
		t.Error("it did not register")
	}
}

// TestOA10MetadataURL: the entry's own address takes the place of discovery.
func TestOA10MetadataURL(t *testing.T) {
	w, other := newWorld(t), newWorld(t)
	w.srv.Change(func(o *fakeOptions) { o.Servers = "https://wrong.example" })
	w.config.AuthServerMetadataURL = other.base() + "/.well-known/oauth-authorization-server"
	if s := w.mustSignIn("o"); s.Issuer != other.base() {
		t.Errorf("%+v", s)
	}
}

// TestTokenAnswers: what is tolerated (B106, OA-04) and what is not (OA-52).
func TestTokenAnswers(t *testing.T) {
	for _, flags := range []string{"-scope-empty", "-expires string", "-expires absent", "-expires null", "-no-refresh"} {
		w := newWorld(t, strings.Fields(flags)...)
		s := w.mustSignIn("o")
		if _, err := w.call(NewTokens(w.keeper, w.target("o")), "ping"); err != nil {
			t.Errorf("%s: %v", flags, err)
		}
		if known := !s.Expires.IsZero(); known != (flags == "-expires string" || flags == "-no-refresh") {
			t.Errorf("%s: expires %v", flags, s.Expires)
		}
		if n := len(w.refreshes()); n != 0 {
			t.Errorf("%s: %d refreshes", flags, n)
		}
	}
	for how, want := range map[string]string{"empty": "no access token", "ok-false": "invalid_code", "html": "no access token", "500": "500 Internal Server Error",
		"dpop": "'DPoP'", "newline": "no header may hold", "redirect": "redirects to", "invalid_grant": "invalid_grant (no: invalid_grant)"} {
		w := newWorld(t, "-token", how)
		_, err := w.signIn("o")
		wantError(t, err, CodeLoginFailed, want)
		if strings.Contains(err.Error(), "4711") {
			t.Errorf("a body is shown: %v", err)
		}
		if list, _ := w.keeper.List(); len(list) != 0 {
			t.Errorf("%s: %+v is stored", how, list)
		}
	}
}

func TestDeny(t *testing.T) {
	w := newWorld(t, "-deny")
	w.refusedSignIn(CodeLoginFailed, "access_denied", "the user said no")
}

// TestOA07BadServers: addresses that are none are left out.
func TestOA07BadServers(t *testing.T) {
	w := newWorld(t)
	w.srv.Change(func(o *fakeOptions) { o.Servers = "javascript:alert(1) ::: " + w.base() })
	w.mustSignIn("o")
	w = newWorld(t, "-servers", "not-a-url")
	w.mustSignIn("o")
}

func TestFresh(t *testing.T) {
	w := newWorld(t)
	w.mustSignIn("o")
	o := w.options()
	o.Fresh = true
	if _, err := SignIn(context.Background(), w.keeper, w.target("o"), o); err != nil {
		t.Fatal(err)
	}
	if n := len(w.srv.Requests("/register")); n != 2 {
		t.Errorf("%d registrations", n)
	}
}
