package store

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/internal/store/jsonc"
)

// FieldEdit changes one field of an entry. A header's name finds the header
// however it is spelt (RFC 9110 §5.1).
type FieldEdit struct {
	Path  []string        // the keys from the entry down; none means the entry itself
	Value json.RawMessage // nil: remove the field; one that is not there is no error
	Own   bool            // Value is in mcpctl's own shape, which the file's client may write otherwise
}

// UpdateRequest asks for an entry to change: by fields, by its switch, or by the
// text of a Draft that a person edited. What is not named stays, byte for byte.
type UpdateRequest struct {
	Scope   Scope
	Name    string
	Expect  Fingerprint // when set, the fingerprint the caller saw
	Edits   []FieldEdit
	Enabled *bool  // the switch, by whichever key the entry has for it
	Draft   *Draft // with Text changed
	DryRun  bool
}

// Update changes the entry of exactly that name in one commit. It fails with
// MCP_NOT_FOUND when the scope's file has none, with MCP_CONFIG_CONFLICT when it
// is not the one the caller saw, and with MCP_CONFIG_INVALID when the result
// would not be valid, or a field would have no effect; the file is then as it
// was. An approved project entry stays approved at its new fingerprint, any
// other stays as it was (design §5.2).
func (s *Store) Update(ctx context.Context, req UpdateRequest) (Change, error) {
	return s.amend(ctx, amendment{
		scope: req.Scope, name: req.Name, newName: req.Name, expect: req.Expect, dryRun: req.DryRun,
		edit: func(e *Entry, doc *jsonc.Document) ([]byte, error) { return s.applyUpdate(req, e, doc) },
		check: func(was, became *Entry) error {
			if became == nil || !became.Valid() {
				return invalidEntry(req.Name, became)
			}
			return withoutEffect(req, was, became)
		},
	})
}

func (s *Store) applyUpdate(req UpdateRequest, e *Entry, doc *jsonc.Document) ([]byte, error) {
	path := e.Source.at(e.Name)
	if d := req.Draft; d != nil {
		return d.apply(e, doc, path)
	}
	edits := slices.Clone(req.Edits)
	if req.Enabled != nil {
		edits = append(edits, switchEdit(e.Source.ownShape(nodeAt(doc, path)), *req.Enabled))
	}
	return s.applyEdits(e, doc, path, edits)
}

// applyFields makes the edits one after the other, below path.
func applyFields(doc *jsonc.Document, path []string, edits []FieldEdit) ([]byte, error) {
	text := doc.Bytes()
	for _, f := range edits {
		var err error
		if doc, err = doc.Reread(text); err != nil {
			return nil, err
		}
		at := slices.Concat(path, alike(doc, path, f.Path))
		var out []byte
		if f.Value != nil {
			out, err = doc.Set(at, f.Value)
		} else if out, err = doc.Remove(at); errors.Is(err, jsonc.ErrNoMember) {
			continue
		}
		if err != nil {
			return nil, blocked(err, len(path), f.Path)
		}
		text = out
	}
	return text, nil
}

// alike is the path of a field as the entry spells it: a header that differs
// only by case is the same header.
func alike(doc *jsonc.Document, path, field []string) []string {
	if len(field) != 2 || field[0] != "headers" {
		return field
	}
	n := doc.Root()
	for _, key := range append(slices.Clone(path), "headers") {
		if n = n.Get(key); n == nil {
			return field
		}
	}
	for _, m := range n.Members() {
		if strings.EqualFold(m.Key, field[1]) {
			return []string{"headers", m.Key}
		}
	}
	return field
}

// blocked says which field stands in the way of a path, in the user's words.
func blocked(err error, depth int, field []string) error {
	var pe *jsonc.PathError
	if !errors.As(err, &pe) {
		return &Error{Code_: CodeInvalid, Message: "cannot set '" + strings.Join(field, ".") + "'", Err: err}
	}
	if pe.Found == "" || len(pe.Path) < depth {
		return err
	}
	what := "the entry"
	if len(pe.Path) > depth {
		what = "'" + strings.Join(pe.Path[depth:], ".") + "'"
	}
	return &Error{Code_: CodeInvalid, Message: what + " is of type " + string(pe.Found) + ", so nothing can be set below it",
		Hint_: "replace it whole"}
}

