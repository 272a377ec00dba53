// Package bench measures mcpctl against floors, in the same run. It never fails
// for being slow: a number is for reading, not for passing.
//
//	go test -bench . -benchtime 2000x ./bench
package bench

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcpctl/mcpctl/internal/engine/supervisor"
	"github.com/mcpctl/mcpctl/internal/engine/wire"
	"github.com/mcpctl/mcpctl/internal/store"
)

// build compiles a program of this module into the benchmark's own folder.
func build(b *testing.B, pkg string) string {
	b.Helper()
	bin := filepath.Join(b.TempDir(), filepath.Base(pkg))
	cmd := exec.Command("go", "build", "-trimpath", "-o", bin, pkg)
	cmd.Dir = ".."
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		b.Fatalf("%v: %s", err, out)
	}
	return bin
}

// BenchmarkWarmCall is one `echo` call on a connection that is there: with the
// protocol library in this process, and through the supervisor's socket.
func BenchmarkWarmCall(b *testing.B) {
	server := build(b, "./testdata/servers/cmd/echo")
	b.Run("in-process", func(b *testing.B) { benchDirect(b, server) })
	b.Run("supervisor", func(b *testing.B) { benchSupervisor(b, server) })
}

func benchDirect(b *testing.B, server string) {
	ctx := context.Background()
	client := mcp.NewClient(&mcp.Implementation{Name: "bench", Version: "1"}, nil)
	session, err := client.Connect(ctx, &mcp.CommandTransport{Command: exec.Command(server)}, nil)
	if err != nil {
		b.Fatal(err)
	}
	defer session.Close()
	for b.Loop() {
		if _, err := session.CallTool(ctx, &mcp.CallToolParams{Name: "echo", Arguments: map[string]any{"text": "x"}}); err != nil {
			b.Fatal(err)
		}
	}
}

func benchSupervisor(b *testing.B, server string) {
	ctx := context.Background()
	bin := build(b, "./cmd/mcpctl")
	dir := b.TempDir()
	run, err := os.MkdirTemp("/tmp", "b") // a socket's path is short
	if err != nil {
		b.Fatal(err)
	}
	defer os.RemoveAll(run)
	env := store.Environ{"HOME": dir, "XDG_RUNTIME_DIR": run, "TMPDIR": dir, "PATH": os.Getenv("PATH")}
	s, err := store.Open(env, dir, "")
	if err != nil {
		b.Fatal(err)
	}
	entry, _ := json.Marshal(map[string]string{"command": server})
	if _, err := s.Add(ctx, store.AddRequest{Scope: store.User, Name: "e", Entry: entry}); err != nil {
		b.Fatal(err)
	}
	c, err := supervisor.Dial(ctx, supervisor.DialOptions{Places: s.Places, Version: "bench", Start: true, Executable: bin, Env: env.List()})
	if err != nil {
		b.Fatal(err)
	}
	defer func() {
		c.Close()
		if _, err := supervisor.Stop(ctx, s.Places); err != nil {
			b.Error(err)
		}
	}()
	if _, err := c.Open(ctx, wire.SessionOpen{ID: wire.DefaultSession, Workspace: dir, Client: "native", Env: env.List()}); err != nil {
		b.Fatal(err)
	}
	call := wire.CallTool{Session: wire.DefaultSession, Server: "e", Tool: "echo", Arguments: json.RawMessage(`{"text":"x"}`)}
	if _, err := c.CallTool(ctx, call); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := c.CallTool(ctx, call); err != nil {
			b.Fatal(err)
		}
	}
}
