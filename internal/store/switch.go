package store

import (
	"bytes"
	"context"
	"errors"
	"slices"

	"github.com/mcpctl/mcpctl/internal/store/client"
	"github.com/mcpctl/mcpctl/internal/store/jsonc"
	"github.com/mcpctl/mcpctl/internal/store/redact"
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
	return c.Override(ctx, OverrideRequest{Scope: req.Scope, Name: req.Name, Enabled: &req.On, DryRun: req.DryRun})
}

// OverrideRequest asks for fields to be set, or taken away, on top of a server.
type OverrideRequest struct {
	Scope   Scope // whose word it is to be
	Name    string
	Enabled *bool       // as Switch has it
	Fields  []FieldEdit // one key deep; without a value it is taken away
	Expect  Fingerprint // when set: of the server as the caller saw it
	DryRun  bool
}

// Override is Switch for all fields that an override may have: exposure,
// toolExposure and timeout beside enabled. A definition in the file itself gets the
// fields. An override that nothing is left of is taken away. With Expect the server
// that is in force, or waits for approval, must still be the one that the caller saw,
// or it fails with MCP_CONFIG_CONFLICT.
func (c *Config) Override(ctx context.Context, req OverrideRequest) (Change, error) {
	s := c.Store
	w := switching{config: c, req: req}
	change, err := s.editThen(ctx, editRequest{scope: req.Scope, name: req.Name, dryRun: req.DryRun, override: true}, editSteps{
		plan:  w.plan,
		check: w.check,
		then: func() error {
			if w.made && req.Scope == Project {
				return s.approveWritten(ctx, w.became)
			}
			return s.carry(ctx, w.word, w.became)
		},
	})
	if w.orphan {
		change.Warnings = append(change.Warnings, Problem{Message: "'" + req.Name + "' overrode a server that is not there; the override was removed"})
	}
	if w.became != nil {
		change.Fingerprint = w.became.Fingerprint
		if w.made {
			change.Warnings = s.stillDenied(w.became)
		}
	}
	if err == nil && !change.Unchanged {
		change.Warnings = append(change.Warnings, c.ownFile(req)...)
	}
	return change, err
}

// ownFile tells that the local file's switch does not reach the client whose server it
// is, which goes by its own files.
func (c *Config) ownFile(req OverrideRequest) []Problem {
	row := c.InForce(req.Name)
	if req.Enabled == nil || req.Scope != Local || row == nil || row.Entry.Source.Client == client.Native {
		return nil
	}
	src, verb := row.Entry.Source, map[bool]string{true: "enable", false: "disable"}[*req.Enabled]
	p := Problem{Message: "'" + req.Name + "' is " + verb + "d for mcpctl alone: the client " + src.Client + " goes by " + src.Path}
	if _, written := c.Store.writerOf(src); written && src.Scope != Local && src.clientRow().Dialect.HasSwitch() {
		p.Hint = "to switch it there: mcpctl --client " + src.Client + " " + verb + " " + redact.ShellWord(req.Name) + " --" + string(src.Scope)
	}
	return []Problem{p}
}

// switching is one Override under way.
type switching struct {
	config      *Config
	req         OverrideRequest
	made        bool      // the override is new
	gone        bool      // the override was taken away
	orphan      bool      // because it lay on nothing
	word        *approval // on what was there
	was, became *Entry
}

func (w *switching) plan(src *Source, doc *jsonc.Document) (text []byte, err error) {
	if err := w.expected(); err != nil {
		return nil, err
	}
	if w.was = src.entry(w.req.Name); w.was != nil {
		w.word = w.config.Store.wordOn(w.was)
	}
	path := src.at(w.req.Name)
	text = doc.Bytes()
	if w.req.Enabled != nil {
		if text, err = w.switched(src, doc, path); err != nil {
			return nil, err
		}
	}
	if len(w.req.Fields) == 0 {
		return text, nil
	}
	if doc, err = doc.Reread(text); err != nil {
		return nil, err
	}
	return w.fields(src, doc, path)
}

// expected wants the server to be the one that the caller saw.
func (w *switching) expected() error {
	if w.req.Expect == "" {
		return nil
	}
	row := w.config.InForce(w.req.Name)
	if rows := w.config.Named(w.req.Name); row == nil && len(rows) > 0 {
		row = rows[0]
	}
	switch {
	case row == nil:
		return w.config.NotFound(w.req.Name)
	case row.Entry.Fingerprint != w.req.Expect:
		return Conflict(row.Entry, w.req.Expect)
	}
	return nil
}

// fields sets and takes away all but the switch.
func (w *switching) fields(src *Source, doc *jsonc.Document, path []string) ([]byte, error) {
	if w.was == nil && !w.made || w.gone {
		return w.anew(src, doc, path)
	}
	text, err := w.applyOwn(doc, path)
	if err != nil && w.was != nil {
		err = about(w.was, err)
	}
	if err != nil {
		return nil, err
	}
	if doc, err = doc.Reread(text); err != nil {
		return nil, err
	}
	if len(nodeAt(doc, path).Members()) > 0 {
		return text, nil
	}
	w.made, w.gone = false, true
	return doc.Remove(path)
}

