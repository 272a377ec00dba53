package engine

import (
	"context"
	"encoding/json"
	"maps"

	"github.com/mcpctl/mcpctl/internal/engine/wire"
	"github.com/mcpctl/mcpctl/internal/store"
)

// What a session says above every file, and what reads the files anew on demand.

// Reload reads every file now and answers what that did; it waits for no server. A
// request's environment (WithEnviron) becomes the session's. With again every server
// is started anew, whatever changed.
func (s *Session) Reload(ctx context.Context, again bool) wire.Reloaded {
	if env, _ := ctx.Value(environKey{}).(store.Environ); env != nil {
		s.takeEnviron(env)
	}
	did := s.reload(settled, again)
	s.mu.Lock()
	config := s.config
	s.mu.Unlock()
	out := wire.Reloaded{Schema: wire.Schema, Session: s.opts.ID, Started: list(did.started), Restarted: list(did.restarted),
		Stopped: list(did.stopped), Pending: list(did.pending), Problems: problems(config.Problems)}
	for _, row := range config.Rows {
		out.Problems = append(out.Problems, problems(row.Entry.Problems)...)
	}
	return out
}

// takeEnviron makes env the session's environment and tells whether that is news.
func (s *Session) takeEnviron(env store.Environ) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if maps.Equal(s.store.Env, env) {
		return false
	}
	next := *s.store
	next.Env = env
	s.store = &next
	return true
}

// Register adds a server above every file, until the session ends; see
// store.Overlay.Register for the errors.
func (s *Session) Register(in wire.Register) error {
	return s.say(func(o *store.Overlay, st *store.Store) (*store.Overlay, error) {
		return o.Register(st, in.Name, in.Entry, in.Replace)
	})
}

// Unregister takes a registered server away and stops it at once, as the removal of
// an entry from a file does; MCP_NOT_FOUND when the session has registered none.
func (s *Session) Unregister(name string) error {
	return s.say(func(o *store.Overlay, _ *store.Store) (*store.Overlay, error) { return o.Unregister(name) })
}

// SetOverride changes the session's override of a server, at the next idle moment
// of that server. It fails with MCP_NOT_FOUND for a name that no file has, with
// MCP_CONFIG_CONFLICT when the definition in force is not the expected one, and as
// store.Overlay.Override.
func (s *Session) SetOverride(in wire.SetOverride) error {
	fields := map[string]json.RawMessage{}
	for name, value := range map[string]json.RawMessage{"enabled": in.Enabled, "exposure": in.Exposure, "timeout": in.Timeout, "toolExposure": in.ToolExposure} {
		if len(value) > 0 {
			fields[name] = value
		}
	}
	return s.say(func(o *store.Overlay, _ *store.Store) (*store.Overlay, error) {
		rows := s.config.Named(in.Server)
		if len(rows) == 0 && !o.Overrides(in.Server) {
			return nil, s.config.NotFound(in.Server)
		}
		if expected := in.ExpectFingerprint; expected != "" && (len(rows) == 0 || string(rows[0].Entry.Fingerprint) != expected) {
			if len(rows) == 0 {
				return nil, s.config.NotFound(in.Server)
			}
			return nil, store.Conflict(rows[0].Entry, store.Fingerprint(expected))
		}
		return o.Override(in.Server, fields)
	})
}

// say changes what the session says, and brings its servers in line.
func (s *Session) say(change func(*store.Overlay, *store.Store) (*store.Overlay, error)) error {
	s.mu.Lock()
	next, err := (*store.Overlay)(nil), error(nil)
	if s.closed {
		err = wire.NewError(wire.NotFound, "the session was closed", "")
	} else {
		next, err = change(s.overlay, s.store)
	}
	if err == nil {
		s.overlay = next
	}
	s.mu.Unlock()
	if err != nil {
		return err
	}
	s.reload(unsettled, false)
	return nil
}

// ConfigOf is the configuration as st reads it now, with what the session itself says
// on top.
func (s *Session) ConfigOf(st *store.Store) *store.Config {
	s.mu.Lock()
	overlay := s.overlay
	s.mu.Unlock()
	return st.Decide(overlay.Over(st.ReadSources()))
}
