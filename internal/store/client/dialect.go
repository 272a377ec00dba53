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
	// Write returns an entry of mcpctl's shape in the client's. It fails for what is no
	// entry; what the client cannot express is a Gap.
	Write func(entry json.RawMessage) (Writing, error)
	// About tells people how the client's entries differ from mcpctl's own: a word, a
	// colon and what it is.
	About []string
}

// Writing is an entry in the client's shape, without what the gaps name.
type Writing struct {
	Entry json.RawMessage
	Gaps  []Gap
}

// Gap is what cannot be said in the other shape, and why.
type Gap struct {
	Field string // dotted, such as "env.TOKEN" or "timeout"
	Why   string
	Fatal bool // without it there is no server: the entry must not be written
}

// Reading is an entry in mcpctl's shape and what was remarkable about it.
type Reading struct {
	Entry *jsonc.Node
	Other bool // it is not a server but something else of the client's, such as a part of it that can be switched
	Notes []Note
}

// Note is something remarkable in a foreign entry.
type Note struct {
	Position jsonc.Position
	Field    string // that mcpctl cannot express, so that a copy would not have it; "" for other remarks
	Fatal    bool   // the client does not accept the entry either
	Aside    bool   // it concerns nobody but who copies the entry: the server runs as it does for the client
	Message  string
	Hint     string
}

func (r *Reading) note(at *jsonc.Node, message, hint string) {
	r.Notes = append(r.Notes, Note{Position: at.Position(), Message: message, Hint: hint})
}

// gap notes what mcpctl cannot express.
func (r *Reading) gap(at *jsonc.Node, field, message, hint string) {
	r.Notes = append(r.Notes, Note{Position: at.Position(), Field: field, Message: message, Hint: hint})
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

// writer makes a Writing.
type writer struct {
	*jsonc.Shape
	client string // for people
	gaps   []Gap
}

// gap leaves a field out, and says why.
func (w *writer) gap(field, why string) {
	w.gaps = append(w.gaps, Gap{Field: field, Why: why})
	w.Drop(field)
}

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
