package wire

import (
	"bytes"
	"encoding/json"
	"errors"
	"iter"
	"reflect"
	"strings"
	"unicode/utf8"
)

// What encoding/json lets pass and must not: a key that stands twice, of which it
// takes the last, and a key in another spelling than ours, which it takes too. Two
// readers of one message would not read the same. Only objects that are interpreted
// are looked into: a tool's arguments are the server's business.

// members are the keys and the raw values of a JSON object in their order; data must
// be valid JSON. Nothing is copied but keys with escapes.
func members(data []byte) iter.Seq2[string, []byte] {
	return func(yield func(string, []byte) bool) {
		i := skipSpace(data, 0)
		if i == len(data) || data[i] != '{' {
			return
		}
		for i++; ; {
			for i = skipSpace(data, i); i < len(data) && data[i] == ','; {
				i = skipSpace(data, i+1)
			}
			if i >= len(data) || data[i] != '"' {
				return
			}
			end := skipValue(data, i)
			key := plainKey(data[i:end])
			i = skipSpace(data, end) + 1 // the colon
			i = skipSpace(data, i)
			end = skipValue(data, i)
			if end > len(data) || !yield(key, data[i:end]) {
				return
			}
			i = end
		}
	}
}

// plainKey is the text of a JSON string.
func plainKey(quoted []byte) string {
	if bytes.IndexByte(quoted, '\\') < 0 && len(quoted) >= 2 && utf8.Valid(quoted) {
		return string(quoted[1 : len(quoted)-1])
	}
	var key string
	_ = json.Unmarshal(quoted, &key) // it is valid
	return key
}

func skipSpace(data []byte, i int) int {
	for i < len(data) && (data[i] == ' ' || data[i] == '\t' || data[i] == '\n' || data[i] == '\r') {
		i++
	}
	return i
}

// skipValue returns the index behind the value that begins at i.
func skipValue(data []byte, i int) int {
	for depth := 0; i < len(data); {
		switch c := data[i]; c {
		case '"':
			for i++; i < len(data) && data[i] != '"'; i++ {
				if data[i] == '\\' {
					i++
				}
			}
			i++
		case '{', '[':
			depth++
			i++
		case '}', ']':
			if depth == 0 {
				return i // the end of what the value stands in
			}
			depth--
			i++
		default:
			if depth == 0 && (c == ',' || c == ':' || c == ' ' || c == '\t' || c == '\n' || c == '\r') {
				return i
			}
			i++
			if depth == 0 {
				continue // within a number or a word
			}
		}
		if depth == 0 {
			return min(i, len(data))
		}
	}
	return len(data)
}

// doubled returns a key that stands twice in an object; "" when none does.
func doubled(data []byte) string {
	seen := map[string]bool{}
	for key := range members(data) {
		if seen[key] {
			return key
		}
		seen[key] = true
	}
	return ""
}

// envelope are the members of a message that are looked at.
var envelope = []string{"jsonrpc", "id", "method", "params", "result", "error"}

// envelopeFault says why a line is no request or notification of JSON-RPC 2.0 as the
// protocol has them; "" when it is one. Null for the parameters is none.
func envelopeFault(line, params []byte) string {
	seen, versioned := map[string]bool{}, false
	for key, value := range members(line) {
		for _, name := range envelope {
			if key != name && strings.EqualFold(key, name) {
				return "there is no '" + key + "'; it is written '" + name + "'"
			}
		}
		if seen[key] {
			return "the key '" + key + "' stands twice"
		}
		seen[key] = true
		versioned = versioned || key == "jsonrpc" && string(value) == `"2.0"`
	}
	if !versioned {
		return "it needs \"jsonrpc\": \"2.0\""
	}
	if len(params) > 0 && params[0] != '{' && string(params) != "null" {
		return "'params' is an object"
	}
	if key := doubled(params); key != "" {
		return "the key '" + key + "' stands twice"
	}
	return ""
}

// check wants every object that a value of type t is made from to have each key once
// and spelt as t spells it, and with strict no key that t does not know. where is the
// object's name in the error, "" for the parameters themselves.
func check(data []byte, t reflect.Type, where string, strict bool) error {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch {
	case reflect.PointerTo(t).Implements(unmarshaler):
		return nil // opaque, or it sees to it itself
	case t.Kind() == reflect.Struct:
		return checkStruct(data, t, where, strict)
	case t.Kind() == reflect.Map:
		if key := doubled(data); key != "" {
			return errors.New("the key '" + dotted(where, key) + "' stands twice")
		}
	}
	return nil
}

var unmarshaler = reflect.TypeFor[json.Unmarshaler]()

func checkStruct(data []byte, t reflect.Type, where string, strict bool) error {
	seen := map[string]bool{}
	for key, value := range members(data) {
		if seen[key] {
			return errors.New("the key '" + dotted(where, key) + "' stands twice")
		}
		seen[key] = true
		name, of := fieldLike(t, key)
		switch {
		case of == nil && strict:
			return errors.New("there is no '" + dotted(where, key) + "'")
		case of == nil:
			continue
		case name != key:
			return errors.New("there is no '" + dotted(where, key) + "'; it is written '" + name + "'")
		}
		if err := check(value, of, dotted(where, key), strict); err != nil {
			return err
		}
	}
	return nil
}

// fieldLike finds the field that encoding/json would read a key into.
func fieldLike(t reflect.Type, key string) (name string, of reflect.Type) {
	for i := range t.NumField() {
		f := t.Field(i)
		tag, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if tag == key {
			return tag, f.Type
		}
		if strings.EqualFold(tag, key) {
			name, of = tag, f.Type
		}
	}
	return name, of
}

func dotted(where, key string) string {
	if where == "" {
		return key
	}
	return where + "." + key
}

// unfit words why parameters cannot be read, without their values and without names
// of ours.
func unfit(err error) string {
	var wrong *json.UnmarshalTypeError
	if errors.As(err, &wrong) && wrong.Field != "" {
		return "'" + wrong.Field + "' cannot be a JSON " + strings.TrimRight(wrong.Value, " 0123456789.+-eE")
	}
	if errors.As(err, &wrong) {
		return "an object is wanted, not a JSON " + strings.TrimRight(wrong.Value, " 0123456789.+-eE")
	}
	return err.Error()
}
