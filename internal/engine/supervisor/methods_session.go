package supervisor

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/mcpctl/mcpctl/internal/engine"
	"github.com/mcpctl/mcpctl/internal/engine/wire"
	"github.com/mcpctl/mcpctl/internal/store"
	"github.com/mcpctl/mcpctl/internal/store/redact"
)

// What is done with sessions, and what a session says above its files.

// changeable is what this package asks of a session that is changed.
type changeable interface {
	Reload(ctx context.Context, again bool) wire.Reloaded
	Register(in wire.Register) error
	Unregister(name string) error
	SetOverride(in wire.SetOverride) error
}

// maxKept bounds the sessions that outlive their connections: each keeps servers
// running, and the supervisor, until somebody closes it.
const maxKept = 64

// join finds a kept session, or one of the connection's own, by its id.
func (c *connection) join(in wire.SessionOpen) (session, error) {
	sess, err := c.reachable(in.ID)
	if err != nil {
		return nil, err
	}
	sess.Refresh(nil)
	c.joined[in.ID] = sess
	if in.AsDefault {
		c.latest, c.environ, c.reopen = sess, nil, nil
	}
	return sess, nil
}

// reachable is a session that this connection may name: its own, or a kept one.
func (c *connection) reachable(id string) (session, error) {
	if sess := c.own[id]; sess != nil {
		return sess, nil
	}
	c.s.mu.Lock()
	defer c.s.mu.Unlock()
	if sess := c.s.kept[id]; sess != nil {
		return sess, nil
	}
	hint := "see: mcpctl session list"
	if near := store.Closest(id, slices.Collect(maps.Keys(c.s.kept))); near != "" {
		hint = "did you mean '" + near + "'?"
	}
	return nil, wire.NewError(wire.NotFound, "no session is called '"+id+"'", hint)
}

// keep makes a session that outlives its connection.
func (s *server) keep(st *store.Store, owner engine.Owner) (session, string, error) {
	if err := s.mayKeep(); err != nil {
		return nil, "", err
	}
	id := randomID()
	sess := s.makeSession(st, id, owner)
	s.mu.Lock()
	err := s.mayKeepLocked() // another connection may have been faster
	if err == nil {
		s.kept[id] = sess
	}
	s.mu.Unlock()
	if err != nil {
		s.closeSession(sess)
		return nil, "", err
	}
	return sess, id, nil
}

func (s *server) mayKeep() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.mayKeepLocked()
}

// mayKeepLocked says why no further session may be kept. held: mu.
func (s *server) mayKeepLocked() error {
	switch {
	case s.closing:
		return stopping()
	case len(s.kept) >= maxKept:
		return wire.NewError(wire.Failure, fmt.Sprintf("%d sessions are kept already", maxKept), "close some with: mcpctl session close")
	}
	return nil
}

// isOpen tells whether a session has not been closed.
func (s *server) isOpen(sess session) bool { return slices.Contains(s.openSessions(), sess) }

// sessionInfos describes every session, oldest first.
func (s *server) sessionInfos() []wire.SessionInfo {
	s.mu.Lock()
	kept, owners := maps.Clone(s.kept), maps.Clone(s.owners)
	s.mu.Unlock()
	out := []wire.SessionInfo{}
	for _, sess := range s.openSessions() {
		info := sess.Info()
		switch {
		case info.Session == wire.DefaultSession:
			info.Kind = wire.KindDefault
		case kept[info.Session] != nil:
			info.Kind = wire.KindKept
		default:
			info.Kind = wire.KindConnection
			who := owners[sess]
			info.Owner, info.OwnerPID, info.For = who.program, who.pid, who.purpose
		}
		for _, sv := range sess.Status().Servers {
			if sv.State == wire.Connected {
				info.Running++
			}
		}
		out = append(out, info)
	}
	return out
}

// owned is who has a session of his own, and what for, as people are told.
type owned struct {
	program string
	pid     int
	purpose string
}

// maxOwned bounds each text of an owned, in characters.
const maxOwned = 80