// switchEdit turns an entry on or off by the key it has for that: `disabled`, as
// other clients write it, where only that is there.
func switchEdit(entry *jsonc.Node, on bool) FieldEdit {
	if entry.Get("enabled") == nil && entry.Get("disabled") != nil {
		return FieldEdit{Path: []string{"disabled"}, Value: truth(!on), Own: true}
	}
	if on && entry.Get("enabled") == nil {
		return FieldEdit{Path: []string{"enabled"}, Own: true} // the default; there is nothing to write
	}
	return FieldEdit{Path: []string{"enabled"}, Value: truth(on), Own: true}
}

func truth(v bool) json.RawMessage {
	if v {
		return json.RawMessage("true")
	}
	return json.RawMessage("false")
}

// idle are the fields that a transport does not look at.
var idle = map[bool][]string{
	true:  {"url", "headers", "oauth"}, // stdio
	false: {"command", "args", "env", "cwd", "inheritEnv"},
}

// withoutEffect refuses single fields that the entry's transport would ignore,
// and a definition that would silently become an override.
func withoutEffect(req UpdateRequest, was, became *Entry) error {
	bad := func(message, hint string) error {
		return &Error{Code_: CodeInvalid, Path: became.Source.Path, Server_: req.Name, Message: message, Hint_: hint}
	}
	for _, f := range req.Edits {
		if len(f.Path) == 0 {
			continue
		}
		if became.Definition == nil && was.Definition != nil {
			return bad("the entry would have neither 'command' nor 'url'", "a stdio server has a command, an http server a url")
		}
		if d := became.Definition; f.Value != nil && d != nil && slices.Contains(idle[d.Transport == Stdio], f.Path[0]) {
			return bad(fmt.Sprintf("'%s' would have no effect: the transport is %s", f.Path[0], d.Transport),
				"to change the transport, say --transport too, and --unset what the old one used")
		}
	}
	return nil
}

// Draft is one entry as text, for a person to edit.
type Draft struct {
	Text        []byte // JSON with comments, as the file has them
	Fingerprint Fingerprint
	was         []byte
}

// Draft reads the entry of exactly that name for editing. Its Text, changed,
// goes back with UpdateRequest.Draft; Update then fails with MCP_CONFIG_CONFLICT
// if somebody else changed the entry meanwhile. expect, when set, is the
// fingerprint the caller saw.
func (s *Store) Draft(scope Scope, name string, expect Fingerprint) (*Draft, error) {
	file := &Source{Client: s.Client.Name, Scope: scope, Path: s.Path(scope)}
	if file.Path == "" {
		_, _, err := s.target(scope)
		return nil, err
	}
	data, err := s.readFile(file, s.projectFile())
	if err != nil {
		return nil, err
	}
	src, doc := s.underEdit(editRequest{scope: scope, name: name}, file.Real, data)
	if src.Broken {
		return nil, src.firstError()
	}
	e := src.entry(name)
	if e == nil {
		return nil, src.notFound(name)
	}
	if expect != "" && expect != e.Fingerprint {
		return nil, Conflict(e, expect)
	}
	text, err := doc.Excerpt(src.at(name))
	if err != nil {
		return nil, located(err, src, name)
	}
	return &Draft{Text: text, Fingerprint: e.Fingerprint, was: text}, nil
}

func (d *Draft) apply(e *Entry, doc *jsonc.Document, path []string) ([]byte, error) {
	present, err := doc.Excerpt(path)
	if err != nil {
		return nil, err
	}
	if !bytes.Equal(present, d.was) {
		return nil, &Error{Code_: CodeConflict, Path: e.Source.Path, Line: e.Line, Column: e.Column, Server_: e.Name,
			Message: fmt.Sprintf("'%s' changed while it was edited; its fingerprint is now %s", e.Name, e.Fingerprint),
			Hint_:   "edit it again"}
	}
	out, err := doc.ReplaceText(path, d.Text)
	var se *jsonc.SyntaxError
	if errors.As(err, &se) {
		return nil, &Error{Code_: CodeInvalid, Server_: e.Name, Message: "the edited entry does not parse: " + se.Error()}
	}
	return out, err
}
