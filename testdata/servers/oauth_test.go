package servers_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/mcpctl/mcpctl/testdata/servers/oauth"
)

// TestOAuthServerProcess: it tells its port, logs each request, and the browser without
// a screen ends where it is sent to.
func TestOAuthServerProcess(t *testing.T) {
	dir := t.TempDir()
	p := start(t, "oauth-server", "-portfile", filepath.Join(dir, "port"), "-log", filepath.Join(dir, "log"), "-until-eof", "-client-id", "me")
	var port []byte
	for deadline := time.Now().Add(patience); len(port) == 0; time.Sleep(5 * time.Millisecond) {
		if port, _ = os.ReadFile(filepath.Join(dir, "port")); time.Now().After(deadline) {
			t.Fatal("no port")
		}
	}
	base := "http://127.0.0.1:" + string(port)
	resp, err := http.Post(base+"/mcp", "application/json", strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"ping"}`))
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if got := resp.Header.Get("WWW-Authenticate"); resp.StatusCode != 401 || got != `Bearer resource_metadata="`+base+`/odd/metadata"` {
		t.Errorf("%s %s", resp.Status, got)
	}
	back := httptest.NewServer(http.NotFoundHandler())
	defer back.Close()
	q := url.Values{"client_id": {"me"}, "redirect_uri": {back.URL + "/cb"}, "state": {"s"}, "code_challenge": {"c"}, "code_challenge_method": {"S256"}, "resource": {base}}
	cmd := exec.Command("fakebrowser", base+"/authorize?"+q.Encode())
	cmd.Env = append(os.Environ(), "BROWSE_PRINT=1", "OPENED="+filepath.Join(dir, "opened"))
	out, err := cmd.Output()
	if err != nil || !strings.HasPrefix(string(out), back.URL+"/cb?code=code-1&state=s") {
		t.Errorf("%s, %v", out, err)
	}
	if opened, _ := os.ReadFile(filepath.Join(dir, "opened")); !bytes.HasPrefix(opened, []byte("1:"+base)) {
		t.Errorf("opened %s", opened)
	}
	cmd = exec.Command("fakebrowser", base+"/authorize?"+q.Encode())
	if err := cmd.Run(); err == nil {
		t.Error("a page that is not there is no failure")
	}
	p.in.Close()
	log, err := os.ReadFile(filepath.Join(dir, "log"))
	if err != nil {
		t.Fatal(err)
	}
	var first oauth.Request
	if err := json.Unmarshal(bytes.SplitN(log, []byte("\n"), 2)[0], &first); err != nil || first.Path != "/mcp" || first.Method != "POST" {
		t.Errorf("%+v, %v", first, err)
	}
}

// TestOAuthRotation: a refresh token that is used twice ends its family.
func TestOAuthRotation(t *testing.T) {
	o, err := oauth.Parse("-rotate", "-client-id", "me")
	if err != nil {
		t.Fatal(err)
	}
	srv := oauth.New(*o)
	web := httptest.NewServer(srv)
	defer web.Close()
	ask := func(form url.Values) map[string]any {
		t.Helper()
		resp, err := http.PostForm(web.URL+"/token", form)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		var doc map[string]any
		data, _ := io.ReadAll(resp.Body)
		_ = json.Unmarshal(data, &doc)
		return doc
	}
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	const verifier, challenge = "abc", "ungWv48Bz-pBQUDeXa4iI7ADYaOWF3qctBD_YfIAFa0"
	page := url.Values{"client_id": {"me"}, "redirect_uri": {"http://h/cb"}, "state": {"s"}, "code_challenge": {challenge}, "code_challenge_method": {"S256"}, "resource": {"r"}}
	resp, err := client.Get(web.URL + "/authorize?" + page.Encode())
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	u, _ := url.Parse(resp.Header.Get("Location"))
	code := url.Values{"grant_type": {"authorization_code"}, "client_id": {"me"}, "code": {u.Query().Get("code")}, "redirect_uri": {"http://h/cb"}, "resource": {"r"}, "code_verifier": {verifier}}
	first := ask(code)
	refresh, _ := first["refresh_token"].(string)
	if refresh == "" {
		t.Fatalf("%v", first)
	}
	if again := ask(code); again["error"] != "invalid_grant" {
		t.Errorf("a code was good for two: %v", again)
	}
	form := url.Values{"grant_type": {"refresh_token"}, "client_id": {"me"}, "refresh_token": {refresh}, "resource": {"r"}}
	second := ask(form)
	if second["access_token"] == nil || second["refresh_token"] == refresh {
		t.Errorf("%v", second)
	}
	if again := ask(form); again["error"] != "invalid_grant" || srv.Ended() != 1 {
		t.Errorf("%v", again)
	}
	form.Set("refresh_token", second["refresh_token"].(string))
	if after := ask(form); after["error"] != "invalid_grant" {
		t.Errorf("the family lives on: %v", after)
	}
}
