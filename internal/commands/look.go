package commands

import (
	"context"
	"slices"

	"github.com/mcpctl/mcpctl/internal/engine"
	"github.com/mcpctl/mcpctl/internal/engine/supervisor"
	"github.com/mcpctl/mcpctl/internal/engine/wire"
	"github.com/mcpctl/mcpctl/internal/store"
)

// live is what a look at the supervisor found.
type live struct {
	status     wire.Status
	supervisor wire.ListedSupervisor
	list       *wire.List // the session's, where that says more than the files; else nil
}

// liveStatus is look for commands that go by the files.
func (a *app) liveStatus(ctx context.Context, c *store.Config) (wire.Status, wire.ListedSupervisor) {
	found, err := a.look(ctx, c, false)
	if err != nil {
		found.status = engine.Offline(c)
	}
	return found.status, found.supervisor
}

// look asks a running supervisor for the states of this workspace's session, if it
// has one; it starts neither. Whatever fails, the answer is what the files say. Only
// a session that --session names has to be there: MCP_NOT_FOUND.
func (a *app) look(ctx context.Context, c *store.Config, all bool) (live, error) {
	found := live{status: engine.Offline(c)}
	ctx, cancel := context.WithTimeout(ctx, lookTimeout)
	defer cancel()
	client, err := supervisor.Dial(ctx, supervisor.DialOptions{Places: c.Store.Places, Version: a.version})
	if err != nil {
		return found, a.mustLook(err)
	}
	defer client.Close()
	open := a.sessionOpen(c.Store)
	open.Existing, open.Env = true, nil
	opened, lookErr := client.Open(ctx, open)
	hello, err := client.Hello(ctx)
	if err != nil {
		found.supervisor = a.otherVersion(ctx, c.Store.Places, err)
		return found, a.mustLook(err)
	}
	found.supervisor = wire.ListedSupervisor{Running: true, PID: hello.PID, Version: hello.Supervisor.Version}
	if lookErr != nil { // there is no such session
		return found, a.mustLook(lookErr)
	}
	var status wire.Status
	if err := client.Call(ctx, wire.MethodStatus, wire.InSession{Session: wire.DefaultSession}, &status); err != nil {
		return found, a.mustLook(err)
	}
	if opened.Own || a.namesSession() || len(unread(c)) > 0 {
		var list wire.List
		if err := client.Call(ctx, wire.MethodList, wire.ListServers{Session: wire.DefaultSession, All: all}, &list); err != nil {
			return found, a.mustLook(err)
		}
		found.list = &list
	}
	if !a.namesSession() {
		status.Problems = found.status.Problems // this reading is newer
	}
	found.status = status
	return found, nil
}

// mustLook is the error of a look at a session that was named; nil for any other.
func (a *app) mustLook(err error) error {
	switch {
	case !a.namesSession():
		return nil
	case notRunning(err):
		return noSession(a.session)
	}
	return err
}

// unread are the paths of the files that cannot be read as they are now.
func unread(c *store.Config) []string {
	var paths []string
	for _, src := range c.Sources {
		if src.Broken {
			paths = append(paths, src.Path)
		}
	}
	return paths
}

// overlaid is a list of what the files say with what the session says above them, and
// with what it still has of the files that cannot be read: its rows in place of those
// of the same names. With whole it is the session's list.
func overlaid(files, session wire.List, unread []string, whole bool) wire.List {
	if whole {
		return session
	}
	rows, own := map[string][]wire.Server{}, map[string]bool{}
	for _, sv := range session.Servers {
		rows[sv.Name] = append(rows[sv.Name], sv)
		if registered, override := said(&sv); registered || override != nil || slices.Contains(unread, sv.Source) {
			own[sv.Name] = true
		}
	}
	out := []wire.Server{}
	for i, sv := range append(files.Servers, session.Servers...) {
		switch {
		case own[sv.Name]:
			out = append(out, rows[sv.Name]...)
			rows[sv.Name] = nil // they stand there once
		case i < len(files.Servers):
			out = append(out, sv)
		}
	}
	files.Servers = out
	return files
}
