package commands

import (
	"bytes"
	"encoding/json"
	"math/big"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/internal/engine/wire"
	"github.com/mcpctl/mcpctl/internal/store"
	"github.com/mcpctl/mcpctl/internal/store/redact"
)

// typed makes JSON of what was typed for one argument: of the type that the schema
// has for it, and where it allows a string, a string. Numbers keep their spelling.
// Several texts, and one that is no JSON array, are elements of an array where one
// is allowed and a string is not. An error is a usage error.
func (s inputSchema) typed(key string, texts []string, shape []alternative) (json.RawMessage, error) {
	if len(texts) > 1 {
		if !says(shape, kindArray) {
			return nil, usagef("the argument '%s' is given twice", key)
		}
		return s.elements(key, texts, shape)
	}
	typed := texts[0]
	literal := strings.TrimSpace(typed)
	kind := kindOf(json.RawMessage(literal))
	switch {
	case !json.Valid([]byte(literal)):
		kind = 0
	case kind == kindString: // only :=JSON makes a string of a quoted one
		kind = 0
	}
	quoted := encode(typed)
	for _, a := range shape {
		if a.kinds&kindString != 0 && (a.values == nil || contains(a.values, quoted)) {
			return quoted, nil
		}
	}
	for _, a := range shape {
		if a.kinds&kind != 0 && (a.values == nil || contains(a.values, json.RawMessage(literal))) {
			return json.RawMessage(literal), nil
		}
	}
	if kind != kindArray && says(shape, kindArray) && !strings.HasPrefix(literal, "[") {
		return s.elements(key, texts, shape)
	}
	return nil, s.misfit(key, typed, shape)
}

// elements makes an array of texts.
func (s inputSchema) elements(key string, texts []string, shape []alternative) (json.RawMessage, error) {
	of := s.elementShape(shape)
	var b bytes.Buffer
	b.WriteByte('[')
	for i, one := range texts {
		if i > 0 {
			b.WriteByte(',')
		}
		value, err := s.typed(key, []string{one}, of)
		if err != nil {
			err := s.misfit(key, one, of)
			err.Text = strings.Replace(err.Text, "the argument '"+key+"' is", "each element of '"+key+"' is", 1)
			if says(of, kindObject|kindArray) {
				err.Advice = "give the whole as JSON: " + key + `:='[` + s.sample(of) + `]'`
			}
			return nil, err
		}
		b.Write(value)
	}
	b.WriteByte(']')
	return b.Bytes(), nil
}

// elementShape is what an array's elements have to be.
func (s inputSchema) elementShape(shape []alternative) []alternative {
	for _, a := range shape {
		if a.kinds&kindArray != 0 && a.items != nil {
			return s.alternatives(a.items)
		}
	}
	return unsaid()
}

// sample shows how a value is written as JSON: an object with the first of the members
// that it needs, or has.
func (s inputSchema) sample(shape []alternative) string {
	if !says(shape, kindObject) {
		return "[…]"
	}
	name := "name"
	if names := append(s.required(shape), propertyNames(shape)...); len(names) > 0 && redact.Line(names[0]) == names[0] && !strings.ContainsAny(names[0], `'"`) {
		name = names[0]
	}
	return `{"` + name + `": …}`
}

// fits tells whether JSON that was given as such fits. What stands inside an array
// or an object is left to the server, and null often means "not given".
func fits(value json.RawMessage, shape []alternative) bool {
	kind := kindOf(value)
	return kind == kindNull || slices.ContainsFunc(shape, func(a alternative) bool {
		return a.kinds&kind != 0 && (a.values == nil || contains(a.values, value))
	})
}

// says tells whether a schema names one of these types, rather than leaving all open.
func says(shape []alternative, k kinds) bool {
	return slices.ContainsFunc(shape, func(a alternative) bool { return a.kinds != kindAny && a.kinds&k != 0 })
}

// shownValue is how much of a value an error repeats, in bytes.
const shownValue = 40

