package store

import (
	"encoding/json"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/internal/store/client"
	"github.com/mcpctl/mcpctl/internal/store/jsonc"
)

// An edit in mcpctl's words of an entry in a client's shape is made twice: once to the
// entry as mcpctl reads it, and then, as the difference between what would be written
// for the client before and after, to the entry as it stands. So what the edit is not
// about keeps its bytes.

// ownShape is an entry of the source as mcpctl reads it.
func (src *Source) ownShape(n *jsonc.Node) *jsonc.Node {
	row := src.clientRow()
	if row.Dialect.Read == nil || n == nil || n.Kind() != jsonc.Object {
		return n
	}
	return row.Dialect.Read(n, src.Scope == Project).Entry
}

// nodeAt is the value at a path; nil when there is none.
func nodeAt(doc *jsonc.Document, path []string) *jsonc.Node {
	n := doc.Root()
	for _, key := range path {
		if n == nil {
			return nil
		}
		n = n.Get(key)
	}
	return n
}

// applyEdits makes edits to the entry at path: those in mcpctl's own words first.
func (s *Store) applyEdits(e *Entry, doc *jsonc.Document, path []string, edits []FieldEdit) ([]byte, error) {
	row := e.Source.clientRow()
	if row.Dialect.Write == nil {
		return applyFields(doc, path, edits)
	}
	var own, rest []FieldEdit
	for _, f := range edits {
		if len(f.Path) > 0 && (f.Own || ownWords(row, nodeAt(doc, path), f)) {
			own = append(own, f)
		} else {
			rest = append(rest, f)
		}
	}
	text := doc.Bytes()
	if len(own) > 0 {
		var err error
		if text, err = s.applyOwn(e, doc, path, own); err != nil {
			return nil, err
		}
		if doc, err = doc.Reread(text); err != nil {
			return nil, err
		}
	}
	if len(rest) == 0 {
		return text, nil
	}
	return applyFields(doc, path, rest)
}

// ownWords tells whether an edit that names a field is meant in mcpctl's words: the
// client's entries have no field of this name, or none with such a value.
func ownWords(row client.Client, entry *jsonc.Node, f FieldEdit) bool {
	key := f.Path[0]
	if f.Value == nil {
		return foreignTo(row, key) && entry != nil && entry.Get(key) == nil
	}
	return foreignTo(row, key) || key == "timeout" && row.Dialect.Fields != nil && strings.HasPrefix(string(f.Value), `"`)
}

// foreignTo tells whether a field of mcpctl's is none of a client's.
func foreignTo(row client.Client, key string) bool {
	switch key {
	case "enabled", "disabled": // honoured in every file (design §3)
		return false
	}
	return row.Dialect.Fields != nil && slices.Contains(fields, key) && !slices.Contains(row.Dialect.Fields, key)
}

func (s *Store) applyOwn(e *Entry, doc *jsonc.Document, path []string, edits []FieldEdit) ([]byte, error) {
	row := e.Source.clientRow()
	entry := nodeAt(doc, path)
	if entry == nil || entry.Kind() != jsonc.Object {
		return applyFields(doc, path, edits) // which says what stands in the way
	}
	was, err := jsonc.Parse(e.Source.ownShape(entry).Raw())
	if err != nil {
		return nil, err
	}
	meant, err := applyFields(was, nil, edits)
	if err != nil {
		return nil, err
	}
	before, err := row.Dialect.Write(was.Bytes())
	if err != nil {
		return nil, err
	}
	after, err := row.Dialect.Write(meant)
	if err != nil {
		return nil, err
	}
	for _, gap := range after.Gaps {
		if !slices.ContainsFunc(before.Gaps, func(g client.Gap) bool { return g.Field == gap.Field }) {
			return nil, s.inexpressible(row, gap.Why)
		}
	}
	changes := difference(before.Entry, after.Entry)
	if text, err := inOlderShape(row, doc, path, changes); err == nil && text != nil && e.nowMeans(doc, text, meant) {
		return text, nil
	}
	drops := []string{""}
	if renamed(changes, entry, before.Entry) {
		drops = append(e.otherKeys(doc, path, before.Entry), "")
	}
	for _, drop := range drops {
		try := changes
		if drop != "" {
			try = append(slices.Clone(changes), FieldEdit{Path: []string{drop}})
		}
		text, err := applyFields(doc, path, try)
		if err != nil {
			return nil, err
		}
		if e.nowMeans(doc, text, meant) {
			return text, nil
		}
	}
	// mcpctl honours some fields that it would not write for the client.
	unknown := slices.IndexFunc(edits, func(f FieldEdit) bool { return f.Value != nil && foreignTo(row, f.Path[0]) })
	if unknown < 0 {
		if text, err := applyFields(doc, path, edits); err == nil && e.nowMeans(doc, text, meant) {
			return text, nil
		}
	}
	whole := difference(json.RawMessage("{}"), after.Entry) // as it would be written today, beside what only the client has
	if text, err := applyFields(doc, path, whole); err == nil && e.nowMeans(doc, text, meant) {
		return text, nil
	}
	if unknown >= 0 {
		return nil, s.inexpressible(row, row.Title+" has no '"+edits[unknown].Path[0]+"' in an entry")
	}
	return nil, &Error{Code_: CodeInvalid, Message: "the entry is written so that this field cannot be changed alone", Hint_: "replace the entry, or edit it with --edit"}
}

