package oauth

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// TestE1AuthorizeURL: what is not a page on the web is refused before it is shown
// (E2, B101, OA-08).
func TestE1AuthorizeURL(t *testing.T) {
	for _, raw := range []string{
		"file:///etc/passwd", "file:///bin/sh", "x-evil://a", "-psn", "-oProxyCommand=x", "javascript:alert(1)", "data:text/html,x",
		"vscode://localhost/x", "ssh://localhost/-oProxyCommand=x", "smb://127.0.0.1/x", "http://a/$(touch PWNED)", "http://evil.example/authorize",
		"https://user@evil.example/a", "https://", "https:///a", "https:evil.example", "https://e\nvil.example/", "https://a b/", "HTTP://10.0.0.1/a",
		"https://evil.example/#x", "https://evil.example/" + strings.Repeat("a", 1<<19), "//evil.example/a", "http://127.0.0.1.evil.example/a",
		"http://[fe80::1%25eth0]/a", "https://[::1%25lo]/", "https://\u202eevil.example/",
	} {
		w := newWorld(t)
		w.srv.Change(func(o *fakeOptions) { o.AuthorizeURL = raw })
		w.refusedSignIn(CodeLoginFailed, "authorization_endpoint")
		w.opens(0)
		if len(w.pages) != 0 {
			t.Errorf("shown: %+v", w.pages)
		}
	}
}

// TestB101ShellText: characters that a shell would act on reach nobody.
func TestB101ShellText(t *testing.T) {
	w := newWorld(t)
	w.srv.Change(func(o *fakeOptions) {
		o.AuthorizeURL = w.base() + "/authorize?a=$(touch /W/pwn)&b=`touch${IFS}/W/pwn`;touch /W/pwn&c=\x1b]0;x"
	})
	w.srv.Change(func(o *fakeOptions) { o.AuthorizeURL = strings.ReplaceAll(o.AuthorizeURL, "\x1b", "") })
	w.mustSignIn("o")
	if strings.ContainsAny(w.opened[0], " $`;()'\"<>|\\{}!*") || !strings.Contains(w.opened[0], "?a=%24%28touch%20/W/pwn%29&b=") {
		t.Error(w.opened[0])
	}
}

// TestE1OtherEndpoints: the same for every other address of the metadata.
func TestE1OtherEndpoints(t *testing.T) {
	set := map[string]func(*fakeOptions, string){
		"token_endpoint":        func(o *fakeOptions, raw string) { o.TokenURL = raw },
		"registration_endpoint": func(o *fakeOptions, raw string) { o.RegisterURL = raw },
		"revocation_endpoint":   func(o *fakeOptions, raw string) { o.RevokeURL = raw },
	}
	for name, set := range set {
		for _, raw := range []string{"file:///x", "http://evil.example/token", "ftp://127.0.0.1/"} {
			w := newWorld(t)
			w.srv.Change(func(o *fakeOptions) { set(o, raw) })
			w.refusedSignIn(CodeLoginFailed, name)
			w.opens(0)
		}
	}
}

// TestE3OtherSites: metadata whose addresses belong to several owners is refused before
// a page is shown, and nothing is sent there; who gives the client has chosen them.
func TestE3OtherSites(t *testing.T) {
	var asked atomic.Int32
	sink := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked.Add(1) }))
	defer sink.Close()
	for name, set := range map[string]func(*fakeOptions, string){
		"authorization_endpoint": func(o *fakeOptions, raw string) { o.AuthorizeURL = raw },
		"token_endpoint":         func(o *fakeOptions, raw string) { o.TokenURL = raw },
		"registration_endpoint":  func(o *fakeOptions, raw string) { o.RegisterURL = raw },
		"revocation_endpoint":    func(o *fakeOptions, raw string) { o.RevokeURL = raw },
	} {
		for _, raw := range []string{sink.URL + "/x", "https://evil.example/x"} {
			w := newWorld(t)
			w.srv.Change(func(o *fakeOptions) { set(o, raw) })
			w.refusedSignIn(CodeLoginFailed, name, "another site")
			w.opens(0)
		}
	}
	if n := asked.Load(); n != 0 {
		t.Errorf("%d requests went there", n)
	}
	for _, c := range []struct {
		a, b string
		same bool
	}{
		{"https://auth.example.com", "https://api.example.com/token", true}, {"https://a.example.co.uk", "https://b.example.co.uk", true},
		{"https://a.co.uk", "https://b.co.uk", false}, {"https://a.github.io", "https://b.github.io", false}, {"https://example.com", "http://example.com", false},
		{"http://127.0.0.1:1", "http://127.0.0.1:2", false}, {"https://10.0.0.1", "https://10.0.0.2", false}, {"https://example.com", "https://example.com:444", true},
	} {
		a, errA := url.Parse(c.a)
		b, errB := url.Parse(c.b)
		if errA != nil || errB != nil || sameSite(a, b) != c.same {
			t.Errorf("%s and %s: %v", c.a, c.b, !c.same)
		}
	}
}

