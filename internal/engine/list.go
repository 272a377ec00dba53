package engine

import (
	"slices"

	"github.com/mcpctl/mcpctl/internal/engine/wire"
	"github.com/mcpctl/mcpctl/internal/store"
	"github.com/mcpctl/mcpctl/internal/store/redact"
)

// List returns the effective servers with their live states; with all it is ListAll.
func (s *Session) List(all bool) wire.List {
	status := s.Status()
	s.mu.Lock()
	config := s.config
	s.mu.Unlock()
	if !all {
		return List(config, status)
	}
	out := ListAll(config, status)
	out.Servers = slices.DeleteFunc(out.Servers, func(sv wire.Server) bool {
		return sv.Scope != string(store.Session) && !s.opts.Owner.has(sv.Name)
	})
	return out
}

// List describes a configuration, secrets masked; status gives the states of
// the definitions in force, and may be Offline(config).
func List(c *store.Config, status wire.Status) wire.List { return listRows(c, c.Rows, status) }

// ListAll is List with the rows that are never in force: what is hidden, what
// overrides, and what the user files of other clients hold.
func ListAll(c *store.Config, status wire.Status) wire.List { return listRows(c, c.All(), status) }

func listRows(c *store.Config, rows []*store.Row, status wire.Status) wire.List {
	live := make(map[string]wire.ServerStatus, len(status.Servers))
	for _, st := range status.Servers {
		live[st.Name] = st
	}
	out := wire.List{Schema: wire.Schema, Workspace: c.Store.Workspace.Dir, Client: c.Store.Client.Name,
		Servers: []wire.Server{}, Problems: problems(c.Problems)}
	if e := c.Elsewhere; e != nil {
		out.HandledElsewhere = &wire.Owned{Owner: redact.Text(e.Owner), Reason: redact.Text(e.Reason), Source: e.Source}
	}
	for _, row := range rows {
		sv := Describe(row)
		if st, ok := live[sv.Name]; ok && row.InForce {
			sv.State, sv.Detail, sv.Tools, sv.ToolsChanged, sv.UpdatedAt = st.State, st.Detail, st.Tools, st.ToolsChanged, st.UpdatedAt
		}
		out.Servers = append(out.Servers, sv)
	}
	return out
}

// Describe is one row as JSON has it, its state as far as the files tell.
func Describe(row *store.Row) wire.Server {
	e := row.Entry
	sv := wire.Server{
		Name: e.Name, Scope: string(e.Source.Scope), Client: e.Source.Client, Source: e.Source.Path, Line: e.Line, Column: e.Column,
		InForce: row.InForce, Role: string(row.Role), Enabled: row.Enabled && e.Valid(), Exposure: string(row.Exposure),
		Fingerprint: string(e.Fingerprint), Approval: string(row.Approval), Covers: row.Covers,
		Overrides: []wire.Overriding{}, Shadows: []wire.Shadowed{}, Problems: problems(e.Problems),
	}
	sv.State, sv.Detail = fileState(row)
	if d := e.Definition; d != nil {
		mask := e.Mask()
		sv.Description = mask.Text(d.Description)
		sv.Transport = transport(d, mask)
	}
	for _, o := range row.Overrides {
		sv.Overrides = append(sv.Overrides, wire.Overriding{Scope: string(o.Source.Scope), Source: o.Source.Path, Client: o.Source.OnlyFor(), Fields: overrideFields(o.Override)})
	}
	for _, e := range row.Shadows {
		sv.Shadows = append(sv.Shadows, wire.Shadowed{Scope: string(e.Source.Scope), Source: e.Source.Path, Line: e.Line, Fingerprint: string(e.Fingerprint)})
	}
	return sv
}

func transport(d *store.Definition, mask *redact.Mask) *wire.Transport {
	t := &wire.Transport{Type: string(d.Transport)}
	if d.Transport == store.Stdio {
		t.Command, t.Args, t.Cwd = mask.Text(d.Command), mask.Args(d.Args), mask.Text(d.Cwd)
	} else {
		t.URL = mask.URL(d.URL)
	}
	return t
}

func overrideFields(o *store.Override) map[string]any {
	fields := map[string]any{}
	if o.Enabled != nil {
		fields["enabled"] = *o.Enabled
	}
	if o.Timeout != nil {
		fields["timeout"] = o.Timeout.String()
	}
	if o.Exposure != "" {
		fields["exposure"] = o.Exposure
	}
	if len(o.ToolExposure) > 0 {
		rules := map[string]any{}
		for _, r := range o.ToolExposure {
			rules[r.Pattern] = r.Exposure
		}
		fields["toolExposure"] = rules
	}
	return fields
}
