package engine

import (
	"context"
	"time"

	"github.com/mcpctl/mcpctl/internal/engine/wire"
	"github.com/mcpctl/mcpctl/internal/store"
	"github.com/mcpctl/mcpctl/internal/store/redact"
)

// ToolChanges are changes of tools as they are told, secrets hidden.
func ToolChanges(changes []store.ToolChange, mask *redact.Mask) []wire.ToolChange {
	out := []wire.ToolChange{}
	for _, c := range changes {
		t := wire.ToolChange{Tool: mask.Text(c.Name), Change: c.What(), Diff: store.ToolDiff(c, mask)}
		if c.Before != nil {
			t.From = string(c.Before.Hash)
		}
		if c.After != nil {
			t.To = string(c.After.Hash)
		}
		if t.Diff == "" {
			t.Diff = "what differs is hidden, because it looks like a secret\n"
		}
		out = append(out, t)
	}
	return out
}

// listedTools are the definitions that a server lists now, and the admission that they
// belong to. It waits for the connection, limit at most, 0 for a minute.
func (sv *server) listedTools(ctx context.Context, limit time.Duration) (store.Admitted, []store.ToolDefinition, error) {
	_, release, err := sv.acquireWithin(ctx, limit)
	if err != nil {
		return store.Admitted{}, nil, err
	}
	defer release()
	s := sv.session
	s.mu.Lock()
	admitted, tools := sv.want.admitted, sv.tools
	if sv.run != nil {
		admitted = sv.run.want.admitted // what runs may be older than what is wanted
	}
	s.mu.Unlock()
	if !admitted.Pinnable() {
		return admitted, nil, wire.NewError(wire.NotFound, "'"+sv.name+"' stands in no file, so what its tools were is not kept", "").On(sv.name)
	}
	return admitted, Define(s.opts.Store, tools), nil
}

// ToolSets compares the tools of one server, or of all for "", with what was approved.
// A server that cannot be asked carries its error and spoils no other.
func (s *Session) ToolSets(ctx context.Context, name string, limit time.Duration) ([]wire.ToolSet, error) {
	servers, err := s.targets(name)
	if err != nil {
		return nil, err
	}
	out := make([]wire.ToolSet, len(servers))
	each(servers, func(i int, sv *server) {
		set, err := sv.toolSet(ctx, limit)
		set.Error = sv.errorOf(err)
		out[i] = set
	})
	if name != "" && out[0].Error != nil {
		return nil, out[0].Error
	}
	return out, ctx.Err()
}

func (sv *server) toolSet(ctx context.Context, limit time.Duration) (wire.ToolSet, error) {
	admitted, listed, err := sv.listedTools(ctx, limit)
	if err != nil {
		return wire.ToolSet{Name: sv.name, Changes: []wire.ToolChange{}}, err
	}
	pins, err := sv.session.opts.Store.ReadPins(admitted)
	if err != nil || pins == nil { // nothing is known to be approved
		return wire.ToolSet{Name: sv.name, Fingerprint: string(store.ToolSetFingerprint(listed)), Tools: len(listed),
			Changes: ToolChanges(store.CompareTools(nil, listed), redact.NewMask(sv.secrets()...))}, nil
	}
	return sv.setOf(pins, listed), nil
}

// ApproveTools records the tools that a server lists now as approved, if they are those
// whose fingerprint was shown; otherwise MCP_CONFIG_CONFLICT.
func (s *Session) ApproveTools(ctx context.Context, name string, shown store.Fingerprint, limit time.Duration) (wire.ToolSet, error) {
	sv, err := s.server(name)
	if err != nil {
		return wire.ToolSet{}, err
	}
	admitted, listed, err := sv.listedTools(ctx, limit)
	if err != nil {
		return wire.ToolSet{}, sv.errorOf(err)
	}
	if now := store.ToolSetFingerprint(listed); now != shown {
		return wire.ToolSet{}, wire.NewError(wire.ConfigConflict, "the tools of '"+name+"' are not those that were reviewed: expected "+string(shown)+", found "+string(now),
			"look at them; mcpctl approve --list --tools "+redact.ShellWord(name)+" --json gives the fingerprint").On(name)
	}
	set := sv.session.opts.Owner.toolSet() // of whom the server knows, also when it is lent
	pins, err := s.opts.Store.ReadPins(admitted)
	if err != nil || pins == nil || len(store.CompareTools(pins.Approved(set, listed), listed)) > 0 {
		if pins, err = s.opts.Store.PinTools(ctx, admitted, set, listed); err != nil {
			return wire.ToolSet{}, sv.errorOf(err)
		}
		s.event(name, "info", "its tools were approved")
	}
	s.recheckTools(true)
	sv.recheckTools(true) // which may be lent
	return sv.setOf(pins, listed), nil
}

// setOf describes a server's tools beside what is recorded of them.
func (sv *server) setOf(pins *store.Pins, listed []store.ToolDefinition) wire.ToolSet {
	at, approved := pins.Time, pins.Approved(sv.session.opts.Owner.toolSet(), listed)
	return wire.ToolSet{Name: sv.name, Fingerprint: string(store.ToolSetFingerprint(listed)), Approved: string(store.ToolSetFingerprint(approved)),
		Origin: string(pins.Origin), ApprovedAt: &at, Tools: len(listed), Changes: ToolChanges(store.CompareTools(approved, listed), redact.NewMask(sv.secrets()...))}
}
