package commands

import (
	"bytes"
	"encoding/json"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// A tool's input schema, read as far as typed arguments need it. It comes from a
// server and may be anything: what is not understood says nothing and so forbids
// nothing, and only references within the schema are followed, never an address.

// kinds is a set of JSON types. A number without a fraction is an integer as well.
type kinds uint8

const (
	kindString kinds = 1 << iota
	kindFraction
	kindInteger
	kindBoolean
	kindNull
	kindArray
	kindObject

	kindNumber = kindFraction | kindInteger
	kindAny    = kindString | kindNumber | kindBoolean | kindNull | kindArray | kindObject
)

type kindWord struct {
	word string
	kind kinds
}

// kindWords are the words of "type" in JSON Schema, in the order they are told in.
var kindWords = []kindWord{
	{"string", kindString}, {"number", kindNumber}, {"integer", kindInteger}, {"boolean", kindBoolean},
	{"array", kindArray}, {"object", kindObject}, {"null", kindNull},
}

// The bounds of what is looked at: deeper, or with more alternatives, a schema says
// nothing, and of an object only the first properties count.
const (
	schemaDepth        = 32
	schemaAlternatives = 64
	mostProperties     = 2000
)

// alternative is one way in which a value may fit: all of what it says holds.
type alternative struct {
	kinds  kinds
	values []json.RawMessage // the only ones allowed, of enum or const; nil: any
	items  json.RawMessage   // the schema of an array's elements; nil: any
	bodies []objectBody      // what is said of an object's members
}

// objectBody is what one schema says of the members of an object. Members that are
// not among its properties are excluded when it is closed. One that is open says that
// there may be others, or something that is not understood.
type objectBody struct {
	properties   []member
	required     []string
	closed, open bool
}

// inputSchema is the whole schema, which references point into.
type inputSchema struct {
	root json.RawMessage
	left *int // bytes that may still be read, over and over; then nothing is understood

	ways map[string]map[string]json.RawMessage // objects that references led through, by pointer
}

// schemaWork bounds what is read for one schema: references can make a short one as
// good as endless.
const schemaWork = 16 << 20

func newInputSchema(root json.RawMessage) inputSchema {
	left := schemaWork
	return inputSchema{root, &left, map[string]map[string]json.RawMessage{}}
}

// spend counts reading; false when it has been too much.
func (s inputSchema) spend(raw json.RawMessage) bool {
	const each = 1000 // what a read costs beside the bytes
	*s.left -= len(raw) + each
	return *s.left > 0
}

// alternatives reads a schema, or part of one.
func (s inputSchema) alternatives(raw json.RawMessage) []alternative { return s.read(raw, 0) }

// unsaid is what a schema means that says nothing, or nothing that is understood.
func unsaid() []alternative { return []alternative{{kinds: kindAny}} }

// unclear is what is not understood, and may have room for anything.
func unclear() []alternative {
	return []alternative{{kinds: kindAny, bodies: []objectBody{{open: true}}}}
}

func (s inputSchema) read(raw json.RawMessage, depth int) []alternative {
	var fields map[string]json.RawMessage
	if depth > schemaDepth || !s.spend(raw) || json.Unmarshal(raw, &fields) != nil {
		return unclear()
	}
	out := []alternative{ownWords(fields)}
	if target := s.target(fields["$ref"]); target != nil {
		out = both(out, s.read(target, depth+1))
	} else if fields["$ref"] != nil {
		out = both(out, unclear())
	}
	for _, part := range jsonList(fields["allOf"]) {
		out = both(out, s.read(part, depth+1))
	}
	for _, key := range []string{"anyOf", "oneOf"} {
		var any []alternative
		for _, part := range jsonList(fields[key]) {
			any = append(any, s.read(part, depth+1)...)
		}
		if len(any) > 0 {
			out = both(out, any)
		}
	}
	if len(out) == 0 || len(out) > schemaAlternatives {
		return unclear() // it contradicts itself, or is too much: the server is to judge
	}
	return out
}

// ownWords is what a schema says itself, without those it refers to.
func ownWords(fields map[string]json.RawMessage) alternative {
	a := alternative{kinds: typeKinds(fields["type"]), values: jsonList(fields["enum"]), items: fields["items"]}
	var nullable bool
	if json.Unmarshal(fields["nullable"], &nullable) == nil && nullable { // OpenAPI's way
		a.kinds |= kindNull
		if a.values != nil {
			a.values = append(a.values, json.RawMessage("null"))
		}
	}
	if one, ok := fields["const"]; ok {
		a.values = []json.RawMessage{one}
	}
	a = a.agreed()
	body := objectBody{properties: members(fields["properties"])}
	_ = json.Unmarshal(fields["required"], &body.required) // what is no list of names requires nothing
	shut := string(bytes.TrimSpace(fields["additionalProperties"])) == "false"
	body.open = fields["additionalProperties"] != nil && !shut || slices.ContainsFunc(elsewhere, func(key string) bool { return fields[key] != nil })
	body.closed = shut && len(members(fields["patternProperties"])) == 0
	if len(body.properties) > mostProperties { // then it is not known which there are
		body.properties, body.closed, body.open = body.properties[:mostProperties], false, true
	}
	body.required = body.required[:min(len(body.required), mostProperties)]
	if len(body.properties) > 0 || len(body.required) > 0 || body.closed || body.open {
		a.bodies = []objectBody{body}
	}
	return a
}

// elsewhere are the words by which a schema may have members that do not stand among
// its properties.
var elsewhere = []string{"patternProperties", "unevaluatedProperties", "propertyNames", "if", "dependentSchemas", "dependencies", "$dynamicRef", "$recursiveRef"}

// agreed brings the values and the types of a schema together. Where they contradict
// each other it says nothing, as do no values at all: the server is to judge.
func (a alternative) agreed() alternative {
	if a.values == nil {
		return a
	}
	var found kinds
	a.values = slices.DeleteFunc(a.values, func(v json.RawMessage) bool { return kindOf(v)&a.kinds == 0 })
	for _, v := range a.values {
		found |= kindOf(v)
	}
	if found == 0 {
		return alternative{kinds: kindAny, items: a.items}
	}
	a.kinds &= found
	return a
}

// typeKinds reads "type", a word or a list of words. An unknown word says nothing.
func typeKinds(raw json.RawMessage) kinds {
	var words []string
	if json.Unmarshal(raw, &words) != nil {
		words = []string{jsonText(raw)}
	}
	var k kinds
	for _, w := range words {
		i := slices.IndexFunc(kindWords, func(row kindWord) bool { return row.word == w })
		if i < 0 {
			return kindAny
		}
		k |= kindWords[i].kind
	}
	if k == 0 {
		return kindAny
	}
	return k
}

// both are the alternatives that fulfil one of a and one of b.
func both(a, b []alternative) []alternative {
	if len(a)*len(b) > schemaAlternatives*schemaAlternatives {
		return unclear()
	}
	var out []alternative
	for _, x := range a {
		for _, y := range b {
			if z, ok := x.and(y); ok {
				out = append(out, z)
			}
		}
	}
	return out
}

// and is what fulfils both; false when nothing can.
func (a alternative) and(b alternative) (alternative, bool) {
	out := alternative{kinds: a.kinds & b.kinds, values: a.values, items: a.items, bodies: append(slices.Clip(a.bodies), b.bodies...)}
	if out.items == nil {
		out.items = b.items
	}
	switch {
	case a.values == nil:
		out.values = b.values
	case b.values != nil:
		out.values = slices.DeleteFunc(slices.Clone(a.values), func(v json.RawMessage) bool { return !contains(b.values, v) })
		if len(out.values) == 0 {
			return out, false
		}
	}
	return out, out.kinds != 0
}

// target is the part of the schema that a local reference names; nil for any other,
// which is not looked for.
func (s inputSchema) target(ref json.RawMessage) json.RawMessage {
	fragment, ok := strings.CutPrefix(jsonText(ref), "#")
	if !ok {
		return nil
	}
	pointer, err := url.PathUnescape(fragment)
	if err != nil {
		return nil
	}
	if pointer != "" && pointer[0] != '/' {
		return s.anchor(pointer)
	}
	at, way := s.root, ""
	for _, step := range strings.Split(pointer, "/")[1:] {
		fields, ok := s.way(way, at)
		way += "/" + step
		step = strings.NewReplacer("~1", "/", "~0", "~").Replace(step)
		if !ok {
			return nil
		}
		if fields != nil {
			at = fields[step]
		} else if elements, i := jsonList(at), listIndex(step); i >= 0 && i < len(elements) {
			at = elements[i]
		} else {
			return nil
		}
	}
	return at
}

// way are the members of the object at a pointer, read once; nil of what is none. ok
// is false when it would be too much to read.
func (s inputSchema) way(pointer string, at json.RawMessage) (fields map[string]json.RawMessage, ok bool) {
	if fields, ok = s.ways[pointer]; ok {
		return fields, true
	}
	if !s.spend(at) {
		return nil, false
	}
	_ = json.Unmarshal(at, &fields) // what is no object has none
	s.ways[pointer] = fields
	return fields, true
}

// anchor finds a definition by its $anchor.
func (s inputSchema) anchor(name string) json.RawMessage {
	var root map[string]json.RawMessage
	_ = json.Unmarshal(s.root, &root) // no object has no definitions
	for _, key := range []string{"$defs", "definitions"} {
		for _, m := range members(root[key]) {
			var def struct {
				Anchor string `json:"$anchor"`
			}
			if json.Unmarshal(m.value, &def) == nil && def.Anchor == name {
				return m.value
			}
		}
	}
	return nil
}

func listIndex(step string) int {
	if n, err := strconv.Atoi(step); err == nil {
		return n
	}
	return -1
}

// property is what a schema says of one member; known is false when it has none of
// that name.
func (s inputSchema) property(of []alternative, name string) (shape []alternative, known bool) {
	for _, a := range of {
		here, has := unsaid(), false
		for _, body := range a.bodies {
			for _, m := range body.properties {
				if m.key == name {
					here, has = both(here, s.alternatives(m.value)), true
				}
			}
		}
		if has {
			shape, known = append(shape, here...), true
		}
	}
	if len(shape) == 0 || len(shape) > schemaAlternatives {
		return unsaid(), known
	}
	return shape, known
}

// excludes tells whether no alternative has room for a member of that name.
func excludes(of []alternative, name string) bool {
	return !slices.ContainsFunc(of, func(a alternative) bool { return a.roomFor(name) })
}

// roomFor tells whether a member of that name has a place. A schema that lists
// properties and does not say whether there may be others means those alone: servers
// drop what they do not know, and a slip of the pen would pass in silence.
func (a alternative) roomFor(name string) bool {
	known, open, listed := false, false, false
	for _, b := range a.bodies {
		has := slices.ContainsFunc(b.properties, func(m member) bool { return m.key == name })
		if b.closed && !has {
			return false
		}
		known, open, listed = known || has, open || b.open, listed || len(b.properties) > 0
	}
	return known || open || !listed
}

// forbids tells whether a schema itself excludes members that it does not list.
func forbids(of []alternative) bool {
	return slices.ContainsFunc(of, func(a alternative) bool {
		return slices.ContainsFunc(a.bodies, func(b objectBody) bool { return b.closed })
	})
}

// required are the members that every alternative wants, but for those that have a
// default: the server can do without.
func (s inputSchema) required(of []alternative) []string {
	var out []string
	for i, a := range of {
		var here []string
		for _, b := range a.bodies {
			here = append(here, b.required...)
		}
		if i == 0 {
			out = here
		} else {
			out = slices.DeleteFunc(out, func(name string) bool { return !slices.Contains(here, name) })
		}
	}
	return slices.DeleteFunc(unique(out), func(name string) bool { return s.about(of, name).Default != nil })
}

// propertyNames are the names of all members that are known, in the schema's order.
func propertyNames(of []alternative) []string {
	var out []string
	for _, a := range of {
		for _, b := range a.bodies {
			for _, m := range b.properties {
				out = append(out, m.key)
			}
		}
	}
	return unique(out)
}

// annotations are what a schema says for people.
type annotations struct {
	Title, Description string
	Default            json.RawMessage
}

// about is what is said of a member for people, where it first is.
func (s inputSchema) about(of []alternative, name string) annotations {
	var out annotations
	for _, a := range of {
		for _, b := range a.bodies {
			for _, m := range b.properties {
				if m.key == name {
					s.annotate(&out, m.value, 0)
				}
			}
		}
	}
	return out
}

func (s inputSchema) annotate(out *annotations, raw json.RawMessage, depth int) {
	var fields map[string]json.RawMessage
	if depth > schemaDepth || !s.spend(raw) || json.Unmarshal(raw, &fields) != nil {
		return
	}
	if out.Description == "" {
		out.Description = jsonText(fields["description"])
	}
	if out.Title == "" {
		out.Title = jsonText(fields["title"])
	}
	if out.Default == nil {
		out.Default = fields["default"]
	}
	if target := s.target(fields["$ref"]); target != nil {
		s.annotate(out, target, depth+1)
	}
}
