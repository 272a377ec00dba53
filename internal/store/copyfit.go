package store

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/internal/store/client"
	"github.com/mcpctl/mcpctl/internal/store/jsonc"
)

// fit makes the entry that is written: without secrets where others can read it, in
// the shape of the target's client. What that cannot say is a note.
func (c *Copy) fit(out *CopiedServer) *Error {
	row, e := c.into.clientRow(), out.Offer.Entry
	asIs := out.Offer.asIs && e.Source.clientRow().Name == row.Name && e.Source.newer == c.into.newer && (row.NameIn == "" || out.Name == e.Name)
	raw := out.Offer.own
	if asIs {
		raw, out.Notes = e.Raw, remarks(out.Notes)
	}
	if c.req.Published {
		clean, err := c.published(out, raw)
		if err != nil {
			return refusal(e, err.Error(), "")
		}
		if raw = clean; len(out.secrets) > 0 { // that is what the whole copy is refused for
			out.entry = raw
			return nil
		}
	}
	if out.entry = raw; asIs || row.Dialect.Write == nil {
		return nil
	}
	w, err := row.Dialect.Write(raw)
	if err != nil {
		return refusal(e, "'"+e.Name+"' cannot be written for "+row.Title+": "+err.Error(), "")
	}
	for _, gap := range w.Gaps {
		if gap.Fatal {
			return refusal(e, "'"+e.Name+"' cannot be copied: "+gap.Why, "")
		}
		out.Notes = append(out.Notes, CopyNote{Field: gap.Field, Message: gap.Why})
	}
	out.entry = w.Entry
	return c.readBack(out, raw)
}

func refusal(e *Entry, message, hint string) *Error {
	return &Error{Code_: CodeInvalid, Path: e.Source.Path, Line: e.Line, Column: e.Column, Server_: e.Name, Message: message, Hint_: hint}
}

func remarks(notes []CopyNote) (out []CopyNote) {
	for _, n := range notes {
		if n.Field == "" {
			out = append(out, n)
		}
	}
	return out
}

// published is the entry as others may read it. What looks like a secret is noted, or
// turned into references.
func (c *Copy) published(out *CopiedServer, raw json.RawMessage) (json.RawMessage, error) {
	e := *out.Offer.Entry
	e.Raw, e.Name = raw, out.Name
	doc, err := jsonc.Parse(raw)
	if err != nil {
		return nil, err
	}
	p := newPublisher(&e, c.req.Stored)
	clean := p.object(doc.Root(), "")
	for _, field := range p.leftOut {
		out.Notes = append(out.Notes, CopyNote{Field: field, Message: "'" + field + "' names a credential of yours"})
	}
	if !c.req.Placeholders {
		out.secrets = p.found()
		return clean, nil
	}
	out.Variables, out.secrets = p.variables, p.stuck
	again, err := jsonc.Parse(clean)
	if err != nil {
		return nil, err
	}
	left := newPublisher(&e, c.req.Stored)
	left.object(again.Root(), "")
	out.secrets = append(out.secrets, left.found()...)
	return clean, nil
}

// readBack reads what would be written as the target's client would, and notes every
// field that then means something else: no meaning is lost in silence.
func (c *Copy) readBack(out *CopiedServer, own json.RawMessage) *Error {
	want := decoded(&Source{Client: client.Native, Scope: c.req.Scope}, own)
	got := decoded(&Source{Client: c.into.Client, Scope: c.req.Scope, newer: c.into.newer}, out.entry)
	switch {
	case want.Definition == nil:
		return invalidCopy(out, want)
	case got.Definition == nil:
		return invalidCopy(out, got)
	case got.Definition.Enabled && !want.Definition.Enabled:
		return refusal(out.Offer.Entry, "'"+out.Offer.Name+"' is switched off, and a file of "+c.into.clientRow().Title+" cannot say so", "enable it first, or leave it out")
	}
	said := leaves(own)
	told := out.Lost()
	a, b := reflect.ValueOf(homely(passing(*want.Definition))), reflect.ValueOf(homely(passing(*got.Definition)))
	for i := range a.NumField() {
		field := fieldNames[a.Type().Field(i).Name]
		if reflect.DeepEqual(a.Field(i).Interface(), b.Field(i).Interface()) || slices.ContainsFunc(told, func(f string) bool { return belongsTo(f, field) }) {
			continue
		}
		if field != "enabled" && !mentions(said, field) {
			continue // a default that the two programs do not share, and nobody has said anything
		}
		out.Notes = append(out.Notes, CopyNote{Field: field, Message: "'" + field + "' would mean something else to " + c.into.clientRow().Title})
	}
	return nil
}

