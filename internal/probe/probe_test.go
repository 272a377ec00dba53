package probe

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/mcpctl/mcpctl/internal/probe/dial"
	"github.com/mcpctl/mcpctl/internal/store"
	"github.com/mcpctl/mcpctl/testdata/servers/echo"
	httpserver "github.com/mcpctl/mcpctl/testdata/servers/http"
	"github.com/mcpctl/mcpctl/testdata/servers/stub"
)

// The test binary is also the servers: the first argument says which.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 {
		if serve, ok := map[string]func(){"stub": stub.Main, "echo": echo.Main, "http": httpserver.Main}[os.Args[1]]; ok {
			os.Args = append(os.Args[:1:1], os.Args[2:]...)
			serve()
		}
	}
	os.Exit(m.Run())
}

// admit writes an entry that runs a server with flags, and admits it.
func admit(t *testing.T, args ...string) (store.Admitted, Options) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return admitEntry(t, map[string]any{"command": self, "args": args})
}

func admitEntry(t *testing.T, entry map[string]any) (store.Admitted, Options) {
	t.Helper()
	home := t.TempDir()
	file := filepath.Join(home, ".config/mcp/mcp.json")
	data, err := json.Marshal(map[string]any{"mcpServers": map[string]any{"s": entry}})
	err = errors.Join(err, os.MkdirAll(filepath.Dir(file), 0o700), os.WriteFile(file, data, 0o600))
	if err != nil {
		t.Fatal(err)
	}
	env := store.Environ{"HOME": home, "PATH": os.Getenv("PATH")}
	s, err := store.Open(env, home, "")
	if err != nil {
		t.Fatal(err)
	}
	admitted, err := s.Load().Admit("s")
	if err != nil {
		t.Fatal(err)
	}
	return admitted, Options{Env: env, Client: "test"}
}

func TestTest(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		args []string
		want Result
	}{
		"plain": {[]string{"stub", "-tools", "b,a"},
			Result{OK: true, ProtocolVersion: "2025-11-25", ServerName: "stub", ServerVersion: "1.0.0", Tools: []string{"b", "a"}}},
		"modern": {[]string{"echo"},
			Result{OK: true, ProtocolVersion: "2026-07-28", ServerName: "echo", ServerVersion: "1.0.0", Resources: true, Prompts: true}},
		"no tools": {[]string{"stub", "-caps", "prompts", "-hang", "tools/list"},
			Result{OK: true, ProtocolVersion: "2025-11-25", ServerName: "stub", ServerVersion: "1.0.0", Tools: []string{}, Prompts: true}},
		"resources hang": {[]string{"stub", "-caps", "tools,resources", "-hang", "resources/list"},
			Result{OK: true, ProtocolVersion: "2025-11-25", ServerName: "stub", ServerVersion: "1.0.0", Tools: []string{"echo"}, Resources: true}},
		"unusable": {[]string{"stub", "-schema", `"x"`},
			Result{OK: true, ProtocolVersion: "2025-11-25", ServerName: "stub", ServerVersion: "1.0.0", Tools: []string{}}},
		"noise": {[]string{"stub", "-noise", "hello"},
			Result{OK: true, ProtocolVersion: "2025-11-25", ServerName: "stub", ServerVersion: "1.0.0", Tools: []string{"echo"}, Noise: 1}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			admitted, opts := admit(t, c.args...)
			c.want.Name = "s"
			got := Test(t.Context(), admitted, opts)
			if c.want.Tools == nil && slices.Contains(got.Tools, "echo") { // it has others, too
				got.Tools = nil
			}
			if diff := cmp.Diff(c.want, got, cmpopts.IgnoreFields(Result{}, "Listed", "Duration", "ResourceCount", "PromptCount", "Unlisted")); diff != "" {
				t.Error(diff)
			}
			if got.Duration <= 0 {
				t.Error("no duration")
			}
		})
	}
}

