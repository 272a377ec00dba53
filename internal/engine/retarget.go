package engine

import "github.com/mcpctl/mcpctl/internal/engine/wire"

// A server whose definition changes, or that is switched off or removed, while calls
// are in flight goes on until they are done (design §9.3). One that a project supplies
// and that is not approved any more does not: it is stopped at once.

// What retarget and restart did to a server.
type deed int

const (
	nothing deed = iota
	started
	restarted
	waits // until the calls in flight are done
)

// retarget takes what the configuration now asks. When that is what runs already,
// nothing that matters changed and the server is left alone. trusted tells whether
// what runs may go on until the calls in flight are done. held: mu.
func (sv *server) retarget(w want, trusted bool) deed {
	switch {
	case sv.run != nil && w.fault == nil && w.digest == sv.run.want.digest && trusted:
		sv.stays(sv.run.want, w)
		return nothing
	case sv.run == nil && w.fault == nil && w.digest == sv.want.digest:
		sv.stays(sv.want, w)
		return nothing
	case w.fault != nil && sv.want.fault != nil && w.fault.Error() == sv.want.fault.Error() && trusted:
		return nothing
	case w.fault == nil && w.digest == sv.want.digest && sv.pending && trusted:
		return waits
	}
	sv.want = w
	if sv.inflight > 0 && trusted {
		sv.wait("the definition changed; it reloads when the calls in flight are done")
		return waits
	}
	return sv.restart("its definition or its variables changed")
}

// stays goes on with what there is, and with the newest word on it. held: mu.
func (sv *server) stays(is, w want) {
	sv.want = is // and not what was to replace it
	sv.want.admitted, sv.want.env, sv.want.secrets = w.admitted, w.env, w.secrets
	if sv.pending && sv.again {
		return
	}
	sv.pending = false
	if sv.state == wire.PendingReload {
		state := wire.Connected
		if sv.conn == nil {
			state = wire.Starting
		}
		sv.set(state, "", nil)
	}
}

// wait lets the calls in flight end first. held: mu.
func (sv *server) wait(why string) {
	sv.pending = true
	sv.set(wire.PendingReload, why, nil)
}

// renewed starts the server again although nothing changed. held: mu.
func (sv *server) renewed() deed {
	if sv.inflight > 0 {
		sv.again = true
		sv.wait("it is started again when the calls in flight are done")
		return waits
	}
	return sv.restart("it was asked for")
}

// restart ends the present run, if any, and starts the next. One that is lazy and
// does not run stays so. held: mu.
func (sv *server) restart(why string) deed {
	running := sv.run != nil
	sv.stop()
	if running {
		sv.session.event(sv.name, "info", "restarting: "+why)
	}
	if !running && sv.lazy() {
		sv.set(wire.NotRunning, "", nil)
		return nothing
	}
	sv.start()
	if running {
		return restarted
	}
	return started
}

// part takes a server out of its session: when its calls are done or, if it may not
// finish them, at once. held: mu.
func (s *Session) part(sv *server) deed {
	delete(s.servers, sv.name)
	if sv.inflight > 0 && s.mayFinish(sv) {
		s.parting[sv.name] = sv
		sv.set(wire.PendingReload, s.whyParting(sv.name), nil)
		return waits
	}
	s.gone(sv)
	return nothing
}

// mayFinish tells whether a server that is wanted no more may end its calls first: not
// when its approval went, nor when MCP is another program's business now. held: mu.
func (s *Session) mayFinish(sv *server) bool {
	return s.config.Elsewhere == nil && s.trusts(sv)
}

// whyParting says what becomes of a server that is wanted no more. held: mu.
func (s *Session) whyParting(name string) string {
	if row := s.config.InForce(name); row != nil && !row.Enabled {
		return "it is switched off when the calls in flight are done"
	}
	return "it is removed; it stops when the calls in flight are done"
}

// gone stops a server that is in its session no more. held: mu.
func (s *Session) gone(sv *server) {
	delete(s.parting, sv.name)
	s.event(sv.name, "info", "stopped: no longer in force")
	sv.stop()
	s.leaving[sv.name] = sv.last
	s.bump()
	s.listChanged(sv.name, allLists...)
}

// release ends the count of one call, and does what waited for the last.
func (sv *server) release() {
	s := sv.session
	s.mu.Lock()
	defer s.mu.Unlock()
	sv.inflight--
	switch {
	case sv.inflight > 0:
	case s.parting[sv.name] == sv:
		s.gone(sv)
	case sv.pending && s.servers[sv.name] == sv:
		sv.restart("its definition or its variables changed")
	}
}
