package supervisor

import (
	"bytes"
	"encoding/json"
	"math"
	"net/mail"
	"net/url"
	"slices"
	"time"
	"unicode/utf8"

	"github.com/mcpctl/mcpctl/internal/engine/wire"
)

// formSchema is what of a form's schema an answer is held against: the flat subset that
// forms may have (MCP 2025-11-25, Elicitation). What else a schema says, or says in a
// way that makes no sense, is for the server to check.
type formSchema struct {
	Properties map[string]json.RawMessage `json:"properties"`
	Required   []string                   `json:"required"`
}

type formField struct {
	Type      any             `json:"type"`
	Enum      []any           `json:"enum"`
	OneOf     []constant      `json:"oneOf"`
	AnyOf     []constant      `json:"anyOf"`
	Items     json.RawMessage `json:"items"`
	Default   json.RawMessage `json:"default"`
	Format    string          `json:"format"`
	MinLength *float64        `json:"minLength"`
	MaxLength *float64        `json:"maxLength"`
	Minimum   *float64        `json:"minimum"`
	Maximum   *float64        `json:"maximum"`
	MinItems  *float64        `json:"minItems"`
	MaxItems  *float64        `json:"maxItems"`
}

type constant struct {
	Const any `json:"const"`
}

// fitsForm is why a reply to a question with this schema makes no sense; a schema is
// empty where the question is a page and not a form.
func fitsForm(schema json.RawMessage) func(wire.ElicitReply) error {
	return func(reply wire.ElicitReply) error {
		if reply.Action != acceptAction || len(schema) == 0 {
			return nil
		}
		return fits(schema, reply.Content)
	}
}

// fits holds the content of an accepted form against the schema that was asked with.
// What is left out and has a default is filled in later. USAGE names the field.
func fits(schema, content json.RawMessage) error {
	var form formSchema
	given := map[string]any{}
	if json.Unmarshal(schema, &form) != nil {
		return nil
	}
	if content = bytes.TrimSpace(content); len(content) > 0 && json.Unmarshal(content, &given) != nil {
		return wire.NewError(wire.Usage, "the content of a reply is an object", "")
	}
	for name, raw := range form.Properties {
		var f formField
		if json.Unmarshal(raw, &f) != nil {
			continue
		}
		value, there := given[name]
		why := ""
		switch {
		case there:
			why = f.fault(value)
		case slices.Contains(form.Required, name) && len(f.Default) == 0:
			why = "is needed"
		}
		if why != "" {
			return wire.NewError(wire.Usage, "the field '"+name+"' of the reply "+why, "the question stays open: answer it as its schema says, or decline")
		}
	}
	return nil
}

// fault says what is wrong with a value; "" for nothing.
func (f formField) fault(value any) string {
	if kind, ok := f.Type.(string); ok && !isKind(kind, value) {
		return "is no " + kind
	}
	if choices := f.choices(); choices != nil && !slices.Contains(choices, value) {
		return "is none of the choices"
	}
	switch v := value.(type) {
	case string:
		return f.textFault(v)
	case float64:
		if outside(v, f.Minimum, f.Maximum) {
			return "is out of its range"
		}
	case []any:
		if outside(float64(len(v)), f.MinItems, f.MaxItems) {
			return "has too few or too many values"
		}
		var item formField
		if json.Unmarshal(f.Items, &item) == nil {
			for _, one := range v {
				if why := item.fault(one); why != "" {
					return "holds a value that " + why
				}
			}
		}
	}
	return ""
}

// choices are the values that a field may have; nil for any. Only texts and numbers are:
// what else cannot be compared, and an alternative that is no single value, are left to
// the server.
func (f formField) choices() (out []any) {
	out = slices.Clone(f.Enum)
	for _, c := range slices.Concat(f.OneOf, f.AnyOf) {
		if c.Const == nil {
			return nil
		}
		out = append(out, c.Const)
	}
	for _, c := range out {
		switch c.(type) {
		case string, float64, bool, nil:
		default:
			return nil
		}
	}
	return out
}

// isKind tells whether a value is of a type of JSON Schema; one we do not know fits all.
func isKind(kind string, value any) bool {
	ok := true
	switch kind {
	case "string":
		_, ok = value.(string)
	case "boolean":
		_, ok = value.(bool)
	case "number":
		_, ok = value.(float64)
	case "integer":
		n, is := value.(float64)
		ok = is && n == math.Trunc(n)
	case "array":
		_, ok = value.([]any)
	case "object":
		_, ok = value.(map[string]any)
	}
	return ok
}

func outside(n float64, least, most *float64) bool {
	return least != nil && n < *least || most != nil && n > *most
}

// textFault checks the length, in characters, and the formats that forms may have.
func (f formField) textFault(s string) string {
	if outside(float64(utf8.RuneCountInString(s)), f.MinLength, f.MaxLength) {
		return "is too short or too long"
	}
	var err error
	switch f.Format {
	case "email":
		_, err = mail.ParseAddress(s)
	case "uri":
		var u *url.URL
		if u, err = url.Parse(s); err == nil && u.Scheme == "" {
			return "is no uri"
		}
	case "date":
		_, err = time.Parse(time.DateOnly, s)
	case "date-time":
		_, err = time.Parse(time.RFC3339, s)
	}
	if err != nil {
		return "is no " + f.Format
	}
	return ""
}
