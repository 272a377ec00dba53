package oauth

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mcpctl/mcpctl/internal/store"
	"github.com/mcpctl/mcpctl/internal/store/redact"
	fake "github.com/mcpctl/mcpctl/testdata/servers/oauth"
)

// patience is how long a test waits for something that happens elsewhere. It is a bound
// for a broken build, not a timing.
const patience = time.Minute

// world is a user with a state directory, and a server to sign in to.
type world struct {
	t      *testing.T
	srv    *fake.Server
	http   *httptest.Server
	places store.Places
	keeper *Keeper
	config store.OAuth

	mu     sync.Mutex
	opened []string
	pages  []Page
}

func newWorld(t *testing.T, flags ...string) *world {
	t.Helper()
	o, err := fake.Parse(flags...)
	if err != nil {
		t.Fatal(err)
	}
	return worldOf(t, *o)
}

func worldOf(t *testing.T, o fake.Options) *world {
	t.Helper()
	w := &world{t: t, srv: fake.New(o), places: store.Places{Home: t.TempDir(), StateHome: t.TempDir()}}
	w.http = httptest.NewServer(w.srv)
	t.Cleanup(w.http.Close)
	t.Cleanup(w.http.CloseClientConnections)
	w.keeper = NewKeeper(w.places, nil)
	t.Cleanup(func() { w.keeper.Close() })
	return w
}

func (w *world) base() string { return w.http.URL }

// target is the server under a name.
func (w *world) target(name string) Target {
	t := Target{server: name, url: w.http.URL + "/mcp", account: w.config.Account, config: w.config, agent: "mcpctl/test", mask: redact.NewMask()}
	if t.account == "" {
		t.account = name
	}
	return t
}

// challenge is the server's own 401.
func (w *world) challenge() []string {
	w.t.Helper()
	resp, err := http.Post(w.http.URL+"/mcp", "application/json", strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"tools/call"}`))
	if err != nil {
		w.t.Fatal(err)
	}
	resp.Body.Close()
	return resp.Header.Values("WWW-Authenticate")
}

// browse follows redirects as a browser does.
func browse(address string) error {
	client := &http.Client{CheckRedirect: func(_ *http.Request, via []*http.Request) error {
		if len(via) > 5 {
			return fmt.Errorf("too many redirects")
		}
		return nil
	}, Timeout: patience, Transport: &http.Transport{DisableKeepAlives: true}}
	resp, err := client.Get(address)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	body, _ := io.ReadAll(resp.Body)
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: %s", resp.Status, body)
	}
	return nil
}

// options are those of a user who says yes to all.
func (w *world) options() Options {
	return Options{Challenge: w.challenge(), Timeout: patience,
		Show: func(p Page) { w.mu.Lock(); w.pages = append(w.pages, p); w.mu.Unlock() },
		Open: func(address string) error {
			w.mu.Lock()
			w.opened = append(w.opened, address)
			w.mu.Unlock()
			return browse(address)
		}}
}

func (w *world) signIn(name string) (Stored, error) {
	return SignIn(context.Background(), w.keeper, w.target(name), w.options())
}

func (w *world) mustSignIn(name string) Stored {
	w.t.Helper()
	s, err := w.signIn(name)
	if err != nil {
		w.t.Fatalf("signing in: %v", err)
	}
	return s
}

// refusedSignIn wants a sign-in to fail with a code and words, and no token to be there.
func (w *world) refusedSignIn(code string, words ...string) {
	w.t.Helper()
	_, err := w.signIn("o")
	wantError(w.t, err, code, words...)
	if n := len(w.srv.Requests("/token")); n != 0 {
		w.t.Errorf("%d token requests", n)
	}
	if s, ok, _ := w.keeper.Find(w.target("o")); ok {
		w.t.Errorf("stored: %+v", s)
	}
}

func wantError(t *testing.T, err error, code string, words ...string) {
	t.Helper()
	if !isCode(err, code) {
		t.Fatalf("error %v, want %s", err, code)
	}
	text := err.Error()
	if h, ok := err.(interface{ Hint() string }); ok {
		text += " / " + h.Hint()
	}
	for _, word := range words {
		if !strings.Contains(text, word) {
			t.Errorf("%q lacks %q", text, word)
		}
	}
}

// opensAre wants so many pages to have been opened.
func (w *world) opens(n int) {
	w.t.Helper()
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.opened) != n {
		w.t.Errorf("%d pages were opened, want %d: %q", len(w.opened), n, w.opened)
	}
}

// call sends one request as a connection does: with the token, and once more when that
// helps.
func (w *world) call(tokens *Tokens, method string) (used string, err error) {
	ctx := context.Background()
	for try := 0; ; try++ {
		header, err := tokens.Authorization(ctx)
		if err != nil {
			return "", err
		}
		req, _ := http.NewRequest("POST", w.http.URL+"/mcp", strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"`+method+`","params":{}}`))
		if header != "" {
			req.Header.Set("Authorization", header)
		}
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			return "", err
		}
		io.Copy(io.Discard, resp.Body)
		resp.Body.Close()
		if resp.StatusCode == http.StatusOK {
			return header, nil
		}
		again, err := tokens.Refused(ctx, header, resp.StatusCode, resp.Header.Values("WWW-Authenticate")...)
		if err != nil {
			return "", err
		}
		if !again || try > 0 {
			return "", fmt.Errorf("status %d, again %v", resp.StatusCode, again)
		}
	}
}

// forms are the values of one parameter in all requests to a path.
func (w *world) forms(path, key string) []string {
	var out []string
	for _, r := range w.srv.Requests(path) {
		out = append(out, r.Form()[key]...)
	}
	return out
}

// refreshes are the refresh tokens that were sent.
func (w *world) refreshes() []string { return w.forms("/token", "refresh_token") }

// files are all files below the state directory, with their text.
func (w *world) files() map[string]string {
	out := map[string]string{}
	_ = filepath.WalkDir(w.places.StateHome, func(path string, d os.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			data, _ := os.ReadFile(path)
			out[path] = string(data)
		}
		return nil
	})
	return out
}

// until tries f until it holds or patience ends.
func until(t *testing.T, what string, f func() bool) {
	t.Helper()
	for deadline := time.Now().Add(patience); !f(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("waited for too long: " + what)
		}
	}
}

func query(t *testing.T, raw string) url.Values {
	t.Helper()
	u, err := url.Parse(raw)
	if err != nil {
		t.Fatal(err)
	}
	return u.Query()
}
