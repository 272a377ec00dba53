package wire

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// Field is one member of Fields: the path of a field, and its value as it came.
type Field struct {
	Path  string
	Value json.RawMessage
}

// Fields is a JSON object whose members keep the order they were given in.
type Fields []Field

// MarshalJSON writes the object, in this order.
func (f Fields) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, field := range f {
		if i > 0 {
			b.WriteByte(',')
		}
		key, err := json.Marshal(field.Path)
		if err != nil {
			return nil, err
		}
		value, err := json.Marshal(field.Value)
		if err != nil {
			return nil, err
		}
		b.Write(key)
		b.WriteByte(':')
		b.Write(value)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// UnmarshalJSON reads an object; a key that stands twice is an error.
func (f *Fields) UnmarshalJSON(data []byte) error {
	*f = nil
	if string(data) == "null" {
		return nil
	}
	if data[0] != '{' {
		return fmt.Errorf("an object is wanted")
	}
	seen := map[string]bool{}
	for key, value := range members(data) {
		if seen[key] {
			return fmt.Errorf("the key '%s' stands twice", key)
		}
		seen[key] = true
		*f = append(*f, Field{key, bytes.Clone(value)})
	}
	return nil
}
