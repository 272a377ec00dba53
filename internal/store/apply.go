package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/internal/store/jsonc"
)

// The operations of an Edit, as the document of `apply` has them.
const (
	OpAdd    = "add"
	OpUpdate = "update"
	OpRename = "rename"
	OpRemove = "remove"
)

// Edit is one step of an Apply. Which fields count depends on Op.
type Edit struct {
	Op      string
	Name    string
	To      string          // rename: the new name
	Entry   json.RawMessage // add: the value to write, an object
	Replace bool            // add: replace what the name holds
	Unset   []FieldEdit     // update, without values; before Set, so that a whole object can be made anew
	Set     []FieldEdit     // update
	Expect  Fingerprint     // of the entry as the edits before this one left it; "" is any
}

// fields are the changes of an update, in their order; none for other operations.
func (e Edit) fields() []FieldEdit { return slices.Concat(e.Unset, e.Set) }

// ApplyRequest asks for several edits of one file in one change, all or none.
type ApplyRequest struct {
	Scope  Scope
	Edits  []Edit
	DryRun bool

	plain bool // an error does not say which edit it is about: nobody has seen the list
}

// Applied is what an Apply did or would do.
type Applied struct {
	Change
	Fingerprints []Fingerprint // by edit, of what its name holds in the end; "" for nothing
}

// Apply makes edits one after the other and writes the file once (design §6). Each
// has to leave an entry that can be used, but for a rename, which changes the name
// alone. The first that fails ends it with the
// code that the verb of its own would have, and nothing is written.
//
// In a project file an add approves what it wrote, an update or a rename of an
// approved entry keeps it approved, and nothing else is approved (design §5.2). A
// refusal goes along to a new name, and one of the new name stays, with a warning.
func (s *Store) Apply(ctx context.Context, req ApplyRequest) (Applied, error) {
	run := &applying{store: s, scope: req.Scope, plain: req.plain, words: map[string]word{}}
	var result *Source
	change, err := s.editThen(ctx, editRequest{scope: req.Scope, dryRun: req.DryRun, part: partOfAll}, editSteps{
		plan: func(src *Source, doc *jsonc.Document) ([]byte, error) {
			run.src, run.doc, run.approvals = src, doc, s.ReadApprovals()
			for i, e := range req.Edits {
				if err := run.edit(e); err != nil {
					return nil, run.atEdit(i, e, err)
				}
			}
			return run.doc.Bytes(), nil
		},
		check: func(after *Source) error {
			result = after
			if err := run.usable(after, req.Edits); err != nil {
				return err
			}
			_, err := run.records(after)
			return err
		},
		then: func() error { return run.approve(ctx, result) },
	})
	if err == nil && change.Unchanged && !req.DryRun {
		err = run.approve(ctx, result) // an entry may be added as it stands there already
	}
	if err != nil {
		return Applied{}, err
	}
	out := Applied{Change: change}
	out.Warnings = run.denied(result)
	for _, e := range req.Edits {
		fp := Fingerprint("")
		if left := result.entry(e.left()); left != nil {
			fp = left.Fingerprint
		}
		out.Fingerprints = append(out.Fingerprints, fp)
	}
	return out, nil
}

// left is the name that the entry has after this edit.
func (e Edit) left() string {
	if e.Op == OpRename {
		return e.To
	}
	return e.Name
}

// usable checks what each edit has left once more, now beside all other entries: two
// names of a file that was not ours may fall together.
func (run *applying) usable(after *Source, edits []Edit) error {
	for i, e := range edits {
		if e.Op != OpAdd && e.Op != OpUpdate {
			continue
		}
		if left := after.entry(e.Name); left != nil && !left.Valid() {
			return run.atEdit(i, e, invalidEntry(e.Name, left))
		}
	}
	return nil
}

// atEdit says which edit failed.
func (run *applying) atEdit(i int, e Edit, err error) error {
	if run.plain {
		return err
	}
	where := fmt.Sprintf("edits[%d] (%s '%s'): ", i, e.Op, e.Name)
	var own *Error
	if !errors.As(err, &own) {
		return fmt.Errorf("%s%w", where, err)
	}
	c := *own
	c.Message, c.Server_ = where+c.Message, e.Name
	if i > 0 {
		c.Line, c.Column = 0, 0 // a place in a text that nobody has seen
	}
	return &c
}

