package store

import (
	"path/filepath"
	"slices"
	"time"

	"github.com/mcpctl/mcpctl/internal/store/redact"
)

// Approval is the state of the user's word on an entry (design §5.2).
type Approval string

// The approval states, as JSON has them. Entries of user and local files need
// none.
const (
	NotNeeded Approval = "not-needed"
	Pending   Approval = "pending"
	Approved  Approval = "approved"
	Changed   Approval = "changed"
	Denied    Approval = "denied"
)

// Config is what one reading of all files means.
type Config struct {
	Store     *Store
	Sources   []*Source
	Approvals *Approvals
	Rows      []*Row
	Problems  []Problem // of files, not of single entries

	Elsewhere      *Elsewhere // another program owns MCP here; nil when none does
	elsewhereFiles []string   // the files that tell
}

// Row is one line of `list`: the definition in force for a name, or one that
// would be in force if it were approved or valid (design §4).
type Row struct {
	Entry     *Entry
	Approval  Approval
	Why       string // why the approval is not given, for people
	Covers    int    // in-project files that the approval covers
	InForce   bool   // wins for its name
	Enabled   bool   // after overrides
	Timeout   *time.Duration
	Exposure  Exposure   // after overrides, never ""
	Tools     []ToolRule // toolExposure after overrides
	Overrides []*Entry   // in force on it, strongest first
	Shadows   []*Entry   // definitions it hides

	Elsewhere *Elsewhere // in force, and run by another program
	Role      Role       // "" but for the rows that only All has
}

// Load reads everything once and works out which definition wins.
func (s *Store) Load() *Config { return s.Decide(s.ReadSources()) }

// Decide is Combine with the user's word as it stands on disk: the approvals, and
// whether another program owns MCP here.
func (s *Store) Decide(sources []*Source) *Config {
	c := s.Combine(sources, s.ReadApprovals())
	c.handOver(s.handledElsewhere((*Elsewhere)(s.LastSettings().HandledBy)))
	return c
}

// Combine works out which definition wins for each name, from sources ordered
// strong to weak. It is pure but for the settings, which are those read last, and the
// in-project files that an approval covers.
func (s *Store) Combine(sources []*Source, approvals *Approvals) *Config {
	c := &Config{Store: s, Sources: sources, Approvals: approvals}
	byName := map[string][]*Entry{} // strongest first
	for _, src := range sources {
		c.Problems = append(c.Problems, src.Problems...)
		if src.ShowOnly {
			continue
		}
		for _, e := range src.Entries {
			byName[e.Name] = append(byName[e.Name], e)
		}
	}
	if approvals.Problem != nil {
		c.Problems = append(c.Problems, *approvals.Problem)
	}
	c.Problems = append(c.Problems, s.LastSettings().Warnings()...)
	for _, src := range s.rowOrder(sources) {
		for _, e := range src.Entries {
			if entries := byName[e.Name]; entries != nil {
				c.addRows(entries)
				delete(byName, e.Name)
			}
		}
	}
	c.noteSameConnections()
	c.noteMeetingInputs()
	return c
}

// rowOrder: the chosen client's files with the user's first, then the others'.
func (s *Store) rowOrder(sources []*Source) []*Source {
	var own, others []*Source
	for _, src := range sources {
		if s.foreign(src) {
			others = append(others, src)
		} else {
			own = append(own, src)
		}
	}
	slices.Reverse(own)
	return append(own, others...)
}