// misfit says what an argument takes, and which values; "" is a value that is not
// to be shown.
func (s inputSchema) misfit(key, value string, shape []alternative) *wire.Error {
	err := usagef("the argument '%s' is %s", key, takes(shape))
	if value != "" && len(value) <= shownValue && !strings.Contains(value, "\n") {
		err = usagef("the argument '%s' is %s, which '%s' is not", key, takes(shape), value)
	}
	switch of := s.elementShape(shape); {
	case says(shape, kindArray) && says(of, kindObject|kindArray):
		err.Advice = "give it as JSON: " + key + `:='[` + s.sample(of) + `]'`
	case says(shape, kindArray):
		err.Advice = "give it once for each element, or the whole as JSON: " + key + `:='[…]'`
	case says(shape, kindBoolean):
		err.Advice = "say true or false"
	case says(shape, kindObject):
		err.Advice = "give it as JSON: " + key + `:='` + s.sample(shape) + `'`
	}
	return err
}

// takes words what a schema allows: "of type integer or null", "one of a, b".
func takes(shape []alternative) string {
	var values []string
	open := false
	for _, a := range shape {
		open = open || a.values == nil
		for _, v := range a.values {
			values = append(values, plainValue(v))
		}
	}
	if !open && len(values) > 0 {
		return "one of " + strings.Join(unique(values), ", ")
	}
	if len(values) > 0 {
		return "of type " + typeWords(shape) + " (or one of " + strings.Join(unique(values), ", ") + ")"
	}
	return "of type " + typeWords(shape)
}

// typeWords are the types that a schema allows, "any" for all of them.
func typeWords(shape []alternative) string {
	var k kinds
	for _, a := range shape {
		k |= a.kinds
	}
	if k == kindAny {
		return "any"
	}
	var words []string
	for _, row := range kindWords {
		if k&row.kind != row.kind || row.kind == kindInteger && k&kindFraction != 0 {
			continue
		}
		words = append(words, row.word)
	}
	return strings.Join(words, " or ")
}

// plainValue shows a JSON value as one would type it.
func plainValue(raw json.RawMessage) string {
	if kindOf(raw) == kindString {
		return jsonText(raw)
	}
	return string(bytes.TrimSpace(raw))
}

// kindOf is the type of a valid JSON value; 0 of nothing.
func kindOf(raw json.RawMessage) kinds {
	raw = bytes.TrimSpace(raw)
	if len(raw) == 0 {
		return 0
	}
	switch raw[0] {
	case '"':
		return kindString
	case '{':
		return kindObject
	case '[':
		return kindArray
	case 't', 'f':
		return kindBoolean
	case 'n':
		return kindNull
	}
	if whole(string(raw)) {
		return kindInteger
	}
	return kindFraction
}

// whole tells whether a JSON number has no fraction: by its digits, since a float
// would lose those of a large one. 1.0 and 1e3 are whole, 1e-3 is not.
func whole(number string) bool {
	mantissa, exponent, _ := strings.Cut(strings.ToLower(number), "e")
	integer, fraction, _ := strings.Cut(strings.TrimPrefix(mantissa, "-"), ".")
	fraction = strings.TrimRight(fraction, "0")
	if fraction == "" {
		integer = strings.TrimLeft(integer, "0")
	}
	shift := len(fraction)
	if fraction == "" {
		shift = -(len(integer) - len(strings.TrimRight(integer, "0")))
		if integer == "" {
			return true // zero
		}
	}
	exp, ok := new(big.Int).SetString(strings.TrimPrefix(exponent, "+"), 10)
	if !ok {
		exp = new(big.Int)
	}
	return exp.Cmp(big.NewInt(int64(shift))) >= 0
}

// contains looks for a value among those of a schema; the spelling of numbers and
// the layout do not count.
func contains(values []json.RawMessage, value json.RawMessage) bool {
	return slices.ContainsFunc(values, func(v json.RawMessage) bool { return sameJSON(v, value) })
}

// sameJSON tells whether two JSON values are equal: keys in any order, numbers by
// value.
func sameJSON(a, b json.RawMessage) bool {
	return bytes.Equal(a, b) || store.EntryFingerprint("", a) == store.EntryFingerprint("", b)
}
