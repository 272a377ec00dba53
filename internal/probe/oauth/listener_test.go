package oauth

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"
)

// begun starts a sign-in whose browser does nothing by itself.
func (w *world) begun(ctx context.Context, change func(*Options)) (address chan string, done chan error) {
	address, done = make(chan string, 1), make(chan error, 1)
	o := w.options()
	o.Open = func(raw string) error { address <- raw; return nil }
	if change != nil {
		change(&o)
	}
	go func() {
		_, err := SignIn(ctx, w.keeper, w.target("o"), o)
		done <- err
	}()
	return address, done
}

func ended(t *testing.T, done chan error) error {
	t.Helper()
	select {
	case err := <-done:
		return err
	case <-time.After(patience):
		t.Fatal("the sign-in does not end")
		return nil
	}
}

// TestE9Listener: nobody but the real answer ends the sign-in, and nothing is reflected
// (OA-49).
func TestE9Listener(t *testing.T) {
	w := newWorld(t)
	address, done := w.begun(context.Background(), nil)
	page := <-address
	q := query(t, page)
	back := q.Get("redirect_uri")
	host := strings.TrimSuffix(strings.TrimPrefix(back, "http://"), "/callback")
	if ip, _, _ := net.SplitHostPort(host); ip != "127.0.0.1" {
		t.Errorf("the redirect URI is %s", back)
	}
	for _, tt := range []struct {
		method, url, host string
		want              int
	}{
		{"GET", back + "?code=x&state=wrong", "", 400},
		{"GET", back + "?code=x", "", 400},
		{"GET", back + "?error=<script>alert(1)</script>&state=wrong&error_description=<b>", "", 400},
		{"GET", back + "?code=x&state=" + q.Get("state") + "&state=x", "", 400},
		{"GET", back + "?state=" + q.Get("state"), "", 400},
		{"GET", back + "?code=x;state=" + q.Get("state"), "", 400},
		{"POST", back + "?code=x&state=" + q.Get("state"), "", 405},
		{"GET", back + "?code=x&state=" + q.Get("state"), "evil.example", 404},
		{"GET", back + "/more?code=x&state=" + q.Get("state"), "", 404},
		{"GET", "http://" + host + "/", "", 404},
		{"GET", "http://" + host + "/favicon.ico", "", 404},
		{"GET", back + "?code=x&state=" + strings.Repeat("a", 1<<20), "", 431},
	} {
		req, _ := http.NewRequest(tt.method, tt.url, nil)
		if tt.host != "" {
			req.Host = tt.host
		}
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatalf("%.100s: %v", tt.url, err)
		}
		body, _ := io.ReadAll(resp.Body)
		resp.Body.Close()
		if resp.StatusCode != tt.want || strings.Contains(string(body), "script") {
			t.Errorf("%s %.100s: %s %s", tt.method, tt.url, resp.Status, body)
		}
		if h := resp.Header; tt.want != 431 && (h.Get("Content-Type") != "text/plain; charset=utf-8" || h.Get("Cache-Control") != "no-store" ||
			h.Get("X-Content-Type-Options") != "nosniff" || !strings.Contains(h.Get("Content-Security-Policy"), "default-src 'none'")) {
			t.Errorf("headers %v", h)
		}
	}
	if err := browse(page); err != nil {
		t.Error(err)
	}
	if err := ended(t, done); err != nil {
		t.Error(err)
	}
	if _, err := net.Dial("tcp", host); err == nil {
		t.Error("the listener is still there")
	}
}

// TestOA12IdleConnection: an idle connection of a browser holds up nothing.
func TestOA12IdleConnection(t *testing.T) {
	w := newWorld(t)
	address, done := w.begun(context.Background(), nil)
	page := <-address
	host := strings.TrimSuffix(strings.TrimPrefix(query(t, page).Get("redirect_uri"), "http://"), "/callback")
	idle, err := net.Dial("tcp", host)
	if err != nil {
		t.Fatal(err)
	}
	defer idle.Close()
	if err := browse(page); err != nil {
		t.Error(err)
	}
	if err := ended(t, done); err != nil {
		t.Error(err)
	}
	idle.SetReadDeadline(time.Now().Add(callbackTimeout / 2)) // by then the server would close it in any case
	if _, err := bufio.NewReader(idle).ReadByte(); err == nil || errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("the idle connection is open: %v", err)
	}
}

// TestB104Cancel: at every step, at once, and then the next sign-in works (OA-11,
// OA-37).
func TestB104Cancel(t *testing.T) {
	for _, flags := range []string{"-prm hang", "-metadata hang", "-token hang", ""} {
		w := newWorld(t, strings.Fields(flags)...)
		ctx, cancel := context.WithCancel(context.Background())
		address, done := w.begun(ctx, nil)
		if flags == "" || flags == "-token hang" {
			page := <-address
			if flags != "" {
				if err := browse(page); err != nil {
					t.Error(err)
				}
				until(t, "the token request", func() bool { return len(w.srv.Requests("/token")) > 0 })
			}
		} else {
			until(t, "a request", func() bool { return len(w.srv.Requests("/.well-known")) > 0 })
		}
		cancel()
		err := ended(t, done)
		wantError(t, err, CodeLoginCancelled, "cancelled")
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%v", err)
		}
		w.srv.Change(func(o *fakeOptions) { o.PRM, o.Metadata, o.Token = "header", "oauth", "" })
		w.mustSignIn("o")
	}
}

