package store

import (
	"encoding/json"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/internal/store/client"
	"github.com/mcpctl/mcpctl/internal/store/jsonc"
	"github.com/mcpctl/mcpctl/internal/store/redact"
)

// Offer is one server that can be copied to another file: by import, export or sync.
type Offer struct {
	Name  string
	Entry *Entry // as it was read; its Source says where
	Notes []CopyNote

	own   json.RawMessage // the entry in mcpctl's shape, without what Notes name
	asIs  bool            // the entry may be written as it stands where its client's shape is written
	fault *Error          // why it cannot be copied
	files *bundle         // files that it runs and that are not unpacked yet
}

// CopyNote is what a copy does not say that its original says, or another remark.
type CopyNote struct {
	Field   string // that is lost, as in "env.KEY"; "" for a remark
	Message string
	Hint    string
}

// offersOf are the servers of one file. State tells whether the user's word is needed,
// and given, for what the file says.
func (s *Store) offersOf(src *Source, approvals *Approvals) []*Offer {
	var out []*Offer
	for _, e := range src.Entries {
		o := s.offer(e)
		if state, why, _ := approvals.State(s, e); o.fault == nil && state != NotNeeded && state != Approved {
			o.fault = notApproved(s, e, why)
		}
		out = append(out, o)
	}
	return out
}

// notApproved is the error for an entry that a repository supplies: a copy of it must
// not be the user's word before the user has said it (design §5.2).
func notApproved(s *Store, e *Entry, why string) *Error {
	err := &Error{Code_: CodeNotApproved, Path: e.Source.Path, Line: e.Line, Column: e.Column, Server_: e.Name,
		Message: "'" + e.Name + "' is not approved: " + why, Hint_: "review it first: mcpctl approve " + redact.ShellWord(e.Name)}
	if s.foreign(e.Source) {
		err.Hint_ += " --client " + e.Source.Client
	}
	return err
}

// offer reads one entry in mcpctl's shape.
func (s *Store) offer(e *Entry) *Offer {
	e = e.nameless()
	o := &Offer{Name: e.Name, Entry: e, asIs: true}
	switch {
	case !e.Valid():
		o.fault = locateEntry(invalidEntry(e.Name, e), e).(*Error)
		o.fault.Message = "'" + e.Name + "' is invalid: " + o.fault.Message
		return o
	case e.Override != nil:
		o.refuse(CodeInvalid, "'"+e.Name+"' is an override: it changes a server and is none", "copy the server that it is about")
		return o
	}
	doc, err := jsonc.Parse(e.Raw)
	if err != nil {
		o.refuse(CodeInvalid, err.Error(), "")
		return o
	}
	row := e.Source.clientRow()
	n := doc.Root()
	if row.Dialect.Read != nil {
		reading := row.Dialect.Read(n, e.Source.Scope == Project)
		for _, note := range reading.Notes {
			o.Notes = append(o.Notes, CopyNote{note.Field, note.Message, note.Hint})
		}
		n = reading.Entry
	}
	o.own = o.plain(n, row)
	o.rooted(row)
	if on, listed := e.Source.listedAs(e.Name); listed {
		o.own, o.asIs = withMember(o.own, "enabled", truth(on)), false
	}
	o.references()
	o.relative(s)
	o.remarks()
	return o
}

// remarks tell what a copy means that its original does not say, or says only here.
func (o *Offer) remarks() {
	d, src := o.Entry.Definition, o.Entry.Source
	if d.Transport == HTTP && looksLikeSSE(d.URL) {
		o.Notes = append(o.Notes, CopyNote{Message: "the address looks like one of the old transport sse; it is copied as http", Hint: `write "type": "sse" where it stands if it is one`})
	}
	if len(src.keys) > 2 && src.keys[0] == "projects" {
		o.Notes = append(o.Notes, CopyNote{Message: "there it is for the folder " + quoted(src.keys[1]) + " alone; a copy in the user's file is for all folders", Hint: "--local copies it for this workspace alone"})
	}
}

// nameless is the entry without the fault that its name is none for its own client: in
// the target it may have another one.
func (e *Entry) nameless() *Entry {
	faults := slices.DeleteFunc(slices.Clone(e.Problems), func(p Problem) bool { return p.Severity != SeverityError })
	row := e.Source.clientRow()
	if len(faults) != 1 || row.Names.Fault(e.Name) == "" {
		return e
	}
	doc, err := jsonc.Parse(e.Raw)
	if err != nil || doc.Root() == nil {
		return e
	}
	again := newEntry(e.Source, row, jsonc.Member{Key: "x", Value: doc.Root()})
	again.Name, again.Line, again.Column, again.Fingerprint = e.Name, e.Line, e.Column, e.Fingerprint
	return again
}

func (o *Offer) refuse(code, message, hint string) {
	e := o.Entry
	o.fault = &Error{Code_: code, Path: e.Source.Path, Line: e.Line, Column: e.Column, Server_: e.Name, Message: message, Hint_: hint}
}

