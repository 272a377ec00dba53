package oauth

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	fake "github.com/mcpctl/mcpctl/testdata/servers/oauth"

	"github.com/mcpctl/mcpctl/internal/store"
	"github.com/mcpctl/mcpctl/internal/store/redact"
)

// TestB098IdleExpiry: a token that ran out is renewed without a person.
func TestB098IdleExpiry(t *testing.T) {
	w := newWorld(t, "-ttl", "1", "-rotate")
	w.mustSignIn("o")
	w.srv.RevokeAccess()
	later(w)
	tokens := NewTokens(w.keeper, w.target("o"))
	w.srv.Change(func(o *fakeOptions) { o.TTL = 3600 })
	if _, err := w.call(tokens, "ping"); err != nil {
		t.Fatal(err)
	}
	if n := len(w.refreshes()); n != 1 {
		t.Errorf("%d refreshes", n)
	}
	w.srv.RevokeAccess() // the server says 401 although the time is not over
	w.keeper.now = func() time.Time { return time.Now().Add(time.Minute) }
	if _, err := w.call(tokens, "ping"); err != nil {
		t.Fatal(err)
	}
	if n := len(w.refreshes()); n != 2 {
		t.Errorf("%d refreshes", n)
	}
	w.opens(1)
}

// TestB097NoRefreshBack: the old refresh token stays.
func TestB097NoRefreshBack(t *testing.T) {
	w := newWorld(t, "-ttl", "1", "-no-refresh-back")
	w.mustSignIn("o")
	tokens := NewTokens(w.keeper, w.target("o"))
	for i := range 4 {
		w.srv.RevokeAccess()
		w.keeper.now = func() time.Time { return time.Now().Add(time.Duration(i+1) * 2 * time.Second) }
		if _, err := w.call(tokens, "ping"); err != nil {
			t.Fatal(err)
		}
	}
	if sent := w.refreshes(); len(sent) != 4 || len(slices.Compact(sent)) != 1 {
		t.Errorf("sent %q", sent)
	}
}

