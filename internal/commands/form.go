package commands

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/mail"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/mcpctl/mcpctl/internal/store/redact"
)

// form is what a server asks for: the requestedSchema of an elicitation (MCP
// 2025-11-25), a flat object.
type form struct{ fields []field }

// field is one value that is asked for.
type field struct {
	name, title, description string
	required                 bool
	def                      json.RawMessage // nil: none
	schema                   inputSchema
	shape                    []alternative
	choices                  []choice // nil: free
	several                  bool     // of the choices
	limits                   limits
}

// choice is one of the values that a field takes.
type choice struct {
	value json.RawMessage
	title string
}

// limits are what JSON Schema says of single values. Nil: not said.
type limits struct {
	MinLength, MaxLength *int
	Minimum, Maximum     *json.Number
	MinItems, MaxItems   *int
	Format               string
}

func newForm(schema json.RawMessage) form {
	s := newInputSchema(schema)
	top := s.alternatives(schema)
	required := []string{}
	for _, a := range top {
		for _, b := range a.bodies {
			required = append(required, b.required...)
		}
	}
	var f form
	for _, name := range propertyNames(top) {
		shape, _ := s.property(top, name)
		about := s.about(top, name)
		if kindOf(about.Default) == kindNull {
			about.Default = nil
		}
		one := field{name: name, title: about.Title, description: about.Description, def: about.Default,
			required: slices.Contains(required, name), schema: s, shape: shape}
		for _, a := range top {
			for _, b := range a.bodies {
				for _, m := range b.properties {
					if m.key == name {
						_ = json.Unmarshal(m.value, &one.limits) // odd limits are the server's to check
						one.choices, one.several = choicesOf(m.value)
					}
				}
			}
		}
		f.fields = append(f.fields, one)
	}
	return f
}

// choicesOf reads the values to choose from in any of the ways there are: enum with
// or without enumNames, titled consts in oneOf or anyOf, and either in the items of
// an array, of which several may be chosen.
func choicesOf(raw json.RawMessage) (out []choice, several bool) {
	var s struct {
		Enum         []json.RawMessage
		EnumNames    []string
		OneOf, AnyOf []struct {
			Const json.RawMessage
			Title string
		}
		Items json.RawMessage
	}
	if json.Unmarshal(raw, &s) != nil {
		return nil, false
	}
	for i, v := range s.Enum {
		c := choice{value: v}
		if i < len(s.EnumNames) {
			c.title = s.EnumNames[i]
		}
		out = append(out, c)
	}
	for _, v := range append(s.OneOf, s.AnyOf...) {
		if v.Const != nil {
			out = append(out, choice{v.Const, v.Title})
		}
	}
	if out == nil && s.Items != nil {
		out, _ = choicesOf(s.Items)
		several = out != nil
	}
	return out, several
}

// intro tells of a field before it is asked for. It is safe to show.
func (f field) intro() string {
	kind := typeWords(f.shape)
	if f.several {
		kind = "several, with commas between"
	}
	if !f.required {
		kind += ", may be left out"
	}
	out := "  " + redact.Line(f.label()) + " (" + kind + ")"
	if f.description != "" {
		out += ": " + redact.Line(strings.TrimSpace(f.description))
	}
	out += "\n"
	for i, c := range f.choices {
		out += fmt.Sprintf("    %d) %s", i+1, redact.Line(plainValue(c.value)))
		if c.title != "" && c.title != plainValue(c.value) {
			out += " " + redact.Line(c.title)
		}
		out += "\n"
	}
	return out
}

func (f field) label() string {
	if f.title != "" && f.title != f.name {
		return f.title + " [" + f.name + "]"
	}
	return f.name
}

// prompt is what stands before the cursor: the name, and what an empty line means.
func (f field) prompt() string {
	if f.def != nil {
		return redact.Line(f.name+" ["+plainValue(f.def)+"]") + ": "
	}
	return redact.Line(f.name) + ": "
}

