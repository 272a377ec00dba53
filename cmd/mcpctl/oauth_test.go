package main

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	fake "github.com/mcpctl/mcpctl/testdata/servers/oauth"

	"github.com/mcpctl/mcpctl/internal/engine/wire"
)

// guarded is a server that asks for a sign-in, as the entry o of a user.
type guarded struct {
	*place
	srv *fake.Server
	url string
}

func newGuarded(t *testing.T, o fake.Options) *guarded {
	t.Helper()
	g := &guarded{place: newPlace(t)}
	g.env = append(g.env, "MCPCTL_CREDENTIALS=file")
	g.srv, g.url = g.serve(o)
	g.write(g.userFile(), `{"mcpServers":{"o":{"url":"`+g.url+`"}}}`)
	return g
}

func guardedBy(t *testing.T, flags ...string) *guarded {
	t.Helper()
	return newGuarded(t, parse(t, flags...))
}

func parse(t *testing.T, flags ...string) fake.Options {
	t.Helper()
	o, err := fake.Parse(flags...)
	if err != nil {
		t.Fatal(err)
	}
	return *o
}

// serve serves one more of them.
func (g *guarded) serve(o fake.Options) (*fake.Server, string) {
	srv := fake.New(o)
	web := httptest.NewServer(srv)
	g.t.Cleanup(func() { web.CloseClientConnections(); web.Close() })
	return srv, web.URL + o.Path
}

// signs runs `sign-in` or `sign-out` with its arguments, and returns what it prints.
func (g *guarded) signs(verb string, args ...string) string {
	g.t.Helper()
	cmd := exec.Command(verb, args...)
	like := g.command(context.Background())
	cmd.Dir, cmd.Env = like.Dir, like.Env
	out, err := cmd.CombinedOutput()
	if err != nil {
		g.t.Fatalf("%s %q: %v: %s", verb, args, err, out)
	}
	return strings.TrimSpace(string(out))
}

// is waits until a server is in a state, and returns its detail.
func (g *guarded) is(name string, state wire.State) (detail string) {
	g.t.Helper()
	var doc wire.Status
	if err := until(func() error {
		g.decode(g.exits([]int{0}, "status", "--json").out, &doc)
		for _, s := range doc.Servers {
			if s.Name == name && s.State == state {
				detail = s.Detail
				return nil
			}
		}
		return fmt.Errorf("%+v", doc.Servers)
	}); err != nil {
		g.t.Fatalf("%s is not %s: %v", name, state, err)
	}
	return detail
}

// sent are the refresh tokens that were sent to a server, in order.
func sent(srv *fake.Server) (tokens []string) {
	for _, r := range srv.Requests("/token") {
		tokens = append(tokens, r.Form()["refresh_token"]...)
	}
	return tokens
}

// once wants each refresh token to have been sent one time, and no family to be ended.
func (g *guarded) once() []string {
	g.t.Helper()
	all := sent(g.srv)
	if different := slices.Compact(slices.Sorted(slices.Values(all))); len(different) != len(all) || g.srv.Ended() != 0 {
		g.t.Errorf("%d refreshes with %d tokens, %d families ended", len(all), len(different), g.srv.Ended())
	}
	return all
}

// calls counts the requests of one method at the server.
func calls(srv *fake.Server, method string) (n int) {
	for _, r := range srv.Requests("/mcp") {
		if strings.Contains(r.Body, `"method":"`+method+`"`) {
			n++
		}
	}
	return n
}

