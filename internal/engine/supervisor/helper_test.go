package supervisor

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/mcpctl/mcpctl/internal/engine"
	"github.com/mcpctl/mcpctl/internal/engine/record"
	"github.com/mcpctl/mcpctl/internal/engine/wire"
	"github.com/mcpctl/mcpctl/internal/store"
	"github.com/mcpctl/mcpctl/testdata/servers/echo"
	"github.com/mcpctl/mcpctl/testdata/servers/http"
	"github.com/mcpctl/mcpctl/testdata/servers/stub"
)

// testTimeout bounds every wait of the tests; far more than any needs.
const testTimeout = time.Minute

// testIdle is when a supervisor of the tests leaves: long enough for its first client to
// come on a loaded machine.
const testIdle = time.Second

// The test binary is also the program that Dial starts, and the helpers that
// try what a server's process might. Their names begin with MCPCTL_, so Dial
// passes them on.
const (
	asSupervisor = "MCPCTL_TEST_RUN"
	idleFor      = "MCPCTL_TEST_IDLE"
	asIntruder   = "MCPCTL_TEST_INTRUDER" // connect to this socket and say on stdout how it went
	forkAgain    = "MCPCTL_TEST_FORK"     // leave the intruding to a child and end
	asStub       = "MCPCTL_TEST_STUB"     // be a server
	asEcho       = "MCPCTL_TEST_ECHO"
	asHTTP       = "MCPCTL_TEST_HTTP"
	runIntruder  = "MCPCTL_TEST_SPAWN" // supervisor: start an intruder that writes to this file
)

func TestMain(m *testing.M) {
	switch {
	case os.Getenv(asStub) != "":
		stub.Main()
	case os.Getenv(asEcho) != "":
		echo.Main()
	case os.Getenv(asHTTP) != "":
		http.Main()
	case os.Getenv(asIntruder) != "":
		intrude()
	case os.Getenv(asSupervisor) != "":
		syscall.Exit(superviseInChild()) // os.Exit of a race build rests for a second first
	default:
		os.Exit(m.Run())
	}
}

func superviseInChild() int {
	env := store.NewEnviron(os.Environ())
	places, err := store.FindPlaces(env)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	log, err := record.Open(places.State())
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	idle, _ := time.ParseDuration(os.Getenv(idleFor))
	manager, err := TakeManager(env)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	o := Options{Manager: manager, Places: places, Version: "test", Log: log, IdleTimeout: idle, Ready: ReadyPipe(), Stderr: os.Stderr}
	if out := os.Getenv(runIntruder); out != "" {
		// Where the first server could be started: before, this process has not
		// made itself the parent of orphans, and one would be nobody's descendant.
		o.Sweep = func() int { spawnIntruder(places, out); return 0 }
	}
	err = Run(context.Background(), o)
	if err != nil && !errors.As(err, new(*RunningError)) {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// place is a user with a runtime directory and a home of their own.
type place struct {
	dir    string
	env    []string
	places store.Places
}

func newPlace(t *testing.T, env ...string) place {
	t.Helper()
	dir, err := os.MkdirTemp("/tmp", "m") // a socket's path must be short
	if err != nil {
		t.Fatal(err)
	}
	p := place{dir: dir}
	p.env = append([]string{"HOME=" + dir, "PATH=" + os.Getenv("PATH"), "TMPDIR=" + dir, "MCPCTL_RUNTIME_DIR=" + dir,
		"MCPCTL_STATE_HOME=" + filepath.Join(dir, "state"), "MCPCTL_CONFIG_HOME=" + filepath.Join(dir, "config"), asSupervisor + "=1"}, env...)
	if p.places, err = store.FindPlaces(store.NewEnviron(p.env)); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), testTimeout)
		defer cancel()
		_, _ = Stop(ctx, p.places)
		// One that is leaving on its own is not found any more, and not gone yet.
		if l, err := acquire(ctx, filepath.Join(dir, "mcpctl", instanceName)); err == nil {
			l.release()
		}
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	return p
}

func (p place) socket(t *testing.T) string {
	t.Helper()
	_, socket, err := SocketPath(p.places)
	if err != nil {
		t.Fatal(err)
	}
	return socket
}

// workspace makes a directory with one project server, which needs approval and
// therefore does not run.
func (p place) workspace(t *testing.T, name string) string {
	t.Helper()
	dir := filepath.Join(p.dir, "w", name)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, ".mcp.json"), []byte(`{"mcpServers":{"`+name+`":{"command":"true"}}}`), 0o644); err != nil {
		t.Fatal(err)
	}
	return dir
}

func (p place) open(workspace string) wire.SessionOpen {
	return wire.SessionOpen{ID: wire.DefaultSession, Workspace: workspace, Client: "native", Env: p.env}
}

func (p place) options(start bool) DialOptions {
	return DialOptions{Places: p.places, Version: "test", Start: start, Executable: ownFile(), Env: p.env}
}

