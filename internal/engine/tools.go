package engine

import (
	"context"
	"errors"
	"time"

	"github.com/mcpctl/mcpctl/internal/engine/wire"
	"github.com/mcpctl/mcpctl/internal/probe/dial"
	"github.com/mcpctl/mcpctl/internal/store"
	"github.com/mcpctl/mcpctl/internal/store/redact"
)

// ListTools returns the tools of one server, or of all for "". It waits until
// they are connected or have failed, each for limit at most, 0 for a minute; a
// server that has none to give carries its error and spoils no other.
func (s *Session) ListTools(ctx context.Context, name string, limit time.Duration) (wire.Tools, error) {
	servers, err := s.targets(name)
	if err != nil {
		return wire.Tools{}, err
	}
	out := wire.Tools{Schema: wire.Schema, Servers: make([]wire.ServerTools, len(servers))}
	each(servers, func(i int, sv *server) { out.Servers[i] = sv.describeTools(ctx, limit) })
	s.join(&out)
	s.expose(&out)
	if name != "" && out.Servers[0].Error != nil {
		return wire.Tools{}, out.Servers[0].Error
	}
	return out, ctx.Err()
}

// server finds an admitted server, or says why there is none.
func (s *Session) server(name string) (*server, error) {
	s.mu.Lock()
	sv, err := s.serverLocked(name)
	borrows := err == nil && sv.borrows()
	s.mu.Unlock()
	if borrows {
		sv = s.behind(sv)
	}
	return sv, err
}

// serverLocked is server, whoever stands behind it. held: mu.
func (s *Session) serverLocked(name string) (*server, error) {
	if sv := s.servers[name]; sv != nil {
		return sv, nil
	}
	if _, err := s.config.Admit(name); err != nil {
		if len(s.config.Named(name)) == 0 && len(s.inDoubt) > 0 { // it may stand there
			return nil, (&store.Config{Sources: s.inDoubt}).NotFound(name)
		}
		return nil, err
	}
	return nil, wire.NewError(wire.SupervisorUnreachable, "the supervisor is stopping", "").On(name)
}

// all are the admitted servers in the order of the configuration.
func (s *Session) all() []*server {
	out := s.admitted()
	for i, sv := range out {
		out[i] = s.behind(sv)
	}
	return out
}

func (s *Session) admitted() []*server {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []*server
	for _, row := range s.config.Rows {
		if sv := s.servers[row.Entry.Name]; sv != nil && row.InForce {
			out = append(out, sv)
		}
	}
	return out
}

func (sv *server) describeTools(ctx context.Context, limit time.Duration) wire.ServerTools {
	out := wire.ServerTools{Name: sv.name, Tools: []wire.Tool{}}
	_, release, err := sv.acquireWithin(ctx, limit)
	if err == nil {
		release()
	}
	sv.session.mu.Lock()
	defer sv.session.mu.Unlock()
	out.State = sv.state
	if err != nil {
		out.Error = wire.FromError(err).On(sv.name)
		return out
	}
	out.Tools = Tools(sv.tools)
	sv.drift.Mark(sv.name, out.Tools, sv.session.pinsTools())
	return out
}

// expose says of the tools that are not direct in this session how they are offered.
func (s *Session) expose(out *wire.Tools) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, sv := range out.Servers {
		row := s.config.InForce(sv.Name)
		for i := range sv.Tools {
			if row == nil {
				continue // it has gone meanwhile
			}
			if e := row.ExposureOf(sv.Tools[i].Name); e != store.Direct {
				sv.Tools[i].Exposure = string(e)
			}
		}
	}
}

// join fills in the joined names; they depend on every tool that is known.
func (s *Session) join(out *wire.Tools) {
	var keys []ToolKey
	for _, sv := range s.all() {
		sv.session.mu.Lock()
		for _, t := range sv.tools {
			keys = append(keys, ToolKey{sv.name, t.Name})
		}
		sv.session.mu.Unlock()
	}
	nameTools(out, keys)
}

// CallTool calls a tool once; it is never repeated. The limit is the request's
// TimeoutMS or the entry's, without progress, and covers connecting as well.
func (s *Session) CallTool(ctx context.Context, call wire.CallTool) (wire.CallResult, error) {
	began := time.Now()
	sv, err := s.server(call.Server)
	if err != nil {
		return wire.CallResult{}, err
	}
	timeout := time.Duration(call.TimeoutMS) * time.Millisecond
	conn, release, err := sv.acquireWithin(ctx, timeout)
	if err != nil {
		return wire.CallResult{}, wire.FromError(err).On(call.Server)
	}
	defer release()
	if err := sv.offers(call.Tool); err != nil {
		return wire.CallResult{}, err
	}
	ctx = s.heardBy(ctx, sv, askingOf(call))
	raw, err := conn.CallTool(ctx, call.Tool, call.Arguments, timeout)
	if errors.Is(err, dial.ErrSessionGone) {
		// The server has forgotten the session and says that it did not run the
		// call: the one case in which a call is sent again, once (design §9.2).
		release()
		sv.renew(conn)
		if conn, release, err = sv.acquireWithin(ctx, timeout); err != nil {
			return wire.CallResult{}, wire.FromError(err).On(call.Server)
		}
		defer release()
		if err := sv.offers(call.Tool); err != nil { // it may list others by now
			return wire.CallResult{}, err
		}
		raw, err = conn.CallTool(ctx, call.Tool, call.Arguments, timeout)
	}
	if err != nil {
		return wire.CallResult{}, wire.FromError(err).On(call.Server)
	}
	return s.recorded(conn, call, wire.CallResult{Schema: wire.Schema, Server: call.Server, Tool: call.Tool, Result: raw, MS: time.Since(began).Milliseconds()}), nil
}

// renew replaces a connection that is no longer of use, unless that has happened.
func (sv *server) renew(conn *dial.Conn) {
	s := sv.session
	s.mu.Lock()
	defer s.mu.Unlock()
	if sv.conn == conn && s.servers[sv.name] == sv {
		sv.stop()
		sv.start()
	}
}

// acquireWithin bounds the wait for a connection; 0 is the default timeout.
func (sv *server) acquireWithin(ctx context.Context, limit time.Duration) (*dial.Conn, func(), error) {
	if limit <= 0 {
		limit = store.DefaultTimeout
	}
	bounded, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	conn, release, err := sv.acquire(bounded)
	if err != nil && ctx.Err() == nil && errors.Is(err, context.DeadlineExceeded) {
		err = wire.NewError(wire.Timeout, "server '"+sv.name+"' was not connected within "+limit.String(), "see: mcpctl logs "+redact.ShellWord(sv.name))
	}
	return conn, release, err
}

// offers refuses a tool the server does not list, with a suggestion, or one that
// cannot be called, or may not because it is not as it was approved by now: a server that
// is lent is asked for by sessions that its own does not hear of.
func (sv *server) offers(tool string) error {
	sv.recheckTools(true)
	s := sv.session
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.pinsTools() {
		if err := sv.drift.Refuse(sv.name, tool); err != nil {
			return err
		}
	}
	return Offers(sv.name, sv.tools, tool)
}

// Reconnect starts a server again, whatever state it is in, and returns when it
// is connected or has failed.
func (s *Session) Reconnect(ctx context.Context, name string) error {
	sv, err := s.server(name)
	if err != nil {
		return err
	}
	sv.session.mu.Lock()
	sv.stop()
	sv.start()
	sv.session.mu.Unlock()
	_, release, err := sv.acquireWithin(ctx, 0)
	if err != nil {
		return wire.FromError(err).On(name)
	}
	release()
	return nil
}
