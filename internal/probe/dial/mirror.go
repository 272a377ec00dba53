package dial

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"math"
	"net/http"
	"strconv"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"golang.org/x/net/http/httpguts"
)

// From 2026-07-28 on a request over HTTP says in headers what it is about, for
// gateways: its method, its name, and those arguments that the tool's definition
// marks with x-mcp-header (2026-07-28, Streamable HTTP). The SDK does the first; it
// sends names as they are, and forgets the definitions while a list is asked for
// again, so the rest is done here.

const (
	nameHeader  = "Mcp-Name"
	paramHeader = "Mcp-Param-"

	base64Head, base64Tail = "=?base64?", "?=" // around a text that cannot stand as it is
)

// mirrored is an argument that goes into a header.
type mirrored struct {
	path   []string
	header string
}

// mirrorsOf reads the annotations of an input schema. The error says why they are
// not valid, so that the tool has to be left out.
func mirrorsOf(schema json.RawMessage) ([]mirrored, error) {
	var found []mirrored
	seen := map[string]bool{}
	const deepest = 64
	var walk func(schema json.RawMessage, path []string) error
	walk = func(schema json.RawMessage, path []string) error {
		var level struct {
			Properties json.RawMessage `json:"properties"`
		}
		if json.Unmarshal(schema, &level) != nil || len(path) > deepest {
			return nil // what has no properties mirrors none
		}
		for _, m := range members(level.Properties) {
			here := append(path[:len(path):len(path)], m.name)
			header, err := headerIn(m.value)
			if err == nil && seen[strings.ToLower(header)] {
				err = errors.New("two arguments go into the header '" + header + "'")
			}
			if err != nil {
				return err
			}
			if header != "" {
				seen[strings.ToLower(header)] = true
				found = append(found, mirrored{here, header})
			}
			if err := walk(m.value, here); err != nil {
				return err
			}
		}
		return nil
	}
	err := walk(schema, nil)
	return found, err
}

// headerIn is the header that a property goes into; "" for none.
func headerIn(property json.RawMessage) (string, error) {
	var p struct {
		Type   json.RawMessage `json:"type"`
		Header json.RawMessage `json:"x-mcp-header"`
	}
	if json.Unmarshal(property, &p) != nil || len(p.Header) == 0 {
		return "", nil
	}
	var kind, header string
	_ = json.Unmarshal(p.Type, &kind)
	switch {
	case kind != "string" && kind != "integer" && kind != "boolean":
		return "", errors.New("only a string, an integer or a boolean can go into a header")
	case json.Unmarshal(p.Header, &header) != nil || !httpguts.ValidHeaderFieldName(header):
		return "", errors.New("it names no header")
	}
	return header, nil
}

// mirror sets the headers of a call of 2026-07-28.
func (c *Conn) mirror(call *jsonrpc.Request, header http.Header) {
	if name := header.Get(nameHeader); name != "" {
		header.Set(nameHeader, headerValue(name))
	}
	if call.Method != "tools/call" || c.info.ProtocolVersion < firstModern {
		return
	}
	var params struct {
		Name      string          `json:"name"`
		Arguments json.RawMessage `json:"arguments"`
	}
	if json.Unmarshal(call.Params, &params) != nil {
		return
	}
	c.mu.Lock()
	wanted := c.mirrors[params.Name]
	c.mu.Unlock()
	for _, m := range wanted {
		if value, ok := textOf(valueAt(params.Arguments, m.path)); ok {
			header.Set(paramHeader+m.header, headerValue(value))
		}
	}
}

// valueAt is the value at a path of an object; nil when there is none.
func valueAt(object json.RawMessage, path []string) json.RawMessage {
	for _, name := range path {
		var level map[string]json.RawMessage
		if json.Unmarshal(object, &level) != nil {
			return nil
		}
		object = level[name]
	}
	return object
}

// textOf is a value as it stands in a header: a string, a boolean, or an integer
// that every program reads the same.
func textOf(value json.RawMessage) (string, bool) {
	const safe = 1<<53 - 1
	value = bytes.TrimSpace(value)
	var text string
	var yes bool
	var number float64
	switch {
	case len(value) == 0, string(value) == "null":
		return "", false
	case json.Unmarshal(value, &text) == nil:
		return text, true
	case json.Unmarshal(value, &yes) == nil:
		return strconv.FormatBool(yes), true
	case json.Unmarshal(value, &number) == nil && number == math.Trunc(number) && math.Abs(number) <= safe:
		return strconv.FormatInt(int64(number), 10), true
	}
	return "", false
}

// headerValue writes a text so that it can stand in a header: what cannot, and what
// looks as if it had been written so, in base64.
func headerValue(text string) string {
	plain := strings.TrimSpace(text) == text && !strings.ContainsFunc(text, func(r rune) bool { return r < 0x20 || r > 0x7e }) &&
		!(strings.HasPrefix(text, base64Head) && strings.HasSuffix(text, base64Tail))
	if plain {
		return text
	}
	return base64Head + base64.StdEncoding.EncodeToString([]byte(text)) + base64Tail
}

// Mirrors are the arguments of a tool that a call over HTTP says in headers, too.
type Mirrors []mirrored

// MirrorsOf reads them from a tool's definition, for who is asked over HTTP itself. A
// definition that marks them in a way that is not valid has none.
func MirrorsOf(definition json.RawMessage) Mirrors {
	if !bytes.Contains(definition, []byte(`"x-mcp-header"`)) {
		return nil
	}
	var tool struct {
		InputSchema json.RawMessage `json:"inputSchema"`
	}
	if json.Unmarshal(definition, &tool) != nil {
		return nil
	}
	found, err := mirrorsOf(tool.InputSchema)
	if err != nil {
		return nil
	}
	return found
}

// Fault says how the headers of a call are other than its arguments; "" when they are not.
func (ms Mirrors) Fault(args json.RawMessage, header http.Header) string {
	for _, m := range ms {
		name := paramHeader + m.header
		got := header.Values(name)
		argument := valueAt(args, m.path)
		want, ok := textOf(argument)
		switch {
		case len(argument) == 0 || string(argument) == "null":
			if len(got) > 0 {
				return "there is a header " + name + ", but no argument for it"
			}
		case len(got) != 1:
			return "the header " + name + " is missing, or there several times"
		case !ok:
			return "the argument for the header " + name + " is none that can stand in one"
		default:
			text, valid := headerText(got[0])
			if !valid {
				return "the header " + name + " is not valid base64"
			}
			if text != want && !sameNumber(text, argument) {
				return "the header " + name + " and its argument differ"
			}
		}
	}
	return ""
}

// headerText reads what headerValue has written.
func headerText(value string) (string, bool) {
	if len(value) < len(base64Head)+len(base64Tail) || !strings.HasPrefix(value, base64Head) || !strings.HasSuffix(value, base64Tail) {
		return value, true
	}
	text, err := base64.StdEncoding.DecodeString(value[len(base64Head) : len(value)-len(base64Tail)])
	return string(text), err == nil
}

// HeaderText is the text that stands in a header, such as a name; one that is not valid
// is as it stands.
func HeaderText(value string) string {
	if text, ok := headerText(value); ok {
		return text
	}
	return value
}

// sameNumber tells whether a number stands in a header in another way of writing.
func sameNumber(text string, argument json.RawMessage) bool {
	var number float64
	if json.Unmarshal(argument, &number) != nil {
		return false
	}
	got, err := strconv.ParseFloat(text, 64)
	return err == nil && got == number
}
