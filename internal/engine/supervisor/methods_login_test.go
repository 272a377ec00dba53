package supervisor

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/internal/engine/wire"
	"github.com/mcpctl/mcpctl/internal/probe/oauth"
	oauthserver "github.com/mcpctl/mcpctl/testdata/servers/oauth"
)

// signer is a client that hears the frames of its sign-ins.
type signer struct {
	*Client
	frames chan wire.LoginFrame
}

// signer joins the workspace's session.
func (p place) signer(t *testing.T) signer {
	t.Helper()
	s := signer{frames: make(chan wire.LoginFrame, 16)}
	o := p.options(false)
	o.Notified = func(method string, params json.RawMessage) {
		var f wire.LoginFrame
		if method == wire.NotifyLogin && json.Unmarshal(params, &f) == nil {
			s.frames <- f
		}
	}
	c, err := Dial(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	s.Client = c
	dir := filepath.Join(p.dir, "work")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	open := p.open(dir)
	open.Env = append(open.Env, oauth.RingVariable+"=file")
	if _, err := c.Open(t.Context(), open); err != nil {
		t.Fatal(err)
	}
	return s
}

// begin asks for a sign-in and waits for its page.
func (s signer) begin(t *testing.T) (page string, answer chan error) {
	t.Helper()
	answer = make(chan error, 1)
	go func() { // ends with the sign-in, or with the test
		ctx, cancel := context.WithTimeout(context.Background(), testTimeout)
		defer cancel()
		var f wire.LoginFrame
		err := s.Call(ctx, wire.MethodLogin, wire.Login{Session: wire.DefaultSession, Server: "o"}, &f)
		if err == nil && (f.Type != wire.FrameSignedIn || f.Tools == nil || *f.Tools != 1) {
			err = wire.NewError(wire.Failure, "not the frame of the end: "+f.Type, "")
		}
		answer <- err
	}()
	select {
	case f := <-s.frames:
		if f.Type != wire.FrameAuthorize || f.Server != "o" || f.URL == "" {
			t.Fatalf("the first frame is %+v", f)
		}
		return f.URL, answer
	case err := <-answer:
		t.Fatal("the sign-in ended without a page: ", err)
	}
	return "", nil
}

// landing is where the browser is sent to after a page.
func landing(t *testing.T, page string) string {
	t.Helper()
	client := http.Client{Timeout: testTimeout, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	resp, err := client.Get(page)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	return resp.Header.Get("Location")
}

func codeOf(err error) wire.Code {
	if err == nil {
		return ""
	}
	return wire.FromError(err).Word
}

// TestLoginIsItsOwners: what the user has to see goes to the connection that began
// the sign-in; another one may neither answer nor cancel nor begin a second; the owner
// can do both, and its end is the sign-in's.
func TestLoginIsItsOwners(t *testing.T) {
	p := newPlace(t)
	o, err := oauthserver.Parse()
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(oauthserver.New(*o))
	defer server.Close()
	p.entries(t, map[string]any{"o": map[string]any{"url": server.URL + "/mcp"}, "local": map[string]any{"command": "x"}})
	p.serve(t, nil, nil)
	owner, other := p.signer(t), p.signer(t)
	in := wire.LoginCancel{Session: wire.DefaultSession, Server: "o"}
	reply := wire.LoginReply{Session: wire.DefaultSession, Server: "o"}

	for method, params := range map[string]any{wire.MethodLoginReply: reply, wire.MethodLoginCancel: in, wire.MethodLogout: wire.Logout{Session: wire.DefaultSession, Server: "o"}} {
		if _, err := asks[wire.None](t, owner.Client, method, params); codeOf(err) != wire.NotFound {
			t.Errorf("%s before any sign-in: %v", method, err)
		}
	}
	for _, bad := range []wire.Login{{Session: wire.DefaultSession, Server: "o", TimeoutMS: -1}, {Session: wire.DefaultSession, Server: "o", TimeoutMS: maxLoginMS + 1}} {
		if _, err := asks[wire.LoginFrame](t, owner.Client, wire.MethodLogin, bad); codeOf(err) != wire.Usage {
			t.Errorf("timeoutMs %d: %v", bad.TimeoutMS, err)
		}
	}
	if _, err := asks[wire.LoginFrame](t, owner.Client, wire.MethodLogin, wire.Login{Session: wire.DefaultSession, Server: "local"}); codeOf(err) != wire.LoginFailed {
		t.Errorf("a stdio server: %v", err)
	}

	page, answer := owner.begin(t)
	for method, params := range map[string]any{wire.MethodLoginReply: reply, wire.MethodLoginCancel: in} {
		if _, err := asks[wire.None](t, other.Client, method, params); codeOf(err) != wire.LoginNotOwner {
			t.Errorf("%s by another: %v", method, err)
		}
	}
	if _, err := asks[wire.LoginFrame](t, other.Client, wire.MethodLogin, wire.Login{Session: wire.DefaultSession, Server: "o"}); codeOf(err) != wire.LoginInProgress || !strings.Contains(err.Error(), "'mcpctl'") {
		t.Errorf("a second sign-in: %v", err)
	}
	if len(other.frames) != 0 {
		t.Errorf("another connection got %+v", <-other.frames)
	}
	reply.URL = landing(t, page)
	must[wire.None](t, owner.Client, wire.MethodLoginReply, reply)
	if err := <-answer; err != nil {
		t.Fatal(err)
	}
	got := must[wire.LoginFrame](t, other.Client, wire.MethodLogin, wire.Login{Session: wire.DefaultSession, Server: "o"})
	if !got.Already || len(other.frames) != 0 {
		t.Errorf("signed in already: %+v", got)
	}
	out := must[wire.LoggedOut](t, other.Client, wire.MethodLogout, wire.Logout{Session: wire.DefaultSession, Server: "o"})
	if len(out.Credentials) != 1 || !out.Credentials[0].Revoked {
		t.Errorf("logged out: %+v", out)
	}

	_, answer = owner.begin(t)
	must[wire.None](t, owner.Client, wire.MethodLoginCancel, in)
	if err := <-answer; codeOf(err) != wire.LoginCancelled {
		t.Errorf("cancelled: %v", err)
	}

	// A server that the session itself registered is one, too.
	must[wire.None](t, owner.Client, wire.MethodRegister, wire.Register{Session: wire.DefaultSession, Name: "extra", Entry: json.RawMessage(`{"url":"` + server.URL + `/mcp"}`)})
	page, err = tryBegin(t.Context(), other, "extra")
	if err != nil {
		t.Fatal(err)
	}
	must[wire.None](t, other.Client, wire.MethodLoginReply, wire.LoginReply{Session: wire.DefaultSession, Server: "extra", URL: landing(t, page)})

	_, answer = owner.begin(t)
	owner.Client.Close()
	<-answer
	// Its end is found out by the supervisor in a moment; then another may begin.
	ctx, cancel := context.WithTimeout(t.Context(), testTimeout)
	defer cancel()
	for {
		page, err := tryBegin(ctx, other, "o")
		if codeOf(err) == wire.LoginInProgress && ctx.Err() == nil {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		_ = landing(t, page)
		break
	}
}

// tryBegin asks for a sign-in and returns its page, or why there is none.
func tryBegin(ctx context.Context, s signer, server string) (page string, err error) {
	answer := make(chan error, 1)
	go func() { // ends with the test's connections
		answer <- s.Call(ctx, wire.MethodLogin, wire.Login{Session: wire.DefaultSession, Server: server}, nil)
	}()
	select {
	case f := <-s.frames:
		return f.URL, nil
	case err := <-answer:
		return "", err
	}
}
