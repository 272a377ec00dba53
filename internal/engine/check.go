package engine

import (
	"context"
	"strconv"

	"github.com/mcpctl/mcpctl/internal/engine/wire"
	"github.com/mcpctl/mcpctl/internal/store"
)

// Check compares the named servers of the project, or all, with the lock file. Offline
// it compares what is written alone, and starts nothing: the entries, and the packages
// that their commands name. It fails with MCP_NOT_FOUND when there is no lock file, and
// as store.ReadLock does; what is wrong with a server is in its row.
func Check(ctx context.Context, c *store.Config, names []string, o LockOptions) (wire.Check, error) {
	lock, err := c.Store.ReadLock()
	if err != nil {
		return wire.Check{}, err
	}
	if lock == nil {
		return wire.Check{}, &store.Error{Code_: store.CodeNotFound, Path: c.Store.LockPath(), Message: "there is no lock file", Hint_: "make it with: mcpctl lock"}
	}
	found, gone, err := projectServers(c, lock, names)
	if err != nil {
		return wire.Check{}, err
	}
	doc := wire.Check{Schema: wire.Schema, Source: lock.Path, Offline: o.Offline, OK: true, Servers: make([]wire.CheckedEntry, len(found))}
	l := &locker{config: c, options: o}
	l.each(len(found), func(i int) { doc.Servers[i] = l.check(ctx, found[i], lock) })
	for _, name := range gone {
		was := lock.Servers[name]
		doc.Servers = append(doc.Servers, wire.CheckedEntry{Name: name, Result: wire.CheckGone, Line: was.Line, Column: was.Column, Differences: []wire.LockDifference{}})
	}
	for _, row := range doc.Servers {
		doc.OK = doc.OK && row.Result == wire.CheckSame && row.Error == nil
	}
	return doc, nil
}

// check compares one server.
func (l *locker) check(ctx context.Context, p store.ProjectServer, lock *store.LockFile) wire.CheckedEntry {
	name := p.Entry.Name
	was, locked := lock.Servers[name]
	out := wire.CheckedEntry{Name: name, Result: wire.CheckSame, Line: was.Line, Column: was.Column, Differences: []wire.LockDifference{}}
	if !locked {
		out.Result = wire.CheckNotLocked
		return out
	}
	c := comparison{out: &out, was: was}
	c.value("fingerprint", string(was.Fingerprint), string(p.Entry.Fingerprint))
	switch out.Reason = notHere(p); {
	case l.options.Offline && out.Reason == "":
		out.Reason = "only what is written was compared"
		fallthrough
	case out.Reason != "":
		c.packages(p.Entry.Package())
	default:
		now, err := l.ask(ctx, p)
		if err != nil {
			out.Error = wire.FromError(err).On(name)
			c.packages(p.Entry.Package())
			break
		}
		c.packages(now.Package)
		c.value("protocolVersion", was.ProtocolVersion, now.ProtocolVersion)
		c.value("server", peerWord(was.Server), peerWord(now.Server))
		c.tools(now)
	}
	switch {
	case len(out.Differences) > 0:
		out.Result = wire.CheckDiffers
	case out.Error != nil:
		out.Result = wire.CheckFailed
	}
	return out
}

// comparison collects the differences of one server.
type comparison struct {
	out *wire.CheckedEntry
	was store.LockedServer
}

func (c comparison) value(what, from, to string) {
	if from != to {
		c.out.Differences = append(c.out.Differences, wire.LockDifference{What: what, From: from, To: to, Line: c.was.Line, Column: c.was.Column})
	}
}

// packages compares what the commands name. A version that servers tell of themselves is
// compared as that, once.
func (c comparison) packages(now *store.Package) {
	c.value("package", packageWord(c.was.Package), packageWord(now))
}

func packageWord(p *store.Package) string {
	switch {
	case p == nil:
		return ""
	case p.Origin == store.PinnedVersion:
		return p.Registry + ":" + p.Name + "@" + p.Version
	}
	return p.Registry + ":" + p.Name
}

// peerWord quotes both, so that nobody has to guess where the name ends.
func peerWord(p store.LockedPeer) string {
	word := strconv.Quote(p.Name)
	if p.Version != "" {
		word += " version " + strconv.Quote(p.Version)
	}
	return word
}

func (c comparison) tools(now store.LockedServer) {
	for _, t := range ToolChanges(store.CompareTools(c.was.Definitions(), now.Definitions()), nil) { // both hold no secrets
		d := wire.LockDifference{What: "tool", Tool: t.Tool, Change: t.Change, From: t.From, To: t.To, Diff: t.Diff, Line: c.was.Line, Column: c.was.Column}
		if at, ok := c.was.Tools[t.Tool]; ok {
			d.Line, d.Column = at.Line, at.Column
		}
		c.out.Differences = append(c.out.Differences, d)
	}
}
