package store

import (
	"context"
	"os"
	"path/filepath"
	"testing"
)

// TestGateElsewhere: where another program owns MCP, no server is admitted, and a name
// that nobody has is still told as such.
func TestGateElsewhere(t *testing.T) {
	w := newWorld(t)
	w.user(`{"mcpServers":{"x":{"command":"x"}}}`)
	s := w.settled(`{"handledBy":{"owner":"corp","reason":"policy"}}`, `{}`)
	c := s.Load()
	if _, err := c.Admit("x"); code(err) != CodeElsewhere {
		t.Errorf("admitted: %v", err)
	}
	if _, err := c.Admit("y"); code(err) != CodeNotFound {
		t.Errorf("a name that is not there: %v", err)
	}
}

// TestTrusts: a running server of a project loses its trust with its entry, with a change
// of it, and with a refusal; one of the user's own does not.
func TestTrusts(t *testing.T) {
	const entry = `{"mcpServers":{"x":{"command":"x"}}}`
	for name, tt := range map[string]struct {
		text string
		deny bool
		want bool
	}{
		"as it was":     {entry, false, true},
		"in more space": {`{"mcpServers": {"x": {"command": "x"}}}`, false, true},
		"changed":       {`{"mcpServers":{"x":{"command":"y"}}}`, false, false},
		"gone":          {`{"mcpServers":{}}`, false, false},
		"an override":   {`{"mcpServers":{"x":{"enabled":true}}}`, false, false},
		"denied":        {entry, true, false},
	} {
		w := newWorld(t)
		w.project(entry)
		s := w.open()
		w.approveOf(s, "native", "x")
		running, err := s.Load().Admit("x")
		if err != nil {
			t.Fatal(err)
		}
		w.project(tt.text)
		if tt.deny {
			w.must(s.Deny(context.Background(), running.entry.Source.Real, "x"))
		}
		if got := s.Load().Trusts(running); got != tt.want {
			t.Errorf("%s: trusted is %v", name, got)
		}
	}
	w := newWorld(t)
	path := w.user(entry)
	s := w.open()
	own, err := s.Load().Admit("x")
	w.must(err)
	w.must(os.Remove(path))
	if !s.Load().Trusts(own) {
		t.Error("the user's own server lost its trust")
	}
}

// TestTrustsNoShownFile: a file that is only shown keeps nothing running.
func TestTrustsNoShownFile(t *testing.T) {
	w := newWorld(t)
	w.project(`{"mcpServers":{"x":{"command":"x"}}}`)
	s := w.open()
	w.approveOf(s, "native", "x")
	c := s.Load()
	running, err := c.Admit("x")
	w.must(err)
	for _, src := range c.Sources {
		src.ShowOnly = true
	}
	if c.Trusts(running) {
		t.Error("trusted by a file that does not count")
	}
}

// TestFolderBehindLink: a project's server does not start in a folder that has become a
// link out of the workspace since it was approved.
func TestFolderBehindLink(t *testing.T) {
	w := newWorld(t)
	way := filepath.Join(w.repo, "way")
	w.must(os.Mkdir(way, 0o700))
	w.project(`{"mcpServers":{"x":{"command":"x","cwd":"way"}}}`)
	s := w.open()
	w.approveOf(s, "native", "x")
	a, err := s.Load().Admit("x")
	w.must(err)
	w.must(os.Remove(way))
	w.must(os.Symlink(w.home, way))
	_, err = a.Resolve(Environ{})
	if code(err) != CodeInvalid {
		t.Errorf("it would start there: %v", err)
	}
}

// TestApprovalsOfOthers: a record that others may write approves nothing.
func TestApprovalsOfOthers(t *testing.T) {
	w := newWorld(t)
	w.project(`{"mcpServers":{"x":{"command":"x"}}}`)
	s := w.open()
	w.approveOf(s, "native", "x")
	for mode, want := range map[os.FileMode]Approval{0o600: Approved, 0o644: Approved, 0o620: Pending, 0o602: Pending} {
		w.must(os.Chmod(s.approvalsPath(), mode))
		if got := w.state(s, "x"); got != want {
			t.Errorf("%o: %s", mode, got)
		}
	}
}

// TestWordsOnOneNameInTwoFiles: what is said about a name in one file leaves what was
// said about it in another.
func TestWordsOnOneNameInTwoFiles(t *testing.T) {
	ctx := context.Background()
	w := newWorld(t)
	w.project(`{"mcpServers":{"x":{"command":"x"}}}`)
	s := w.open()
	w.must(s.Deny(ctx, "/elsewhere/.mcp.json", "x"))
	w.approveOf(s, "native", "x")
	src := s.ReadSource(Project).Real
	if a := s.ReadApprovals(); a.find("/elsewhere/.mcp.json", "x") == nil || a.find(src, "x") == nil {
		t.Error("approving dropped another file's word")
	}
	if found, err := s.Revoke(ctx, src, "x"); err != nil || !found {
		t.Error(found, err)
	}
	if a := s.ReadApprovals(); a.find("/elsewhere/.mcp.json", "x") == nil || a.find(src, "x") != nil {
		t.Error("revoking dropped another file's word")
	}
}
