package store

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/mcpctl/mcpctl/internal/store/client"
	"github.com/mcpctl/mcpctl/internal/store/jsonc"
)

// Limits on what one session may say, so that a client that runs wild stops early.
const (
	overlayMost  = 256       // servers, and servers with an override, of one session
	overlayLimit = 256 << 10 // bytes of one entry
)

// Overlay is what one session says above every file (design §4): the servers it
// registered and its overrides. It stands in no file and ends with the session. A
// value does not change: what would change it returns another one.
type Overlay struct {
	session    string
	registered map[string]json.RawMessage
	overrides  map[string]map[string]json.RawMessage // by server, then by field
	source     *Source                               // both, read as a file's entries are
}

// NewOverlay is the overlay of a session that has said nothing yet.
func NewOverlay(session string) *Overlay {
	return (&Overlay{session: session}).read()
}

// Empty tells whether the session says nothing.
func (o *Overlay) Empty() bool { return len(o.registered)+len(o.overrides) == 0 }

// Count returns how many servers the session registered, and how many it overrides.
func (o *Overlay) Count() (registered, overridden int) {
	return len(o.registered), len(o.overrides)
}

// Over puts the overlay above sources that are ordered strong to weak.
func (o *Overlay) Over(sources []*Source) []*Source {
	if o == nil || o.Empty() {
		return sources
	}
	return append([]*Source{o.source}, sources...)
}

// Registered tells whether the session registered a server of this name.
func (o *Overlay) Registered(name string) bool { _, ok := o.registered[name]; return ok }

// Overrides tells whether the session overrides the server of this name.
func (o *Overlay) Overrides(name string) bool { _, ok := o.overrides[name]; return ok }

// Entry returns what the session says about a name, nil when nothing.
func (o *Overlay) Entry(name string) *Entry { return o.source.entry(name) }

// Register adds a definition. It fails with USAGE for a name that could not be
// written to a file, with MCP_NAME_TAKEN for one that the session has, or that
// falls together with one, and with MCP_CONFIG_INVALID for what is no definition,
// a value `!command` included: a process that is not the user's shell must not
// make the supervisor run commands unseen. With replace the name may be taken by a
// registered server.
func (o *Overlay) Register(s *Store, name string, entry json.RawMessage, replace bool) (*Overlay, error) {
	if err := s.nameFault(Session, name); err != nil {
		return nil, err
	}
	for other := range o.registered {
		if other == name && !replace || other != name && namespace(other) == namespace(name) {
			return nil, nameTaken(name, o.source.entry(other))
		}
	}
	if o.Overrides(name) {
		return nil, &Error{Code_: CodeNameTaken, Path: o.source.Path, Server_: name, Message: "the session has an override of '" + name + "'",
			Hint_: "take the override away first"}
	}
	if err := o.room(name, entry); err != nil {
		return nil, err
	}
	next := o.clone()
	next.registered[name] = entry
	next.read()
	e := next.source.entry(name)
	switch {
	case e == nil || !e.Valid():
		return nil, o.invalid(name, e)
	case e.Definition == nil:
		return nil, &Error{Code_: CodeInvalid, Server_: name, Message: "neither 'command' nor 'url'", Hint_: "a stdio server has a command, an http server a url"}
	}
	return next, nil
}

// Unregister takes a registered server away; MCP_NOT_FOUND when there is none.
func (o *Overlay) Unregister(name string) (*Overlay, error) {
	if !o.Registered(name) {
		err := &Error{Code_: CodeNotFound, Server_: name, Message: "the session has registered no server '" + name + "'"}
		if near := Closest(name, slices.Sorted(maps.Keys(o.registered))); near != "" {
			err.Hint_ = "did you mean '" + near + "'?"
		}
		return nil, err
	}
	next := o.clone()
	delete(next.registered, name)
	return next.read(), nil
}

// overlayFields are the fields that an override of a session may hold.
var overlayFields = []string{"enabled", "exposure", "timeout", "toolExposure"}

