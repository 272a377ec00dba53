package bench

import (
	"bufio"
	"context"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// user is a home with servers, for one benchmark of the program.
type user struct {
	b    *testing.B
	bin  string
	env  []string
	repo string
}

func newUser(b *testing.B, config string) *user {
	b.Helper()
	dir := b.TempDir()
	run, err := os.MkdirTemp("/tmp", "m") // a socket's path must be short
	if err != nil {
		b.Fatal(err)
	}
	u := &user{b: b, bin: build(b, "./cmd/mcpctl"), repo: filepath.Join(dir, "repo")}
	file := filepath.Join(dir, ".config/mcp/mcp.json")
	for _, d := range []string{u.repo, filepath.Dir(file), filepath.Join(dir, "tmp")} {
		if err := os.MkdirAll(d, 0o700); err != nil {
			b.Fatal(err)
		}
	}
	if err := os.WriteFile(file, []byte(config), 0o600); err != nil {
		b.Fatal(err)
	}
	u.env = []string{"HOME=" + dir, "XDG_RUNTIME_DIR=" + run, "PATH=" + os.Getenv("PATH"), "TMPDIR=" + filepath.Join(dir, "tmp"), "MCPCTL_CREDENTIALS=file"}
	b.Cleanup(func() {
		_ = u.command("supervisor", "stop").Run()
		_ = os.RemoveAll(run)
	})
	return u
}

func (u *user) command(args ...string) *exec.Cmd {
	cmd := exec.Command(u.bin, args...)
	cmd.Dir, cmd.Env = u.repo, u.env
	return cmd
}

func connectTo(b *testing.B, transport mcp.Transport) *mcp.ClientSession {
	b.Helper()
	client := mcp.NewClient(&mcp.Implementation{Name: "bench", Version: "1"}, nil)
	session, err := client.Connect(context.Background(), transport, &mcp.ClientSessionOptions{ProtocolVersion: "2025-11-25"})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = session.Close() })
	return session
}

// serveHTTP starts a gateway at a URL.
func (u *user) serveHTTP() mcp.Transport {
	u.b.Helper()
	cmd := u.command("serve", "--http", "127.0.0.1:0", "--no-token")
	stderr, err := cmd.StderrPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		u.b.Fatal(err)
	}
	u.b.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		_ = cmd.Wait()
	})
	lines := bufio.NewScanner(stderr)
	for lines.Scan() {
		if _, url, ok := strings.Cut(lines.Text(), "serving at "); ok {
			return &mcp.StreamableClientTransport{Endpoint: url, HTTPClient: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 64}}}
		}
	}
	u.b.Fatal("serve did not start")
	return nil
}

// mcporter is the command of mcporter's gateway, with a daemon of its own; "" when it is
// not installed (./test does it). Tools are called SERVER__TOOL there, too.
func (u *user) mcporter(server string) *exec.Cmd {
	u.b.Helper()
	program, err := filepath.Abs("../testdata/gateway/node_modules/.bin/mcporter")
	if err != nil {
		u.b.Fatal(err)
	}
	if _, err := os.Stat(program); err != nil {
		return nil
	}
	config := filepath.Join(u.repo, "mcporter.json")
	if err := os.WriteFile(config, []byte(`{"imports":[],"mcpServers":{"echo":{"command":"`+server+`","lifecycle":"keep-alive"}}}`), 0o600); err != nil {
		u.b.Fatal(err)
	}
	run := func(args ...string) *exec.Cmd {
		cmd := exec.Command(program, append([]string{"--config", config}, args...)...)
		cmd.Dir, cmd.Env = u.repo, u.env
		return cmd
	}
	u.b.Cleanup(func() { _ = run("daemon", "stop").Run() })
	return run("serve", "--servers", "echo")
}

// BenchmarkGatewayCall is one `echo` call (G1): of the server itself, through the gateway
// on stdio and at a URL, and through mcporter's on stdio; by one caller, and by 64 at once.
func BenchmarkGatewayCall(b *testing.B) {
	server := build(b, "./testdata/servers/cmd/echo")
	u := newUser(b, `{"mcpServers":{"echo":{"command":"`+server+`"}}}`)
	for _, way := range []struct {
		name, tool string
		transport  func() mcp.Transport
	}{
		{"direct", "echo", func() mcp.Transport { return &mcp.CommandTransport{Command: exec.Command(server)} }},
		{"stdio", "echo__echo", func() mcp.Transport { return &mcp.CommandTransport{Command: u.command("serve")} }},
		{"http", "echo__echo", u.serveHTTP},
		{"mcporter", "echo__echo", func() mcp.Transport {
			if cmd := u.mcporter(server); cmd != nil {
				return &mcp.CommandTransport{Command: cmd}
			}
			return nil
		}},
	} {
		transport := way.transport()
		if transport == nil {
			continue
		}
		session := connectTo(b, transport)
		params := &mcp.CallToolParams{Name: way.tool, Arguments: map[string]any{"text": "x"}}
		call := func(b *testing.B) {
			if _, err := session.CallTool(context.Background(), params); err != nil {
				b.Error(err)
			}
		}
		b.Run(way.name+"/1", func(b *testing.B) {
			for b.Loop() {
				call(b)
			}
		})
		b.Run(way.name+"/64", func(b *testing.B) {
			b.SetParallelism(32) // times the processors of the machine that the numbers are told of
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					call(b)
				}
			})
		})
	}
}

// BenchmarkGatewayStart is the start of a gateway to the first answer to tools/list, with
// twenty servers: with a supervisor that runs, and without.
func BenchmarkGatewayStart(b *testing.B) {
	server := build(b, "./testdata/servers/cmd/stub")
	var entries []string
	for i := range 20 {
		entries = append(entries, fmt.Sprintf(`"s%d":{"command":%q}`, i, server))
	}
	u := newUser(b, `{"mcpServers":{`+strings.Join(entries, ",")+`}}`)
	start := func(b *testing.B) {
		session := connectTo(b, &mcp.CommandTransport{Command: u.command("serve")})
		tools, err := session.ListTools(context.Background(), nil)
		if err != nil || len(tools.Tools) != 20 {
			b.Fatalf("%v %v", tools, err)
		}
		b.StopTimer()
		_ = session.Close()
		b.StartTimer()
	}
	b.Run("cold", func(b *testing.B) {
		for b.Loop() {
			start(b)
			b.StopTimer()
			_ = u.command("supervisor", "stop").Run()
			b.StartTimer()
		}
	})
	b.Run("warm", func(b *testing.B) {
		if out, err := u.command("supervisor", "start", "--no-session").CombinedOutput(); err != nil {
			b.Fatalf("%v: %s", err, out)
		}
		for b.Loop() {
			start(b)
		}
	})
}