// applyOwn sets the fields of what is there, or was made just now.
func (w *switching) applyOwn(doc *jsonc.Document, path []string) ([]byte, error) {
	if w.was == nil {
		return applyFields(doc, path, w.req.Fields)
	}
	edits := slices.Clone(w.req.Fields)
	for i := range edits {
		edits[i].Own = true
	}
	return w.config.Store.applyEdits(w.was, doc, path, edits)
}

// anew writes an override that is not there, unless nothing is to be set.
func (w *switching) anew(src *Source, doc *jsonc.Document, path []string) ([]byte, error) {
	var members [][]byte
	for _, f := range w.req.Fields {
		if f.Value != nil {
			members = append(members, slices.Concat(plainJSON(f.Path[0]), []byte(": "), f.Value))
		}
	}
	if len(members) == 0 {
		return doc.Bytes(), nil
	}
	if _, err := w.lies(src); err != nil {
		return nil, err
	}
	if err := w.free(src); err != nil {
		return nil, err
	}
	entry, err := w.config.Store.InClientShape(w.req.Scope, slices.Concat([]byte("{"), bytes.Join(members, []byte(", ")), []byte("}")))
	if err != nil {
		return nil, err
	}
	w.made, w.gone = w.was == nil, false
	return doc.Set(path, entry)
}

// switched sets the switch.
func (w *switching) switched(src *Source, doc *jsonc.Document, path []string) ([]byte, error) {
	name, on := w.req.Name, *w.req.Enabled
	if w.was == nil {
		return w.newOverride(src, doc, path)
	}
	edit := switchEdit(src.ownShape(nodeAt(doc, path)), on)
	if over := w.was.Override; over != nil {
		below, err := w.config.below(src, name)
		switch {
		case err != nil && on && w.req.Scope == Local && w.config.orphan(name, "", src.Client) != nil:
			w.gone, w.orphan = true, true
			return doc.Remove(path)
		case err != nil:
			return nil, err
		case over.Enabled == nil && below == on:
			return doc.Bytes(), nil
		case on && below && !*over.Enabled:
			return w.withdraw(doc, path)
		case on && edit.Value == nil && over.Enabled == nil:
			edit.Value = truth(true) // an override has no default: it has to say so
		}
	}
	out, err := w.config.Store.applyEdits(w.was, doc, path, []FieldEdit{edit})
	if fault := (*Error)(nil); errors.As(err, &fault) && fault.Code_ == CodeUsage && !src.clientRow().Dialect.HasSwitch() {
		fault.Hint_ = "--local switches it for mcpctl alone; " + src.clientRow().Title + " has it until it is removed"
	}
	return out, about(w.was, err)
}

// newOverride writes one, unless the server is as wanted already.
func (w *switching) newOverride(src *Source, doc *jsonc.Document, path []string) ([]byte, error) {
	below, err := w.lies(src)
	if err != nil {
		return nil, err
	}
	if below == *w.req.Enabled {
		return doc.Bytes(), nil
	}
	if err := w.free(src); err != nil {
		return nil, err
	}
	entry, err := w.config.Store.InClientShape(w.req.Scope, slices.Concat([]byte(`{"enabled":`), truth(*w.req.Enabled), []byte("}")))
	if err != nil {
		return nil, err
	}
	w.made = true
	return doc.Set(path, entry)
}

// lies tells whether the server that a new override would lie on is enabled; the
// error says why there can be none.
func (w *switching) lies(src *Source) (enabled bool, err error) {
	if w.req.Scope == User {
		return false, src.notFound(w.req.Name)
	}
	if row := src.clientRow(); row.NoOverrides {
		return false, &Error{Code_: CodeUsage, Path: src.Path, Server_: w.req.Name,
			Message: "an entry of " + row.Title + " is always a whole server, so its file cannot change one of another file", Hint_: "use --local"}
	}
	return w.config.below(src, w.req.Name)
}

// free wants no other name of the file to fall together with the server's.
func (w *switching) free(src *Source) error {
	for _, e := range src.Entries {
		if e.Name != w.req.Name && namespace(e.Name) == namespace(w.req.Name) {
			return nameTaken(w.req.Name, e)
		}
	}
	return nil
}

// withdraw takes the switch out of an override, and the override when nothing
// else is in it.
func (w *switching) withdraw(doc *jsonc.Document, path []string) ([]byte, error) {
	entry := nodeAt(doc, path)
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

// below tells whether the server that an override in a file lies on is enabled:
// the strongest definition of a weaker scope that is in force or waits for
// approval, with the overrides between. The error says why there is none.
func (c *Config) below(file *Source, name string) (enabled bool, err error) {
	scope := file.Scope
	var waiting *Definition
	var said *bool
	say := func(v *bool) {
		if said == nil {
			said = v
		}
	}
	for _, src := range c.Sources {
		between := file.ownPart() && src.Scope == Local && !src.ownPart()
		if slices.Index(scopes, src.Scope) <= slices.Index(scopes, scope) && !between {
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
