package commands

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/mcpctl/mcpctl/internal/store"
)

// object builds a JSON object whose keys stay in the order they were put.
type object struct {
	keys   []string
	values []json.RawMessage
}

// put adds a member; false when the key is there already. Values are strings,
// lists of strings and booleans, which always encode.
func (o *object) put(key string, value any) bool {
	if slices.Contains(o.keys, key) {
		return false
	}
	o.keys = append(o.keys, key)
	o.values = append(o.values, encode(value))
	return true
}

func (o *object) json() json.RawMessage {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, key := range o.keys {
		if i > 0 {
			b.WriteByte(',')
		}
		b.Write(encode(key))
		b.WriteByte(':')
		b.Write(o.values[i])
	}
	b.WriteByte('}')
	return b.Bytes()
}

// encode is JSON without the HTML escapes of encoding/json: a command's & stays
// readable in the file.
func encode(v any) json.RawMessage {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		panic(fmt.Sprintf("cannot encode %T: %v", v, err)) // put takes only types that encode
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}

// assemble makes a new entry of fields, each at most two keys deep, in the order
// of their first mention.
func assemble(fields []store.FieldEdit) json.RawMessage {
	var top object
	groups := map[string]*object{}
	for _, f := range fields {
		key := f.Path[0]
		if len(f.Path) == 1 {
			top.put(key, f.Value)
			continue
		}
		if groups[key] == nil {
			groups[key] = &object{}
			top.put(key, nil) // holds the place
		}
		groups[key].put(f.Path[1], f.Value)
	}
	for i, key := range top.keys {
		if g := groups[key]; g != nil {
			top.values[i] = g.json()
		}
	}
	return top.json()
}
