package engine

import (
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/mcpctl/mcpctl/internal/engine/wire"
	"github.com/mcpctl/mcpctl/internal/store"
	"github.com/mcpctl/mcpctl/testdata/servers/stub"
)

// patience bounds every wait of the tests; far more than any needs.
const patience = time.Minute

// asStub, as the first argument, makes the test binary a server.
const asStub = "as-stub-server"

func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == asStub {
		os.Args = slices.Delete(os.Args, 1, 2)
		stub.Main()
	}
	os.Exit(m.Run())
}

// home is a user with a workspace of his own.
type home struct {
	t         *testing.T
	dir, repo string
	user      string // the user's file
	env       store.Environ
}

func newHome(t *testing.T) *home {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	h := &home{t: t, dir: dir, repo: filepath.Join(dir, "repo"), user: filepath.Join(dir, ".config/mcp/mcp.json")}
	h.env = store.Environ{"HOME": dir, "PATH": os.Getenv("PATH")}
	for _, d := range []string{h.repo, filepath.Dir(h.user)} {
		if err := os.MkdirAll(d, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	return h
}

func (h *home) write(path, text string) {
	h.t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		h.t.Fatal(err)
	}
}

// servers writes the user's file; each name is a lazy server unless entry says else.
func (h *home) servers(names ...string) {
	h.t.Helper()
	text := `{"mcpServers": {`
	for i, name := range names {
		if i > 0 {
			text += ","
		}
		text += `"` + name + `": ` + stubEntry(h.t, true)
	}
	h.write(h.user, text+"}}")
}

func stubEntry(t *testing.T, lazy bool, args ...string) string {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	entry := `{"command": "` + self + `", "args": ["` + asStub + `"`
	for _, arg := range args {
		entry += `, "` + arg + `"`
	}
	if lazy {
		return entry + `], "lifecycle": "lazy"}`
	}
	return entry + `]}`
}

// session opens a session; unwatched, it reads the files only when it is told to.
func (h *home) session(unwatched bool) *Session {
	h.t.Helper()
	st, err := store.Open(h.env, h.repo, "")
	if err != nil {
		h.t.Fatal(err)
	}
	s := NewSession(SessionOptions{ID: "s", Store: st, Epoch: "epoch", Log: &notes{}, unwatched: unwatched})
	h.t.Cleanup(s.Close)
	return s
}

// notes is a log.
type notes struct {
	mu   sync.Mutex
	text []string
}

func (n *notes) Log(server, level, logger, text string, _ []string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.text = append(n.text, server+" "+level+" "+text)
}

func (n *notes) lines() []string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return slices.Clone(n.text)
}

// eventually waits until f holds.
func eventually(t *testing.T, what string, f func() bool) {
	t.Helper()
	for deadline := time.Now().Add(patience); !f(); time.Sleep(2 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("never: " + what)
		}
	}
}

func stateOf(s *Session, name string) wire.State {
	for _, st := range s.Status().Servers {
		if st.Name == name {
			return st.State
		}
	}
	return ""
}
