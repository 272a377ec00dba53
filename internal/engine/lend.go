package engine

import (
	"github.com/mcpctl/mcpctl/internal/engine/wire"
	"github.com/mcpctl/mcpctl/internal/store"
)

// A server whose entry says shared has one connection in a workspace, the default
// session's; the others borrow it (design §3). Locks: a borrower's mu may be held while
// the lender's is taken, and never the other way round.

// borrows tells whether a server is another session's, if that has the same.
func (sv *server) borrows() bool {
	return sv.session.opts.Lend != nil && sv.want.fault == nil && sv.want.admitted.Shared()
}

// lazy tells whether a server is not started before somebody needs it.
func (sv *server) lazy() bool {
	return sv.want.admitted.Lifecycle() == store.Lazy || sv.borrows()
}

// behind is the server that does what sv is asked for: the lender's, when it is lent and
// comes out the same there, or sv itself.
func (s *Session) behind(sv *server) *server {
	s.mu.Lock()
	borrows, digest, lender := sv.borrows(), sv.want.digest, s.lender
	s.mu.Unlock()
	if !borrows {
		return sv
	}
	if lender == nil || lender.isClosed() {
		if lender = s.borrow(); lender == nil {
			return sv
		}
	}
	lent := lender.lends(sv.name, digest)
	s.hub.borrow(sv.name, lent != nil)
	if lent == nil {
		return sv
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if sv.run != nil && sv.inflight == 0 && s.servers[sv.name] == sv { // it was another one until now
		sv.stop()
		sv.set(wire.NotRunning, "", nil)
	}
	return lent
}

// borrow finds the lender, and follows what it says; nil when there is none.
func (s *Session) borrow() *Session {
	lender, err := s.opts.Lend()
	if err != nil || lender == nil || lender == s {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed || s.lender == lender {
		return lender
	}
	s.lender = lender
	s.wg.Go(func() { s.follow(lender) })
	return lender
}

// follow passes on what the lender's servers do, until one of the sessions ends.
func (s *Session) follow(lender *Session) {
	stop := lender.Listen(Listener{Lists: func(c wire.ListChanged) {
		if s.hub.borrows(c.Server) {
			s.listChanged(c.Server, c.List)
		}
	}})
	defer stop()
	w := lender.Watch()
	defer w.Close()
	for {
		select {
		case <-s.ctx.Done():
			return
		case _, ok := <-w.C:
			s.mu.Lock()
			if !ok && s.lender == lender {
				s.lender = nil
			}
			s.bump()
			s.mu.Unlock()
			if !ok {
				return
			}
		}
	}
}

func (s *Session) isClosed() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.closed
}

// lends returns the server of this name, if it is the same as the borrower's.
func (s *Session) lends(name, digest string) *server {
	s.mu.Lock()
	defer s.mu.Unlock()
	if sv := s.servers[name]; !s.closed && sv != nil && sv.want.fault == nil && sv.want.digest == digest {
		return sv
	}
	return nil
}

func (h *hub) borrow(server string, borrowed bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.borrowed == nil {
		h.borrowed = map[string]bool{}
	}
	h.borrowed[server] = borrowed
}

func (h *hub) borrows(server string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.borrowed[server]
}
