package client

import (
	"bytes"
	"encoding/json"
	"errors"
	"strconv"
	"time"

	"github.com/mcpctl/mcpctl/internal/store/jsonc"
)

// Dialect converts entries between a client's shape and mcpctl's own (design
// §2.3, §3). A nil function means that the shapes are the same.
type Dialect struct {
	// Read returns the entry, an object, in mcpctl's shape. It keeps what it does
	// not know: the reader behind it judges the whole.
	Read func(entry *jsonc.Node, project bool) Reading
	// Write returns an entry of mcpctl's shape in the client's. The error says
	// what the client cannot express.
	Write func(entry json.RawMessage) (json.RawMessage, error)
}

// Reading is an entry in mcpctl's shape and what was remarkable about it.
type Reading struct {
	Entry *jsonc.Node
	Notes []Note
}

// Note is something remarkable in a foreign entry.
type Note struct {
	Position jsonc.Position
	Fatal    bool // the client does not accept the entry either
	Message  string
	Hint     string
}

func (r *Reading) note(at *jsonc.Node, message, hint string) {
	r.Notes = append(r.Notes, Note{Position: at.Position(), Message: message, Hint: hint})
}

// isDefinition: an entry without these is an override (design §1).
func isDefinition(n *jsonc.Node) bool {
	return n.Get("command") != nil || n.Get("url") != nil || n.Get("type") != nil
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
