package dial

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/mcpctl/mcpctl/internal/store"
	"github.com/mcpctl/mcpctl/testdata/servers/echo"
	"github.com/mcpctl/mcpctl/testdata/servers/stub"
)

// The test binary is also the servers: the first argument says which.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 {
		name := os.Args[1]
		serve, ok := map[string]func(){"stub": stub.Main, "echo": echo.Main, "odd": oddMain}[name]
		if ok {
			os.Args = append(os.Args[:1:1], os.Args[2:]...)
			serve()
		}
	}
	flag.Parse()
	flag.Set("test.parallel", "12") // these tests wait more than they work
	os.Exit(m.Run())
}

// patience bounds a wait that is over in milliseconds on a machine that is not
// overloaded.
const patience = time.Minute

// fixture is one server's entry in a home directory of its own.
type fixture struct {
	t       *testing.T
	home    string
	env     store.Environ
	entry   map[string]any
	options Options

	mu     sync.Mutex
	events []Event
}

// newFixture makes an entry that runs one of the servers with flags.
func newFixture(t *testing.T, server string, flags ...string) *fixture {
	t.Helper()
	return newEntry(t, map[string]any{"command": self(t), "args": append([]string{server}, flags...)})
}

func self(t *testing.T) string {
	t.Helper()
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

func newEntry(t *testing.T, entry map[string]any) *fixture {
	t.Helper()
	home := t.TempDir()
	entry["description"] = home // a definition of its own, or a port used again would bring another test's era
	f := &fixture{t: t, home: home, entry: entry, env: store.Environ{"HOME": home, "PATH": os.Getenv("PATH")}}
	f.options = Options{Client: "test", Log: func(e Event) {
		f.mu.Lock()
		defer f.mu.Unlock()
		f.events = append(f.events, e)
	}}
	return f
}

// path is a place for a file of the test.
func (f *fixture) path(name string) string { return filepath.Join(f.home, name) }

// read is the text of a file of the test; "" when there is none.
func (f *fixture) read(name string) string {
	data, _ := os.ReadFile(f.path(name))
	return string(data)
}

// logged joins what was logged by one logger.
func (f *fixture) logged(logger string) string {
	f.mu.Lock()
	defer f.mu.Unlock()
	var lines []string
	for _, e := range f.events {
		if e.Logger == logger {
			lines = append(lines, e.Level+" "+e.Text)
		}
	}
	return strings.Join(lines, "\n")
}

func (f *fixture) admit() store.Admitted {
	f.t.Helper()
	data, err := json.Marshal(map[string]any{"mcpServers": map[string]any{"s": f.entry}})
	if err != nil {
		f.t.Fatal(err)
	}
	file := f.path(".config/mcp/mcp.json")
	if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o700), os.WriteFile(file, data, 0o600)); err != nil {
		f.t.Fatal(err)
	}
	s, err := store.Open(f.env, f.home, "")
	if err != nil {
		f.t.Fatal(err)
	}
	admitted, err := s.Load().Admit("s")
	if err != nil {
		f.t.Fatal(err)
	}
	return admitted
}

func (f *fixture) open() (*Conn, error) {
	f.t.Helper()
	f.options.Env = f.env
	return Open(f.t.Context(), f.admit(), f.options)
}

// connect opens a connection that the end of the test closes.
func (f *fixture) connect() *Conn {
	f.t.Helper()
	c, err := f.open()
	if err != nil {
		f.t.Fatal(err)
	}
	f.t.Cleanup(func() { c.Close() })
	return c
}

// refused expects Open to fail with a code and texts in its message.
func (f *fixture) refused(code string, texts ...string) *Error {
	f.t.Helper()
	c, err := f.open()
	if err == nil {
		c.Close()
		f.t.Fatal("connected")
	}
	return wantError(f.t, err, code, texts...)
}

func wantError(t *testing.T, err error, code string, texts ...string) *Error {
	t.Helper()
	var e *Error
	if !errors.As(err, &e) {
		t.Fatalf("error %T %v, want one with %s", err, err, code)
	}
	if e.Code_ != code {
		t.Errorf("code %s (%s), want %s", e.Code_, e, code)
	}
	for _, text := range texts {
		if !strings.Contains(e.Message, text) {
			t.Errorf("message %q has no %q", e.Message, text)
		}
	}
	return e
}

// eventually waits for what a server does by itself.
func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	for !ok() {
		if !pause(ctx, 5*time.Millisecond) {
			t.Fatalf("never: %s", what)
		}
	}
}

// alive tells whether a process runs; one that only waits to be reaped does not.
func alive(t *testing.T, pid int) bool {
	t.Helper()
	if syscall.Kill(pid, 0) != nil {
		return false
	}
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return err != nil || !strings.Contains(string(stat), ") Z ")
}

// pidIn reads the number of a process out of a file that a server writes.
func pidIn(t *testing.T, file string) int {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(string(data))
	if err != nil {
		t.Fatal(err)
	}
	return pid
}

func names(tools []Tool) string {
	var list []string
	for _, tool := range tools {
		list = append(list, tool.Name)
	}
	return strings.Join(list, " ")
}