// dial connects, and ends with the test.
func (p place) dial(t *testing.T, start bool) *Client {
	t.Helper()
	c, err := Dial(t.Context(), p.options(start))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

// lock makes this process look like a supervisor, for a fake that is one.
func (p place) lock(t *testing.T) {
	t.Helper()
	l, err := acquire(t.Context(), filepath.Join(filepath.Dir(p.socket(t)), instanceName))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(l.release)
}

// raw connects without saying anything.
func (p place) raw(t *testing.T) *net.UnixConn {
	t.Helper()
	c, err := net.Dial("unix", p.socket(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	_ = c.SetDeadline(time.Now().Add(testTimeout))
	return c.(*net.UnixConn)
}

// running is a supervisor in this process, without what changes the process.
type running struct {
	s      *server
	cancel func()
	done   chan string // why it left
}

// serve starts a supervisor here whose sessions come from newSession; nil: real
// ones. change, if any, is made before it accepts.
func (p place) serve(t *testing.T, newSession sessionMaker, change func(*server)) *running {
	t.Helper()
	if newSession == nil {
		newSession = newEngineSession
	}
	ctx, cancel := context.WithCancel(context.Background())
	inst, err := claim(ctx, p.places, nil)
	if err != nil {
		cancel()
		t.Fatal(err)
	}
	log, err := record.Open(p.places.State())
	if err != nil {
		t.Fatal(err)
	}
	r := &running{s: newServer(Options{Places: p.places, Version: "test", Log: log}, inst, newSession), cancel: cancel, done: make(chan string, 1)}
	if change != nil {
		change(r.s)
	}
	go func() { // ends with stop, at the latest in the cleanup
		why, stuck := r.s.serve(ctx)
		if stuck {
			r.s.closeStuck()
		} else {
			r.s.close()
		}
		r.done <- why
	}()
	t.Cleanup(func() { r.stop(t) })
	return r
}

// stop ends the supervisor and returns why it left.
func (r *running) stop(t *testing.T) string {
	t.Helper()
	r.cancel()
	return r.wait(t)
}

func (r *running) wait(t *testing.T) string {
	t.Helper()
	select {
	case why := <-r.done:
		r.done <- why // for who asks next
		return why
	case <-time.After(testTimeout):
		buf := make([]byte, 1<<20)
		t.Fatalf("the supervisor does not leave:\n%s", buf[:runtime.Stack(buf, true)])
		return ""
	}
}

// fakeSession stands for an engine.
type fakeSession struct {
	session // nil: what is not here is not asked for
	o       engine.SessionOptions
	call    func(ctx context.Context, call wire.CallTool) (wire.CallResult, error)
	busy    atomic.Bool
	closed  chan struct{}
	mu      sync.Mutex
	refresh []store.Environ
}

func (f *fakeSession) Refresh(env store.Environ) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.refresh = append(f.refresh, env)
}
func (f *fakeSession) Edited([]string) {}

func (f *fakeSession) Status() wire.Status {
	return wire.Status{Schema: 1, Session: f.o.ID, Workspace: f.o.Store.Workspace.Dir, Epoch: f.o.Epoch, Generation: 1}
}
func (f *fakeSession) Watch() *engine.Watch { panic("no watch here") }
func (f *fakeSession) List(bool) wire.List {
	return wire.List{Schema: 1, Workspace: f.o.Store.Workspace.Dir}
}
func (f *fakeSession) ListTools(context.Context, string, time.Duration) (wire.Tools, error) {
	panic("listTools went wrong")
}
func (f *fakeSession) CallTool(ctx context.Context, call wire.CallTool) (wire.CallResult, error) {
	return f.call(ctx, call)
}
func (f *fakeSession) Reconnect(context.Context, string) error { return nil }
func (f *fakeSession) Info() wire.SessionInfo {
	return wire.SessionInfo{Session: f.o.ID, Workspace: f.o.Store.Workspace.Dir}
}
func (f *fakeSession) ConfigOf(st *store.Store) *store.Config     { return st.Load() }
func (f *fakeSession) Store() *store.Store                        { return f.o.Store }
func (f *fakeSession) Reload(context.Context, bool) wire.Reloaded { return wire.Reloaded{Schema: 1} }
func (f *fakeSession) Register(wire.Register) error               { return nil }
func (f *fakeSession) Unregister(string) error                    { return nil }
func (f *fakeSession) SetOverride(wire.SetOverride) error         { return nil }
func (f *fakeSession) Stopping(string)                            {}
func (f *fakeSession) Busy() bool                                 { return f.busy.Load() }
func (f *fakeSession) Close()                                     { close(f.closed) }

// fakes makes sessions and remembers them.
type fakes struct {
	mu   sync.Mutex
	made []*fakeSession
	call func(ctx context.Context, call wire.CallTool) (wire.CallResult, error)
}

func (f *fakes) make(o engine.SessionOptions) session {
	s := &fakeSession{o: o, closed: make(chan struct{}), call: f.call}
	if f.call == nil {
		s.call = func(_ context.Context, call wire.CallTool) (wire.CallResult, error) {
			return wire.CallResult{Schema: 1, Server: call.Server, Tool: call.Tool, Result: call.Arguments}, nil
		}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.made = append(f.made, s)
	return s
}

func (f *fakes) all() []*fakeSession {
	f.mu.Lock()
	defer f.mu.Unlock()
	return append([]*fakeSession(nil), f.made...)
}

// wantCode fails unless err has the code.
func wantCode(t *testing.T, err error, want wire.Code) *wire.Error {
	t.Helper()
	if err == nil {
		t.Fatalf("no error, want %s", want)
	}
	e := wire.FromError(err)
	if e.Word != want {
		t.Fatalf("error %s (%s), want %s", e.Word, e.Text, want)
	}
	return e
}

// eventually waits for a condition that nothing tells of.
func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	deadline := time.Now().Add(testTimeout)
	for !ok() {
		if time.Now().After(deadline) {
			t.Fatalf("not in time: %s", what)
		}
		time.Sleep(time.Millisecond)
	}
}

func (p place) log(t *testing.T) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(p.places.State(), "mcp.log"))
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(b))
}
