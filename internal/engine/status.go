package engine

import (
	"maps"
	"slices"

	"github.com/mcpctl/mcpctl/internal/engine/wire"
	"github.com/mcpctl/mcpctl/internal/store"
)

// Status returns the present snapshot: every name once, whole.
func (s *Session) Status() wire.Status {
	s.mu.Lock()
	defer s.mu.Unlock()
	live := s.live()
	out := Offline(s.config)
	out.Session, out.Epoch, out.Generation, out.Ended = s.opts.ID, s.opts.Epoch, s.generation, s.ended
	for i, st := range out.Servers {
		if l, ok := live[st.Name]; ok {
			out.Servers[i] = l
			delete(live, st.Name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(live)) { // in no file any more, and not gone yet
		out.Servers = append(out.Servers, live[name])
	}
	return out
}

// live are the states of the servers that are admitted. held: mu.
func (s *Session) live() map[string]wire.ServerStatus {
	out := make(map[string]wire.ServerStatus, len(s.servers))
	all := maps.Clone(s.servers)
	maps.Copy(all, s.parting)
	for name, sv := range all {
		if sv.borrows() && s.lender != nil {
			if lent, ok := s.lender.liveOf(name, sv.want.digest); ok {
				out[name] = lent
				continue
			}
		}
		out[name] = sv.live()
	}
	return out
}

// liveOf is the state of a server that another session has borrowed.
func (s *Session) liveOf(name, digest string) (wire.ServerStatus, bool) {
	sv := s.lends(name, digest)
	if sv == nil {
		return wire.ServerStatus{}, false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return sv.live(), true
}

// live is the state of one server. held: mu.
func (sv *server) live() wire.ServerStatus {
	at := sv.updatedAt
	st := wire.ServerStatus{Name: sv.name, State: sv.state, Detail: sv.detail, UpdatedAt: &at}
	if sv.listed {
		n := usable(sv.tools)
		st.Tools = &n
		st.ToolsChanged = sv.drift.Names()
		if st.Detail == "" {
			st.Detail = sv.drift.String()
		}
	}
	if sv.conn != nil {
		st.PID = sv.conn.PID()
	}
	return st
}

// Offline is the status as far as the files tell: nothing runs. Every name
// stands once, with the definition in force before one that waits.
func Offline(c *store.Config) wire.Status {
	out := wire.Status{Schema: wire.Schema, Workspace: c.Store.Workspace.Dir, Session: wire.DefaultSession,
		Servers: []wire.ServerStatus{}, Problems: problems(c.Problems)}
	seen := map[string]int{}
	for _, row := range c.Rows {
		state, detail := fileState(row)
		st := wire.ServerStatus{Name: row.Entry.Name, State: state, Detail: detail}
		i, again := seen[st.Name]
		switch {
		case !again:
			seen[st.Name] = len(out.Servers)
			out.Servers = append(out.Servers, st)
		case row.InForce:
			out.Servers[i] = st
		}
	}
	return out
}

// fileState is the state of a row as far as the files tell.
func fileState(row *store.Row) (state wire.State, detail string) {
	switch {
	case !row.Entry.Valid():
		for _, p := range row.Entry.Problems {
			if p.Severity == store.SeverityError {
				return wire.InvalidConfig, p.Message
			}
		}
		return wire.InvalidConfig, ""
	case row.Approval != store.NotNeeded && row.Approval != store.Approved:
		return wire.PendingApproval, row.Why
	case row.Role != "" && !row.Enabled:
		return wire.Disabled, row.Why
	case row.Role != "":
		return wire.NotRunning, row.Why
	case !row.InForce:
		return wire.InvalidConfig, row.Why
	case !row.Enabled && row.Entry.Definition.Enabled:
		for _, o := range row.Overrides { // strongest first
			if o.Override.Enabled == nil {
				continue
			}
			if o.Source.Scope == store.Session {
				return wire.DisabledInSession, "disabled in this session"
			}
			if o.Source.Scope == store.Project {
				return wire.DisabledInProject, "disabled by " + o.Source.Path
			}
			return wire.Disabled, "disabled by " + o.Source.Path
		}
		return wire.Disabled, ""
	case !row.Enabled:
		return wire.Disabled, ""
	case row.Elsewhere != nil:
		return wire.Elsewhere, "handled by " + row.Elsewhere.Owner
	}
	return wire.NotRunning, row.Why
}

func problems(list []store.Problem) []wire.Problem {
	out := make([]wire.Problem, 0, len(list))
	for _, p := range list {
		w := wire.Problem{Code: wire.Code(p.Code), Severity: p.Severity, Source: p.Source, Line: p.Line, Column: p.Column, Message: p.Message, Hint: p.Hint, Rule: p.Rule}
		if p.Server != "" {
			w.Server = &p.Server
		}
		out = append(out, w)
	}
	return out
}