// expires waits until a token that lives for d and was issued by now has run out.
func expires(t *testing.T, d time.Duration) {
	t.Helper()
	end := time.Now().Add(d)
	if err := until(func() error {
		if time.Now().Before(end) {
			return fmt.Errorf("not yet")
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
}

// TestB088ParallelTests: thirty tests and a supervisor with tokens of two seconds send
// no refresh token twice.
func TestB088ParallelTests(t *testing.T) {
	t.Parallel()
	g := guardedBy(t, "-ttl", "2", "-rotate")
	g.signs("sign-in", "o")
	g.exits([]int{0}, "supervisor", "start")
	g.is("o", wire.Connected)
	for range rounds(3, 15) {
		expires(t, 2*time.Second)
		var all sync.WaitGroup
		for range rounds(10, 50) {
			all.Go(func() { g.exits([]int{0}, "test", "o") })
		}
		all.Go(func() { g.exits([]int{0}, "call", "o", "echo") })
		all.Wait()
	}
	if n := len(g.once()); n < 3 {
		t.Errorf("%d refreshes", n)
	}
	g.is("o", wire.Connected)
}

// TestB095TwoAccounts: two entries with one URL are two sign-ins.
func TestB095TwoAccounts(t *testing.T) {
	t.Parallel()
	g := guardedBy(t)
	g.write(g.userFile(), `{"mcpServers":{"work":{"url":"`+g.url+`"},"play":{"url":"`+g.url+`"}}}`)
	g.exits([]int{0}, "supervisor", "start")
	g.is("play", wire.NeedsSignIn)
	g.signs("sign-in", "work")
	g.is("work", wire.Connected)
	g.is("play", wire.NeedsSignIn)
	g.signs("sign-in", "play")
	g.is("play", wire.Connected)
	header := func(name string) string {
		before := len(g.srv.Requests("/mcp"))
		g.exits([]int{0}, "test", name)
		return g.srv.Requests("/mcp")[before:][0].Header["authorization"]
	}
	if work, play := header("work"), header("play"); work == play || work == "" || play == "" {
		t.Errorf("%q and %q", work, play)
	}
	g.signs("sign-out", "play")
	g.is("play", wire.NeedsSignIn)
	g.is("work", wire.Connected)
	g.exits([]int{0}, "test", "work")
	g.exits([]int{21}, "test", "play")
}

// TestB097OneRefreshToken: a refresh that gives no new refresh token leaves the old one.
func TestB097OneRefreshToken(t *testing.T) {
	t.Parallel()
	g := guardedBy(t, "-ttl", "1", "-no-refresh-back")
	g.signs("sign-in", "o")
	for range 4 {
		expires(t, time.Second)
		g.exits([]int{0}, "test", "o")
	}
	if all := sent(g.srv); len(all) < 4 || len(slices.Compact(all)) != 1 {
		t.Errorf("sent %q", all)
	}
}

// TestB098IdleExpiry: a token that runs out while nobody looks is renewed by the next
// use, by the supervisor, by a test and by the next supervisor, and nobody signs in.
func TestB098IdleExpiry(t *testing.T) {
	t.Parallel()
	g := guardedBy(t, "-ttl", "1", "-rotate")
	g.signs("sign-in", "o")
	g.exits([]int{0}, "supervisor", "start")
	g.is("o", wire.Connected)
	expires(t, 2*time.Second)
	g.is("o", wire.Connected)
	g.exits([]int{0}, "call", "o", "echo")
	g.exits([]int{0}, "test", "o")
	g.exits([]int{0}, "supervisor", "stop")
	expires(t, time.Second)
	g.exits([]int{0}, "test", "o")
	expires(t, time.Second)
	g.exits([]int{0}, "call", "o", "echo")
	g.once()
	if n := len(g.srv.Requests("/authorize")); n != 1 {
		t.Errorf("%d sign-ins", n)
	}
}

// TestStreamOutlivesTokens: a connection with a stream goes on when the stream ends with
// its token.
func TestStreamOutlivesTokens(t *testing.T) {
	t.Parallel()
	g := guardedBy(t, "-ttl", "2", "-rotate", "-stream")
	g.signs("sign-in", "o")
	g.exits([]int{0}, "supervisor", "start")
	g.is("o", wire.Connected)
	if err := until(func() error {
		headers := map[string]bool{}
		for _, r := range g.srv.Requests("/mcp") {
			if r.Method == http.MethodGet {
				headers[r.Header["authorization"]] = true
			}
		}
		if len(headers) < 3 || headers[""] {
			return fmt.Errorf("streams with %v", headers)
		}
		return nil
	}); err != nil {
		t.Error(err)
	}
	g.exits([]int{0}, "call", "o", "echo")
	if n := calls(g.srv, "initialize"); n != 1 {
		t.Errorf("%d connections", n)
	}
	g.once()
}

// TestB100MoreScope: what a call lacks is named; the next sign-in asks for it and for
// what there was; and the connection goes on meanwhile.
func TestB100MoreScope(t *testing.T) {
	t.Parallel()
	g := guardedBy(t, "-step-up", "files.write")
	g.write(g.userFile(), `{"mcpServers":{"o":{"url":"`+g.url+`","oauth":{"scope":"files.read"}}}}`)
	g.signs("sign-in", "o")
	g.exits([]int{0}, "supervisor", "start")
	for _, way := range [][]string{{"call", "o", "echo"}, {"call", "o", "echo", "--direct"}} {
		before := calls(g.srv, "tools/call")
		if a := g.exits([]int{21}, way...); !strings.Contains(a.err, "files.write") || !strings.Contains(a.err, "mcpctl login o") {
			t.Errorf("%q: %s", way, a.err)
		}
		if n := calls(g.srv, "tools/call") - before; n != 1 {
			t.Errorf("%q: sent %d times", way, n)
		}
	}
	g.is("o", wire.Connected)
	if len(sent(g.srv)) != 0 {
		t.Error("a scope was looked for by renewing")
	}
	g.signs("sign-in", "o")
	pages := g.srv.Requests("/authorize")
	if scope := strings.Fields(pages[len(pages)-1].Form().Get("scope")); !slices.Contains(scope, "files.read") || !slices.Contains(scope, "files.write") {
		t.Errorf("asked for %q", scope)
	}
	g.exits([]int{0}, "call", "o", "echo")

	// And where nothing goes without it.
	g = guardedBy(t, "-step-up", "files.write", "-step-up-all")
	g.signs("sign-in", "o", "files.read")
	if a := g.exits([]int{21}, "test", "o"); !strings.Contains(a.err, "files.write") {
		t.Error(a.err)
	}
	g.exits([]int{0}, "supervisor", "start")
	if detail := g.is("o", wire.NeedsSignIn); !strings.Contains(detail, "files.write") || !strings.Contains(detail, "mcpctl login o") {
		t.Error(detail)
	}
	g.signs("sign-in", "o")
	g.is("o", wire.Connected)
	g.exits([]int{0}, "test", "o")
}

// TestRefusedCall: a call that is refused with 401 was not run. It is sent exactly once
// more, after a refresh; and when there is none, the connection is the one of a server
// that needs a sign-in.
func TestRefusedCall(t *testing.T) {
	t.Parallel()
	g := guardedBy(t, "-rotate")
	g.signs("sign-in", "o")
	g.exits([]int{0}, "call", "o", "echo")
	g.srv.RevokeAccess()
	g.exits([]int{0}, "call", "o", "echo")
	if n := calls(g.srv, "tools/call"); n != 3 || len(sent(g.srv)) != 1 {
		t.Errorf("%d calls, %d refreshes", n, len(sent(g.srv)))
	}
	g.srv.RevokeAll()
	if a := g.exits([]int{21}, "call", "o", "echo"); !strings.Contains(a.err, "mcpctl login o") {
		t.Error(a.err)
	}
	if n := calls(g.srv, "tools/call"); n != 4 {
		t.Errorf("%d calls", n)
	}
	g.is("o", wire.NeedsSignIn)
	before := len(g.srv.Requests("/"))
	for range 5 {
		g.exits([]int{21}, "call", "o", "echo")
	}
	if n := len(g.srv.Requests("/")) - before; n > 3 {
		t.Errorf("%d requests while signed out", n)
	}
	g.signs("sign-in", "o")
	g.exits([]int{0}, "call", "o", "echo")
}

// TestOA34ProtectedCalls: a server that lets everybody in and only its tools need a
// sign-in stays connected, and can be signed in to.
func TestOA34ProtectedCalls(t *testing.T) {
	g := guardedBy(t, "-anonymous")
	g.exits([]int{0}, "supervisor", "start")
	g.is("o", wire.Connected)
	g.exits([]int{21}, "call", "o", "echo")
	g.is("o", wire.Connected)
	g.exits([]int{0}, "tools", "o")
	g.signs("sign-in", "o")
	g.exits([]int{0}, "call", "o", "echo")
}
