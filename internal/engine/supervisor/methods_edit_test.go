package supervisor

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/mcpctl/mcpctl/internal/engine/wire"
	"github.com/mcpctl/mcpctl/internal/store"
	"github.com/mcpctl/mcpctl/internal/store/atomicfile"
)

func entryOf(text string) json.RawMessage { return json.RawMessage(text) }

// userFile is where the user's servers are.
func (p place) userFile() string { return filepath.Join(p.dir, "config", "mcp", "mcp.json") }

func openSession(t *testing.T, c *Client, open wire.SessionOpen) {
	t.Helper()
	if _, err := c.Open(t.Context(), open); err != nil {
		t.Fatal(err)
	}
}

// TestEditIsSeenAtOnce: the list that follows an edit over the same connection has it,
// and so has that of another one that watches.
func TestEditIsSeenAtOnce(t *testing.T) {
	p := newPlace(t)
	p.serve(t, nil, nil)
	c := p.dial(t, false)
	openSession(t, c, p.open(p.workspace(t, "a")))
	var edit wire.Edit
	add := wire.Add{Session: wire.DefaultSession, Name: "mine", Entry: entryOf(`{"command":"true","lifecycle":"lazy"}`)}
	if err := c.Call(t.Context(), wire.MethodAdd, add, &edit); err != nil {
		t.Fatal(err)
	}
	if edit.Scope != "user" || edit.Fingerprint == "" || edit.Warnings == nil {
		t.Errorf("%+v", edit)
	}
	var list wire.List
	if err := c.Call(t.Context(), wire.MethodList, wire.InSession{Session: wire.DefaultSession}, &list); err != nil {
		t.Fatal(err)
	}
	found := false
	for _, sv := range list.Servers {
		found = found || sv.Name == "mine" && sv.Fingerprint == edit.Fingerprint
	}
	if !found {
		t.Errorf("the server is not in the list: %+v", list.Servers)
	}
}

// TestEditWaitsForTheLock and holds up nobody; who goes away while it waits has
// changed nothing.
func TestEditWaitsForTheLock(t *testing.T) {
	p := newPlace(t)
	p.serve(t, nil, nil)
	workspace := p.workspace(t, "a")
	if err := os.MkdirAll(filepath.Dir(p.userFile()), 0o700); err != nil {
		t.Fatal(err)
	}
	const before = `{"mcpServers":{}}`
	if err := os.WriteFile(p.userFile(), []byte(before), 0o600); err != nil {
		t.Fatal(err)
	}
	release, err := atomicfile.Lock(t.Context(), p.places.Locks(), p.userFile(), 0)
	if err != nil {
		t.Fatal(err)
	}
	add := wire.Add{Session: wire.DefaultSession, Name: "mine", Entry: entryOf(`{"command":"true","lifecycle":"lazy"}`)}

	gone := p.dial(t, false)
	openSession(t, gone, p.open(workspace))
	lost := make(chan error, 1)
	go func() { lost <- gone.Call(context.WithoutCancel(t.Context()), wire.MethodAdd, add, nil) }() // ends with the connection

	stays := p.dial(t, false)
	openSession(t, stays, p.open(workspace))
	done := make(chan error, 1)
	other := add
	other.Name = "other"
	go func() { done <- stays.Call(context.WithoutCancel(t.Context()), wire.MethodAdd, other, nil) }()
	// The same connection answers while its edit waits.
	if err := stays.Call(t.Context(), wire.MethodStatus, wire.InSession{Session: wire.DefaultSession}, nil); err != nil {
		t.Fatal(err)
	}
	if err := gone.Call(t.Context(), wire.MethodStatus, wire.InSession{Session: wire.DefaultSession}, nil); err != nil {
		t.Fatal(err) // behind it, so the edit was read
	}
	gone.Close()
	wantCode(t, <-lost, wire.SupervisorUnreachable)
	eventually(t, "the edit is given up", func() bool {
		info, err := Status(t.Context(), p.places)
		return err == nil && info.Clients == 2 // the one that stays, and the one that asks
	})
	if err := release(); err != nil {
		t.Fatal(err)
	}
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(p.userFile())
	if err != nil || !strings.Contains(string(data), "other") || strings.Contains(string(data), "mine") {
		t.Errorf("%s, %v", data, err)
	}
}

// TestManyEditsAtOnce: edits of many connections, several under way on each, are all
// made, and each is answered.
func TestManyEditsAtOnce(t *testing.T) {
	const clients, each = 6, 10
	p := newPlace(t)
	p.serve(t, nil, nil)
	workspace := p.workspace(t, "a")
	var all sync.WaitGroup
	for i := range clients {
		c := p.dial(t, false)
		openSession(t, c, p.open(workspace))
		for j := range each {
			all.Go(func() {
				name := fmt.Sprintf("s%d-%d", i, j)
				var edit wire.Edit
				err := c.Call(t.Context(), wire.MethodAdd, wire.Add{Session: wire.DefaultSession, Name: name, Entry: entryOf(`{"command":"true","lifecycle":"lazy"}`)}, &edit)
				if err != nil || edit.Name != name {
					t.Errorf("%s: %+v, %v", name, edit, err)
				}
			})
		}
	}
	all.Wait()
	data, err := os.ReadFile(p.userFile())
	if n := strings.Count(string(data), `"lifecycle"`); err != nil || n != clients*each {
		t.Errorf("%d servers are there, want %d (%v)", n, clients*each, err)
	}
}