// passing is a definition in which a variable that env only passes on stands in
// inheritEnv: some clients have one way to say both. What env says else is stronger.
func passing(d Definition) Definition {
	env, names := map[string]string{}, []string(nil)
	for name, value := range d.Env {
		if value == "${"+name+"}" {
			names = append(names, name)
		} else {
			env[name] = value
		}
	}
	for _, name := range d.InheritEnv.Names {
		if _, said := d.Env[name]; !said {
			names = append(names, name)
		}
	}
	if d.Env = env; len(env) == 0 {
		d.Env = nil
	}
	slices.Sort(names)
	d.InheritEnv.Names = slices.Compact(names)
	return d
}

// homely is a definition in which the home directory in front of a path is ~: a client that
// has a word of its own for it is read as ${HOME}.
func homely(d Definition) Definition {
	short := func(text string) string {
		if rest, is := strings.CutPrefix(text, "${HOME}"); is && (rest == "" || rest[0] == '/') {
			return "~" + rest
		}
		return text
	}
	d.Args = slices.Clone(d.Args)
	for i := range d.Args {
		d.Args[i] = short(d.Args[i])
	}
	d.Command, d.Cwd = short(d.Command), short(d.Cwd)
	return d
}

// mentions tells whether an entry says anything of a field.
func mentions(said map[string]string, field string) bool {
	for where := range said {
		if belongsTo(where, field) {
			return true
		}
	}
	return false
}

// belongsTo tells whether a dotted path is a field or lies below it.
func belongsTo(path, field string) bool {
	rest, ok := strings.CutPrefix(path, field)
	return ok && (rest == "" || rest[0] == '.' || rest[0] == '[')
}

// fieldNames are the keys of an entry by what they become in a Definition.
var fieldNames = map[string]string{
	"Transport": "type", "Command": "command", "Args": "args", "Env": "env", "Cwd": "cwd", "URL": "url", "Headers": "headers",
	"Enabled": "enabled", "Timeout": "timeout", "Description": "description", "Exposure": "exposure", "ToolExposure": "toolExposure",
	"InheritEnv": "inheritEnv", "Shared": "shared", "Lifecycle": "lifecycle", "ProtocolVersion": "protocolVersion", "CredentialID": "auth", "OAuth": "oauth",
}

func invalidCopy(out *CopiedServer, e *Entry) *Error {
	err := invalidEntry(out.Name, e).(*Error)
	from := out.Offer.Entry
	err.Path, err.Line, err.Column = from.Source.Path, from.Line, from.Column
	return err
}

// decoded reads an entry as it would be read in a file like src.
func decoded(src *Source, raw json.RawMessage) *Entry {
	doc, err := jsonc.Parse(raw)
	if err != nil || doc.Root() == nil {
		return &Entry{Source: src}
	}
	return newEntry(src, src.clientRow(), jsonc.Member{Key: "x", Value: doc.Root()})
}

// same tells whether the target's entry is what would be written, or means the same.
func (c *Copy) same(out *CopiedServer, e *Entry) bool {
	doc, err := jsonc.Parse(out.entry)
	if err != nil || doc.Root() == nil {
		return false
	}
	if fingerprintOf(out.Name, doc.Root()) == e.Fingerprint {
		return true
	}
	copied := newEntry(e.Source, e.Source.clientRow(), jsonc.Member{Key: out.Name, Value: doc.Root()})
	return e.Definition != nil && len(e.Problems) == 0 && copied.Definition != nil && reflect.DeepEqual(e.Definition, copied.Definition) && unknownKeys(doc.Root()) == 0
}

// unknownKeys counts the members that mcpctl does not interpret.
func unknownKeys(n *jsonc.Node) (count int) {
	for _, m := range n.Members() {
		if !slices.Contains(fields, m.Key) {
			count++
		}
	}
	return count
}
