package store

import (
	"maps"
	"slices"
)

// ProjectFault is why the project's files do not say which servers there are; nil when
// they do.
func (c *Config) ProjectFault() error {
	if c.Store.LockPath() == "" {
		return c.Store.noProject()
	}
	for _, src := range c.Sources {
		if src.Scope == Project && src.Broken {
			return src.firstError()
		}
	}
	return nil
}

// ProjectServer is a server of the project's files, for the lock file.
type ProjectServer struct {
	Entry    *Entry
	Disabled bool
	HiddenBy *Entry // the user's own definition that is in force in its place
}

// ProjectServers are the servers that the project's files define, one for each name,
// sorted.
func (c *Config) ProjectServers() []ProjectServer {
	byName := map[string]*Row{}
	for _, row := range c.AllProjectRows() {
		e := row.Entry
		if e.Override != nil || e.Source.ShowOnly {
			continue
		}
		if inForce := c.InForce(e.Name); byName[e.Name] == nil || inForce != nil && inForce.Entry == e {
			byName[e.Name] = row
		}
	}
	out := []ProjectServer{}
	for _, name := range slices.Sorted(maps.Keys(byName)) {
		row := byName[name]
		p := ProjectServer{Entry: row.Entry}
		if inForce := c.InForce(name); inForce != nil && row.Approval == Approved && row.Entry.Valid() {
			p.Disabled = !inForce.Enabled
			if inForce.Entry != row.Entry {
				p.HiddenBy = inForce.Entry
			}
		}
		out = append(out, p)
	}
	return out
}

// AdmitProject is Admit for a server of the project's files: what else has its name
// is not meant.
func (c *Config) AdmitProject(p ProjectServer) (Admitted, error) {
	e := p.Entry
	if err := c.RefuseElsewhere(); err != nil {
		return Admitted{}, err
	}
	if !e.Valid() {
		return Admitted{}, locateEntry(invalidEntry(e.Name, e), e)
	}
	if state, why, _ := c.Approvals.State(c.Store, e); state != Approved {
		return Admitted{}, c.notApproved(e, state, why)
	}
	a, err := c.Admit(e.Name)
	if err == nil && a.entry != e {
		err = &Error{Code_: CodeNotFound, Server_: e.Name, Message: "the project's '" + e.Name + "' is hidden by the one in '" + a.Source() + "'"}
	}
	return a, err
}
