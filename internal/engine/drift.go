package engine

import (
	"context"
	"strings"

	"github.com/mcpctl/mcpctl/internal/engine/wire"
	"github.com/mcpctl/mcpctl/internal/probe/dial"
	"github.com/mcpctl/mcpctl/internal/store"
	"github.com/mcpctl/mcpctl/internal/store/redact"
)

// Drift is how the tools that a server lists differ from those that were approved. The
// zero value is no difference.
type Drift struct {
	changes []store.ToolChange
	err     error // there is a record, or a lock file, and it cannot be relied on
	mask    *redact.Mask
	basis   string // signature of the files it was found with
}

// Define are the definitions of the tools that can be called, as they are compared.
func Define(st *store.Store, tools []dial.Tool) []store.ToolDefinition {
	out := []store.ToolDefinition{}
	for _, t := range tools {
		if t.Unusable == "" {
			out = append(out, st.DefineTool(t.Name, t.Raw))
		}
	}
	return out
}

// DriftOf compares what an admitted server lists with what was approved. Where nothing
// was yet, this is what is approved: what the lock file of the project says, or the
// list itself. set says what the client can do, see Owner.toolSet.
func DriftOf(ctx context.Context, st *store.Store, a store.Admitted, set string, tools []dial.Tool, mask *redact.Mask) Drift {
	if !a.Pinnable() {
		return Drift{}
	}
	listed := Define(st, tools)
	pins, err := st.FirstPins(ctx, a, set, listed)
	if err != nil {
		return Drift{err: err}
	}
	return Drift{changes: store.CompareTools(pins.Approved(set, listed), listed), mask: mask}
}

// KnownDrift is DriftOf the command line's own for who only looks: nothing is recorded,
// and where nothing was, there is no difference.
func KnownDrift(st *store.Store, a store.Admitted, tools []dial.Tool) Drift {
	if !a.Pinnable() {
		return Drift{}
	}
	pins, err := st.KnownPins(a)
	if pins == nil || err != nil || !pins.Knows("") {
		return Drift{err: err}
	}
	listed := Define(st, tools)
	return Drift{changes: store.CompareTools(pins.Approved("", listed), listed), mask: redact.NewMask(a.Known(st.Env)...)}
}

// none tells whether there is nothing to tell.
func (d Drift) none() bool { return len(d.changes) == 0 && d.err == nil }

// Names are the tools that are not as they were approved, those that are gone included,
// sorted, secrets hidden.
func (d Drift) Names() []string {
	var out []string
	for _, c := range d.changes {
		out = append(out, d.mask.Text(c.Name))
	}
	return out
}