// read makes JSON of what was typed; nil leaves the field out. The error says what is
// wrong, and the field is asked for again.
func (f field) read(typed string) (json.RawMessage, error) {
	if typed == "" {
		switch {
		case f.def != nil:
			return f.def, nil
		case f.required:
			return nil, errors.New("it is needed")
		}
		return nil, nil
	}
	if f.several {
		return f.pickSeveral(typed)
	}
	if f.choices != nil {
		return f.pick(typed)
	}
	if word := strings.ToLower(strings.TrimSpace(typed)); says(f.shape, kindBoolean) && !says(f.shape, kindString) {
		switch word {
		case "y", "yes":
			typed = "true"
		case "n", "no":
			typed = "false"
		}
	}
	value, err := f.schema.typed(f.name, []string{typed}, f.shape)
	if err != nil {
		return nil, errors.New("it is " + takes(f.shape))
	}
	return value, f.limits.check(value)
}

// pick finds a choice by its value, or by its number.
func (f field) pick(typed string) (json.RawMessage, error) {
	typed = strings.TrimSpace(typed)
	for _, c := range f.choices {
		if plainValue(c.value) == typed {
			return c.value, nil
		}
	}
	if n, err := strconv.Atoi(typed); err == nil && n >= 1 && n <= len(f.choices) {
		return f.choices[n-1].value, nil
	}
	return nil, fmt.Errorf("choose one of them, by its number or as it is written")
}

func (f field) pickSeveral(typed string) (json.RawMessage, error) {
	picked := []json.RawMessage{}
	for _, word := range strings.Split(typed, ",") {
		value, err := f.pick(word)
		if err != nil {
			return nil, err
		}
		picked = append(picked, value)
	}
	value := encode(picked)
	return value, f.limits.check(value)
}

// check holds a value against the limits that are told in words.
func (l limits) check(value json.RawMessage) error {
	switch kind := kindOf(value); {
	case kind == kindString:
		return l.text(jsonText(value))
	case kind&kindNumber != 0:
		n := json.Number(value)
		if l.Minimum != nil && less(n, *l.Minimum) {
			return fmt.Errorf("it is at least %s", *l.Minimum)
		}
		if l.Maximum != nil && less(*l.Maximum, n) {
			return fmt.Errorf("it is at most %s", *l.Maximum)
		}
	case kind == kindArray:
		n := len(jsonList(value))
		if l.MinItems != nil && n < *l.MinItems {
			return fmt.Errorf("choose at least %d", *l.MinItems)
		}
		if l.MaxItems != nil && n > *l.MaxItems {
			return fmt.Errorf("choose at most %d", *l.MaxItems)
		}
	}
	return nil
}

// less compares as floats: good enough for a limit, which the server checks again.
func less(a, b json.Number) bool {
	x, errX := a.Float64()
	y, errY := b.Float64()
	return errX == nil && errY == nil && x < y
}

// text checks the length, in characters, and the formats that forms may have.
func (l limits) text(s string) error {
	n := utf8.RuneCountInString(s)
	var err error
	switch {
	case l.MinLength != nil && n < *l.MinLength:
		return fmt.Errorf("it has at least %d characters", *l.MinLength)
	case l.MaxLength != nil && n > *l.MaxLength:
		return fmt.Errorf("it has at most %d characters", *l.MaxLength)
	case l.Format == "email":
		if _, err = mail.ParseAddress(s); err != nil {
			return errors.New("it is an e-mail address")
		}
	case l.Format == "uri":
		if u, err := url.Parse(s); err != nil || u.Scheme == "" {
			return errors.New("it is an address such as https://example.com/")
		}
	case l.Format == "date":
		if _, err = time.Parse(time.DateOnly, s); err != nil {
			return errors.New("it is a date such as 2026-07-28")
		}
	case l.Format == "date-time":
		if _, err = time.Parse(time.RFC3339, s); err != nil {
			return errors.New("it is a time such as 2026-07-28T12:00:00Z")
		}
	}
	return nil
}
