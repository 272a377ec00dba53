package store

import (
	"fmt"
	"slices"

	"github.com/mcpctl/mcpctl/internal/store/jsonc"
)

// editKeys are the keys that each operation of a list of edits may have beside
// "op" and "name".
var editKeys = map[string][]string{
	OpAdd:    {"entry", "replace"},
	OpUpdate: {"set", "unset", "expectFingerprint"},
	OpRename: {"to", "expectFingerprint"},
	OpRemove: {"expectFingerprint"},
}

// ParseEdits reads the document of `apply`, JSON that may have comments, or the same in
// TOML or YAML:
//
//	{"scope": "user", "edits": [
//	  {"op": "add", "name": "a", "entry": {…}, "replace": false},
//	  {"op": "update", "name": "b", "set": {"env.K": "v", "timeout": 30}, "unset": ["args"], "expectFingerprint": "sha256:…"},
//	  {"op": "rename", "name": "c", "to": "d"},
//	  {"op": "remove", "name": "e"}]}
//
// scope is "" when the document does not say. A key that is unknown, or stands
// twice, fails, and so does everything else that is not as above, with
// MCP_CONFIG_INVALID and the place.
func ParseEdits(data []byte) (scope Scope, edits []Edit, err error) {
	doc, err := parseFile(textName(data), data)
	if err != nil {
		return "", nil, wrongAt(positionOf(err), messageOf(err))
	}
	root := doc.Root()
	if root == nil {
		return "", nil, wrongAt(jsonc.Position{}, "there is nothing in the document")
	}
	if err := checkKeys(root, "the document", []string{"$schema", "scope", "edits"}); err != nil {
		return "", nil, err
	}
	if n := root.Get("$schema"); n != nil && n.Kind() != jsonc.String {
		return "", nil, wrongAt(n.Position(), "'$schema' is a string")
	}
	if n := root.Get("scope"); n != nil {
		text, _ := n.Text()
		if scope = Scope(text); !slices.Contains(scopes, scope) {
			return "", nil, wrongAt(n.Position(), "the scope is \"user\", \"project\" or \"local\"")
		}
	}
	list := root.Get("edits")
	if list == nil || list.Kind() != jsonc.Array {
		return "", nil, wrongAt(root.Position(), "the document has no list 'edits'")
	}
	for i, n := range list.Elements() {
		e, err := parseEdit(n)
		if err != nil {
			err.Message = fmt.Sprintf("edits[%d]: %s", i, err.Message)
			return "", nil, err
		}
		edits = append(edits, e)
	}
	return scope, edits, nil
}

func wrongAt(pos jsonc.Position, message string) *Error {
	return &Error{Code_: CodeInvalid, Line: pos.Line, Column: pos.Column, Message: message}
}

// checkKeys wants an object with known keys, each of them once.
func checkKeys(n *jsonc.Node, what string, known []string) *Error {
	if n.Kind() != jsonc.Object {
		return wrongAt(n.Position(), what+" is an object, found "+string(n.Kind()))
	}
	for _, c := range n.Clashes() {
		if c.Exact { // in another spelling it is another variable, or an unknown key
			return wrongAt(c.Pos2, "the key "+quoted(c.Key2)+" stands twice, first at "+at(c.Pos1))
		}
	}
	for _, m := range n.Members() {
		if known != nil && !slices.Contains(known, m.Key) {
			err := wrongAt(m.KeyPosition, "unknown key "+quoted(m.Key))
			if near := Closest(m.Key, known); near != "" {
				err.Hint_ = "did you mean '" + near + "'?"
			}
			return err
		}
	}
	return nil
}

func parseEdit(n *jsonc.Node) (Edit, *Error) {
	var e Edit
	if err := checkKeys(n, "an edit", nil); err != nil {
		return e, err
	}
	op := n.Get("op")
	if op != nil {
		e.Op, _ = op.Text()
	}
	keys, ok := editKeys[e.Op]
	if !ok {
		return e, wrongAt(n.Position(), "'op' is \"add\", \"update\", \"rename\" or \"remove\"")
	}
	if err := checkKeys(n, "an edit", append([]string{"op", "name"}, keys...)); err != nil {
		return e, err
	}
	for _, m := range n.Members() {
		if err := e.read(m); err != nil {
			return e, err
		}
	}
	return e, e.incomplete(n)
}

// incomplete says what an edit lacks.
func (e Edit) incomplete(n *jsonc.Node) *Error {
	missing := ""
	switch {
	case n.Get("name") == nil: // "" is the name of a malformed entry
		missing = "name"
	case e.Op == OpAdd && e.Entry == nil:
		missing = "entry"
	case e.Op == OpUpdate && len(e.Set)+len(e.Unset) == 0:
		missing = "set"
	case e.Op == OpRename && e.To == "":
		missing = "to"
	default:
		return nil
	}
	return wrongAt(n.Position(), e.Op+" needs '"+missing+"'")
}

// read takes one member of an edit.
func (e *Edit) read(m jsonc.Member) *Error {
	n := m.Value
	text, isText := n.Text()
	want := ""
	switch m.Key {
	case "name":
		if e.Name = text; !isText {
			want = "a string"
		}
	case "to":
		if e.To = text; !isText {
			want = "a string"
		}
	case "entry":
		if e.Entry = n.Raw(); n.Kind() != jsonc.Object {
			want = "an object"
		}
	case "replace":
		if e.Replace = string(n.Raw()) == "true"; n.Kind() != jsonc.Bool {
			want = "true or false"
		}
	case "expectFingerprint":
		if fp, ok := ParseFingerprint(text); ok {
			e.Expect = fp
		} else {
			want = "sha256: and 64 hex digits"
		}
	case "set":
		return e.readSet(n)
	case "unset":
		return e.readUnset(n)
	}
	if want != "" {
		return wrongAt(n.Position(), "'"+m.Key+"' is "+want)
	}
	return nil
}

func (e *Edit) readSet(n *jsonc.Node) *Error {
	if err := checkKeys(n, "'set'", nil); err != nil {
		return err
	}
	for _, m := range n.Members() {
		path, ok := FieldPath(m.Key)
		if !ok {
			return wrongAt(m.KeyPosition, quoted(m.Key)+" is not the path of a field, such as env.KEY")
		}
		e.Set = append(e.Set, FieldEdit{Path: path, Value: m.Value.Raw()})
	}
	return nil
}

func (e *Edit) readUnset(n *jsonc.Node) *Error {
	if n.Kind() != jsonc.Array {
		return wrongAt(n.Position(), "'unset' is a list of paths")
	}
	for _, el := range n.Elements() {
		text, _ := el.Text()
		path, ok := FieldPath(text)
		if !ok {
			return wrongAt(el.Position(), "'unset' is a list of paths, such as \"env.KEY\"")
		}
		e.Unset = append(e.Unset, FieldEdit{Path: path})
	}
	return nil
}
