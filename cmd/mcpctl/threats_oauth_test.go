package main

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	fake "github.com/mcpctl/mcpctl/testdata/servers/oauth"

	"github.com/mcpctl/mcpctl/internal/engine/wire"
)

// TestE7TwoServers: each token goes to its own resource, and each authorization server
// gets its own.
func TestE7TwoServers(t *testing.T) {
	g := guardedBy(t, "-tokens", "a-")
	other, url := g.serve(parse(t, "-tokens", "b-", "-ttl", "1"))
	g.write(g.userFile(), `{"mcpServers":{"o":{"url":"`+g.url+`"},"p":{"url":"`+url+`"}}}`)
	g.signs("sign-in", "o")
	g.signs("sign-in", "p")
	g.exits([]int{0}, "supervisor", "start")
	g.is("o", wire.Connected)
	g.is("p", wire.Connected)
	g.srv.RevokeAccess()
	for _, name := range []string{"o", "p"} {
		g.exits([]int{0}, "call", name, "echo")
		g.exits([]int{0}, "test", name)
	}
	for _, s := range []struct {
		srv           *fake.Server
		url, own, not string
	}{{g.srv, g.url, "a-at-", "b-"}, {other, url, "b-at-", "a-"}} {
		seen := 0
		for _, r := range s.srv.Requests("/") {
			if text := r.Path + r.Body + strings.Join(slices.Collect(valuesOf(r.Header)), " "); strings.Contains(text, "secret-") && strings.Contains(text, " Bearer "+s.not) ||
				strings.Contains(text, s.not+"at-") || strings.Contains(text, s.not+"rt-") {
				t.Errorf("%s got %s", s.url, text)
			}
			if strings.HasPrefix(r.Header["authorization"], "Bearer "+s.own) {
				seen++
			}
			if form := r.Form(); form.Get("grant_type") != "" && form.Get("resource") != s.url || strings.HasPrefix(r.Path, "/authorize") && form.Get("resource") != s.url {
				t.Errorf("no resource in %s %s", r.Path, r.Body)
			}
		}
		if seen == 0 {
			t.Errorf("%s got no token", s.url)
		}
	}
}

func valuesOf(m map[string]string) func(func(string) bool) {
	return func(yield func(string) bool) {
		for _, v := range m {
			if !yield(v) {
				return
			}
		}
	}
}

// TestE8OtherPath: another path of the host is another resource, also when an entry
// that was signed in moves there.
func TestE8OtherPath(t *testing.T) {
	g := &guarded{place: newPlace(t)}
	g.env = append(g.env, "MCPCTL_CREDENTIALS=file")
	a, b := fake.New(parse(t, "-path", "/tenantA/mcp", "-prm", "path")), fake.New(parse(t, "-path", "/tenantB/mcp", "-prm", "none"))
	mux := http.NewServeMux()
	mux.Handle("/", a)
	mux.Handle("/tenantB/", b)
	web := httptest.NewServer(mux)
	t.Cleanup(web.Close)
	g.write(g.userFile(), `{"mcpServers":{"a":{"url":"`+web.URL+`/tenantA/mcp"},"b":{"url":"`+web.URL+`/tenantB/mcp"}}}`)
	g.exits([]int{0}, "supervisor", "start")
	g.signs("sign-in", "a")
	g.is("a", wire.Connected)
	g.is("b", wire.NeedsSignIn)
	g.exits([]int{21}, "test", "b")
	g.write(g.userFile(), `{"mcpServers":{"a":{"url":"`+web.URL+`/tenantB/mcp"}}}`)
	g.is("a", wire.NeedsSignIn)
	g.exits([]int{21}, "call", "a", "echo")
	g.exits([]int{21}, "test", "a")
	if len(b.Requests("/tenantB/")) == 0 {
		t.Error("nothing was asked")
	}
	for _, r := range b.Requests("/") {
		if r.Header["authorization"] != "" {
			t.Errorf("the token went to %s", r.Path)
		}
	}
}

// TestE12OtherIssuer: a server that names another authorization server gets nothing of
// the first there; a sign-in registers anew.
func TestE12OtherIssuer(t *testing.T) {
	g := guardedBy(t, "-tokens", "first-", "-dcr-method", "client_secret_post", "-methods", "client_secret_post")
	second, url := g.serve(parse(t, "-tokens", "second-", "-dcr-method", "client_secret_post", "-methods", "client_secret_post"))
	g.signs("sign-in", "o")
	g.exits([]int{0}, "supervisor", "start")
	g.is("o", wire.Connected)
	g.srv.Change(func(o *fake.Options) { o.Servers = strings.TrimSuffix(url, "/mcp") })
	g.srv.RevokeAll()
	g.exits([]int{21}, "call", "o", "echo")
	g.is("o", wire.NeedsSignIn)
	if n := len(second.Requests("/")); n != 0 {
		t.Errorf("%d requests without a sign-in", n)
	}
	g.signs("sign-in", "o")
	if n := len(second.Requests("/register")); n != 1 {
		t.Errorf("%d registrations", n)
	}
	for _, r := range second.Requests("/") {
		if text := r.Path + r.Body + r.Header["authorization"]; strings.Contains(text, "first-") {
			t.Errorf("the second got %s", text)
		}
	}
}

