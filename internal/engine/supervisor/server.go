package supervisor

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"maps"
	"net"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mcpctl/mcpctl/internal/engine"
	"github.com/mcpctl/mcpctl/internal/engine/wire"
)

// server is the running supervisor: its connections and its sessions.
type server struct {
	o          Options
	inst       *instance
	newSession sessionMaker
	epoch      string
	started    time.Time
	log        *logger
	idle       time.Duration
	guardEvery time.Duration
	helloWait  time.Duration
	watchEvery time.Duration
	closeWait  time.Duration

	stop     chan struct{} // closed when a client asks for the end
	stopOnce sync.Once
	quiet    chan struct{} // told when the last connection has ended
	accepts  sync.WaitGroup
	paused   atomic.Bool

	connections sync.WaitGroup
	signings    signings

	mu       sync.Mutex // guards what follows; held for moments, nothing is locked under it
	conns    []*connection
	sessions []session // every one that is open
	shared   map[sessionKey]*sharedSession
	kept     map[string]session         // that outlive their connections, by id
	owners   map[session]owned          // of those that do not
	closing  bool                       // no session may be opened any more
	outputs  map[string]*recorder       // by state directory
	signIns  map[string]*engine.SignIns // by engine.SignInsKey
}

func newServer(o Options, inst *instance, newSession sessionMaker) *server {
	idle := o.IdleTimeout
	if idle <= 0 {
		idle = idleDefault
	}
	return &server{
		o: o, inst: inst, newSession: newSession, epoch: randomID(), started: time.Now().UTC().Truncate(time.Millisecond),
		log: newLogger(o.Log), idle: idle, guardEvery: guardEvery, helloWait: helloTimeout,
		watchEvery: watchEvery, closeWait: closeTimeout,
		stop: make(chan struct{}), quiet: make(chan struct{}, 1),
		shared: map[sessionKey]*sharedSession{}, kept: map[string]session{}, owners: map[session]owned{}, outputs: map[string]*recorder{}, signIns: map[string]*engine.SignIns{},
	}
}

// randomID names an epoch or a session; 64 bits are never the same twice.
func randomID() string {
	var b [8]byte
	rand.Read(b[:]) // never fails; it ends the process instead
	return hex.EncodeToString(b[:])
}

// needed tells whether a client is connected, somebody asked for a session to be
// kept, or one has to be: it would be forgotten in silence otherwise.
func (s *server) needed() bool {
	s.mu.Lock()
	n := len(s.conns) + len(s.kept)
	s.mu.Unlock()
	return n > 0 || slices.ContainsFunc(s.openSessions(), session.Busy)
}

// startAccepting starts the one goroutine that accepts; stopAccepting ends it.
func (s *server) startAccepting() {
	s.paused.Store(false)
	s.inst.resumeAccepting()
	s.accepts.Go(s.accept)
}

func (s *server) stopAccepting() {
	s.paused.Store(true)
	s.inst.pauseAccepting()
	s.accepts.Wait()
}

func (s *server) accept() {
	for !s.paused.Load() {
		raw, err := s.inst.ln.AcceptUnix()
		switch {
		case err == nil:
			s.add(raw)
		case errors.Is(err, os.ErrDeadlineExceeded), errors.Is(err, net.ErrClosed):
			return
		default: // out of descriptors or memory, or the peer has gone again
			select {
			case <-s.stop:
				return
			case <-time.After(acceptPause):
			}
		}
	}
}

// add takes a connection, and its goroutine with it, which ends when the
// connection does. When there are too many, one that has not said hello yet goes
// first: who floods the socket must not keep the others out.
func (s *server) add(raw *net.UnixConn) {
	c := newConnection(s, raw)
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.conns) >= maxConnections {
		i := slices.IndexFunc(s.conns, func(c *connection) bool { return !c.greeted.Load() })
		if i < 0 {
			raw.Close()
			return
		}
		s.conns[i].raw.Close() // its goroutine does the rest
		s.conns = slices.Delete(s.conns, i, i+1)
	}
	s.conns = append(s.conns, c)
	s.connections.Go(c.serve)
}

// remove forgets a connection that has ended.
func (s *server) remove(c *connection) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.conns = slices.DeleteFunc(s.conns, func(other *connection) bool { return other == c })
	if len(s.conns) > 0 {
		return
	}
	select {
	case s.quiet <- struct{}{}:
	default: // it is told already
	}
}

// askToStop makes serve return.
func (s *server) askToStop() { s.stopOnce.Do(func() { close(s.stop) }) }

// closeAll ends every connection but those that asked for the end, which it
// returns, and every session, all at the same time. What hangs for closeTimeout is
// left to the process's end, and all is false.
func (s *server) closeAll() (asked []*connection, all bool) {
	s.mu.Lock()
	s.closing = true
	conns, slots, kept := slices.Clone(s.conns), slices.Collect(maps.Values(s.shared)), slices.Collect(maps.Values(s.kept))
	clear(s.kept)
	s.mu.Unlock()
	for _, sess := range s.openSessions() {
		sess.Stopping("the supervisor is stopping")
	}
	var wg sync.WaitGroup
	for _, c := range conns {
		if c.asked.Load() {
			asked = append(asked, c)
			wg.Go(c.end)
			continue
		}
		wg.Go(func() {
			c.lastWord()
			c.raw.Close()
			c.end()
		})
	}
	for _, slot := range slots {
		wg.Go(func() { s.closeShared(slot) })
	}
	for _, sess := range kept {
		wg.Go(func() { s.closeSession(sess) })
	}
	done := make(chan struct{})
	go func() { wg.Wait(); close(done) }()
	select {
	case <-done:
		return asked, true
	case <-time.After(s.closeWait):
		s.log.event("error", "a server or a call did not end in "+s.closeWait.String())
		return asked, false
	}
}

// info describes this supervisor.
func (s *server) info() wire.Info {
	s.mu.Lock()
	clients := len(s.conns)
	s.mu.Unlock()
	info := wire.Info{Schema: wire.Schema, Running: true, PID: os.Getpid(), Version: s.o.Version,
		Protocol: wire.ProtocolRange{Min: wire.ProtocolMin, Max: wire.ProtocolMax},
		Epoch:    s.epoch, Socket: s.inst.socket, StartedAt: s.started, Clients: clients, Sessions: s.sessionInfos()}
	return info
}
