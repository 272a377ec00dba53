package dial

import (
	"context"
	"encoding/json"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mcpctl/mcpctl/internal/probe/oauth"
	"github.com/mcpctl/mcpctl/internal/store"
	fake "github.com/mcpctl/mcpctl/testdata/servers/oauth"
)

// protected is a server that asks for a sign-in, and a user's credentials.
type protected struct {
	*fixture
	srv    *fake.Server
	http   *httptest.Server
	keeper *oauth.Keeper
}

func newProtected(t *testing.T, flags ...string) *protected {
	t.Helper()
	o, err := fake.Parse(flags...)
	if err != nil {
		t.Fatal(err)
	}
	return protectedBy(t, *o)
}

func protectedBy(t *testing.T, o fake.Options) *protected {
	t.Helper()
	p := &protected{srv: fake.New(o)}
	p.http = httptest.NewServer(p.srv)
	t.Cleanup(p.http.Close)
	p.fixture = newEntry(t, map[string]any{"type": "http", "url": p.http.URL + "/mcp"})
	places, err := store.FindPlaces(p.env)
	if err != nil {
		t.Fatal(err)
	}
	p.keeper = oauth.NewKeeper(places, nil)
	t.Cleanup(p.keeper.Close)
	p.options.Auth = func(server store.Admitted, l store.Launch) Auth {
		return oauth.NewTokens(p.keeper, oauth.NewTarget(server, l, p.env, "test"))
	}
	return p
}

// signIn does what a command does: it starts from the server's own refusal.
func (p *protected) signIn(challenge string) oauth.Stored {
	p.t.Helper()
	server := p.admit()
	l, err := server.Resolve(p.env)
	if err != nil {
		p.t.Fatal(err)
	}
	s, err := oauth.SignIn(p.t.Context(), p.keeper, oauth.NewTarget(server, l, p.env, "test"), oauth.Options{
		Challenge: []string{challenge}, Timeout: patience, Show: func(oauth.Page) {},
		Open: func(page string) error {
			resp, err := p.http.Client().Get(page)
			if err == nil {
				resp.Body.Close()
			}
			return err
		}})
	if err != nil {
		p.t.Fatal(err)
	}
	return s
}

func (p *protected) refreshes() []string {
	var out []string
	for _, r := range p.srv.Requests("/token") {
		out = append(out, r.Form()["refresh_token"]...)
	}
	return out
}

// TestAuthSignedIn: from the refusal to a connection, and no header but the token's.
func TestAuthSignedIn(t *testing.T) {
	p := newProtected(t)
	e := p.refused(CodeLoginRequired, "asks for a sign-in")
	if !strings.Contains(e.Challenge, "resource_metadata=") || !strings.Contains(e.Hint_, "mcpctl login s") {
		t.Errorf("%+v", e)
	}
	p.signIn(e.Challenge)
	c := p.connect()
	if _, err := c.CallTool(t.Context(), "echo", json.RawMessage(`{}`), 0); err != nil {
		t.Error(err)
	}
	if text := c.Mask().Text("it was at-3-secret-access"); strings.Contains(text, "secret-access") {
		t.Errorf("the token is seen: %s", text)
	}
}

