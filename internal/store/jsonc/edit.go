package jsonc

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"unicode/utf8"

	"github.com/tailscale/hujson"
)

// ErrNoMember is returned by Remove if there is nothing at the path.
var ErrNoMember = errors.New("no such member")

// PathError says that a path cannot be followed: something on it is no object, or a key on it stands twice, and
// then readers disagree about which copy counts (design §3.1).
type PathError struct {
	Position          // of the value that is no object, or of the second copy of the key
	Path     []string // the keys down to that place; empty for the value of the document itself
	Found    Kind     // what is there instead of an object; "" if the key stands twice
	First    Position // if the key stands twice: where the first copy stands
}

// Error returns, for example, `line 2, column 17: "mcpServers" is null, not an object`.
func (e *PathError) Error() string {
	name := "the top level"
	if len(e.Path) > 0 {
		name = strconv.Quote(e.Path[len(e.Path)-1])
	}
	if e.Found == "" {
		return fmt.Sprintf("%s: %s stands twice, first on line %d", e.Position, name, e.First.Line)
	}
	return fmt.Sprintf("%s: %s is %s, not an object", e.Position, name, e.Found.withArticle())
}

// Code is the word of the exit code table (design §8.3).
func (e *PathError) Code() string { return "MCP_CONFIG_INVALID" }

func (k Kind) withArticle() string {
	switch k {
	case Null:
		return "null"
	case Array, Object:
		return "an " + string(k)
	default:
		return "a " + string(k)
	}
}

// Set returns the text with value, which must be standard JSON, at path: the keys from the top level down. A
// member that is there keeps its key and place and gets the new value; a missing one is added behind its
// neighbours and laid out like them; missing objects on the way are added too. A value equal to the present one
// (numbers by spelling, order of keys included) leaves the text as it is.
//
// Every other byte stays. In the value, numbers and escapes keep their spelling. Errors: a *PathError if the path
// cannot be followed, a *SyntaxError if the result would break a limit of Parse, and a plain error for a value
// that is not JSON, an empty path, or a key that is not UTF-8.
func (d *Document) Set(path []string, value json.RawMessage) ([]byte, error) {
	want, err := parseValue(path, value)
	if err != nil {
		return nil, err
	}
	spot, err := d.find(path)
	if err != nil {
		return nil, err
	}
	var out []byte
	switch rest := path[len(spot.objects):]; {
	case d.tree == nil:
		out = d.firstValue(path, want)
	case spot.member >= 0 && equal(want, spot.value()):
		return d.Bytes(), nil
	case spot.member >= 0:
		out = d.replace(spot, want)
	default:
		out = d.insert(addition{spot, newMember(path[len(spot.objects)-1], rest, want), len(rest)})
	}
	if d.of != nil {
		return d.editOriginal(out, path, func(f Format, src []byte) ([]byte, error) { return f.Set(src, path, value) })
	}
	if err := d.verify(out, path, want); err != nil {
		return nil, err
	}
	return out, nil
}

// Remove returns the text without the member at path. A comment behind it on its last line goes with it;
// comments above it stay. The lines it stood on go; an object left without members and comments becomes {}.
//
// Every other byte stays. Errors: ErrNoMember, or a *PathError if the path cannot be followed.
func (d *Document) Remove(path []string) ([]byte, error) {
	if len(path) == 0 {
		return nil, errEmptyPath
	}
	spot, err := d.find(path)
	if err != nil {
		return nil, err
	}
	if spot.member < 0 {
		return nil, ErrNoMember
	}
	out := d.cut(spot)
	if d.of != nil {
		return d.editOriginal(out, path, func(f Format, src []byte) ([]byte, error) { return f.Remove(src, path) })
	}
	if err := d.verify(out, path, nil); err != nil {
		return nil, err
	}
	return out, nil
}

var errEmptyPath = errors.New("path is empty")