// TestB088Parallel: many at once send each refresh token once (E13, OA-17).
func TestB088Parallel(t *testing.T) {
	w := newWorld(t, "-ttl", "2", "-rotate")
	w.mustSignIn("o")
	other := NewKeeper(w.places, nil) // as another process has it
	t.Cleanup(other.Close)
	const rounds = 3
	for round := range rounds {
		now := func() time.Time { return time.Now().Add(time.Duration(round) * time.Minute) }
		w.keeper.now, other.now = now, now
		w.srv.RevokeAccess()
		var all sync.WaitGroup
		for i := range 50 {
			keeper := w.keeper
			if i%2 == 1 {
				keeper = other
			}
			all.Go(func() {
				if _, err := w.call(NewTokens(keeper, w.target("o")), "ping"); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
	}
	sent := w.refreshes()
	if once := slices.Compact(slices.Sorted(slices.Values(sent))); len(once) != len(sent) || w.srv.Ended() != 0 {
		t.Errorf("%d refreshes with %d tokens, %d families ended", len(sent), len(once), w.srv.Ended())
	}
	if len(sent) != rounds {
		t.Errorf("%d refreshes in %d rounds", len(sent), rounds)
	}
}

// helper is what the test binary does as another process: it uses a token.
func helper() {
	state, url, what := os.Getenv("OAUTH_STATE"), os.Getenv("OAUTH_URL"), os.Getenv("OAUTH_HELPER")
	k := NewKeeper(store.Places{Home: state, StateHome: state}, nil)
	tokens := NewTokens(k, Target{server: "o", url: url, account: "o", mask: redact.NewMask()})
	w := &world{keeper: k}
	w.http = &httpServer{URL: strings.TrimSuffix(url, "/mcp")}
	switch what {
	case "use":
		span, _ := time.ParseDuration(os.Getenv("OAUTH_SPAN"))
		for deadline := time.Now().Add(span); time.Now().Before(deadline); time.Sleep(50 * time.Millisecond) {
			if _, err := w.call(tokens, "ping"); err != nil {
				fmt.Println("FAIL", err)
				os.Exit(1)
			}
		}
	case "refresh":
		signals := make(chan os.Signal, 1)
		notify(signals)
		ctx, cancel := context.WithCancel(context.Background())
		go func() { <-signals; cancel() }()
		_, err := tokens.Authorization(ctx)
		k.Close() // what a process does before it ends
		fmt.Println("ended", err)
	}
	os.Exit(0)
}

func (w *world) process(what string) *exec.Cmd {
	cmd := exec.Command(os.Args[0], "-test.run=^$")
	cmd.Env = append(os.Environ(), "OAUTH_HELPER="+what, "OAUTH_STATE="+w.places.StateHome, "OAUTH_URL="+w.base()+"/mcp", "OAUTH_SPAN="+stress(w.t, "6s", "60s"))
	return cmd
}

// stress is often, or much with MCPCTL_STRESS set: fifty processes for a minute.
func stress[T any](t *testing.T, often, much T) T {
	t.Helper()
	if os.Getenv("MCPCTL_STRESS") != "" {
		return much
	}
	return often
}

// TestE13Processes: several processes with a token that lives for two seconds.
func TestE13Processes(t *testing.T) {
	w := newWorld(t, "-ttl", "2", "-rotate")
	w.mustSignIn("o")
	var all sync.WaitGroup
	for range stress(t, 6, 50) {
		cmd := w.process("use")
		all.Go(func() {
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("%v: %s", err, out)
			}
		})
	}
	all.Wait()
	sent := w.refreshes()
	if once := slices.Compact(slices.Sorted(slices.Values(sent))); len(once) != len(sent) || w.srv.Ended() != 0 || len(sent) < 2 {
		t.Errorf("%d refreshes with %d tokens, %d families ended", len(sent), len(once), w.srv.Ended())
	}
	if _, err := w.call(NewTokens(w.keeper, w.target("o")), "ping"); err != nil {
		t.Error(err)
	}
	t.Logf("%d refreshes, %d requests", len(sent), len(w.srv.Requests("/mcp")))
}

// TestOA16Terminated: SIGTERM while the server answers loses nothing.
func TestOA16Terminated(t *testing.T) {
	o, _ := fake.Parse("-ttl", "1", "-rotate")
	hold, held := make(chan struct{}), make(chan struct{}, 1)
	var refreshing bool
	o.OnToken = func() {
		if refreshing {
			held <- struct{}{}
			<-hold
		}
	}
	w := worldOf(t, *o)
	w.mustSignIn("o")
	refreshing = true
	w.srv.Change(func(o *fakeOptions) { o.TTL = 3600 })
	before, _, _ := w.keeper.Find(w.target("o"))
	until(t, "the end of the token", func() bool { return time.Now().After(before.Expires) })
	cmd := w.process("refresh")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	<-held
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	close(hold)
	lines.Scan()
	if err := cmd.Wait(); err != nil {
		t.Error(err, lines.Text())
	}
	refreshing = false
	if _, err := w.call(NewTokens(w.keeper, w.target("o")), "ping"); err != nil {
		t.Error(err)
	}
	if n := len(w.refreshes()); n != 1 || w.srv.Ended() != 0 {
		t.Errorf("%d refreshes", n)
	}
}

// TestE13Killed: SIGKILL while the server answers costs at most that sign-in, and the
// next process says so, and is not in the way of a new one.
func TestE13Killed(t *testing.T) {
	o, _ := fake.Parse("-ttl", "1", "-rotate")
	hold, held := make(chan struct{}), make(chan struct{}, 1)
	var once sync.Once
	refreshing := false
	o.OnToken = func() {
		if refreshing {
			once.Do(func() { held <- struct{}{}; <-hold })
		}
	}
	w := worldOf(t, *o)
	w.mustSignIn("o")
	refreshing = true
	w.srv.Change(func(o *fakeOptions) { o.TTL = 3600 })
	before, _, _ := w.keeper.Find(w.target("o"))
	until(t, "the end of the token", func() bool { return time.Now().After(before.Expires) })
	cmd := w.process("refresh")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	<-held
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	close(hold)
	until(t, "the answer", func() bool { return w.srv.Used() == 1 })
	_, err := w.call(NewTokens(w.keeper, w.target("o")), "ping")
	wantError(t, err, CodeLoginRequired, "mcpctl login o")
	w.mustSignIn("o")
	if _, err := w.call(NewTokens(w.keeper, w.target("o")), "ping"); err != nil {
		t.Error(err)
	}
}

// TestOA19Failures: what is definite costs the sign-in, what is not does not.
func TestOA19Failures(t *testing.T) {
	for how, code := range map[string]string{"invalid_grant": CodeLoginRequired, "invalid_client": CodeLoginRequired, "500": CodeConnectFailed,
		"temporarily_unavailable": CodeConnectFailed, "invalid_request": CodeConnectFailed, "html": CodeConnectFailed, "empty": CodeConnectFailed, "redirect": CodeConnectFailed} {
		w := newWorld(t, "-ttl", "1", "-rotate")
		w.mustSignIn("o")
		w.srv.Change(func(o *fakeOptions) { o.Refresh, o.TTL = how, 3600 })
		later(w)
		tokens := NewTokens(w.keeper, w.target("o"))
		_, err := tokens.Authorization(context.Background())
		wantError(t, err, code)
		if n := len(w.srv.Requests("/register")); n != 1 { // OA-13
			t.Errorf("%s: %d registrations", how, n)
		}
		w.srv.Change(func(o *fakeOptions) { o.Refresh = "" })
		_, err = w.call(tokens, "ping")
		if code == CodeConnectFailed && err != nil {
			t.Errorf("%s: the sign-in is lost: %v", how, err)
		}
		if code == CodeLoginRequired {
			wantError(t, err, code, "mcpctl login o")
			w.mustSignIn("o")
		}
	}
}

// TestTransientBeforeExpiry: a token that is still good is used when it cannot be
// renewed.
func TestTransientBeforeExpiry(t *testing.T) {
	w := newWorld(t, "-ttl", "60", "-refresh", "500")
	w.mustSignIn("o")
	w.keeper.now = func() time.Time { return time.Now().Add(40 * time.Second) }
	if _, err := w.call(NewTokens(w.keeper, w.target("o")), "ping"); err != nil {
		t.Error(err)
	}
	if n := len(w.refreshes()); n != 1 {
		t.Errorf("%d refreshes", n)
	}
}

// TestOA20LostRace: a refusal of what is not stored any more clears nothing.
func TestOA20LostRace(t *testing.T) {
	o, _ := fake.Parse("-ttl", "1", "-rotate")
	var w *world
	o.OnToken = func() {
		if w == nil || len(w.refreshes()) != 1 {
			return
		}
		c, err := w.keeper.find(w.target("o")) // a program that does not know our lock
		if err != nil {
			t.Error(err)
			return
		}
		c.Access, c.Refresh, c.Expires = "at-of-another", "rt-of-another", time.Time{}
		if err := w.keeper.put(context.Background(), c); err != nil {
			t.Error(err)
		}
	}
	w = worldOf(t, *o)
	w.mustSignIn("o")
	w.srv.RevokeAll()
	later(w)
	header, err := NewTokens(w.keeper, w.target("o")).Authorization(context.Background())
	if err != nil || header != "Bearer at-of-another" {
		t.Errorf("%q, %v", header, err)
	}
}

// TestRefusedForNothing: a token that was issued just now and is refused is not renewed
// again and again.
func TestRefusedForNothing(t *testing.T) {
	w := newWorld(t)
	w.mustSignIn("o")
	tokens, ctx := NewTokens(w.keeper, w.target("o")), context.Background()
	header, _ := tokens.Authorization(ctx)
	if again, err := tokens.Refused(ctx, header, 401, "Bearer"); !again || err != nil {
		t.Fatalf("%v, %v", again, err)
	}
	header, _ = tokens.Authorization(ctx)
	for range 3 {
		_, err := tokens.Refused(ctx, header, 401, "Bearer")
		wantError(t, err, CodeLoginRequired, "issued just now")
	}
	if n := len(w.refreshes()); n != 1 {
		t.Errorf("%d refreshes", n)
	}
}

// TestE8OtherURL: a token goes to the address it was issued for, and to no other (E7).
func TestE8OtherURL(t *testing.T) {
	w := newWorld(t)
	s := w.mustSignIn("o")
	for _, raw := range []string{w.base() + "/tenantB/mcp", w.base() + "/mcp2", w.base() + "/mcp?x=1", "http://localhost:1/mcp", "https://evil.example/mcp"} {
		target := w.target("o")
		target.url = raw
		if header, err := NewTokens(w.keeper, target).Authorization(context.Background()); header != "" || err != nil {
			t.Errorf("%s gets %q, %v", raw, header, err)
		}
		if raw == w.base()+"/mcp?x=1" {
			continue // the resource is the same
		}
		target.credential = s.ID // also when the entry names it
		header, err := NewTokens(w.keeper, target).Authorization(context.Background())
		if header != "" {
			t.Errorf("%s gets %q", raw, header)
		}
		wantError(t, err, CodeLoginRequired, "issued for another server")
	}
	alias := w.target("alias")
	alias.credential = s.ID
	if _, err := w.call(NewTokens(w.keeper, alias), "ping"); err != nil {
		t.Error(err)
	}
	stdio := Target{server: "child", account: "child", credential: s.ID}
	if token, err := NewTokens(w.keeper, stdio).Access(context.Background()); err != nil || !strings.HasPrefix(token, "at-") {
		t.Errorf("%q, %v", token, err)
	}
	stdio.credential = "none"
	_, err := NewTokens(w.keeper, stdio).Access(context.Background())
	wantError(t, err, CodeLoginRequired, "'none'")
	other := w.target("o") // another client is another sign-in
	other.config.ClientID = "somebody-else"
	if header, err := NewTokens(w.keeper, other).Authorization(context.Background()); header != "" || err != nil {
		t.Errorf("%q, %v", header, err)
	}
}

// TestNotAboutSignIn: other refusals are left to the caller (OA-53).
func TestNotAboutSignIn(t *testing.T) {
	w := newWorld(t)
	w.mustSignIn("o")
	tokens := NewTokens(w.keeper, w.target("o"))
	header, _ := tokens.Authorization(context.Background())
	for _, status := range []int{400, 403, 404, 500} {
		if again, err := tokens.Refused(context.Background(), header, status); again || err != nil {
			t.Errorf("%d: %v, %v", status, again, err)
		}
	}
	if again, err := tokens.Refused(context.Background(), "Bearer older", 401, "Bearer"); !again || err != nil {
		t.Errorf("%v, %v", again, err)
	}
	_, err := NewTokens(w.keeper, w.target("new")).Refused(context.Background(), "", 401, "Bearer")
	wantError(t, err, CodeLoginRequired, "asks for a sign-in", "mcpctl login new")
}

// TestCancelledWaiter: who waits for a refresh may go, and the refresh goes on.
func TestCancelledWaiter(t *testing.T) {
	o, _ := fake.Parse("-ttl", "1", "-rotate")
	hold, held := make(chan struct{}), make(chan struct{}, 1)
	refreshing := false
	o.OnToken = func() {
		if refreshing {
			held <- struct{}{}
			<-hold
		}
	}
	w := worldOf(t, *o)
	w.mustSignIn("o")
	refreshing = true
	later(w)
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() {
		_, err := NewTokens(w.keeper, w.target("o")).Authorization(ctx)
		done <- err
	}()
	<-held
	cancel()
	if err := ended(t, done); err == nil {
		t.Error("it did not notice")
	}
	close(hold)
	w.keeper.Close()
	if n := w.srv.Used(); n != 1 {
		t.Errorf("%d tokens are used up", n)
	}
	c, err := w.keeper.find(w.target("o"))
	if err != nil || c.ending(time.Now()) {
		t.Errorf("%+v, %v", c, err)
	}
}

func TestMain(m *testing.M) {
	if os.Getenv("OAUTH_HELPER") != "" {
		helper()
	}
	os.Exit(m.Run())
}
