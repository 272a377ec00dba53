package foreign

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/mcpctl/mcpctl/internal/store/jsonc"
)

// oneReading is an error for a document that two programs could read differently: one
// with a key twice, or with a key that differs from one that is read only by case, which
// encoding/json takes for it. A reviewer and the reader must see the same server.
func oneReading(n *jsonc.Node, t reflect.Type) error {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if n.Kind() == jsonc.Array && t.Kind() == reflect.Slice {
		for _, el := range n.Elements() {
			if err := oneReading(el, t.Elem()); err != nil {
				return err
			}
		}
	}
	if n.Kind() != jsonc.Object {
		return nil
	}
	seen := map[string]bool{}
	for _, m := range n.Members() {
		if seen[m.Key] {
			return fmt.Errorf("the key %q stands twice in one object", m.Key)
		}
		seen[m.Key] = true
		below, err := memberType(t, m.Key)
		if err == nil && below != nil {
			err = oneReading(m.Value, below)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// memberType is the type that a key's value is read into; nil for one that is not read.
func memberType(t reflect.Type, key string) (reflect.Type, error) {
	switch t.Kind() {
	case reflect.Map:
		return t.Elem(), nil
	case reflect.Struct:
		for _, field := range reflect.VisibleFields(t) {
			name := field.Tag.Get("json")
			switch {
			case name == "":
			case name == key:
				return field.Type, nil
			case strings.EqualFold(name, key):
				return nil, fmt.Errorf("the key %q is almost %q, and readers differ on whether it is that", key, name)
			}
		}
	}
	return nil, nil
}