// parseValue checks what Set is given and returns the tree of value. Its literals are all that is used of it;
// its layout is made anew.
func parseValue(path []string, value json.RawMessage) (*hujson.Value, error) {
	if len(path) == 0 {
		return nil, errEmptyPath
	}
	for _, key := range path {
		if !utf8.ValidString(key) {
			return nil, fmt.Errorf("key %q is not UTF-8", key)
		}
	}
	d, err := Parse(value)
	if err != nil {
		return nil, fmt.Errorf("new value: %w", err)
	}
	if !json.Valid(value) {
		return nil, errors.New("new value is not standard JSON")
	}
	return d.tree, nil
}

// spot is where a path leads: through objects, as far as they exist, to one member or to none.
type spot struct {
	objects []*hujson.Value // from the top level down; the last one holds the member, or will
	member  int             // index in the last object, or -1
	parents []int           // parents[i]: index in objects[i] of objects[i+1]
}

func (s spot) container() *hujson.Value { return s.objects[len(s.objects)-1] }

func (s spot) members() []hujson.ObjectMember { return membersOf(s.container()) }

func (s spot) value() *hujson.Value { return &s.members()[s.member].Value }

func membersOf(v *hujson.Value) []hujson.ObjectMember {
	if obj, ok := open(v).(*hujson.Object); ok {
		return obj.Members
	}
	return nil
}

// find follows path as far as there are members. In a document without value it returns an empty spot.
func (d *Document) find(path []string) (spot, error) {
	s := spot{member: -1}
	at := d.tree
	for i := range path {
		if at == nil {
			return s, nil
		}
		if kind := kindOf(at); kind != Object {
			return s, &PathError{Position: d.position(at.StartOffset), Path: path[:i], Found: kind}
		}
		s.objects = append(s.objects, at)
		index, err := d.memberIndex(at, path[:i+1])
		switch {
		case err != nil:
			return s, err
		case index < 0:
			return s, nil
		case i == len(path)-1:
			s.member = index
			return s, nil
		}
		s.parents = append(s.parents, index)
		at = &membersOf(at)[index].Value
	}
	return s, nil
}

// memberIndex looks for the last key of path in obj: -1 if it is not there, an error if it stands twice.
func (d *Document) memberIndex(obj *hujson.Value, path []string) (int, error) {
	found, members := -1, membersOf(obj)
	for i := range members {
		if !keyIs(&members[i], path[len(path)-1]) {
			continue
		}
		if found >= 0 {
			return -1, &PathError{
				Position: d.position(members[i].Name.StartOffset),
				Path:     path,
				First:    d.position(members[found].Name.StartOffset),
			}
		}
		found = i
	}
	return found, nil
}

// newMember returns a member called key that holds value below the objects named by rest.
func newMember(key string, rest []string, value *hujson.Value) *hujson.ObjectMember {
	inner := *value
	for i := len(rest) - 1; i >= 0; i-- {
		inner = hujson.Value{Value: &hujson.Object{Members: []hujson.ObjectMember{
			{Name: keyLiteral(rest[i]), Value: inner},
		}}}
	}
	return &hujson.ObjectMember{Name: keyLiteral(key), Value: inner}
}

// keyLiteral spells a key as JSON, escaping only what must be.
func keyLiteral(key string) hujson.Value { return hujson.Value{Value: hujson.String(key)} }

// splice returns src with the bytes from start to end replaced by insert.
func splice(src []byte, start, end int, insert []byte) []byte {
	out := make([]byte, 0, len(src)-(end-start)+len(insert))
	out = append(out, src[:start]...)
	out = append(out, insert...)
	return append(out, src[end:]...)
}

// firstValue returns a text without value with its first one behind the comments it has.
func (d *Document) firstValue(path []string, want *hujson.Value) []byte {
	st := defaultStyle()
	st.eol = d.newlineBefore(len(d.src))
	out := bytes.Clone(d.src)
	if len(out) > d.body() && out[len(out)-1] != '\n' {
		out = append(out, st.eol...)
	}
	member := newMember(path[0], path[1:], want)
	root := hujson.Value{Value: &hujson.Object{Members: []hujson.ObjectMember{*member}}}
	p := printer{style: st, out: out}
	p.value(&root, "", form{wrappers: len(path)})
	return append(p.out, st.eol...)
}
