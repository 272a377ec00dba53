package bench

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcpctl/mcpctl/internal/engine/supervisor"
	"github.com/mcpctl/mcpctl/internal/engine/wire"
	"github.com/mcpctl/mcpctl/internal/store"
)

// house is a home directory with a supervisor, which is the real program.
type house struct {
	b      *testing.B
	store  *store.Store
	client *supervisor.Client
	dir    string
	server string // the echo server
	pid    int
	round  int // names of servers begin with it: one that is stopping is in nobody's way
}

// newHouse opens a session on n servers e0-0, e0-1, ...; none of them need be connected
// when it returns.
func newHouse(b *testing.B, n int) *house {
	b.Helper()
	ctx := context.Background()
	h := &house{b: b, dir: b.TempDir(), server: build(b, "./testdata/servers/cmd/echo")}
	bin := build(b, "./cmd/mcpctl")
	run, err := os.MkdirTemp("/tmp", "b") // a socket's path is short
	h.check(err)
	b.Cleanup(func() { _ = os.RemoveAll(run) })
	env := store.Environ{"HOME": h.dir, "XDG_RUNTIME_DIR": run, "TMPDIR": h.dir, "PATH": os.Getenv("PATH")}
	h.store, err = store.Open(env, h.dir, "")
	h.check(err)
	h.write(n)
	h.client, err = supervisor.Dial(ctx, supervisor.DialOptions{Places: h.store.Places, Version: "bench", Start: true, Executable: bin, Env: env.List()})
	h.check(err)
	b.Cleanup(func() {
		h.client.Close()
		if _, err := supervisor.Stop(ctx, h.store.Places); err != nil {
			b.Error(err)
		}
	})
	_, err = h.client.Open(ctx, wire.SessionOpen{ID: wire.DefaultSession, Workspace: h.dir, Client: "native", Env: env.List()})
	h.check(err)
	hello, err := h.client.Hello(ctx)
	h.check(err)
	h.pid = hello.PID
	return h
}

func (h *house) check(err error) {
	h.b.Helper()
	if err != nil {
		h.b.Fatal(err)
	}
}

// write makes the user's file as an editor does: a new file over the old one.
func (h *house) write(n int, more ...string) {
	servers := map[string]any{}
	for i := range n {
		servers[fmt.Sprintf("e%d-%d", h.round, i)] = map[string]any{"command": h.server}
	}
	for _, name := range more {
		servers[name] = map[string]any{"command": h.server}
	}
	text, err := json.Marshal(map[string]any{"mcpServers": servers})
	h.check(err)
	path := h.store.Path(store.User)
	h.check(os.MkdirAll(filepath.Dir(path), 0o700))
	h.check(os.WriteFile(path+".new", text, 0o600))
	h.check(os.Rename(path+".new", path))
}

// connected waits until all servers are.
func (h *house) connected() {
	var tools wire.Tools
	h.check(h.client.Call(context.Background(), wire.MethodListTools, wire.InServer{Session: wire.DefaultSession}, &tools))
	for _, s := range tools.Servers {
		if s.State != wire.Connected {
			h.b.Fatalf("%s is %s: %v", s.Name, s.State, s.Error)
		}
	}
}

func (h *house) call(server string) error {
	_, err := h.client.CallTool(context.Background(), wire.CallTool{Session: wire.DefaultSession, Server: server, Tool: "echo", Arguments: json.RawMessage(`{"text":"x"}`)})
	return err
}

// BenchmarkCallers is the calls per second of several callers of one server: over
// the supervisor's socket, and with the protocol library in this process.
//
//	go test -run xxx -bench Callers -benchtime 4000x ./bench
func BenchmarkCallers(b *testing.B) {
	h := newHouse(b, 1)
	h.connected()
	direct := h.direct()
	defer direct.Close()
	inProcess := func() error { return echo(direct) }
	for _, callers := range []int{1, 8, 64} {
		b.Run(fmt.Sprintf("in-process/%d", callers), func(b *testing.B) { share(b, callers, inProcess) })
		b.Run(fmt.Sprintf("supervisor/%d", callers), func(b *testing.B) { share(b, callers, func() error { return h.call("e0-0") }) })
	}
}

func (h *house) direct() *mcp.ClientSession {
	client := mcp.NewClient(&mcp.Implementation{Name: "bench", Version: "1"}, nil)
	session, err := client.Connect(context.Background(), &mcp.CommandTransport{Command: exec.Command(h.server)}, nil)
	h.check(err)
	return session
}

// share lets callers do b.N calls together.
func share(b *testing.B, callers int, call func() error) {
	var wg sync.WaitGroup
	b.ResetTimer()
	for i := range callers {
		wg.Go(func() {
			for range (b.N + i) / callers {
				if err := call(); err != nil {
					b.Error(err)
					return
				}
			}
		})
	}
	wg.Wait()
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "calls/s")
}