// TestEditFindsItsFiles: a session whose workspace is another one by now is not edited.
func TestEditFindsItsFiles(t *testing.T) {
	p := newPlace(t)
	p.serve(t, nil, nil)
	inner := p.workspace(t, "outer/inner")
	c := p.dial(t, false)
	openSession(t, c, p.open(inner))
	if err := os.Remove(filepath.Join(inner, ".mcp.json")); err != nil {
		t.Fatal(err)
	}
	outer := filepath.Join(filepath.Dir(inner), ".mcp.json")
	if err := os.WriteFile(outer, []byte(`{"mcpServers":{}}`), 0o644); err != nil {
		t.Fatal(err)
	}
	add := wire.Add{Session: wire.DefaultSession, Scope: "project", Name: "mine", Entry: entryOf(`{"command":"true"}`)}
	e := wantCode(t, c.Call(t.Context(), wire.MethodAdd, add, nil), wire.ConfigConflict)
	if !strings.Contains(e.Advice, "open the session again") {
		t.Error(e.Advice)
	}
	if data, err := os.ReadFile(outer); err != nil || string(data) != `{"mcpServers":{}}` {
		t.Errorf("%s, %v", data, err)
	}
}

// TestEditInAnOwnSession: a session of its own is edited with its own environment, and
// only by who has opened it.
func TestEditInAnOwnSession(t *testing.T) {
	p := newPlace(t)
	p.serve(t, nil, nil)
	elsewhere := filepath.Join(p.dir, "elsewhere")
	open := p.open(p.workspace(t, "a"))
	open.ID = "editor"
	open.Env = append([]string{}, p.env...)
	for i, kv := range open.Env {
		if strings.HasPrefix(kv, "MCPCTL_CONFIG_HOME=") {
			open.Env[i] = "MCPCTL_CONFIG_HOME=" + elsewhere
		}
	}
	c := p.dial(t, false)
	opened, err := c.Open(t.Context(), open)
	if err != nil {
		t.Fatal(err)
	}
	add := wire.Add{Session: opened.Session, Name: "mine", Entry: entryOf(`{"command":"true","lifecycle":"lazy"}`)}
	var edit wire.Edit
	if err := c.Call(t.Context(), wire.MethodAdd, add, &edit); err != nil {
		t.Fatal(err)
	}
	if edit.Source != filepath.Join(elsewhere, "mcp", "mcp.json") {
		t.Errorf("it was written to %s", edit.Source)
	}
	wantCode(t, p.dial(t, false).Call(t.Context(), wire.MethodAdd, add, nil), wire.NotFound)
}

// TestWriteIsApprovedWhoeverGoes: behind the write of a project's entry its approval
// follows, also when the caller is gone meanwhile.
func TestWriteIsApprovedWhoeverGoes(t *testing.T) {
	p := newPlace(t)
	workspace := p.workspace(t, "a")
	st, err := store.Open(store.NewEnviron(p.env), workspace, "native")
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(workspace, ".mcp.json")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	approvals := filepath.Join(p.places.State(), "approvals.json")
	release, err := atomicfile.Lock(ctx, p.places.Locks(), approvals, 0)
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() {
		_, err := addServer(ctx, st, wire.Add{Scope: "project", Name: "mine", Entry: entryOf(`{"command":"true"}`)})
		done <- err
	}()
	eventually(t, "the entry is written", func() bool {
		data, err := os.ReadFile(file)
		return err == nil && strings.Contains(string(data), "mine")
	})
	cancel()
	if err := release(); err != nil {
		t.Fatal(err)
	}
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	if row := st.Load().InForce("mine"); row == nil || row.Approval != store.Approved {
		t.Errorf("it is not approved: %+v", row)
	}
}

// TestEveryMethodIsInTheTable, so that the manual and the samples can be held to it.
func TestEveryMethodIsInTheTable(t *testing.T) {
	names := map[string]bool{wire.MethodHello: true}
	for name := range quick {
		names[name] = true
	}
	for name := range slow {
		names[name] = true
	}
	delete(names, wire.NotifyCancel) // asks for nothing
	for name := range names {
		if _, ok := wire.MethodNamed(name); !ok {
			t.Errorf("%s has no row in wire's table of methods", name)
		}
	}
	have := map[string]bool{}
	for _, s := range samples() {
		have[s.method] = have[s.method] || s.kind == "request"
	}
	for name := range names {
		if !have[name] {
			t.Errorf("%s has no sample", name)
		}
	}
}
