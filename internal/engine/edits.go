package engine

import (
	"github.com/mcpctl/mcpctl/internal/engine/wire"
	"github.com/mcpctl/mcpctl/internal/store"
	"github.com/mcpctl/mcpctl/internal/store/redact"
)

// EditDocument describes a change of one entry, for the command line and the socket
// alike. more are warnings beside those of the change; with a dry run the difference
// is there, secrets hidden.
func EditDocument(s *store.Store, c store.Change, more ...wire.Warning) wire.Edit {
	doc := editOf(c, more)
	if c.DryRun {
		doc.DryRun, doc.Diff = true, c.Diff(s)
	}
	return doc
}

func editOf(c store.Change, more []wire.Warning) wire.Edit {
	return wire.Edit{Schema: wire.Schema, Name: c.Name, From: c.From, Scope: string(c.Scope), Source: c.Path,
		Fingerprint: string(c.Fingerprint), Unchanged: c.Unchanged, Warnings: append([]wire.Warning{}, more...)}
}

// Warnings is what is remarkable about an entry that was written, or would be.
func Warnings(c store.Change) []wire.Warning {
	out := []wire.Warning{}
	for _, p := range c.Warnings {
		out = append(out, wire.Warning{Message: p.Message, Hint: p.Hint})
	}
	return out
}

// OrphansRemoved tells that the overrides of a name were removed with its server, or
// with a dry run would be, or what kept them. All stand in the local file.
func OrphansRemoved(name string, gone []store.Change, err error) []wire.Warning {
	switch way := "mcpctl remove " + redact.ShellWord(name) + " --" + string(store.Local); {
	case err != nil:
		return []wire.Warning{{Message: "the private override of '" + name + "' stays, since it cannot be removed: " + err.Error(), Hint: way}}
	case len(gone) == 0:
		return nil
	case gone[0].DryRun:
		return []wire.Warning{{Message: "the override of '" + name + "' in " + gone[0].Path + " goes as well"}}
	}
	return []wire.Warning{{Message: "the override of '" + name + "' in " + gone[0].Path + " went as well: nothing defines the server any more"}}
}

// ShareDocument describes what was shared, or would be. more is as in EditDocument.
func ShareDocument(s *store.Store, done store.Shared, more ...wire.Warning) wire.Share {
	from := done.From
	doc := wire.Share{
		Edit: editOf(done.Change, more),
		From: wire.ShareOrigin{Scope: string(from.Source.Scope), Source: from.Source.Path, Line: from.Line},

		Variables: []wire.ShareVariable{}, LeftOut: list(done.LeftOut),
	}
	if done.DryRun {
		doc.DryRun, doc.Diff = true, done.Diff(s)
	}
	for _, v := range done.Variables {
		doc.Variables = append(doc.Variables, wire.ShareVariable{Name: v.Name, Field: v.Field})
	}
	return doc
}

// list: in JSON an empty list is [], never null.
func list(words []string) []string { return append([]string{}, words...) }

// Overruled warns when a server is not enabled, or not disabled, although a file now
// says so: a stronger one says otherwise. c is read after the change.
func Overruled(c *store.Config, name string, on bool) []wire.Warning {
	row := c.InForce(name)
	if row == nil || row.Enabled == on {
		return nil
	}
	warning := func(why, hint string) []wire.Warning {
		done := map[bool]string{true: "enabled", false: "disabled"}[on]
		return []wire.Warning{{Message: "'" + name + "' is not " + done + " here: " + why, Hint: hint}}
	}
	for _, r := range c.Named(name) {
		if r.Approval != store.NotNeeded && r.Approval != store.Approved {
			return warning("the entry in "+r.Entry.Source.Path+" is not approved", "mcpctl approve "+redact.ShellWord(name))
		}
	}
	for _, over := range row.Overrides { // strongest first
		if over.Override.Enabled != nil {
			return warning(over.Switch())
		}
	}
	return warning(row.Entry.Source.Path+" defines the one in force", "")
}