// TestTimeout: the time of it all.
func TestTimeout(t *testing.T) {
	w := newWorld(t)
	_, done := w.begun(context.Background(), func(o *Options) { o.Timeout = 50 * time.Millisecond })
	wantError(t, ended(t, done), CodeLoginCancelled, "took too long")
}

// TestInProgress: one sign-in per credential, and the second says who has it.
func TestInProgress(t *testing.T) {
	w := newWorld(t)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	address, done := w.begun(ctx, nil)
	<-address
	_, err := w.signIn("o")
	wantError(t, err, CodeLoginInProgress, fmt.Sprintf("process %d", syscall.Getpid()))
	if _, err := w.signIn("another"); err != nil {
		t.Errorf("another account: %v", err)
	}
	cancel()
	wantError(t, ended(t, done), CodeLoginCancelled)
}

// TestB090Paste: a browser on another machine (OA-43).
func TestB090Paste(t *testing.T) {
	answer := func(w *world, page string) string {
		client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
		resp, err := client.Get(page)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		return resp.Header.Get("Location")
	}
	for name, edit := range map[string]func(string) string{
		"url":    func(s string) string { return s },
		"quotes": func(s string) string { return "  '" + s + "#fragment' " },
		"query":  func(s string) string { _, q, _ := strings.Cut(s, "?"); return q },
		"?query": func(s string) string { return s[strings.Index(s, "?"):] },
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			paste := make(chan string)
			shown := make(chan Page, 10)
			_, done := w.begun(context.Background(), func(o *Options) {
				o.Open, o.Paste, o.Show = nil, paste, func(p Page) { shown <- p }
			})
			p := <-shown
			if p.Opened || !p.Waiting {
				t.Errorf("%+v", p)
			}
			paste <- ""
			paste <- "hello"
			if p := <-shown; !strings.Contains(p.Note, "whole address") {
				t.Errorf("%+v", p)
			}
			paste <- "http://127.0.0.1:1/elsewhere?code=x&state=y"
			<-shown
			paste <- edit(answer(w, p.URL))
			if err := ended(t, done); err != nil {
				t.Error(err)
			}
		})
	}
	w := newWorld(t)
	paste := make(chan string, 1)
	address, done := w.begun(context.Background(), func(o *Options) { o.Paste = paste })
	back := query(t, <-address).Get("redirect_uri")
	paste <- back + "?code=stolen&state=another"
	wantError(t, ended(t, done), CodeLoginFailed, "state is not ours")
	if len(w.srv.Requests("/token")) != 0 {
		t.Error("the code was sent")
	}
	w = newWorld(t) // the end of the input ends nothing
	paste = make(chan string)
	close(paste)
	address, done = w.begun(context.Background(), func(o *Options) { o.Paste = paste })
	if err := browse(<-address); err != nil {
		t.Error(err)
	}
	if err := ended(t, done); err != nil {
		t.Error(err)
	}
}

// TestOA45NoBrowser: one that does not start ends nothing.
func TestOA45NoBrowser(t *testing.T) {
	w := newWorld(t)
	shown := make(chan Page, 10)
	_, done := w.begun(context.Background(), func(o *Options) {
		o.Open = func(string) error { return errors.New("xdg-open: not found") }
		o.Show = func(p Page) { shown <- p }
	})
	page := <-shown
	if note := <-shown; !strings.Contains(note.Note, "xdg-open: not found") {
		t.Errorf("%+v", note)
	}
	if err := browse(page.URL); err != nil {
		t.Error(err)
	}
	if err := ended(t, done); err != nil {
		t.Error(err)
	}
}

func TestDevice(t *testing.T) {
	w := newWorld(t, "-device")
	shown := make(chan Page, 1)
	_, done := w.begun(context.Background(), func(o *Options) { o.Device, o.Show = true, func(p Page) { shown <- p } })
	if p := <-shown; p.Code != "WDJB-MJHT" || !strings.HasSuffix(p.URL, "/activate?user_code=WDJB-MJHT") {
		t.Errorf("%+v", p)
	}
	if err := ended(t, done); err != nil {
		t.Fatal(err)
	}
	w.opens(0)
	if _, err := w.call(NewTokens(w.keeper, w.target("o")), "ping"); err != nil {
		t.Error(err)
	}
	w = newWorld(t, "-device", "-deny")
	_, done = w.begun(context.Background(), func(o *Options) { o.Device = true })
	wantError(t, ended(t, done), CodeLoginFailed, "access_denied")
	w = newWorld(t)
	_, done = w.begun(context.Background(), func(o *Options) { o.Device = true })
	wantError(t, ended(t, done), CodeLoginFailed, "no sign-in by device code")
}