// TestE13SupervisorEnds: a supervisor that is told to end while the server answers a
// refresh stores the answer first. One that is killed then costs that sign-in at most,
// which the next command says.
func TestE13SupervisorEnds(t *testing.T) {
	t.Parallel()
	for _, hard := range []bool{false, true} {
		o := parse(t, "-rotate")
		held := make(chan struct{}, 8)
		var refreshing sync.Mutex // held while tokens may be given out
		o.OnToken = func() {
			select {
			case held <- struct{}{}:
			default:
			}
			refreshing.Lock()
			defer refreshing.Unlock()
		}
		g := newGuarded(t, o)
		g.signs("sign-in", "o")
		info := g.info("start")
		pid := info.PID
		g.is("o", wire.Connected)
		g.srv.RevokeAccess()
		<-held // the sign-in's
		refreshing.Lock()
		call := g.command(context.Background(), "call", "o", "echo")
		if err := call.Start(); err != nil {
			t.Fatal(err)
		}
		<-held
		if hard {
			kill(t, pid)
			refreshing.Unlock()
			if err := until(func() error {
				if g.srv.Used() != 1 {
					return fmt.Errorf("no answer yet")
				}
				return nil
			}); err != nil {
				t.Fatal(err)
			}
		} else {
			if err := syscall.Kill(pid, syscall.SIGTERM); err != nil {
				t.Fatal(err)
			}
			if err := until(func() error { // all the rest is closed
				if _, err := os.Stat(info.Socket); err == nil {
					return fmt.Errorf("the socket is there")
				}
				return nil
			}); err != nil {
				t.Fatal(err)
			}
			refreshing.Unlock()
			gone(t, pid)
		}
		_ = call.Wait()
		if hard {
			if a := g.exits([]int{21}, "test", "o"); !strings.Contains(a.err, "mcpctl login o") {
				t.Error(a.err)
			}
			g.signs("sign-in", "o")
		} else if n := len(g.once()); n != 1 {
			t.Errorf("%d refreshes", n)
		}
		g.exits([]int{0}, "test", "o")
		g.exits([]int{0}, "call", "o", "echo")
	}
}

// TestTokensStayWhereTheyBelong: a token is in no output, log, status, argument vector,
// environment but that of a server whose entry names it, or file but the store; also
// when the servers themselves tell it.
func TestTokensStayWhereTheyBelong(t *testing.T) {
	t.Parallel()
	g := guardedBy(t, "-rotate", "-gossip", "-tokens", "CANARY-")
	id := g.signs("sign-in", "o")
	environ := filepath.Join(g.work, "seen")
	script := `env >"` + environ + `.$0"; echo "got $OAUTH_ACCESS_TOKEN" >&2; exec echo-server`
	entry := func(name, more string) string {
		return quote(t, name) + `:{"command":"sh","args":["-c",` + quote(t, script) + `,` + quote(t, name) + `]` + more + `}`
	}
	g.write(g.userFile(), `{"mcpServers":{"o":{"url":"`+g.url+`"},`+entry("with", `,"auth":{"type":"oauth","credentialId":"`+id+`"}`)+`,`+entry("without", "")+`}}`)
	var shown strings.Builder
	run := func(args ...string) {
		a := g.mcpctl(args...)
		shown.WriteString(a.out + a.err)
	}
	run("supervisor", "start")
	for _, name := range []string{"o", "with", "without"} {
		g.is(name, wire.Connected)
	}
	if runtime.GOOS == "linux" {
		for _, pid := range leftovers(g.work) {
			line, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
			shown.Write(line)
		}
	}
	run("call", "o", "echo")
	run("call", "o", "echo", "--direct", "-v")
	g.srv.RevokeAccess()
	run("call", "o", "echo", "--json")
	for _, args := range []string{"test o with -v", "test --all --json", "list --all --json", "status --json", "status", "show o --json", "logs", "logs --json",
		"output --list --json", "tools --json", "sources", "history", "supervisor status --json"} {
		run(strings.Fields(args)...)
	}
	g.srv.RevokeAll()
	run("call", "o", "echo")
	run("status", "--json")
	run("logs")
	if strings.Contains(shown.String(), "CANARY") {
		at := strings.Index(shown.String(), "CANARY")
		t.Errorf("seen: %s", shown.String()[max(0, at-300):at+40])
	}
	if !strings.Contains(shown.String(), "you sent ") || !strings.Contains(shown.String(), "got ") {
		t.Error("the servers did not tell")
	}
	for _, name := range []string{"with", "without"} {
		data, err := os.ReadFile(environ + "." + name)
		if err != nil || strings.Contains(string(data), "CANARY") != (name == "with") {
			t.Errorf("%s: %v %s", name, err, data)
		}
	}
	err := filepath.WalkDir(g.work, func(path string, d os.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() || filepath.Base(path) == "credentials.json" || strings.HasPrefix(path, environ) {
			return err
		}
		data, err := os.ReadFile(path)
		if strings.Contains(string(data), "CANARY") {
			t.Errorf("it is in %s", path)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}