// String tells of it in one line; "" when there is nothing to tell.
func (d Drift) String() string {
	if d.err != nil {
		return "it is not known which tools were approved: " + d.err.Error()
	}
	by := map[string][]string{}
	for _, c := range d.changes {
		by[c.What()] = append(by[c.What()], d.mask.Text(c.Name))
	}
	var parts []string
	for _, what := range []string{store.ToolChanged, store.ToolNew, store.ToolGone} {
		if names := by[what]; len(names) > 0 {
			parts = append(parts, what+": "+strings.Join(names, ", "))
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return "tools changed (" + strings.Join(parts, "; ") + ")"
}

// what says what became of a tool; "" for one that is as it was approved.
func (d Drift) what(tool string) string {
	for _, c := range d.changes {
		if c.Name == tool {
			return c.What()
		}
	}
	return ""
}

// Refuse is the error for a call of a tool that is not as it was approved, under the
// setting pinTools: MCP_NOT_APPROVED. A tool that came later was never approved, and
// where the record cannot be relied on, none is known to be.
func (d Drift) Refuse(server, tool string) error {
	review := "mcpctl approve --tools " + redact.ShellWord(server)
	hint := "review it with: " + review
	shown := d.mask.Text(tool)
	switch what := d.what(tool); {
	case d.err != nil:
		if mend := wire.FromError(d.err).Advice; mend != "" && !strings.Contains(mend, review) {
			hint = mend + "; or say yourself which count: " + review
		}
		return wire.NewError(wire.NotApproved, "it is not known which tools of '"+server+"' were approved: "+d.err.Error(), hint).On(server)
	case what == store.ToolChanged:
		return wire.NewError(wire.NotApproved, "the definition of the tool '"+shown+"' has changed since it was approved", hint).On(server)
	case what == store.ToolNew:
		return wire.NewError(wire.NotApproved, "the tool '"+shown+"' came after the tools of '"+server+"' were approved", hint).On(server)
	}
	return nil
}

// Mark says of each tool whether it is as it was approved. With pinned, one that is not
// cannot be called, and is told as what it is: nobody must take its new definition for
// one that counts.
func (d Drift) Mark(server string, tools []wire.Tool, pinned bool) {
	for i := range tools {
		t := &tools[i]
		if t.Unusable != "" {
			continue
		}
		t.Changed = d.what(t.Name)
		if err := d.Refuse(server, t.Name); pinned && err != nil {
			t.Unusable = wire.FromError(err).Text
		}
	}
}

// drifted compares what a run has listed, and logs what is new about it.
func (sv *server) drifted(ctx context.Context, w want, tools []dial.Tool) Drift {
	s := sv.session
	basis := signature(s.opts.Store.PinsBasis(w.admitted)) // before they are read: what changes meanwhile is seen again
	d := DriftOf(context.WithoutCancel(ctx), s.opts.Store, w.admitted, s.opts.Owner.toolSet(), tools, redact.NewMask(w.secrets...))
	d.basis = basis
	told := d.String()
	s.mu.Lock()
	again := told == sv.toldDrift
	sv.toldDrift = told
	s.mu.Unlock()
	if told != "" && !again {
		s.log(sv.name, "warning", OwnLogger, told+"; see: mcpctl approve --tools "+redact.ShellWord(sv.name), w.secrets)
	}
	return d
}

// recheckTools compares again where what was approved may be another by now: an approval
// counts for the next request, in every session, for what came and for what it replaces.
// asked says that somebody wants to know now, and that it is no event of the files: between
// the two steps in which version control replaces a lock file there is none.
func (s *Session) recheckTools(asked bool) {
	s.mu.Lock()
	var all []*server
	for _, sv := range s.servers {
		if sv.listed && sv.run != nil {
			all = append(all, sv)
		}
	}
	s.mu.Unlock()
	for _, sv := range all {
		sv.recheckTools(asked)
	}
}

// recheckTools compares again; it costs little while the files are the same.
func (sv *server) recheckTools(asked bool) {
	s := sv.session
	s.mu.Lock()
	r, tools, conn, was := sv.run, sv.tools, sv.conn, sv.drift
	s.mu.Unlock()
	if r == nil || was.err == nil && was.basis == signature(s.opts.Store.PinsBasis(r.want.admitted)) {
		return
	}
	if known, err := s.opts.Store.KnownPins(r.want.admitted); !asked && known == nil && err == nil {
		return // nothing is recorded without being asked
	}
	d := sv.drifted(s.ctx, r.want, tools) // what is wanted may be newer than what runs
	s.mu.Lock()
	defer s.mu.Unlock()
	if sv.run != r || sv.conn != conn || conn == nil {
		return
	}
	same := d.String() == sv.drift.String()
	sv.drift = d
	if !same {
		sv.set(sv.state, sv.detail, nil)
		s.listChanged(sv.name, wire.ListOfTools) // what may be called is another by now
	}
}

// pinsFiles are the files that say which tools were approved of what runs. held: mu.
func (s *Session) pinsFiles() []string {
	var files []string
	for _, row := range s.config.Rows {
		if sv := s.servers[row.Entry.Name]; row.InForce && sv != nil && sv.want.admitted.Pinnable() {
			files = append(files, s.opts.Store.PinsBasis(sv.want.admitted)...)
		}
	}
	return files
}

// pinned notes what the setting pinTools says now, and tells of the lists that are
// others by that. held: mu.
func (s *Session) pinned() {
	now := s.pinsTools()
	if now == s.pinning {
		return
	}
	s.pinning = now
	for name, sv := range s.servers {
		if !sv.drift.none() {
			s.listChanged(name, wire.ListOfTools)
		}
	}
}

// pinsTools tells whether a tool that is not as it was approved is refused. held: mu.
func (s *Session) pinsTools() bool { return s.config.Store.LastSettings().PinsTools() }