func TestTestFails(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		args    []string
		timeout time.Duration
		code    string
		text    string
		partly  bool // the handshake was done
	}{
		"leaves":         {[]string{"stub", "-exit", "3"}, 0, dial.CodeConnectFailed, "status 3", false},
		"silent":         {[]string{"stub", "-hang", "initialize"}, 300 * time.Millisecond, dial.CodeTimeout, "no answer to initialize within 300ms", false},
		"hangs at tools": {[]string{"stub", "-hang", "tools/list"}, time.Second, dial.CodeTimeout, "no answer to tools/list within 1s", true},
		"endless":        {[]string{"stub", "-cursor", "stuck"}, 0, dial.CodeConnectFailed, "repeats", true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			admitted, opts := admit(t, c.args...)
			opts.Timeout = c.timeout
			got := Test(t.Context(), admitted, opts)
			var e *dial.Error
			if got.OK || !errors.As(got.Err, &e) || e.Code() != c.code || !strings.Contains(e.Message, c.text) {
				t.Errorf("%+v", got)
			}
			if (got.ProtocolVersion != "") != c.partly {
				t.Errorf("protocol version %q", got.ProtocolVersion)
			}
		})
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	admitted, opts := admit(t, "stub")
	if got := Test(ctx, admitted, opts); !errors.Is(got.Err, context.Canceled) {
		t.Error(got.Err)
	}
}

// An HTTP server that forgets its sessions or is busy for a moment does not fail
// the test (B069, B073).
func TestTestHasPatience(t *testing.T) {
	t.Parallel()
	for name, flags := range map[string][]string{
		"forgets": {"-drop", "3"},
		"busy":    {"-fail", "2:503"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			admitted, opts := admitEntry(t, map[string]any{"url": serveHTTP(t, flags...)})
			if got := Test(t.Context(), admitted, opts); !got.OK || len(got.Tools) != 1 {
				t.Errorf("%+v", got)
			}
		})
	}
}

// serveHTTP runs the HTTP server with flags until the test ends.
func serveHTTP(t *testing.T, flags ...string) (url string) {
	t.Helper()
	cmd := exec.Command(os.Args[0], append([]string{"http", "-until-eof"}, flags...)...)
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err = errors.Join(err, cmd.Start()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { stdin.Close(); cmd.Wait() })
	line, err := bufio.NewReader(stdout).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(line)
}

func TestTestLeavesNothing(t *testing.T) {
	t.Parallel()
	mark := filepath.Join(t.TempDir(), "mark")
	admitted, opts := admit(t, "stub", "-mark", mark, "-stderr-text", "hello")
	var mu sync.Mutex
	var said []dial.Event
	opts.Log = func(e dial.Event) {
		mu.Lock()
		defer mu.Unlock()
		said = append(said, e)
	}
	if got := Test(t.Context(), admitted, opts); !got.OK {
		t.Fatal(got.Err)
	}
	var process struct{ PID int }
	data, err := os.ReadFile(mark)
	if err = errors.Join(err, json.Unmarshal(data, &process)); err != nil {
		t.Fatal(err)
	}
	if syscall.Kill(process.PID, 0) == nil {
		t.Error("the server is still there")
	}
	mu.Lock()
	defer mu.Unlock()
	if diff := cmp.Diff([]dial.Event{{Level: "info", Logger: "stderr", Text: "hello"}}, said); diff != "" {
		t.Error(diff)
	}
}

// TestLists: what is offered beside tools is counted, and what is not listed is told and
// is no failure (B170).
func TestLists(t *testing.T) {
	t.Parallel()
	admitted, opts := admit(t, "stub", "-resources", "stub://a,stub://b", "-prompts", "p")
	r := Test(t.Context(), admitted, opts)
	if !r.OK || r.ResourceCount == nil || *r.ResourceCount != 2 || r.PromptCount == nil || *r.PromptCount != 1 || r.Unlisted != nil {
		t.Errorf("%+v", r)
	}
	admitted, opts = admit(t, "stub", "-caps", "tools,resources", "-hang", "resources/list")
	r = Test(t.Context(), admitted, opts)
	if !r.OK || r.ResourceCount != nil || r.PromptCount != nil || len(r.Unlisted) != 1 {
		t.Errorf("%+v", r)
	}
}
