package jsonc

import (
	"bytes"
	"encoding/json"
	"iter"

	"github.com/tailscale/hujson"
)

// Kind is the kind of a JSON value, in the words of RFC 8259.
type Kind string

// The kinds. The words reach error messages.
const (
	Object Kind = "object"
	Array  Kind = "array"
	String Kind = "string"
	Number Kind = "number"
	Bool   Kind = "bool"
	Null   Kind = "null"
)

// Node is one value of a document.
type Node struct {
	doc *Document
	val *hujson.Value
}

// Member is one key of an object and its value.
type Member struct {
	Key         string // with escapes resolved; a lone surrogate reads as U+FFFD
	KeyPosition Position
	Value       *Node
}

// Kind returns what the value is.
func (n *Node) Kind() Kind { return kindOf(n.val) }

func kindOf(v *hujson.Value) Kind {
	switch v.Value.Kind() {
	case '{':
		return Object
	case '[':
		return Array
	case '"':
		return String
	case '0':
		return Number
	case 'n':
		return Null
	default:
		return Bool
	}
}

// Position returns where the value starts.
func (n *Node) Position() Position { return n.doc.position(n.val.StartOffset) }

// Span returns the offsets, in the text, of the first byte of the value and of the byte behind it.
func (n *Node) Span() (start, end int) {
	if n.doc.of != nil {
		s := n.doc.of.span(n.val.StartOffset)
		return s.Start, s.End
	}
	return n.val.StartOffset, n.val.EndOffset
}

// Written returns the JSON of the value with the comments in it, as it stands in the text or in its translation.
func (n *Node) Written() []byte { return n.doc.src[n.val.StartOffset:n.val.EndOffset] }

// Raw returns the value as standard JSON: without blanks between tokens, comments and trailing commas. Numbers
// and escapes are spelled, and keys ordered and repeated, as in the text.
func (n *Node) Raw() json.RawMessage {
	return appendRaw(make([]byte, 0, n.val.EndOffset-n.val.StartOffset), n.val)
}

func appendRaw(b []byte, v *hujson.Value) []byte {
	switch t := open(v).(type) {
	case *hujson.Object:
		b = append(b, '{')
		for i := range t.Members {
			if i > 0 {
				b = append(b, ',')
			}
			b = appendRaw(b, &t.Members[i].Name)
			b = append(b, ':')
			b = appendRaw(b, &t.Members[i].Value)
		}
		return append(b, '}')
	case *hujson.Array:
		b = append(b, '[')
		for i := range t.Elements {
			if i > 0 {
				b = append(b, ',')
			}
			b = appendRaw(b, &t.Elements[i])
		}
		return append(b, ']')
	case hujson.Literal:
		return append(b, t...)
	default:
		return b
	}
}

// Text returns the string with escapes resolved, and whether the value is a string.
func (n *Node) Text() (string, bool) {
	if n.Kind() != String {
		return "", false
	}
	return text(n.val), true
}

// text decodes a string literal. Most have no escape and need no decoder.
func text(v *hujson.Value) string {
	lit, ok := v.Value.(hujson.Literal)
	if !ok || len(lit) < 2 {
		return ""
	}
	if bytes.IndexByte(lit, '\\') < 0 {
		return string(lit[1 : len(lit)-1])
	}
	return lit.String()
}

// keyIs reports whether a member is called key.
func keyIs(m *hujson.ObjectMember, key string) bool {
	lit, _ := m.Name.Value.(hujson.Literal)
	if bytes.IndexByte(lit, '\\') < 0 {
		return len(lit) == len(key)+2 && string(lit[1:len(lit)-1]) == key
	}
	return text(&m.Name) == key
}

// Members returns the members of an object in the order of the text, repeated keys included; nil if the value is
// no object.
func (n *Node) Members() []Member {
	obj, ok := open(n.val).(*hujson.Object)
	if !ok {
		return nil
	}
	members := make([]Member, len(obj.Members))
	for i := range obj.Members {
		m := &obj.Members[i]
		members[i] = Member{
			Key:         text(&m.Name),
			KeyPosition: n.doc.position(m.Name.StartOffset),
			Value:       &Node{doc: n.doc, val: &m.Value},
		}
	}
	return members
}

// All yields the keys and values of an object in the order of the text, repeated keys included; nothing if the
// value is no object. It is Members for those who need no places.
func (n *Node) All() iter.Seq2[string, *Node] {
	return func(yield func(string, *Node) bool) {
		members := membersOf(n.val)
		for i := range members {
			if !yield(text(&members[i].Name), &Node{doc: n.doc, val: &members[i].Value}) {
				return
			}
		}
	}
}

// Elements returns the elements of an array; nil if the value is no array.
func (n *Node) Elements() []*Node {
	arr, ok := open(n.val).(*hujson.Array)
	if !ok {
		return nil
	}
	elements := make([]*Node, len(arr.Elements))
	for i := range arr.Elements {
		elements[i] = &Node{doc: n.doc, val: &arr.Elements[i]}
	}
	return elements
}

// Get returns the value of the first member called exactly key; nil if there is none or the value is no object.
func (n *Node) Get(key string) *Node {
	obj, ok := open(n.val).(*hujson.Object)
	if !ok {
		return nil
	}
	for i := range obj.Members {
		if keyIs(&obj.Members[i], key) {
			return &Node{doc: n.doc, val: &obj.Members[i].Value}
		}
	}
	return nil
}