// TestE3NoParameterTwice: what the metadata's page says already of our parameters does
// not count.
func TestE3NoParameterTwice(t *testing.T) {
	w := newWorld(t)
	w.srv.Change(func(o *fakeOptions) { o.AuthorizeURL = w.base() + "/authorize?state=theirs&a=1&client%5fid=zz" })
	w.mustSignIn("o")
	u, err := url.Parse(w.opened[0])
	if err != nil {
		t.Fatal(err)
	}
	for name, values := range u.Query() {
		if len(values) != 1 || values[0] == "theirs" || values[0] == "zz" {
			t.Errorf("%s: %q", name, values)
		}
	}
	if u.Query().Get("a") != "1" {
		t.Error(w.opened[0])
	}
}

// TestE5PrivateAddresses: discovery leads to the internet, or to where the configured
// server is.
func TestE5PrivateAddresses(t *testing.T) {
	hosts := []string{"127.0.0.1", "[::1]", "10.1.2.3", "172.16.0.1", "192.168.1.1", "169.254.169.254", "100.64.0.1", "[fc00::1]", "[fe80::1]",
		"[::ffff:10.0.0.1]", "0.0.0.0", "[::]", "[64:ff9b::a00:1]", "[2002:a00:1::]", "[::10.0.0.1]", "255.255.255.255", "224.0.0.1", "localhost", "0x7f.1", "2130706433"}
	public := Target{server: "o", url: "https://mcp.example.invalid/mcp", account: "o", env: nil}
	for _, host := range hosts {
		c, err := newClient(public)
		if err != nil {
			t.Fatal(err)
		}
		for _, where := range []string{"https://" + host + "/.well-known/x", "https://" + host + ":8443/"} {
			u, why := endpoint(where)
			if why != "" {
				continue // refused even earlier
			}
			_, err := c.get(context.Background(), u)
			if host == "0x7f.1" || host == "2130706433" { // a name that some resolvers take for a number
				if err == nil {
					t.Errorf("%s was reached", where)
				}
				continue
			}
			wantError(t, err, CodeLoginFailed, "not public", "oauth.allowPrivate=true")
		}
		c.close()
	}
	allowed := public
	allowed.config.AllowPrivate = true
	for _, tt := range []struct {
		server, ip   string
		plain, allow bool
	}{
		{"mcp.example.invalid", "10.1.2.3", false, true}, {"10.1.2.3", "10.1.2.3", true, true}, {"10.1.2.3", "10.1.2.4", false, true},
		{"127.0.0.1", "127.0.0.1", true, true}, {"127.0.0.1", "::1", true, true}, {"localhost", "127.0.0.1", true, true},
		{"127.0.0.1", "169.254.169.254", false, false}, {"169.254.1.1", "169.254.169.254", false, false}, {"mcp.example.invalid", "127.0.0.1", false, true},
		{"127.0.0.1", "0.0.0.0", false, false}, {"127.0.0.1", "93.184.215.14", true, true}, {"10.0.0.1", "2606:4700::1", true, true},
		{"127.0.0.1", "100.64.0.1", false, true}, {"127.0.0.1", "64:ff9b::a9fe:a9fe", false, false},
	} {
		for allow, want := range map[bool]bool{false: tt.plain, true: tt.allow} {
			g := &gate{server: tt.server, private: allow}
			if err := g.check(context.Background(), "h", netip.MustParseAddr(tt.ip)); (err == nil) != want {
				t.Errorf("%+v, allowPrivate %v: %v", tt, allow, err)
			}
		}
	}
}

// TestE5AfterDNS: the address counts, and not the name: localhost is one that leads
// somewhere else than it looks for a server elsewhere.
func TestE5AfterDNS(t *testing.T) {
	w := newWorld(t)
	_, port, _ := net.SplitHostPort(strings.TrimPrefix(w.base(), "http://"))
	c, err := newClient(Target{server: "o", url: "https://mcp.example.invalid/mcp"})
	if err != nil {
		t.Fatal(err)
	}
	defer c.close()
	u, why := endpoint("http://localhost:" + port + "/.well-known/oauth-authorization-server")
	if why != "" {
		t.Fatal(why)
	}
	_, err = c.get(context.Background(), u)
	wantError(t, err, CodeLoginFailed, "'localhost' leads to the private address")
	if n := len(w.srv.Requests("/")); n != 0 {
		t.Errorf("%d requests", n)
	}
}

// TestE5Discovery: a challenge cannot send us to the cloud's keys.
func TestE5Discovery(t *testing.T) {
	for _, raw := range []string{"http://169.254.169.254/latest/meta-data", "https://169.254.169.254/latest", "https://10.0.0.1/x", "file:///etc/passwd"} {
		w := newWorld(t, "-challenge-url", raw)
		w.refusedSignIn(CodeLoginFailed)
		w.opens(0)
		w = newWorld(t, "-servers", strings.Replace(raw, "http:", "https:", 1)+" "+raw)
		if strings.HasPrefix(raw, "file") {
			continue // left out
		}
		w.refusedSignIn(CodeLoginFailed, "not public")
	}
}

