package store

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
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
	Set     []Assignment    // update
	Unset   [][]string      // update; before Set, so that a whole object can be made anew
	Expect  Fingerprint     // all but add: of the entry as the edits before this one left it; "" is any
}

// Assignment gives one field of an entry a value. Path is the keys down to it.
type Assignment struct {
	Path  []string
	Value json.RawMessage
}

// ApplyRequest asks for several edits of one file in one change, all or none.
type ApplyRequest struct {
	Scope  Scope
	Edits  []Edit
	DryRun bool
}

// Applied is what an Apply did or would do.
type Applied struct {
	Change
	Fingerprints []Fingerprint // by edit, of what its name holds in the end; "" for nothing
}

// Apply makes edits one after the other and writes the file once (design §6). Each
// has to leave an entry that can be used. The first that fails ends it with the
// code that the verb of its own would have, and nothing is written.
//
// In a project file an add approves what it wrote, an update or a rename of an
// approved entry keeps it approved, and nothing else is approved (design §5.2).
func (s *Store) Apply(ctx context.Context, req ApplyRequest) (Applied, error) {
	run := &applying{store: s, words: map[string]word{}}
	var result *Source
	change, err := s.edit(ctx, editRequest{req.Scope, "", req.DryRun}, func(src *Source, doc *jsonc.Document) ([]byte, error) {
		run.src, run.data, run.approvals = src, doc.Bytes(), s.ReadApprovals()
		for i, e := range req.Edits {
			if err := run.edit(e); err != nil {
				return nil, atEdit(i, e, err)
			}
		}
		return run.data, nil
	}, func(after *Source) error {
		result = after
		return nil
	})
	if err != nil {
		return Applied{}, err
	}
	out := Applied{Change: change}
	for _, e := range req.Edits {
		fp := Fingerprint("")
		if left := result.entry(e.left()); left != nil {
			fp = left.Fingerprint
		}
		out.Fingerprints = append(out.Fingerprints, fp)
	}
	if req.Scope == Project && !req.DryRun {
		if err := run.approve(ctx, result); err != nil {
			return out, fmt.Errorf("'%s' was written, but nothing was approved: %w", change.Path, err)
		}
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

// atEdit says which edit failed.
func atEdit(i int, e Edit, err error) error {
	where := fmt.Sprintf("edits[%d] (%s): ", i, e.Op)
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

// word is the user's word on an entry while edits are made.
type word struct{ approved, entryOnly bool }

// applying is an Apply at work: the text as the edits so far have left it.
type applying struct {
	store     *Store
	src       *Source // data as a reader sees it
	data      []byte
	approvals *Approvals
	words     map[string]word // of the names touched so far
}

// edit makes one edit.
func (run *applying) edit(e Edit) error {
	old := run.src.entry(e.Name)
	if e.Op != OpAdd {
		if old == nil {
			return run.src.notFound(e.Name)
		}
		if e.Expect != "" && e.Expect != old.Fingerprint {
			return Conflict(old, e.Expect)
		}
	}
	data, err := run.change(e)
	if err != nil {
		return run.explained(e, err)
	}
	after := run.store.parsed(run.src.Scope, run.src.Real, data)
	after.Exists = run.src.Exists
	if after.Broken {
		return after.firstError()
	}
	left := after.entry(e.left())
	switch {
	case e.Op == OpRemove && left != nil:
		return &Error{Code_: CodeInvalid, Path: after.Path, Server_: e.Name, Message: "the name stands in the file twice"}
	case e.Op != OpRemove && (left == nil || !left.Valid()):
		return invalidEntry(e.left(), left)
	}
	run.note(e, old)
	run.src, run.data = after, data
	return nil
}

// change returns the text with one edit made.
func (run *applying) change(e Edit) ([]byte, error) {
	doc, err := jsonc.Parse(run.data)
	if err != nil {
		return nil, err
	}
	at := []string{run.store.Client.TopKey, e.Name}
	switch e.Op {
	case OpAdd:
		if err := run.free(e.Name, "", e.Replace); err != nil {
			return nil, err
		}
		return doc.Set(at, e.Entry)
	case OpUpdate:
		return setFields(run.data, at, e.Set, e.Unset)
	case OpRename:
		if err := run.free(e.To, e.Name, false); err != nil {
			return nil, err
		}
		return renameMember(run.data, at, e.To)
	case OpRemove:
		return doc.Remove(at)
	}
	return nil, &Error{Code_: CodeUsage, Message: "unknown operation " + quoted(e.Op), Hint_: "use add, update, rename or remove"}
}

// free checks that a name can be given to an entry; leaving is the name the entry
// gives up.
func (run *applying) free(name, leaving string, replace bool) error {
	if why := NameFault(name); why != "" {
		return &Error{Code_: CodeUsage, Server_: name, Message: "the name " + quoted(name) + " " + why,
			Hint_: "a name has 1 to 100 of A-Z a-z 0-9 _ . : - and does not begin with '-'"}
	}
	for _, e := range run.src.Entries {
		switch {
		case e.Name == leaving && name != leaving, e.Name == name && replace:
		case e.Name == name:
			return &Error{Code_: CodeNameTaken, Path: e.Source.Path, Line: e.Line, Column: e.Column, Server_: name,
				Message: "the name '" + name + "' is taken", Hint_: `use another name; an add may say "replace": true`}
		case namespace(e.Name) == namespace(name):
			return taken(AddRequest{Name: name}, e)
		}
	}
	return nil
}

// explained gives the errors of the editor the words of this room.
func (run *applying) explained(e Edit, err error) error {
	var missing *noField
	if errors.As(err, &missing) {
		return &Error{Code_: CodeNotFound, Path: run.src.Path, Server_: e.Name,
			Message: fmt.Sprintf("'%s' has no field '%s'", e.Name, strings.Join(missing.path, "."))}
	}
	var path *jsonc.PathError
	if errors.As(err, &path) { // without its line, which is of a text that nobody has seen
		return &Error{Code_: CodeInvalid, Path: run.src.Path, Server_: e.Name, Message: strings.TrimPrefix(err.Error(), path.Position.String()+": ")}
	}
	return located(err, run.src, e.Name)
}

// note keeps the user's word on the entry of an edit.
func (run *applying) note(e Edit, old *Entry) {
	switch e.Op {
	case OpAdd:
		run.words[e.Name] = word{approved: true}
	case OpUpdate:
		run.words[e.Name] = run.word(old)
	case OpRename:
		w := run.word(old)
		if r := run.approvals.find(run.src.Real, e.To); r != nil && r.Denied {
			w = word{} // a refusal of that name survives edits
		}
		run.words[e.To] = w
		delete(run.words, e.Name)
	case OpRemove:
		delete(run.words, e.Name)
	}
}

func (run *applying) word(e *Entry) word {
	if w, ok := run.words[e.Name]; ok {
		return w
	}
	state, _, _ := run.approvals.State(run.store, e)
	r := run.approvals.find(e.Source.Real, e.Name)
	return word{approved: state == Approved, entryOnly: r != nil && r.EntryOnly}
}

// approve records what the edits approve, in one write, as far as it is not
// recorded already.
func (run *applying) approve(ctx context.Context, after *Source) error {
	var records []approval
	for _, e := range after.Entries {
		w := run.words[e.Name]
		if state, _, _ := run.approvals.State(run.store, e); !w.approved || state == Approved {
			continue
		}
		r := approval{Source: e.Source.Real, Name: e.Name, Fingerprint: e.Fingerprint, Time: now(), EntryOnly: w.entryOnly, Entry: e.Raw}
		if !w.entryOnly {
			r.Files = run.store.coveredFiles(e)
		}
		records = append(records, r)
	}
	if len(records) == 0 {
		return nil
	}
	return run.store.changeApprovals(ctx, func(f *approvalsFile) {
		for _, r := range records {
			f.put(r)
		}
	})
}

// noField says that there is nothing to take away at a path.
type noField struct{ path []string }

func (e *noField) Error() string { return "no field '" + strings.Join(e.path, ".") + "'" }

// setFields returns the text doc with fields taken away from, and then given to,
// the object at the path at. Every other byte stays. Errors are *noField and those
// of jsonc.
func setFields(doc []byte, at []string, set []Assignment, unset [][]string) ([]byte, error) {
	for _, path := range unset {
		d, err := jsonc.Parse(doc)
		if err != nil {
			return nil, err
		}
		doc, err = d.Remove(below(at, path))
		if errors.Is(err, jsonc.ErrNoMember) {
			return nil, &noField{path}
		}
		if err != nil {
			return nil, err
		}
	}
	for _, field := range set {
		d, err := jsonc.Parse(doc)
		if err != nil {
			return nil, err
		}
		if doc, err = d.Set(below(at, field.Path), field.Value); err != nil {
			return nil, err
		}
	}
	return doc, nil
}

func below(at, path []string) []string { return append(append([]string(nil), at...), path...) }

// renameMember returns the text doc with the key at the path at, two keys long,
// spelled as to. Only the bytes of the key differ; the member keeps its place.
func renameMember(doc []byte, at []string, to string) ([]byte, error) {
	d, err := jsonc.Parse(doc)
	if err != nil {
		return nil, err
	}
	start := -1
	for _, m := range d.Root().Get(at[0]).Members() {
		switch {
		case m.Key != at[1]:
		case start >= 0:
			return nil, &Error{Code_: CodeInvalid, Server_: at[1], Line: m.KeyPosition.Line, Column: m.KeyPosition.Column,
				Message: "the name stands in the file twice", Hint_: "remove one of them with an editor"}
		default:
			start = m.KeyPosition.Offset
		}
	}
	if start < 0 {
		return nil, jsonc.ErrNoMember
	}
	end := start + 1
	for ; doc[end] != '"'; end++ {
		if doc[end] == '\\' {
			end++ // what is escaped does not end the string
		}
	}
	return bytes.Join([][]byte{doc[:start], plainJSON(to), doc[end+1:]}, nil), nil
}
