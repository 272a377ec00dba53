package jsonc

import (
	"encoding/json"
	"slices"

	"github.com/tailscale/hujson"
)

// Shape is a copy of an object that is being put into another shape: what reading another program's file needs.
// Values that stay keep their places in the text; a value that is put in gets the place of the one it replaces,
// or that of the object. Text and document are not changed, and neither is a Node that was taken from it before: every
// change is made to a copy of the members.
type Shape struct {
	of      *Node
	members []hujson.ObjectMember
}

// Reshape starts a Shape; nil if the value is no object.
func (n *Node) Reshape() *Shape {
	obj, ok := open(n.val).(*hujson.Object)
	if !ok {
		return nil
	}
	return &Shape{of: n, members: slices.Clone(obj.Members)}
}

// Node returns the object in its present shape.
func (s *Shape) Node() *Node {
	val := *s.of.val
	val.Value = &hujson.Object{Members: s.members}
	return &Node{doc: s.of.doc, val: &val}
}

// Drop leaves out every member called by one of the keys. One call for many keys takes one
// look at each member.
func (s *Shape) Drop(keys ...string) {
	gone := map[string]bool{}
	for _, key := range keys {
		gone[key] = true
	}
	s.members = slices.DeleteFunc(slices.Clone(s.members), func(m hujson.ObjectMember) bool { return gone[text(&m.Name)] })
}

// Rename gives the members called from the name to.
func (s *Shape) Rename(from, to string) {
	s.members = slices.Clone(s.members)
	for i := range s.members {
		if keyIs(&s.members[i], from) {
			s.members[i].Name.Value = hujson.String(to)
		}
	}
}

// Set replaces the value of the first member called key, or adds one. value is valid JSON; anything else is left
// out, so that the reader misses the member and says so.
func (s *Shape) Set(key string, value json.RawMessage) {
	tree, err := hujson.Parse(value)
	if err != nil {
		return
	}
	at := s.of.val.StartOffset
	for i := range s.members {
		if m := &s.members[i]; keyIs(m, key) {
			at = m.Value.StartOffset
			break
		}
	}
	move(&tree, at)
	s.put(key, tree)
}

// SetShape is Set with the object that another Shape of the same document has become, whose values keep their places.
func (s *Shape) SetShape(key string, value *Shape) { s.put(key, *value.Node().val) }

func (s *Shape) put(key string, value hujson.Value) {
	s.members = slices.Clone(s.members)
	for i := range s.members {
		if m := &s.members[i]; keyIs(m, key) {
			m.Value = value
			return
		}
	}
	at := s.of.val.StartOffset
	name := hujson.Value{StartOffset: at, EndOffset: at, Value: hujson.String(key)}
	s.members = append(s.members, hujson.ObjectMember{Name: name, Value: value})
}

// move gives every value of a tree one place.
func move(tree *hujson.Value, at int) {
	for v := range tree.All() {
		v.StartOffset, v.EndOffset = at, at
	}
}

// Texts replaces every string at or below the members called key by f of it. Names of members are no strings.
func (s *Shape) Texts(key string, f func(string) string) {
	s.members = slices.Clone(s.members)
	for i := range s.members {
		if m := &s.members[i]; keyIs(m, key) {
			m.Value = withTexts(m.Value, f)
		}
	}
}

func withTexts(v hujson.Value, f func(string) string) hujson.Value {
	switch t := open(&v).(type) {
	case hujson.Literal:
		if v.Value.Kind() == '"' {
			was := text(&v)
			if is := f(was); is != was {
				v.Value = hujson.String(is)
			}
		}
	case *hujson.Object:
		members := slices.Clone(t.Members)
		for i := range members {
			members[i].Value = withTexts(members[i].Value, f)
		}
		v.Value = &hujson.Object{Members: members}
	case *hujson.Array:
		elements := slices.Clone(t.Elements)
		for i := range elements {
			elements[i] = withTexts(elements[i], f)
		}
		v.Value = &hujson.Array{Elements: elements}
	}
	return v
}
