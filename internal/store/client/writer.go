package client

import (
	"bytes"
	"encoding/json"
	"errors"
	"strconv"
	"time"

	"github.com/mcpctl/mcpctl/internal/store/jsonc"
)

// writer makes a Writing.
type writer struct {
	*jsonc.Shape
	client string // for people
	gaps   []Gap
}

// gap leaves a field out, and says why.
func (w *writer) gap(field, why string) {
	w.lost(field, why)
	w.Drop(field)
}

// lost tells of what is left out, or of what stays unsaid.
func (w *writer) lost(field, why string) { w.gaps = append(w.gaps, Gap{Field: field, Why: why}) }

// fatal tells that without the field there is no server.
func (w *writer) fatal(field, why string) {
	w.gaps = append(w.gaps, Gap{Field: field, Why: why, Fatal: true})
}

func (w *writer) writing() Writing { return Writing{Entry: w.Node().Raw(), Gaps: w.gaps} }

// timeout writes the timeout as a number of units.
func (w *writer) timeout(entry *jsonc.Node, unit time.Duration) {
	t := entry.Get("timeout")
	if t == nil {
		return
	}
	n, err := amount(t, unit)
	if err != nil {
		w.gap("timeout", err.Error())
		return
	}
	w.Set("timeout", n)
}

// spell rewrites the values of some fields. A field with a value that the client cannot
// have is left out; without a command, or an address, there is no server.
func (w *writer) spell(keys []string, f func(string) (string, error)) {
	for _, key := range keys {
		var first error
		w.Texts(key, func(text string) string {
			out, err := f(text)
			if err != nil && first == nil {
				first = err
			}
			return out
		})
		switch {
		case first == nil:
		case key == "command", key == "url", key == "args":
			w.fatal(key, "'"+key+"' cannot be written for "+w.client+": "+first.Error())
		default:
			w.gap(key, "'"+key+"' cannot be written for "+w.client+": "+first.Error())
		}
	}
}

// without takes a member out of an object, and the object with the last one.
func (w *writer) without(key, member string) {
	object := w.Node().Get(key)
	if object == nil {
		return
	}
	o := object.Reshape()
	if o.Drop(member); len(o.Node().Members()) == 0 {
		w.Drop(key)
		return
	}
	w.SetShape(key, o)
}

// reshape opens an entry of mcpctl's shape for Write.
func reshape(entry json.RawMessage) (*jsonc.Node, *jsonc.Shape, error) {
	doc, err := jsonc.Parse(entry)
	if err != nil {
		return nil, nil, err
	}
	if doc.Root() == nil || doc.Root().Kind() != jsonc.Object {
		return nil, nil, errors.New("an entry is an object")
	}
	return doc.Root(), doc.Root().Reshape(), nil
}

// with is an object, or a new one, with a member set.
func with(object *jsonc.Node, key string, value json.RawMessage) json.RawMessage {
	var s *jsonc.Shape
	if object != nil {
		s = object.Reshape()
	}
	if s == nil {
		_, s, _ = reshape(json.RawMessage("{}"))
	}
	s.Set(key, value)
	return s.Node().Raw()
}

// withUnit writes a JSON number as a duration that names its unit, such as
// "30s"; nil when it is no number that a duration can have.
func withUnit(n *jsonc.Node, unit string) json.RawMessage {
	text := string(n.Raw())
	if s, ok := n.Text(); ok {
		text = s
	}
	f, err := strconv.ParseFloat(text, 64)
	if err != nil || f > 1e12 || f < -1e12 {
		return nil
	}
	return quote(strconv.FormatFloat(f, 'f', -1, 64) + unit)
}

// amount is a timeout of mcpctl's shape as a number of units (design §3: a
// number below 1000 is seconds, from 1000 on milliseconds).
func amount(n *jsonc.Node, unit time.Duration) (json.RawMessage, error) {
	text, isText := n.Text()
	f, err := strconv.ParseFloat(string(n.Raw()), 64)
	if isText {
		f, err = strconv.ParseFloat(text, 64)
	}
	var d time.Duration
	switch {
	case err == nil && f >= 1000:
		d = time.Duration(f * float64(time.Millisecond))
	case err == nil:
		d = time.Duration(f * float64(time.Second))
	default:
		if d, err = time.ParseDuration(text); err != nil {
			return nil, errors.New("the timeout " + string(quote(text)) + " does not parse")
		}
	}
	return json.RawMessage(strconv.FormatFloat(float64(d)/float64(unit), 'f', -1, 64)), nil
}

// quote is JSON without the HTML escapes of encoding/json: '&' stays readable.
func quote(s string) json.RawMessage {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(s) // a string always encodes
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}