// BenchmarkColdStart is how long it takes until n servers are connected and listed,
// divided by the protocol library starting them all at once.
//
//	go test -run xxx -bench ColdStart -benchtime 5x ./bench
func BenchmarkColdStart(b *testing.B) {
	for _, n := range []int{1, 10, 50} {
		b.Run(strconv.Itoa(n), func(b *testing.B) {
			h := newHouse(b, n)
			h.connected()
			var ratios []float64
			for b.Loop() {
				floor := h.raw(n)
				h.write(0)
				h.none()
				h.round++
				start := time.Now()
				h.write(n)
				h.listed(n)
				ratios = append(ratios, float64(time.Since(start))/float64(floor))
			}
			b.ReportMetric(median(ratios), "x-raw")
		})
	}
}

// none waits until no server is left of those that were.
func (h *house) none() { h.await(func(s wire.Status) bool { return len(s.Servers) == 0 }) }

// listed waits until n servers are connected.
func (h *house) listed(n int) {
	h.await(func(s wire.Status) bool {
		up := 0
		for _, sv := range s.Servers {
			if sv.State == wire.Connected {
				up++
			}
		}
		return up == n
	})
}

var errSeen = fmt.Errorf("seen")

func (h *house) await(is func(wire.Status) bool) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	// A connection has one watch of a session, and this one has had its own.
	err := h.client.Watch(ctx, wire.DefaultSession, func(s wire.Status) error {
		if is(s) {
			return errSeen
		}
		return nil
	})
	if err != errSeen {
		h.b.Fatal(err)
	}
}

// raw starts n servers at once, lists their tools, and ends them.
func (h *house) raw(n int) time.Duration {
	start := time.Now()
	sessions := make([]*mcp.ClientSession, n)
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() {
			sessions[i] = h.direct()
			if _, err := sessions[i].ListTools(context.Background(), nil); err != nil {
				h.b.Error(err)
			}
		})
	}
	wg.Wait()
	took := time.Since(start)
	for _, s := range sessions {
		wg.Go(func() { s.Close() })
	}
	wg.Wait()
	return took
}

// BenchmarkMemory is what the supervisor holds for 100 connections, and what it does
// while nothing happens.
//
//	go test -run xxx -bench Memory -benchtime 1x ./bench
func BenchmarkMemory(b *testing.B) {
	for b.Loop() {
		h := newHouse(b, 1)
		h.connected()
		one := h.resident()
		h.write(100)
		h.listed(100)
		hundred := h.resident()
		before, start := h.ticks(), time.Now()
		time.Sleep(10 * time.Second) // the measure is of nothing happening
		busy := float64(h.ticks()-before) / 100 / time.Since(start).Seconds()
		b.ReportMetric(hundred, "MiB")
		b.ReportMetric((hundred-one)*1024/99, "KiB/connection")
		b.ReportMetric(busy*100, "%-idle-cpu")
	}
}

func (h *house) resident() float64 {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", h.pid))
	h.check(err)
	_, rest, _ := strings.Cut(string(data), "VmRSS:")
	kib, err := strconv.ParseFloat(strings.Fields(rest)[0], 64)
	h.check(err)
	return kib / 1024
}

// ticks is the processor time of the supervisor in hundredths of a second.
func (h *house) ticks() int64 {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", h.pid))
	h.check(err)
	fields := strings.Fields(string(data[strings.LastIndexByte(string(data), ')')+2:]))
	user, err := strconv.ParseInt(fields[11], 10, 64)
	h.check(err)
	system, err := strconv.ParseInt(fields[12], 10, 64)
	h.check(err)
	return user + system
}

// BenchmarkSaved is the time from a saved file to an answer of the server that is new
// in it, divided by starting that server and calling it without mcpctl.
//
//	go test -run xxx -bench Saved -benchtime 20x ./bench
func BenchmarkSaved(b *testing.B) {
	h := newHouse(b, 5)
	h.connected()
	var ratios []float64
	n := 0
	for b.Loop() {
		start := time.Now()
		s := h.direct()
		_, err := s.CallTool(context.Background(), &mcp.CallToolParams{Name: "echo", Arguments: map[string]any{"text": "x"}})
		h.check(err)
		floor := time.Since(start)
		s.Close()
		n++
		name := fmt.Sprintf("new%d", n)
		start = time.Now()
		h.write(5, name)
		h.await(func(s wire.Status) bool {
			for _, sv := range s.Servers {
				if sv.Name == name && sv.State == wire.Connected {
					return true
				}
			}
			return false
		})
		h.check(h.call(name))
		ratios = append(ratios, float64(time.Since(start))/float64(floor))
	}
	b.ReportMetric(median(ratios), "x-raw")
}
