package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/testdata/servers/oauth"
)

// signInServer is an MCP server with its authorization server, in this process; the
// user has an entry 'o' for it.
func (p *place) signInServer(flags ...string) *oauth.Server {
	p.t.Helper()
	o, err := oauth.Parse(flags...)
	if err != nil {
		p.t.Fatal(err)
	}
	s := oauth.New(*o)
	web := httptest.NewServer(s)
	p.t.Cleanup(web.Close)
	p.env = append(p.env, "MCPCTL_CREDENTIALS=file")
	p.write(p.userFile(), `{"mcpServers":{"o":{"url":"`+web.URL+`/mcp"}}}`)
	return s
}

var pageLine = regexp.MustCompile(`(?m)^http://127\.0\.0\.1:\S+/authorize\?\S+$`)

// landing is where a browser is sent to after a page.
func landing(t *testing.T, page string) string {
	t.Helper()
	client := http.Client{Timeout: patience, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	resp, err := client.Get(page)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	return resp.Header.Get("Location")
}

// TestB090OverSSH (OA-43): no browser is started, the page stands on stderr, and an address
// that is pasted into stdin ends the sign-in; one of another sign-in is refused, and
// what is no address at all is said to be none.
func TestB090OverSSH(t *testing.T) {
	p := newPlace(t)
	p.signInServer()
	opened := filepath.Join(p.work, "opened")
	p.env = append(p.env, "BROWSER=fakebrowser", "OPENED="+opened)
	for name, c := range map[string]struct {
		paste func(string) string
		exit  int
	}{
		"another state": {func(u string) string {
			return regexp.MustCompile(`state=[^&]*`).ReplaceAllString(u, "state=forged") + "\n"
		}, 25},
		"no address": {func(u string) string { return "\nhello\n" + u + "\n" }, 0},
	} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), patience)
			defer cancel()
			cmd := p.command(ctx, "login", "o", "--no-browser", "--json", "--force")
			stdin, err := cmd.StdinPipe()
			if err != nil {
				t.Fatal(err)
			}
			stderr, err := cmd.StderrPipe()
			if err != nil {
				t.Fatal(err)
			}
			var out bytes.Buffer
			cmd.Stdout = &out
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			text, lines := "", bufio.NewReader(stderr)
			for !pageLine.MatchString(text) {
				line, err := lines.ReadString('\n')
				if text += line; err != nil {
					t.Fatalf("no page: %v\n%s", err, text)
				}
			}
			io.WriteString(stdin, c.paste(landing(t, pageLine.FindString(text))))
			rest, _ := io.ReadAll(lines)
			_ = cmd.Wait()
			if got := cmd.ProcessState.ExitCode(); got != c.exit {
				t.Fatalf("exit status %d, want %d\n%s%s", got, c.exit, &out, rest)
			}
			for _, line := range strings.Split(strings.TrimSpace(out.String()), "\n") {
				if !json.Valid([]byte(line)) {
					t.Errorf("not a frame: %s", line)
				}
			}
			if done := strings.Contains(out.String(), `"type":"signed-in"`); done != (c.exit == 0) {
				t.Errorf("stdout: %s", &out)
			}
		})
	}
	if _, err := os.Stat(opened); err == nil {
		t.Error("a browser was started")
	}
}

// TestE17NoTokenGetsOut: neither a token nor what leads to one is in an output, a log,
// a file beside the store, an argument, or the environment of a child.
func TestE17NoTokenGetsOut(t *testing.T) {
	p := newPlace(t)
	s := p.signInServer()
	env := filepath.Join(p.work, "environ")
	browser := p.write(filepath.Join(p.work, "browser"), "#!/bin/sh\nenv >>'"+env+"'\nexec fakebrowser \"$@\"\n")
	if err := os.Chmod(browser, 0o700); err != nil {
		t.Fatal(err)
	}
	p.env = append(p.env, "BROWSER="+browser, "SOME_API_KEY=canary-of-the-user-0815", "DISPLAY=:7")
	var said strings.Builder
	for _, args := range [][]string{{"login", "o", "-v"}, {"login", "o", "--json", "--force"}, {"login", "o"}, {"credentials", "list"}, {"credentials", "list", "--json"},
		{"test", "o", "-v"}, {"tools", "o", "--json"}, {"call", "o", "echo", "--json"}, {"show", "o", "--json"}, {"list", "--json"}, {"status", "--json"}, {"logs"}, {"output", "--list", "--json"}} {
		a := p.exits([]int{0}, args...)
		said.WriteString(a.out + a.err)
	}
	var secrets []string
	for _, r := range s.Requests("/token") {
		secrets = append(secrets, r.Form().Get("code"), r.Form().Get("code_verifier"), r.Form().Get("refresh_token"))
	}
	for _, r := range s.Requests("/mcp") {
		secrets = append(secrets, strings.TrimPrefix(r.Header["authorization"], "Bearer "))
	}
	found := 0
	for _, secret := range secrets {
		if secret == "" {
			continue
		}
		found++
		if strings.Contains(said.String(), secret) {
			t.Errorf("%s is in an output", secret)
		}
	}
	if found < 4 {
		t.Fatalf("only %d secrets went by", found)
	}
	variables, err := os.ReadFile(env)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(variables), "canary-of-the-user") || !strings.Contains(string(variables), "DISPLAY=:7") {
		t.Errorf("the browser's environment: %s", variables)
	}
	err = filepath.WalkDir(p.work, func(path string, d os.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() || strings.HasPrefix(filepath.Base(path), "credentials") {
			return err
		}
		data, err := os.ReadFile(path)
		for _, secret := range secrets {
			if secret != "" && bytes.Contains(data, []byte(secret)) {
				t.Errorf("%s is in %s", secret, path)
			}
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

// TestLoginFollowsTheIssuer: a server that refuses the token it sent the user for is
// asked again where to sign in. Another issuer is followed, as a new client; the same
// one is not asked twice.
func TestLoginFollowsTheIssuer(t *testing.T) {
	for name, moves := range map[string]bool{"it stays": false, "it moves": true} {
		t.Run(name, func(t *testing.T) {
			p := newPlace(t)
			next, err := oauth.Parse()
			if err != nil {
				t.Fatal(err)
			}
			other := oauth.New(*next)
			web := httptest.NewServer(other)
			defer web.Close()
			s := p.signInServer("-ttl", "0", "-no-refresh")
			if moves {
				s.Change(func(o *oauth.Options) {
					o.OnToken = func() { s.Change(func(o *oauth.Options) { o.Servers = web.URL }) }
				})
			}
			p.env = append(p.env, "BROWSER=fakebrowser")
			a := p.exits([]int{25}, "login", "o")
			if !strings.Contains(a.err, "refuses the new token") {
				t.Error(a.err)
			}
			want := map[bool]int{true: 1}[moves]
			if n := len(s.Requests("/authorize")); n != 1 {
				t.Errorf("%d pages of the first issuer", n)
			}
			if n, m := len(other.Requests("/register")), len(other.Requests("/authorize")); n != want || m != want {
				t.Errorf("%d registrations and %d pages of the other, want %d", n, m, want)
			}
		})
	}
}