// applying is an Apply at work. Only the entries that an edit touches are read: to
// read all of them each time would take seconds for a thousand edits, and others
// wait for the lock.
type applying struct {
	store     *Store
	scope     Scope
	plain     bool
	src       *Source         // the file before all edits
	doc       *jsonc.Document // as the edits so far have left it
	approvals *Approvals
	words     map[string]word // of the names touched so far
	moved     []string        // names that approved entries have given up
}

// members lists the entries as they are now.
func (run *applying) members() []jsonc.Member {
	if servers := run.src.servers(run.doc); servers != nil {
		return servers.Members()
	}
	return nil
}

// entry reads the entry of exactly that name as it is now; nil when there is none.
func (run *applying) entry(name string) *Entry {
	for _, m := range run.members() {
		if m.Key == name {
			return newEntry(run.src, run.src.clientRow(), m)
		}
	}
	return nil
}

func (run *applying) notFound(name string) error {
	present := &Source{Path: run.src.Path}
	for _, m := range run.members() {
		present.Entries = append(present.Entries, &Entry{Name: m.Key})
	}
	return present.notFound(name)
}

// edit makes one edit.
func (run *applying) edit(e Edit) error {
	old := run.entry(e.Name)
	switch {
	case old == nil && (e.Op != OpAdd || e.Expect != ""):
		return run.notFound(e.Name)
	case e.Expect != "" && e.Expect != old.Fingerprint:
		return Conflict(old, e.Expect)
	}
	data, err := run.change(e, old)
	if err != nil {
		return run.explained(e, err)
	}
	if run.doc, err = run.doc.Reread(data); err != nil {
		return located(err, run.src, e.Name)
	}
	switch left := run.entry(e.left()); e.Op {
	case OpAdd, OpUpdate:
		if left == nil || !left.Valid() {
			return invalidEntry(e.Name, left)
		}
		if err := withoutEffect(UpdateRequest{Name: e.Name, Edits: e.fields()}, old, left); err != nil {
			return err
		}
	case OpRename: // of malformed ones too
		if left == nil || run.src.bare(left) != run.src.bare(old) {
			return invalidEntry(e.To, left)
		}
	}
	run.note(e, old)
	return nil
}

// change returns the text with one edit made; old is what the name holds.
func (run *applying) change(e Edit, old *Entry) ([]byte, error) {
	at := run.src.at(e.Name)
	switch e.Op {
	case OpAdd:
		if err := run.free(e.Name, "", e.Replace); err != nil {
			return nil, err
		}
		return run.doc.Set(at, run.src.named(e.Name, e.Entry))
	case OpUpdate:
		return run.store.applyEdits(old, run.doc, at, e.fields())
	case OpRename:
		if err := run.free(e.To, e.Name, false); err != nil {
			return nil, err
		}
		return run.src.rename(run.doc, e.Name, e.To)
	case OpRemove:
		return run.doc.Remove(at)
	}
	return nil, &Error{Code_: CodeUsage, Message: "unknown operation " + quoted(e.Op), Hint_: "use add, update, rename or remove"}
}

// free checks that a name can be given to an entry; leaving is the name the entry
// gives up.
func (run *applying) free(name, leaving string, replace bool) error {
	if err := run.store.nameFault(run.scope, name); err != nil {
		return err
	}
	for _, m := range run.members() {
		switch {
		case m.Key == leaving && name != leaving, m.Key == name && replace:
		case m.Key == name:
			return &Error{Code_: CodeNameTaken, Path: run.src.Path, Line: m.KeyPosition.Line, Column: m.KeyPosition.Column, Server_: name,
				Message: "the name '" + name + "' is taken", Hint_: `use another name; an add may say "replace": true`}
		case namespace(m.Key) == namespace(name):
			return taken(AddRequest{Name: name}, newEntry(run.src, run.src.clientRow(), m))
		}
	}
	return nil
}

// explained gives the errors of the editor the words of this room.
func (run *applying) explained(e Edit, err error) error {
	var path *jsonc.PathError
	if errors.As(err, &path) { // without its line, which is of a text that nobody has seen
		return &Error{Code_: CodeInvalid, Path: run.src.Path, Server_: e.Name, Message: strings.TrimPrefix(err.Error(), path.Position.String()+": ")}
	}
	return located(err, run.src, e.Name)
}