// inOlderShape makes changes where an entry of the client's older shape has their fields;
// nil for a client that has one shape.
func inOlderShape(row client.Client, doc *jsonc.Document, path []string, changes []FieldEdit) ([]byte, error) {
	if row.Dialect.Older == nil {
		return nil, nil
	}
	older := slices.Clone(changes)
	for i, f := range older {
		older[i].Path = row.Dialect.Older(nodeAt(doc, path), f.Path)
	}
	return applyFields(doc, path, older)
}

// renamed tells whether a field that is changed stands in the entry under another name
// than the one that is written today.
func renamed(changes []FieldEdit, entry *jsonc.Node, written json.RawMessage) bool {
	now := memberMap(written)
	return slices.ContainsFunc(changes, func(f FieldEdit) bool { return now[f.Path[0]] != nil && entry.Get(f.Path[0]) == nil })
}

// otherKeys are the keys of an entry that would not be written today, and without which
// it would mean something else.
func (e *Entry) otherKeys(doc *jsonc.Document, path []string, written json.RawMessage) (keys []string) {
	now, entry := memberMap(written), nodeAt(doc, path)
	meant := e.Source.ownShape(entry).Raw()
	for key := range entry.All() {
		if _, is := now[key]; is {
			continue
		}
		if text, err := applyFields(doc, path, []FieldEdit{{Path: []string{key}}}); err == nil && !e.nowMeans(doc, text, meant) {
			keys = append(keys, key)
		}
	}
	return keys
}

// nowMeans tells whether the entry in text is read as what is meant.
func (e *Entry) nowMeans(doc *jsonc.Document, text []byte, meant json.RawMessage) bool {
	again, err := doc.Reread(text)
	if err != nil {
		return false
	}
	n := e.Source.servers(again)
	if n == nil || n.Get(e.Name) == nil {
		return false
	}
	row := e.Source.clientRow()
	read := newEntry(e.Source, row, jsonc.Member{Key: e.Name, Value: n.Get(e.Name)})
	wanted, err := jsonc.Parse(meant)
	if err != nil {
		return false
	}
	d := &decoder{entry: &Entry{Name: e.Name, Source: e.Source}}
	def, over := d.decode(wanted.Root())
	if d.failed {
		return true // what is wrong with it is told by who checks the result
	}
	if row.Rooted && def != nil && e.Source.Path != "" {
		def.rootAt(filepath.Dir(e.Source.Path))
	}
	return reflect.DeepEqual(read.Definition, def) && reflect.DeepEqual(read.Override, over)
}

// difference is what turns one object into another, by whole members, and below env and
// headers, whatever they are called, by single ones.
func difference(before, after json.RawMessage) []FieldEdit {
	was, is := memberMap(before), memberMap(after)
	var out []FieldEdit
	for _, key := range keysOf(before, after) {
		a, b := was[key], is[key]
		switch {
		case string(a) == string(b):
		case slices.Contains([]string{"env", "envs", "environment", "headers", "http_headers"}, key) && a != nil && b != nil:
			for _, f := range difference(a, b) {
				out = append(out, FieldEdit{Path: append([]string{key}, f.Path...), Value: f.Value})
			}
		default:
			out = append(out, FieldEdit{Path: []string{key}, Value: b})
		}
	}
	return out
}

// keysOf are the keys of several objects, in the order of the text.
func keysOf(objects ...json.RawMessage) (keys []string) {
	for _, object := range objects {
		doc, err := jsonc.Parse(object)
		if err != nil || doc.Root() == nil {
			continue
		}
		for _, m := range doc.Root().Members() {
			if !slices.Contains(keys, m.Key) {
				keys = append(keys, m.Key)
			}
		}
	}
	return keys
}

func memberMap(object json.RawMessage) map[string]json.RawMessage {
	out := map[string]json.RawMessage{}
	doc, err := jsonc.Parse(object)
	if err != nil || doc.Root() == nil {
		return out
	}
	for _, m := range doc.Root().Members() {
		if _, twice := out[m.Key]; !twice {
			out[m.Key] = m.Value.Raw()
		}
	}
	return out
}