// TestE5Proxy: the user's own proxy may have any address, and a private one behind it
// may not.
func TestE5Proxy(t *testing.T) {
	asked := make(chan string, 1)
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked <- r.Host
		http.Error(w, "no", http.StatusBadGateway)
	}))
	defer proxy.Close()
	c, err := newClient(Target{server: "o", url: "https://mcp.example.invalid/mcp", env: map[string]string{"HTTPS_PROXY": proxy.URL}})
	if err != nil {
		t.Fatal(err)
	}
	defer c.close()
	u, _ := endpoint("https://as.example.invalid/x")
	_, _ = c.get(context.Background(), u)
	if got := <-asked; got != "as.example.invalid:443" {
		t.Error(got)
	}
	u, _ = endpoint("https://10.0.0.1/x")
	_, err = c.get(context.Background(), u)
	wantError(t, err, CodeLoginFailed, "not public")
}

// TestE6Redirects: none to another origin, and none for what carries a secret.
func TestE6Redirects(t *testing.T) {
	for _, code := range []string{"301", "302", "303", "307", "308"} { // nor within the origin
		w := newWorld(t, "-token", "see-"+code)
		_, err := w.signIn("o")
		wantError(t, err, CodeLoginFailed, "redirects to")
		if n := len(w.srv.Requests("/elsewhere")); n != 0 {
			t.Errorf("%s was followed", code)
		}
	}
	for _, flags := range []string{"-prm redirect", "-metadata redirect", "-token redirect"} {
		w := newWorld(t, strings.Fields(flags)...)
		_, err := w.signIn("o")
		wantError(t, err, CodeLoginFailed, "redirects to 'http://localhost:")
		for _, r := range w.srv.Requests("/") {
			if strings.HasPrefix(r.Header["host"], "localhost") {
				t.Errorf("%s: the redirect was followed: %+v", flags, r)
			}
		}
	}
}

// TestLimits: what hangs or does not end.
func TestLimits(t *testing.T) {
	for _, flags := range []string{"-prm huge", "-metadata huge", "-token huge"} {
		w := newWorld(t, strings.Fields(flags)...)
		_, err := w.signIn("o")
		wantError(t, err, CodeLoginFailed, "larger than 1 MiB")
	}
	for _, flags := range []string{"-prm 500", "-metadata 500"} {
		w := newWorld(t, strings.Fields(flags)...)
		w.refusedSignIn(CodeLoginFailed, "500")
	}
	w := newWorld(t, "-metadata", "hang")
	c, err := newClient(w.target("o"))
	if err != nil {
		t.Fatal(err)
	}
	defer c.close()
	c.timeout = 50e6
	u, _ := endpoint(w.base() + "/.well-known/oauth-authorization-server")
	_, err = c.get(context.Background(), u)
	wantError(t, err, CodeLoginFailed, "no answer within")
}

// TestE17Secrets: the tokens, the code and what goes with it are in no message, page or
// file but the store's own.
func TestE17Secrets(t *testing.T) {
	w := newWorld(t, "-dcr-method", methodBasic, "-methods", methodBasic)
	w.mustSignIn("o")
	own := w.keeper.path()
	for path, text := range w.files() {
		if path != own && (strings.Contains(text, "secret-access") || strings.Contains(text, "secret-refresh") || strings.Contains(text, "client-secret")) {
			t.Errorf("%s holds a token", path)
		}
	}
	list, err := w.keeper.List()
	if err != nil || len(list) != 1 {
		t.Fatal(list, err)
	}
	if len(w.keeper.Secrets()) != 3 {
		t.Error("not all secrets are known")
	}
	w.srv.Change(func(o *fakeOptions) { o.Refresh = "invalid_request" })
	w.srv.RevokeAll()
	w.keeper.now = func() time.Time { return list[0].Expires }
	_, err = NewTokens(w.keeper, w.target("o")).Authorization(context.Background())
	wantError(t, err, CodeConnectFailed)
	if strings.Contains(err.Error(), "secret-") {
		t.Error(err)
	}
}

// TestB102Modes: nothing is open to others, whatever the umask.
func TestB102Modes(t *testing.T) {
	w := newWorld(t)
	w.places.StateHome = filepath.Join(t.TempDir(), "new")
	w.keeper = NewKeeper(w.places, nil)
	w.mustSignIn("o")
	ticket, err := Start(context.Background(), w.keeper, w.target("p"), w.options())
	if err != nil || ticket.URL == "" {
		t.Fatal(err)
	}
	_ = filepath.Walk(w.places.State(), func(path string, info os.FileInfo, err error) error {
		if err != nil || info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s: %v, %v", path, info.Mode(), err)
		}
		return nil
	})
}
