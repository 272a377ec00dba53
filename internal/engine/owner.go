package engine

import (
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/mcpctl/mcpctl/internal/engine/wire"
	"github.com/mcpctl/mcpctl/internal/probe/dial"
	"github.com/mcpctl/mcpctl/internal/store"
)

// Owner is what the one who opened a session says of it and of himself. The zero value
// is the command line: all servers, the workspace for a root, and a user who can be
// asked.
type Owner struct {
	Servers, Exclude []string // patterns of names; see wire.SessionOpen
	Roots            []wire.Root
	Capabilities     *wire.ClientCapabilities
	ProtocolVersion  string // of MCP, of his own client; see wire.SessionOpen
}

// has tells whether a server is in the session at all.
func (o Owner) has(name string) bool {
	about := func(pattern string) bool { return store.Matches(pattern, name) }
	return (len(o.Servers) == 0 || slices.ContainsFunc(o.Servers, about)) && !slices.ContainsFunc(o.Exclude, about)
}

// abilities are what servers are told of him; nil: what goes without saying.
func (o Owner) abilities() *dial.Abilities {
	c := o.Capabilities
	if c == nil && o.Roots == nil {
		return nil
	}
	if c == nil {
		return &dial.Abilities{Form: true, URL: true, Roots: true, RootsChange: true}
	}
	var out dial.Abilities
	if e := c.Elicitation; e != nil {
		out.Form, out.URL = e.Form != nil || e.URL == nil, e.URL != nil
	}
	if s := c.Sampling; s != nil {
		out.Sampling, out.SamplingTools, out.SamplingContext = true, s.Tools != nil, s.Context != nil
	}
	if r := c.Roots; r != nil {
		out.Roots, out.RootsChange = true, r.ListChanged
	}
	return &out
}

// toolSet names what the servers are told of him, as records of tools have it; "" is the
// command line.
func (o Owner) toolSet() string {
	a := o.abilities()
	if a == nil {
		return ""
	}
	var words []string
	for _, can := range []struct {
		word string
		has  bool
	}{{"form", a.Form}, {"url", a.URL}, {"roots", a.Roots}, {"sampling", a.Sampling}, {"sampling.tools", a.SamplingTools}, {"sampling.context", a.SamplingContext}} {
		if can.has {
			words = append(words, can.word)
		}
	}
	switch set := strings.Join(words, " "); set {
	case "form url roots":
		return ""
	case "":
		return "none"
	default:
		return set
	}
}

// rootsOf are roots as servers are told them; nil stays nil.
func rootsOf(list []wire.Root) []dial.Root {
	if list == nil {
		return nil
	}
	out := make([]dial.Root, len(list))
	for i, r := range list {
		out[i] = dial.Root{URI: r.URI, Name: r.Name}
	}
	return out
}

// SetRoots changes the roots of a session. tell tells the servers that are connected, as
// far as they wanted to be told.
func (s *Session) SetRoots(list []wire.Root) (tell func()) {
	roots := rootsOf(list)
	if roots == nil {
		roots = []dial.Root{}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.roots = roots
	return func() {
		s.telling.Lock() // the newest is told last
		defer s.telling.Unlock()
		s.mu.Lock()
		roots, conns := s.roots, s.connections()
		s.mu.Unlock()
		var all sync.WaitGroup
		for _, conn := range conns {
			all.Go(func() { conn.SetRoots(roots) })
		}
		all.Wait()
	}
}

// connections are those of the session's own servers. held: mu.
func (s *Session) connections() map[string]*dial.Conn {
	out := map[string]*dial.Conn{}
	for name, sv := range s.servers {
		if sv.conn != nil {
			out[name] = sv.conn
		}
	}
	return out
}

// logLevels are those of MCP's logging, the least severe first.
var logLevels = []string{"debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"}

// SetLogLevel says from which level on a server, or all of the session for "", is to
// send log messages; also after it connects again. One that is shared with other
// sessions is not told: the level is not this one's alone. tell tells those that are
// connected. USAGE for a level that MCP does not have; that one refuses it is logged.
func (s *Session) SetLogLevel(in wire.SetLogLevel) (tell func(context.Context), err error) {
	if !slices.Contains(logLevels, in.Level) {
		return nil, wire.NewError(wire.Usage, "there is no log level '"+in.Level+"'", "it is one of debug, info, notice, warning, error, critical, alert and emergency")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if in.Server == "" {
		clear(s.levels)
	} else if _, err := s.serverLocked(in.Server); err != nil {
		return nil, err
	}
	s.levels[in.Server] = in.Level
	return s.tellLevels, nil
}

// tellLevels tells the servers that are connected which log messages are wanted.
func (s *Session) tellLevels(ctx context.Context) {
	s.telling.Lock() // the newest is told last
	defer s.telling.Unlock()
	s.mu.Lock()
	conns := s.connections()
	wanted := map[string]string{}
	for name := range conns {
		wanted[name] = s.tuning(name).level
	}
	s.mu.Unlock()
	ctx, cancel := context.WithTimeout(ctx, tuneLimit)
	defer cancel()
	var all sync.WaitGroup
	for name, conn := range conns {
		all.Go(func() { s.setLevel(ctx, name, conn, wanted[name]) })
	}
	all.Wait()
}

func (s *Session) setLevel(ctx context.Context, name string, conn *dial.Conn, level string) {
	if level == "" {
		return
	}
	if err := conn.SetLogLevel(ctx, level); err != nil && ctx.Err() != context.Canceled {
		s.event(name, "warning", "the log level was not set: "+err.Error())
	}
}

// tuneLimit bounds what a connection is told before it is used.
const tuneLimit = 5 * time.Second

// tuned is what a connection was told of its session.
type tuned struct {
	level string
	roots []dial.Root
}

// tune tells a connection what has changed in the session since it was told.
func (sv *server) tune(ctx context.Context, conn *dial.Conn, was tuned) tuned {
	s := sv.session
	s.mu.Lock()
	now := s.tuning(sv.name)
	s.mu.Unlock()
	ctx, cancel := context.WithTimeout(ctx, tuneLimit)
	defer cancel()
	if now.level != was.level {
		s.setLevel(ctx, sv.name, conn, now.level)
	}
	if now.roots != nil && !slices.Equal(now.roots, was.roots) {
		conn.SetRoots(now.roots)
	}
	return now
}

// tuning is what a connection of a server is to be told now. held: mu.
func (s *Session) tuning(name string) tuned {
	level := s.levels[name]
	if level == "" {
		level = s.levels[""]
	}
	return tuned{level, s.roots}
}
