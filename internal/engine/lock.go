package engine

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/mcpctl/mcpctl/internal/engine/wire"
	"github.com/mcpctl/mcpctl/internal/probe"
	"github.com/mcpctl/mcpctl/internal/probe/dial"
	"github.com/mcpctl/mcpctl/internal/store"
)

// LockOptions are what Lock and Check need beside the configuration and the names.
type LockOptions struct {
	Version string                               // of mcpctl, told to servers
	Timeout time.Duration                        // for one server; 0: the entry's for each request
	Log     func(server string) func(dial.Event) // what a server says beside the protocol; nil: nobody listens
	Update  bool                                 // of Lock: ask again for what is locked already
	Offline bool                                 // of Check: ask nobody
}

// locker asks the servers of a project, several at the same time.
type locker struct {
	config  *store.Config
	options LockOptions
	signIns *SignIns
}

// each asks about every server, as many as are tested at the same time.
func (l *locker) each(n int, ask func(i int)) {
	if !l.options.Offline {
		l.signIns = NewSignIns(l.config.Store, l.options.Version)
		defer l.signIns.Close()
	}
	slots := make(chan struct{}, testsAtOnce)
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			ask(i)
		})
	}
	all.Wait()
}

// ask connects to a server of the project and makes its record.
func (l *locker) ask(ctx context.Context, p store.ProjectServer) (store.LockedServer, error) {
	admitted, err := l.config.AdmitProject(p)
	if err != nil {
		return store.LockedServer{}, err
	}
	st := l.config.Store
	opts := probe.Options{Env: st.Env, Client: l.options.Version, Timeout: l.options.Timeout, Auth: l.signIns.Auth(st.Env)}
	if l.options.Log != nil {
		opts.Log = l.options.Log(admitted.Name())
	}
	found, err := probe.List(ctx, admitted, opts, st.Workspace.Dir)
	if err != nil {
		return store.LockedServer{}, wire.FromError(err).On(admitted.Name())
	}
	peer := store.LockedPeer{Name: found.ServerName, Version: found.ServerVersion}
	return st.LockServer(admitted, found.ProtocolVersion, peer, Define(st, found.Tools))
}

// projectServers are the servers of the project that are named, or all. Those of the
// lock file alone are in gone. MCP_NOT_FOUND for a name that is in neither.
func projectServers(c *store.Config, lock *store.LockFile, names []string) (found []store.ProjectServer, gone []string, err error) {
	if err := c.ProjectFault(); err != nil {
		return nil, nil, err
	}
	known := map[string]bool{}
	for _, p := range c.ProjectServers() {
		known[p.Entry.Name] = true
		if len(names) == 0 || slices.Contains(names, p.Entry.Name) {
			found = append(found, p)
		}
	}
	if len(names) == 0 {
		for name := range lock.Servers {
			if !known[name] {
				gone = append(gone, name)
			}
		}
		slices.Sort(gone)
		return found, gone, nil
	}
	for _, name := range names {
		_, locked := lock.Servers[name]
		switch {
		case known[name]:
		case locked && !slices.Contains(gone, name):
			gone = append(gone, name)
		case locked:
		case len(c.Named(name)) > 0:
			return nil, nil, wire.NewError(wire.NotFound, "'"+name+"' is no server of the project's files", "only those are locked").On(name)
		default:
			return nil, nil, c.NotFound(name)
		}
	}
	return found, gone, nil
}

// LockPlan is what the lock file is to be, and why.
type LockPlan struct {
	File *store.LockFile
	Rows []wire.LockedRow
}

// Lock makes the lock file anew for the named servers of the project, or for all: a
// server that stands there for the very entry it has now is not asked again, unless
// Update says so. Nothing is written. errs are those of servers that could not be asked:
// the plan is then not whole, and not to be used.
func Lock(ctx context.Context, c *store.Config, names []string, o LockOptions) (plan LockPlan, errs []error) {
	old, err := c.Store.ReadLock()
	if err != nil {
		return LockPlan{}, []error{err}
	}
	if old == nil {
		old = &store.LockFile{Path: c.Store.LockPath(), Servers: map[string]store.LockedServer{}}
	}
	found, gone, err := projectServers(c, old, names)
	if err != nil {
		return LockPlan{}, []error{err}
	}
	plan.File = &store.LockFile{Path: old.Path, Revision: old.Revision, Servers: map[string]store.LockedServer{}}
	for name, l := range old.Servers {
		if !slices.Contains(gone, name) {
			plan.File.Servers[name] = l
		}
	}
	l := &locker{config: c, options: o}
	rows, taken, failed := make([]wire.LockedRow, len(found)), make([]store.LockedServer, len(found)), make([]error, len(found))
	l.each(len(found), func(i int) { rows[i], taken[i], failed[i] = l.lock(ctx, found[i], old) })
	for i, p := range found {
		if failed[i] != nil {
			errs = append(errs, failed[i])
			continue
		}
		if rows[i].Result != wire.LockSkipped {
			plan.File.Servers[p.Entry.Name] = taken[i]
		}
	}
	plan.Rows = rows
	for _, name := range gone {
		row := lockedRow(name, wire.LockDropped, old.Servers[name])
		plan.Rows = append(plan.Rows, row)
	}
	return plan, errs
}

// lock makes the record of one server, or keeps the one that is there.
func (l *locker) lock(ctx context.Context, p store.ProjectServer, old *store.LockFile) (wire.LockedRow, store.LockedServer, error) {
	name := p.Entry.Name
	was, locked := old.Servers[name]
	if why := notHere(p); why != "" {
		result := wire.LockSkipped
		if locked {
			result = wire.LockKept
		}
		row := lockedRow(name, result, was)
		row.Reason = why
		return row, was, nil
	}
	if locked && !l.options.Update && was.Fingerprint == p.Entry.Fingerprint {
		return lockedRow(name, wire.LockKept, was), was, nil
	}
	now, err := l.ask(ctx, p)
	if err != nil {
		return wire.LockedRow{}, store.LockedServer{}, err
	}
	for tool, t := range now.Tools { // what is the same stays as it is written
		if before, ok := was.Tools[tool]; ok && before.Hash == t.Hash {
			now.Tools[tool] = before
		}
	}
	return lockedRow(name, wire.LockTaken, now), now, nil
}

// notHere says why a server of the project is not asked although it may run; "" when it
// is.
func notHere(p store.ProjectServer) string {
	switch {
	case p.HiddenBy != nil:
		return "the one in " + p.HiddenBy.Source.Path + " is in force in its place"
	case p.Disabled:
		return "it is disabled"
	}
	return ""
}

func lockedRow(name string, result wire.LockResult, l store.LockedServer) wire.LockedRow {
	return wire.LockedRow{Name: name, Result: result, Fingerprint: string(l.Fingerprint), Package: wirePackage(l.Package),
		ProtocolVersion: l.ProtocolVersion, Server: wire.Peer{Name: l.Server.Name, Version: l.Server.Version}, Tools: len(l.Tools)}
}

func wirePackage(p *store.Package) *wire.Package {
	if p == nil {
		return nil
	}
	return &wire.Package{Registry: p.Registry, Name: p.Name, Version: p.Version, Origin: string(p.Origin)}
}