// plain leaves out what mcpctl cannot express, and says `disabled` in mcpctl's words.
func (o *Offer) plain(n *jsonc.Node, row client.Client) json.RawMessage {
	s := n.Reshape()
	foreign := row.Name != client.Native
	if off := n.Get("disabled"); off != nil {
		v, ok := boolean(off)
		s.Drop("disabled")
		if ok && v && n.Get("enabled") == nil {
			s.Set("enabled", truth(false))
		}
		o.asIs = o.asIs && foreign
	}
	if !foreign {
		return s.Node().Raw()
	}
	var noted, unknown []string
	for _, note := range o.Notes {
		top, _, _ := strings.Cut(note.Field, ".")
		noted = append(noted, top)
	}
	for _, m := range n.Members() {
		if slices.Contains(fields, m.Key) {
			continue
		}
		unknown = append(unknown, m.Key)
		if m.Key != row.NameIn && !slices.Contains(noted, m.Key) {
			o.Notes = append(o.Notes, CopyNote{Field: m.Key, Message: "mcpctl does not know what " + quoted(m.Key) + " means"})
		}
	}
	s.Drop(unknown...)
	return s.Node().Raw()
}

// references refuses an entry whose values hold what no server could be started with,
// such as the placeholders of another program.
func (o *Offer) references() {
	values := leaves(o.own)
	for _, where := range slices.Sorted(maps.Keys(values)) {
		text := values[where]
		if !takesReferences(where) || isCommand(text) {
			continue
		}
		if _, _, _, fault := expand(text, nil); fault != "" && o.fault == nil {
			o.refuse(CodeInvalid, "'"+o.Name+"' cannot be used: "+fault+", in "+where, "if it is written for another program, say which: --as CLIENT")
		}
	}
}

// rooted writes paths out that the client means from the folder of its file: elsewhere
// they would lead to something else.
func (o *Offer) rooted(row client.Client) {
	d := o.Entry.Definition
	if o.Entry.Source.rootOf(row) == "" || d.Transport != Stdio || !filepath.IsAbs(o.Entry.Source.Path) {
		return
	}
	said := leaves(o.own)
	for _, field := range []struct{ key, value string }{{"command", d.Command}, {"cwd", d.Cwd}} {
		if field.value != "" && said[field.key] != field.value {
			o.own, o.asIs = withMember(o.own, field.key, plainJSON(field.value)), false
		}
	}
}

// relative tells of paths that are looked for elsewhere once the entry stands in
// another file.
func (o *Offer) relative(s *Store) {
	d := o.Entry.Definition
	if d.Transport != Stdio || filepath.Dir(o.Entry.Source.Path) == s.Workspace.Dir {
		return
	}
	for _, text := range append([]string{d.Command, d.Cwd}, d.Args...) {
		if strings.HasPrefix(text, "./") || strings.HasPrefix(text, "../") {
			o.Notes = append(o.Notes, CopyNote{Message: "the path " + quoted(text) + " is relative: it is looked for in the workspace, not beside " + o.Entry.Source.Path,
				Hint: "write it absolute if that is not meant"})
			return
		}
	}
}

// listedAs is what the lists of a client say about a name: one of names that are off, or
// of the only ones that are on, is stronger than one of names that are on.
func (src *Source) listedAs(name string) (on, listed bool) {
	if src.listedOff(name) != nil {
		return false, true
	}
	return true, src.listEntry(src.on, "", name, true) != nil
}

// withMember sets a member of an object.
func withMember(object json.RawMessage, key string, value json.RawMessage) json.RawMessage {
	doc, err := jsonc.Parse(object)
	if err != nil || doc.Root() == nil {
		return object
	}
	s := doc.Root().Reshape()
	s.Set(key, value)
	return s.Node().Raw()
}

// Offers are the definitions in force, with what overrides say of them. A name that
// has none in force is offered with the reason, and cannot be copied.
func (c *Config) Offers() []*Offer {
	var out []*Offer
	for _, row := range c.Rows {
		switch {
		case row.InForce:
			o := c.Store.offer(row.Entry)
			o.override(row)
			out = append(out, o)
		case c.InForce(row.Entry.Name) == nil && !slices.ContainsFunc(out, func(o *Offer) bool { return o.Name == row.Entry.Name }):
			o := &Offer{Name: row.Entry.Name, Entry: row.Entry}
			o.refuse(CodeInvalid, "'"+o.Name+"' is not in force", "")
			if err, ok := c.refusal(o.Name).(*Error); ok {
				o.fault = err
			}
			out = append(out, o)
		}
	}
	return out
}

// Ready are the offers that can be copied, and how many others there are.
func Ready(offers []*Offer) (ready []*Offer, left int) {
	ready = slices.DeleteFunc(slices.Clone(offers), func(o *Offer) bool { return o.fault != nil })
	return ready, len(offers) - len(ready)
}

// override lays the overrides of a row on the copy, weakest first.
func (o *Offer) override(row *Row) {
	if o.fault != nil {
		return
	}
	for _, e := range slices.Backward(row.Overrides) {
		doc, err := jsonc.Parse(e.Raw)
		if err != nil || doc.Root() == nil {
			continue
		}
		n := doc.Root()
		if read := e.Source.clientRow().Dialect.Read; read != nil {
			n = read(n, e.Source.Scope == Project).Entry
		}
		for _, key := range []string{"timeout", "exposure", "toolExposure"} {
			if v := n.Get(key); v != nil {
				o.own, o.asIs = withMember(o.own, key, v.Raw()), false
			}
		}
	}
	if row.Enabled != o.Entry.Definition.Enabled {
		o.own, o.asIs = withMember(o.own, "enabled", truth(row.Enabled)), false
	}
}