// TestAuthRenewed: a token that is refused in the middle of a session is renewed, once
// for all calls, and no call fails (B098).
func TestAuthRenewed(t *testing.T) {
	p := newProtected(t, "-rotate")
	p.signIn("")
	c := p.connect()
	p.srv.RevokeAccess()
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() {
			if _, err := c.CallTool(t.Context(), "echo", json.RawMessage(`{}`), 0); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if n := len(p.refreshes()); n != 1 || p.srv.Ended() != 0 {
		t.Errorf("%d refreshes", n)
	}
	p.srv.RevokeAll()
	p.srv.Change(func(o *fake.Options) { o.Refresh = "invalid_grant" })
	_, err := c.CallTool(t.Context(), "echo", json.RawMessage(`{}`), 0)
	wantError(t, err, CodeLoginRequired)
}

// TestAuthStepUp: a tool that needs more scope costs its own call, not the session.
func TestAuthStepUp(t *testing.T) {
	p := newProtected(t, "-step-up", "files.write")
	p.signIn("")
	c := p.connect()
	_, err := c.CallTool(t.Context(), "echo", json.RawMessage(`{}`), 0)
	e := wantError(t, err, CodeLoginRequired, "'files.write'")
	if !strings.Contains(e.Challenge, "insufficient_scope") {
		t.Errorf("%+v", e)
	}
	if _, err := c.ListTools(t.Context()); err != nil {
		t.Error(err)
	}
	p.signIn(e.Challenge)
	if _, err := c.CallTool(t.Context(), "echo", json.RawMessage(`{}`), 0); err != nil { // the same connection
		t.Error(err)
	}
}

// TestAuthOwnHeader: an entry with its own Authorization has no other (B096).
func TestAuthOwnHeader(t *testing.T) {
	p := newProtected(t)
	p.signIn("")
	p.entry["headers"] = map[string]any{"authorization": "Bearer mine"}
	before := len(p.srv.Requests("/mcp"))
	e := p.refused(CodeLoginRequired, "refused the given Authorization header")
	if strings.Contains(e.Hint_, "login") {
		t.Errorf("%+v", e)
	}
	for _, r := range p.srv.Requests("/mcp")[before:] {
		if r.Header["authorization"] != "Bearer mine" {
			t.Errorf("sent %q", r.Header["authorization"])
		}
	}
}

// TestAuthOtherURL: the token stays behind when the URL changes (E8).
func TestAuthOtherURL(t *testing.T) {
	p := newProtected(t)
	p.signIn("")
	other := newProtected(t)
	p.entry["url"] = other.http.URL + "/mcp"
	p.refused(CodeLoginRequired)
	if i := slices.IndexFunc(other.srv.Requests("/"), func(r fake.Request) bool { return r.Header["authorization"] != "" }); i >= 0 {
		t.Error("the token went to another server")
	}
}

// TestAuthOutage: an authorization server that is away is no sign-in that is gone.
func TestAuthOutage(t *testing.T) {
	p := newProtected(t, "-ttl", "1", "-refresh", "500")
	s := p.signIn("")
	eventually(t, "the end of the token", func() bool { return time.Now().After(s.Expires) })
	p.refused(CodeConnectFailed, "cannot be renewed")
	p.srv.Change(func(o *fake.Options) { o.Refresh, o.TTL = "", 3600 })
	p.connect()
}

// TestAuthEnvironment: a stdio server finds the token of its credential in its
// environment, and no other server does.
func TestAuthEnvironment(t *testing.T) {
	p := newProtected(t)
	id := p.signIn("").ID
	read := func(entry map[string]any) string {
		t.Helper()
		f := newFixture(t, "echo")
		for key, value := range entry {
			f.entry[key] = value
		}
		f.options.Auth = p.options.Auth
		c := f.connect()
		result, err := c.CallTool(context.Background(), "env", json.RawMessage(`{"name":"`+accessVariable+`"}`), 0)
		if err != nil {
			t.Fatal(err)
		}
		return string(result)
	}
	auth := map[string]any{"type": "oauth", "credentialId": id}
	if got := read(map[string]any{"auth": auth}); !strings.Contains(got, "at-3-secret-access") {
		t.Errorf("got %s", got)
	}
	if got := read(nil); strings.Contains(got, "secret-access") {
		t.Errorf("got %s", got)
	}
	if got := read(map[string]any{"auth": auth, "env": map[string]any{accessVariable: "its-own"}}); !strings.Contains(got, "its-own") {
		t.Errorf("got %s", got)
	}
	f := newFixture(t, "echo")
	f.entry["auth"] = map[string]any{"type": "oauth", "credentialId": "0000000000000000"}
	f.options.Auth = p.options.Auth
	f.refused(CodeLoginRequired, "0000000000000000")
}

// TestHT05CancelledDuringRenewal: a call that is cancelled while the token is renewed is
// not sent afterwards.
func TestHT05CancelledDuringRenewal(t *testing.T) {
	o, err := fake.Parse("-rotate")
	if err != nil {
		t.Fatal(err)
	}
	hold, held := make(chan struct{}), make(chan struct{}, 2)
	o.OnToken = func() {
		if held <- struct{}{}; len(held) == 2 { // the first is the sign-in
			<-hold
		}
	}
	p := protectedBy(t, *o)
	p.signIn("")
	c := p.connect()
	p.srv.RevokeAccess()
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() {
		_, err := c.CallTool(ctx, "echo", json.RawMessage(`{}`), 0)
		done <- err
	}()
	eventually(t, "the renewal", func() bool { return len(held) == 2 })
	cancel()
	if err := <-done; err == nil {
		t.Error("it did not notice")
	}
	close(hold)
	p.keeper.Close()
	eventually(t, "the new token", func() bool { return p.srv.Used() == 1 })
	if err := c.Close(); err != nil {
		t.Error(err)
	}
	n := 0
	for _, r := range p.srv.Requests("/mcp") {
		if strings.Contains(r.Body, "tools/call") {
			n++
		}
	}
	if n != 1 {
		t.Errorf("sent %d times", n)
	}
}

// TestHT06CloseRenewsNothing: the farewell to a server goes with the token there is.
func TestHT06CloseRenewsNothing(t *testing.T) {
	p := newProtected(t, "-rotate", "-sessions")
	p.signIn("")
	c := p.connect()
	p.srv.RevokeAccess()
	if err := c.Close(); err != nil {
		t.Error(err)
	}
	p.keeper.Close()
	gone := p.srv.Requests("/mcp")
	if last := gone[len(gone)-1]; last.Method != "DELETE" || last.Header["authorization"] == "" {
		t.Errorf("%+v", last)
	}
	if n := len(p.refreshes()); n != 0 {
		t.Errorf("%d refreshes", n)
	}
}

// TestLostOverAnothersRefusal: when the sign-in ends while another call is on its way,
// that one may have run, and nobody says that it did not.
func TestLostOverAnothersRefusal(t *testing.T) {
	p := newProtected(t, "-hang-first-call")
	p.signIn("")
	c := p.connect()
	done := make(chan error, 1)
	go func() {
		_, err := c.CallTool(t.Context(), "echo", json.RawMessage(`{}`), 0)
		done <- err
	}()
	eventually(t, "the first call", func() bool {
		return slices.ContainsFunc(p.srv.Requests("/mcp"), func(r fake.Request) bool { return strings.Contains(r.Body, "tools/call") })
	})
	p.srv.RevokeAll()
	_, err := c.CallTool(t.Context(), "echo", json.RawMessage(`{}`), 0)
	wantError(t, err, CodeLoginRequired)
	<-c.Done()
	c.Close() // as the engine does
	wantError(t, <-done, CodeOutcomeUnknown)
}
