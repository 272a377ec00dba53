package commands

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/mcpctl/mcpctl/internal/store"
)

// arguments are a tool's arguments as they were typed.
type arguments struct {
	whole json.RawMessage   // --args, used as it stands
	obj   object            // values that are JSON already
	plain map[string]string // k=v, to be converted by the schema
	order []string          // all keys as typed
}

// argumentsLimit bounds what is read for --args and k=@FILE, as a message to a
// server is bounded.
const argumentsLimit = 16 << 20

// readArguments reads the words behind the tool and --args. Wrong syntax is a
// usage error; a file that cannot be read is MCP_IO.
func readArguments(ctx context.Context, a *app, o *callOptions) (*arguments, error) {
	in := &arguments{plain: map[string]string{}}
	if o.args != "" {
		if len(o.words) > 0 {
			return nil, usagef("give --args or single arguments, not both")
		}
		text, err := argumentsText(ctx, a, o.args)
		if err != nil {
			return nil, err
		}
		var probe map[string]json.RawMessage
		if err := json.Unmarshal(text, &probe); err != nil || probe == nil {
			return nil, usagef("--args is not a JSON object")
		}
		in.whole = text
		return in, nil
	}
	for _, word := range o.words {
		if err := in.word(ctx, word); err != nil {
			return nil, err
		}
	}
	return in, nil
}

func argumentsText(ctx context.Context, a *app, text string) ([]byte, error) {
	switch {
	case text == "-":
		return a.readStdin(ctx, "the arguments", argumentsLimit)
	case strings.HasPrefix(text, "@"):
		return readFile(ctx, text[1:], argumentsLimit)
	}
	return []byte(text), nil
}

// word reads k=v, k:=json or k=@file.
func (in *arguments) word(ctx context.Context, word string) error {
	key, value, ok := strings.Cut(word, "=")
	if !ok || key == "" || key == ":" {
		return usagef("'%s' is not k=v, k:=JSON or k=@FILE", word)
	}
	key, isJSON := strings.CutSuffix(key, ":")
	if isJSON {
		if !json.Valid([]byte(value)) {
			return usagef("the value of '%s' is not JSON", key)
		}
		in.order = append(in.order, key)
		if !in.obj.put(key, json.RawMessage(value)) {
			return usagef("the argument '%s' is given twice", key)
		}
		return nil
	}
	if _, again := in.plain[key]; again {
		return usagef("the argument '%s' is given twice", key)
	}
	if path, isFile := strings.CutPrefix(value, "@"); isFile {
		data, err := readFile(ctx, path, argumentsLimit)
		if err != nil {
			return err
		}
		value = string(data)
		if !in.obj.put(key, value) {
			return usagef("the argument '%s' is given twice", key)
		}
		return nil
	}
	in.plain[key] = value
	in.order = append(in.order, key)
	return nil
}

// needsSchema tells whether a value has to be converted.
func (in *arguments) needsSchema() bool { return len(in.plain) > 0 }

// convert gives each k=v the type that the tool's input schema has for it; what
// the schema does not type stays a string. A name that the schema excludes, or
// a value that does not fit its type, is a usage error.
func (in *arguments) convert(definition json.RawMessage) error {
	var tool struct {
		InputSchema struct {
			Properties           map[string]struct{ Type json.RawMessage }
			AdditionalProperties any
		}
	}
	_ = json.Unmarshal(definition, &tool) // without a schema every value is a string
	props := tool.InputSchema.Properties
	var known []string
	for name := range props {
		known = append(known, name)
	}
	for _, key := range in.order {
		text, ok := in.plain[key]
		if !ok {
			continue
		}
		prop, declared := props[key]
		if !declared && tool.InputSchema.AdditionalProperties == false {
			err := usagef("the tool has no argument '%s'", key)
			if near := store.Closest(key, known); near != "" {
				err.Advice = "did you mean '" + near + "'?"
			}
			return err
		}
		value, err := typed(key, text, prop.Type)
		if err != nil {
			return err
		}
		if !in.obj.put(key, value) {
			return usagef("the argument '%s' is given twice", key)
		}
	}
	return nil
}

// typed converts text to the JSON Schema type typ, a word or a list of words.
func typed(key, text string, typ json.RawMessage) (any, error) {
	var words []string
	if json.Unmarshal(typ, &words) != nil {
		var word string
		if json.Unmarshal(typ, &word) != nil || word == "" {
			return text, nil
		}
		words = []string{word}
	}
	for _, w := range words {
		if w == "string" {
			return text, nil
		}
	}
	var v any
	if json.Unmarshal([]byte(text), &v) == nil {
		for _, w := range words {
			if fits(v, w) {
				return json.RawMessage(text), nil
			}
		}
	}
	return nil, usagef("the argument '%s' is of type %s", key, strings.Join(words, " or "))
}

func fits(v any, word string) bool {
	switch v := v.(type) {
	case bool:
		return word == "boolean"
	case float64:
		return word == "number" || word == "integer" && v == float64(int64(v))
	case []any:
		return word == "array"
	case map[string]any:
		return word == "object"
	case nil:
		return word == "null"
	}
	return false
}

// object is the whole argument object, in the order it was typed.
func (in *arguments) object() json.RawMessage {
	if in.whole != nil {
		return in.whole
	}
	return in.obj.json()
}
