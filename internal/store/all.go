package store

import (
	"encoding/json"
	"fmt"

	"github.com/mcpctl/mcpctl/internal/store/redact"
)

// Role says what a row stands for that is not the definition in force of its
// name, nor one that waits for approval or is invalid.
type Role string

// The roles, as JSON has them.
const (
	Shadowed    Role = "shadowed"     // a definition that a stronger one hides
	Overriding  Role = "override"     // it changes fields of a server
	OtherClient Role = "other-client" // in the user's file of another client: shown only
)

// All is Rows and a row for every entry that has none: hidden definitions,
// overrides, and what the user files of other clients hold, if they were read
// (ReadAll). It is for looking; nothing here beside Rows is ever in force.
func (c *Config) All() []*Row {
	rows := append([]*Row(nil), c.Rows...)
	has := map[*Entry]bool{}
	for _, r := range rows {
		has[r.Entry] = true
	}
	for _, src := range c.Store.rowOrder(c.Sources) {
		for _, e := range src.Entries {
			if !has[e] {
				rows = append(rows, c.furtherRow(e))
			}
		}
	}
	return rows
}

func (c *Config) furtherRow(e *Entry) *Row {
	row := &Row{Entry: e, Enabled: true, Exposure: Direct}
	row.Approval, row.Why, row.Covers = c.Approvals.State(c.Store, e)
	if e.Definition != nil {
		row.apply(e.Definition)
		row.Enabled = row.Enabled && (!e.Source.ShowOnly || e.Source.listedOff(e.Name) == nil)
	}
	winner := c.InForce(e.Name)
	switch {
	case e.Source.ShowOnly:
		row.Role, row.Why = OtherClient, "of the client "+e.Source.Client+", for which: --client "+e.Source.Client
		if off := e.Source.listedOff(e.Name); off != nil {
			why, _ := off.Switch()
			row.Why += "; " + why
		}
	case e.Override != nil:
		row.Role = Overriding
		if row.Approval == NotNeeded || row.Approval == Approved {
			row.Why = "changes nothing: no server of its client lies below it"
			if winner != nil && winner.overriddenBy(e) {
				row.Why = "changes the server of " + winner.Entry.Source.Path
			}
		}
	default:
		row.Role = Shadowed
		if winner != nil {
			row.Why = "hidden by the one in " + winner.Entry.Source.Path
		}
	}
	return row
}

// howToEnable is what switches a server on. The user's private word overrules what any
// file says but for the list of what is off that some clients keep in the user's.
func (r *Row) howToEnable() string {
	how := "enable it with: mcpctl enable " + redact.ShellWord(r.Entry.Name)
	for _, o := range r.Overrides {
		switch {
		case o.Override.Enabled == nil:
			continue
		case *o.Override.Enabled:
		case o.Source.Scope == Session:
			return how + " --session"
		case o.Source.Scope == User:
			return fmt.Sprintf("take it from %s:%d, which switches it off", o.Source.Path, o.Line)
		}
		return how
	}
	return how
}

func (r *Row) overriddenBy(e *Entry) bool {
	for _, o := range r.Overrides {
		if o == e {
			return true
		}
	}
	return false
}

// foreignOverrides are the usable overrides in other clients' files that are about
// the winner: it stands in a file of the same client.
func (c *Config) foreignOverrides(entries []*Entry, winner *Entry) []*Entry {
	var out []*Entry
	for _, e := range entries {
		if e == winner {
			break // what lies below changes nothing
		}
		if e.Override == nil || !c.Store.foreign(e.Source) || e.Source.Client != winner.Source.Client {
			continue
		}
		if state, _, _ := c.Approvals.State(c.Store, e); state == NotNeeded || state == Approved {
			out = append(out, e)
		}
	}
	return out
}

// noteSameConnections tells where one connection stands under two names; nothing
// is removed (design §4). A server that is switched off is no second connection.
func (c *Config) noteSameConnections() {
	first := map[string]*Row{}
	for _, row := range c.Rows {
		if !row.InForce || !row.Enabled {
			continue
		}
		key := connectionKey(row.Entry.Definition)
		other := first[key]
		if other == nil {
			first[key] = row
			continue
		}
		e := row.Entry
		c.Problems = append(c.Problems, Problem{Rule: ruleSameConnection, Code: CodeInvalid, Severity: SeverityWarning, Source: e.Source.Path,
			Line: e.Line, Column: e.Column, Server: e.Name,
			Message: fmt.Sprintf("the same connection as '%s' at %s", other.Entry.Name, other.Entry.where()),
			Hint:    "both are kept; remove or disable one if that is not meant"})
	}
}

// connectionKey is equal for definitions that start or reach the same thing.
func connectionKey(d *Definition) string {
	key := []any{d.Transport}
	if d.Transport == Stdio {
		key = append(key, d.Command, d.Args, d.Env, d.Cwd, d.InheritEnv)
	} else {
		key = append(key, d.URL, d.Headers, d.CredentialID)
	}
	text, err := json.Marshal(key)
	if err != nil {
		return fmt.Sprintf("%p", d) // strings and maps of strings always encode
	}
	return string(text)
}