// addRows makes the rows of one name from its entries, strongest first.
func (c *Config) addRows(entries []*Entry) {
	var winner *Row
	var rows []*Row
	var overrides []*Entry
	for _, e := range entries {
		row := &Row{Entry: e, Enabled: true, Exposure: Direct}
		row.Approval, row.Why, row.Covers = c.Approvals.State(c.Store, e)
		foreign := c.Store.foreign(e.Source)
		usable := e.Valid() && (row.Approval == NotNeeded || row.Approval == Approved)
		switch {
		case winner != nil && e.Definition != nil:
			winner.Shadows = append(winner.Shadows, e)
			if usable {
				continue
			}
		case e.Override != nil && foreign:
			continue // it is about a server of its own client; see foreignOverrides
		case usable && e.Override != nil && winner == nil:
			overrides = append(overrides, e)
			continue
		case usable && e.Override != nil:
			continue // an override below the winner changes nothing
		case usable:
			winner = row
			row.InForce = true
		}
		if e.Definition != nil {
			row.apply(e.Definition)
		}
		rows = append(rows, row)
	}
	if winner == nil {
		winner = overridden(rows)
	}
	if winner != nil {
		overrides = append(overrides, c.foreignOverrides(entries, winner.Entry)...)
		winner.override(c.withLists(winner.Entry, overrides))
	} else {
		for _, o := range overrides {
			rows = append(rows, &Row{Entry: o, Approval: NotNeeded, Why: "it overrides a server that is not there" + c.unlessMeant(o) + "remove it with: mcpctl remove " + redact.ShellWord(o.Name) + " --" + string(o.Source.Scope), Exposure: Direct})
		}
	}
	c.Rows = append(c.Rows, rows...)
}

// unlessMeant reminds that what a file says of every client's servers may be meant for
// one that this client does not have.
func (c *Config) unlessMeant(o *Entry) string {
	if o.Source.ownPart() {
		return " for the client " + o.Source.Client + ": "
	}
	return " for the client " + c.Store.Client.Name + "; unless it is meant for another client's, "
}

// overridden is the row that overrides lie on while no definition is in force:
// the strongest definition that waits for approval, or is invalid.
func overridden(rows []*Row) *Row {
	for _, r := range rows {
		if r.Entry.Override == nil {
			return r
		}
	}
	return nil
}

func (r *Row) apply(d *Definition) {
	r.Enabled, r.Timeout, r.Tools = d.Enabled, d.Timeout, d.ToolExposure
	if d.Exposure != "" {
		r.Exposure = d.Exposure
	}
}

// override lays overrides on top field by field, weakest first.
func (r *Row) override(overrides []*Entry) {
	r.Overrides = overrides
	for _, e := range slices.Backward(overrides) {
		o := e.Override
		if o.Enabled != nil {
			r.Enabled = *o.Enabled
		}
		if o.Timeout != nil {
			r.Timeout = o.Timeout
		}
		if o.Exposure != "" {
			r.Exposure = o.Exposure
		}
		if o.ToolExposure != nil {
			r.Tools = o.ToolExposure
		}
	}
}

// Files lists the files that decide what Load returns: those of every scope, the
// settings, the real files behind links, the approvals, what tells whether another
// program owns MCP here, and the in-project files that approvals cover.
func (c *Config) Files() []string {
	s := c.Store
	files := slices.Concat([]string{s.approvalsPath()}, c.elsewhereFiles, s.folders())
	for _, src := range c.Sources {
		if src.Scope == Session || !filepath.IsAbs(src.Path) {
			continue // it is no file
		}
		files = append(files, src.Path)
		if src.Real != src.Path {
			files = append(files, src.Real)
		}
		if src.Scope != Project {
			continue
		}
		for _, e := range src.Entries {
			for _, f := range s.coveredFiles(e) {
				files = append(files, filepath.Join(s.Workspace.Dir, filepath.FromSlash(f.Path)), f.real)
			}
		}
	}
	return files
}

// InForce returns the row that wins for a name, or nil.
func (c *Config) InForce(name string) *Row {
	for _, r := range c.Rows {
		if r.Entry.Name == name && r.InForce {
			return r
		}
	}
	return nil
}

// Named returns every row of a name, strongest first.
func (c *Config) Named(name string) []*Row {
	var rows []*Row
	for _, r := range c.Rows {
		if r.Entry.Name == name {
			rows = append(rows, r)
		}
	}
	return rows
}

// Suggest returns the known name closest to one that is not there, or "".
// It is for a hint only; nothing is ever corrected in silence.
func (c *Config) Suggest(name string) string {
	var names []string
	for _, r := range c.Rows {
		names = append(names, r.Entry.Name)
	}
	return Closest(name, names)
}