// owns notes whose a session is.
func (c *connection) owns(sess session, purpose string) {
	who := owned{program: shortLine(c.client), purpose: shortLine(purpose)}
	if p, err := peerOf(c.raw); err == nil {
		who.pid = p.pid
	}
	c.s.mu.Lock()
	defer c.s.mu.Unlock()
	c.s.owners[sess] = who
}

func shortLine(text string) string {
	if runes := []rune(text); len(runes) > maxOwned {
		text = string(runes[:maxOwned])
	}
	return redact.Line(text)
}

func sessionList(c *connection, _ wire.Request) (any, error) {
	return wire.Sessions{Schema: wire.Schema, Sessions: c.s.sessionInfos()}, nil
}

// sessionClose ends a session: the default one that the connection opened last, one
// of its own, or a kept one. The answer comes when its servers are gone.
func sessionClose(c *connection, req wire.Request) (func(context.Context), error) {
	var in wire.InSession
	if err := req.Decode(&in); err != nil {
		return nil, err
	}
	var sess session
	var err error
	if in.Session == wire.DefaultSession {
		c.reopen = nil // it is not to be made again for being closed
		sess, err = c.find(in.Session)
	} else {
		sess, err = c.reachable(in.Session)
	}
	if err != nil {
		return nil, err
	}
	maps.DeleteFunc(c.own, func(_ string, own session) bool { return own == sess })
	delete(c.watched, sess)
	if ear := c.listens[sess]; ear != nil {
		ear.stop()
		delete(c.listens, sess)
	}
	var subs []*subscription
	for key, sub := range c.subs {
		if key.session == in.Session {
			subs = append(subs, sub)
			delete(c.subs, key)
		}
	}
	return func(ctx context.Context) {
		c.s.endSession(sess)
		endAll(subs)
		req.Reply(ctx, struct{}{}, nil)
	}, nil
}

// endSession closes a session, whoever it belongs to. A default one is made again
// when it is needed, and not before its servers are gone.
func (s *server) endSession(sess session) {
	s.mu.Lock()
	maps.DeleteFunc(s.kept, func(_ string, kept session) bool { return kept == sess })
	slots := slices.Collect(maps.Values(s.shared))
	s.mu.Unlock()
	ended := make(chan struct{})
	for _, slot := range slots {
		slot.mu.Lock()
		if slot.sess == sess {
			slot.sess, slot.ending = nil, ended
		}
		slot.mu.Unlock()
	}
	s.closeSession(sess)
	close(ended)
	select { // one that kept the supervisor alive may have been the last
	case s.quiet <- struct{}{}:
	default:
	}
}

func reload(c *connection, req wire.Request) (any, error) {
	var in wire.Reload
	if err := req.Decode(&in); err != nil {
		return nil, err
	}
	sess, err := c.find(in.Session)
	if err != nil {
		return nil, err
	}
	return sess.Reload(c.as(in.Session)(context.Background()), in.All), nil
}

func register(c *connection, req wire.Request) (any, error) {
	var in wire.Register
	return c.change(req, &in, &in.Session, func(sess session) error { return sess.Register(in) })
}

func unregister(c *connection, req wire.Request) (any, error) {
	var in wire.Unregister
	return c.change(req, &in, &in.Session, func(sess session) error { return sess.Unregister(in.Name) })
}

func setSessionOverride(c *connection, req wire.Request) (any, error) {
	var in wire.SetOverride
	return c.change(req, &in, &in.Session, func(sess session) error {
		if in.DryRun {
			return wire.NewError(wire.Usage, "'dryRun' is for '"+wire.MethodSetProjectOverride+"'", "")
		}
		return sess.SetOverride(in)
	})
}

// change reads the parameters and changes the session that is named in them.
func (c *connection) change(req wire.Request, in any, id *string, do func(session) error) (any, error) {
	if err := req.Decode(in); err != nil {
		return nil, err
	}
	sess, err := c.find(*id)
	if err != nil {
		return nil, err
	}
	return struct{}{}, do(sess)
}
