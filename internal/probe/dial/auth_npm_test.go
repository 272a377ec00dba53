package dial

import (
	"encoding/json"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/internal/probe/oauth"
	"github.com/mcpctl/mcpctl/internal/store"
)

// freePort is a port that is free now.
func freePort(t *testing.T) int {
	t.Helper()
	l, err := net.Listen("tcp", "localhost:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port
}

// TestAuthPublishedServer signs in to the example server of the TypeScript SDK, whose
// authorization server is not our work.
func TestAuthPublishedServer(t *testing.T) {
	script, err := filepath.Abs("../../../testdata/npm/node_modules/@modelcontextprotocol/sdk/dist/esm/examples/server/simpleStreamableHttp.js")
	if err != nil {
		t.Fatal(err)
	}
	node, err := exec.LookPath("node")
	if _, missing := os.Stat(script); err != nil || missing != nil {
		t.Skip("no node, or no packages in testdata/npm")
	}
	port, authPort := freePort(t), freePort(t)
	cmd := exec.Command(node, script, "--oauth", "--oauth-strict")
	cmd.Env = append(os.Environ(), "MCP_PORT="+strconv.Itoa(port), "MCP_AUTH_PORT="+strconv.Itoa(authPort))
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	for _, p := range []int{port, authPort} {
		eventually(t, "the example server", func() bool {
			c, err := net.Dial("tcp", "localhost:"+strconv.Itoa(p))
			if err == nil {
				c.Close()
			}
			return err == nil
		})
	}
	f := newEntry(t, map[string]any{"type": "http", "url": "http://localhost:" + strconv.Itoa(port) + "/mcp"})
	places, err := store.FindPlaces(f.env)
	if err != nil {
		t.Fatal(err)
	}
	keeper := oauth.NewKeeper(places, nil)
	t.Cleanup(keeper.Close)
	f.options.Auth = func(server store.Admitted, l store.Launch) Auth {
		return oauth.NewTokens(keeper, oauth.NewTarget(server, l, f.env, "test"))
	}
	e := f.refused(CodeLoginRequired)
	server := f.admit()
	l, err := server.Resolve(f.env)
	if err != nil {
		t.Fatal(err)
	}
	s, err := oauth.SignIn(t.Context(), keeper, oauth.NewTarget(server, l, f.env, "test"), oauth.Options{
		Challenge: []string{e.Challenge}, Timeout: patience, Show: func(oauth.Page) {},
		Open: func(page string) error {
			resp, err := http.Get(page)
			if err == nil {
				resp.Body.Close()
			}
			return err
		}})
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(s.Scope, "mcp:tools") {
		t.Errorf("%+v", s)
	}
	c := f.connect()
	if _, err := c.CallTool(t.Context(), "greet", json.RawMessage(`{"name":"you"}`), 0); err != nil {
		t.Error(err)
	}
}
