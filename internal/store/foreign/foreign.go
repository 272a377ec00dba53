// Package foreign reads what is offered for installation outside of clients' files:
// bundles, documents of the registry and install links. What they offer comes out as
// entries; nothing is fetched, started or written.
package foreign

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"

	"github.com/mcpctl/mcpctl/internal/store/client"
	"github.com/mcpctl/mcpctl/internal/store/jsonc"
)

// Offer is one server that a document offers.
type Offer struct {
	Name  string
	Shape string          // the client whose shape the entry has; "" for mcpctl's own
	Entry json.RawMessage // an object
	Notes []client.Note   // about what the entry does not say
	Files bool            // it runs files of the bundle

	filled int // bytes that were put in the place of names
}

// fillLimit bounds what is put in the place of names in one offer: a small document that
// names one long text again and again must not become a large one.
const fillLimit = 1 << 20

// room counts what is to be put in the place of a name, and tells whether it may be.
func (o *Offer) room(value string) bool {
	o.filled += len(value)
	return o.filled <= fillLimit
}

// full is an error once too much was put in the place of names.
func (o *Offer) full() error {
	if o.filled > fillLimit {
		return errors.New("with its variables filled in, it is larger than 1 MiB")
	}
	return nil
}

// entry writes an object with its keys in the order people write them.
type entry struct{ b bytes.Buffer }

// set adds a member; a zero value of any kind is left out.
func (e *entry) set(key string, value any) {
	switch v := value.(type) {
	case string:
		if v == "" {
			return
		}
	case []string:
		if len(v) == 0 {
			return
		}
	case pairs:
		if len(v) == 0 {
			return
		}
	}
	if e.b.Len() == 0 {
		e.b.WriteByte('{')
	} else {
		e.b.WriteByte(',')
	}
	e.b.Write(plain(key))
	e.b.WriteByte(':')
	e.b.Write(plain(value))
}

func (e *entry) raw() json.RawMessage { return append(bytes.Clone(e.b.Bytes()), '}') }

// pairs is an object of strings in the order of the document.
type pairs []pair

type pair struct{ key, value string }

// MarshalJSON writes them in their order.
func (p pairs) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, kv := range p {
		if i > 0 {
			b.WriteByte(',')
		}
		b.Write(plain(kv.key))
		b.WriteByte(':')
		b.Write(plain(kv.value))
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// plain is JSON without the HTML escapes of encoding/json.
func plain(v any) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(v) // strings, and lists and objects of them, always encode
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}

func (o *Offer) lost(field, message, hint string) {
	o.Notes = append(o.Notes, client.Note{Field: field, Message: message, Hint: hint})
}

func (o *Offer) remark(message, hint string) {
	o.Notes = append(o.Notes, client.Note{Message: message, Hint: hint})
}

// Variable writes words as the name of a variable: docs_apiKey becomes DOCS_API_KEY.
func Variable(words string) string {
	var b strings.Builder
	lower := false
	for _, r := range words {
		upper := r >= 'A' && r <= 'Z'
		letter := upper || r >= 'a' && r <= 'z' || r >= '0' && r <= '9'
		switch {
		case !letter:
			if s := b.String(); s != "" && !strings.HasSuffix(s, "_") {
				b.WriteByte('_')
			}
		case upper && lower:
			b.WriteString("_" + string(r))
		default:
			b.WriteString(strings.ToUpper(string(r)))
		}
		lower = letter && !upper
	}
	name := strings.Trim(b.String(), "_")
	if name == "" || name[0] >= '0' && name[0] <= '9' {
		name = "V_" + name
	}
	return strings.TrimSuffix(name, "_")
}

// reference is ${NAME}, or ${NAME:-fallback} where a default can be written that way.
func reference(name, fallback string) string {
	if fallback == "" || strings.ContainsAny(fallback, "}") {
		return "${" + name + "}"
	}
	return "${" + name + ":-" + fallback + "}"
}

// decode reads JSON into v and says in one voice what is wrong with it.
func decode(data []byte, v any, what string) error {
	doc, err := jsonc.Parse(data)
	if err == nil && doc.Root() != nil {
		if err := oneReading(doc.Root(), reflect.TypeOf(v)); err != nil {
			return fmt.Errorf("%s: %w", what, err)
		}
	}
	err = json.Unmarshal(data, v)
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syntax):
		return fmt.Errorf("%s is not JSON: %w", what, err)
	case errors.As(err, &kind):
		return fmt.Errorf("%s: '%s' is not of the right type", what, strings.TrimPrefix(kind.Field, "registryServer."))
	}
	return err
}
