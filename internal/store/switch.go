package store

import (
	"context"
	"slices"

	"github.com/mcpctl/mcpctl/internal/store/jsonc"
)

// SwitchRequest asks for a server to be enabled or disabled.
type SwitchRequest struct {
	Scope  Scope // whose word it is to be
	Name   string
	On     bool
	DryRun bool
}

// Switch enables or disables a server in one file (design §7). A definition there
// gets its own switch set. Otherwise an override in a local or project file is
// made, changed, or taken away when the server below it is as wanted already.
//
// It never approves a definition; an override that it makes in a project file is
// approved, because the user wrote it. It fails with MCP_NOT_FOUND when there is
// no such server, or none in the user's file with User, and otherwise as Update.
func (c *Config) Switch(ctx context.Context, req SwitchRequest) (Change, error) {
	s := c.Store
	w := switching{config: c, req: req}
	change, err := s.editThen(ctx, editRequest{req.Scope, req.Name, req.DryRun}, editSteps{
		plan:  w.plan,
		check: w.check,
		then: func() error {
			if w.made && req.Scope == Project {
				return s.approveWritten(ctx, w.became)
			}
			return s.carry(ctx, w.word, w.became)
		},
	})
	if w.became != nil {
		change.Fingerprint = w.became.Fingerprint
		if w.made {
			change.Warnings = s.stillDenied(w.became)
		}
	}
	return change, err
}

// switching is one Switch under way.
type switching struct {
	config      *Config
	req         SwitchRequest
	made        bool      // the override is new
	gone        bool      // the override was taken away
	word        *approval // on what was there
	was, became *Entry
}

func (w *switching) plan(src *Source, doc *jsonc.Document) ([]byte, error) {
	s, name := w.config.Store, w.req.Name
	path := []string{src.clientRow().TopKey, name}
	w.was = src.entry(name)
	if w.was == nil {
		return w.newOverride(src, doc, path)
	}
	w.word = s.wordOn(w.was)
	edit := switchEdit(doc.Root().Get(path[0]).Get(name), w.req.On)
	if over := w.was.Override; over != nil {
		below, err := w.config.below(w.req.Scope, name)
		switch {
		case err != nil:
			return nil, err
		case over.Enabled == nil && below == w.req.On:
			return doc.Bytes(), nil
		case w.req.On && below && !*over.Enabled:
			return w.withdraw(doc, path)
		case w.req.On && edit.Value == nil && over.Enabled == nil:
			edit.Value = truth(true) // an override has no default: it has to say so
		}
	}
	out, err := applyFields(doc, path, []FieldEdit{edit})
	return out, about(w.was, err)
}

// newOverride writes one, unless the server is as wanted already.
func (w *switching) newOverride(src *Source, doc *jsonc.Document, path []string) ([]byte, error) {
	if w.req.Scope == User {
		return nil, src.notFound(w.req.Name)
	}
	below, err := w.config.below(w.req.Scope, w.req.Name)
	if err != nil {
		return nil, err
	}
	if below == w.req.On {
		return doc.Bytes(), nil
	}
	for _, e := range src.Entries {
		if namespace(e.Name) == namespace(w.req.Name) {
			return nil, nameTaken(w.req.Name, e)
		}
	}
	w.made = true
	return doc.Set(path, []byte(`{"enabled":`+string(truth(w.req.On))+`}`))
}

// withdraw takes the switch out of an override, and the override when nothing
// else is in it.
func (w *switching) withdraw(doc *jsonc.Document, path []string) ([]byte, error) {
	entry := doc.Root().Get(path[0]).Get(path[1])
	rest := 0
	for _, m := range entry.Members() {
		if m.Key != "enabled" && m.Key != "disabled" {
			rest++
		}
	}
	if rest == 0 {
		w.gone = true
		return doc.Remove(path)
	}
	return applyFields(doc, path, []FieldEdit{{Path: []string{"enabled"}}, {Path: []string{"disabled"}}})
}

func (w *switching) check(after *Source) error {
	w.became = after.entry(w.req.Name)
	if w.became == nil && (w.gone || w.was == nil && !w.made) || w.became != nil && w.became.Valid() {
		return nil
	}
	err := invalidEntry(w.req.Name, w.became)
	if w.was != nil {
		return about(w.was, err)
	}
	return err
}

// below tells whether the server that an override of a scope lies on is enabled:
// the strongest definition of a weaker scope that is in force or waits for
// approval, with the overrides between. The error says why there is none.
func (c *Config) below(scope Scope, name string) (enabled bool, err error) {
	var waiting *Definition
	var said *bool
	say := func(v *bool) {
		if said == nil {
			said = v
		}
	}
	for _, src := range c.Sources {
		if slices.Index(scopes, src.Scope) <= slices.Index(scopes, scope) {
			continue
		}
		e := src.entry(name)
		if e == nil || !e.Valid() {
			continue
		}
		state, _, _ := c.Approvals.State(c.Store, e)
		usable := state == NotNeeded || state == Approved
		switch {
		case usable && e.Override != nil:
			say(e.Override.Enabled)
		case usable:
			say(&e.Definition.Enabled)
			return *said, nil
		case e.Definition != nil && waiting == nil:
			waiting = e.Definition
		}
	}
	if waiting == nil {
		return false, c.notBelow(scope, name)
	}
	say(&waiting.Enabled)
	return *said, nil
}

// notBelow explains that an override of a scope would lie on nothing.
func (c *Config) notBelow(scope Scope, name string) error {
	if len(c.Named(name)) > 0 && c.InForce(name) == nil {
		return c.refusal(name)
	}
	if row := c.InForce(name); row != nil && row.Entry.Source.Scope != scope {
		return &Error{Code_: CodeNotFound, Server_: name,
			Message: "'" + name + "' is defined in '" + row.Entry.Source.Path + "', which an override in the " + string(scope) + " file cannot change",
			Hint_:   "say --" + string(row.Entry.Source.Scope)}
	}
	return c.NotFound(name)
}