// Override sets fields of the override of a server; null takes one away, and one
// that is absent stays. It fails with USAGE for a server that the session itself
// registered, and with MCP_CONFIG_INVALID for a field or value that an override
// does not have.
func (o *Overlay) Override(name string, fields map[string]json.RawMessage) (*Overlay, error) {
	if o.Registered(name) {
		return nil, &Error{Code_: CodeUsage, Server_: name, Message: "the session registered '" + name + "' itself, so nothing lies below that an override could change",
			Hint_: "register it again, with the fields as they are to be"}
	}
	next := o.clone()
	set := next.overrides[name]
	if set == nil {
		set = map[string]json.RawMessage{}
		next.overrides[name] = set
	}
	for field, value := range fields {
		if !slices.Contains(overlayFields, field) {
			return nil, &Error{Code_: CodeInvalid, Server_: name, Message: "an override has no field " + quoted(field), Hint_: "it has enabled, exposure, timeout and toolExposure"}
		}
		if string(value) == "null" {
			delete(set, field)
		} else {
			set[field] = value
		}
	}
	if len(set) == 0 {
		delete(next.overrides, name)
		return next.read(), nil
	}
	if err := o.room(name, overrideJSON(set)); err != nil {
		return nil, err
	}
	next.read()
	if e := next.source.entry(name); e == nil || e.Override == nil {
		return nil, o.invalid(name, e)
	}
	return next, nil
}

// Without forgets what the session says about a name, whatever that is.
func (o *Overlay) Without(name string) *Overlay {
	next := o.clone()
	delete(next.registered, name)
	delete(next.overrides, name)
	return next.read()
}

// room refuses what is too much.
func (o *Overlay) room(name string, entry json.RawMessage) error {
	full := len(o.registered) + len(o.overrides)
	switch {
	case len(entry) > overlayLimit:
		return &Error{Code_: CodeInvalid, Server_: name, Message: fmt.Sprintf("the entry has %d bytes, at most %d are taken", len(entry), overlayLimit)}
	case full >= overlayMost && !o.Registered(name) && !o.Overrides(name):
		return &Error{Code_: CodeUsage, Server_: name, Message: fmt.Sprintf("a session has at most %d servers and overrides of its own", overlayMost)}
	}
	return nil
}

// invalid says what is wrong with an entry that the session gave.
func (o *Overlay) invalid(name string, e *Entry) error { return invalidEntry(name, e) }

func (o *Overlay) clone() *Overlay {
	next := &Overlay{session: o.session, registered: map[string]json.RawMessage{}, overrides: map[string]map[string]json.RawMessage{}}
	maps.Copy(next.registered, o.registered)
	for name, set := range o.overrides {
		next.overrides[name] = maps.Clone(set)
	}
	return next
}

// read makes the source anew; it belongs to the end of every change.
func (o *Overlay) read() *Overlay {
	o.source = &Source{Client: client.Native, Scope: Session, Path: string(Session) + ":" + o.session, Exists: true}
	o.source.Real = o.source.Path
	for _, name := range slices.Sorted(maps.Keys(o.registered)) {
		o.source.add(name, o.registered[name])
	}
	for _, name := range slices.Sorted(maps.Keys(o.overrides)) {
		o.source.add(name, overrideJSON(o.overrides[name]))
	}
	return o
}

// add reads one entry that stands at no place.
func (src *Source) add(name string, raw json.RawMessage) {
	doc, err := jsonc.Parse(raw)
	if err != nil || doc.Root() == nil {
		message := "there is no entry"
		if err != nil {
			message = "the entry does not parse: " + err.Error()
		}
		e := &Entry{Name: name, Source: src, Raw: raw}
		(&decoder{entry: e}).fail(jsonc.Position{}, message, "")
		src.Entries = append(src.Entries, e)
		return
	}
	src.Entries = append(src.Entries, newEntry(src, src.clientRow(), jsonc.Member{Key: name, Value: doc.Root()}))
}

// overrideJSON is an override as a file would have it, its fields in one order.
func overrideJSON(set map[string]json.RawMessage) json.RawMessage {
	out := []byte{'{'}
	for _, field := range slices.Sorted(maps.Keys(set)) {
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = append(append(append(out, plainJSON(field)...), ':'), set[field]...)
	}
	return append(out, '}')
}
