package gateway

import (
	"bytes"
	"encoding/json"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Results and parameters that pass through the SDK as the bytes they are.

// rawResult is the result of a request, an object. Of a modern one it gets the members
// that the protocol of 2026-07-28 wants and older servers do not send.
type rawResult struct {
	mcp.ResultBase
	raw    json.RawMessage
	modern bool
	lists  bool // what it says may be kept for a while, which ours may not
}

// MarshalJSON gives the bytes.
func (r *rawResult) MarshalJSON() ([]byte, error) {
	if !r.modern {
		return r.raw, nil
	}
	has := membersOf(r.raw)
	var more []member
	if _, ok := has["resultType"]; !ok {
		more = append(more, member{"resultType", json.RawMessage(`"complete"`)})
	}
	if _, ok := has["ttlMs"]; !ok && r.lists {
		more = append(more, member{"ttlMs", json.RawMessage("0")})
	}
	if _, ok := has["cacheScope"]; !ok && r.lists {
		more = append(more, member{"cacheScope", json.RawMessage(`"private"`)})
	}
	if _, ok := has["_meta"]; !ok && len(r.Meta) > 0 {
		meta, err := json.Marshal(r.Meta)
		if err != nil {
			return nil, err
		}
		more = append(more, member{"_meta", meta})
	}
	return inFront(r.raw, more), nil
}

// member is one member of an object.
type member struct {
	key   string
	value json.RawMessage
}

// inFront adds members to an object, which has none of them, before its own.
func inFront(object json.RawMessage, more []member) json.RawMessage {
	open := bytes.IndexByte(object, '{')
	if open < 0 || len(more) == 0 {
		return object
	}
	out := append(make([]byte, 0, len(object)+128), '{')
	for i, m := range more {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(out, quoted(m.key)...)
		out = append(append(out, ':'), m.value...)
	}
	rest := object[open+1:]
	if body := bytes.TrimLeft(rest, " \t\r\n"); len(body) > 0 && body[0] != '}' {
		out = append(out, ',')
	}
	return append(out, rest...)
}

// span is where a value stands in the object it was found in.
type span struct{ from, to int }

// membersOf finds the members of an object; the last of several with one key counts, as
// it does for encoding/json. Nil for what is no object.
func membersOf(object json.RawMessage) map[string]span {
	dec := json.NewDecoder(bytes.NewReader(object))
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		return nil
	}
	found := map[string]span{}
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			return nil
		}
		var value json.RawMessage
		if dec.Decode(&value) != nil {
			return nil
		}
		to := int(dec.InputOffset())
		found[key.(string)] = span{to - len(value), to}
	}
	return found
}

// put replaces a member of an object, or adds it in front; all other bytes stay.
func put(object json.RawMessage, key string, value json.RawMessage) json.RawMessage {
	at, ok := membersOf(object)[key]
	if !ok {
		return inFront(object, []member{{key, value}})
	}
	out := make([]byte, 0, len(object)+len(value))
	return append(append(append(out, object[:at.from]...), value...), object[at.to:]...)
}

// without is an object without a member; the other values keep their bytes.
func without(object json.RawMessage, key string) json.RawMessage {
	dec := json.NewDecoder(bytes.NewReader(object))
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		return object
	}
	out := []byte{'{'}
	for dec.More() {
		name, err := dec.Token()
		var value json.RawMessage
		if err != nil || dec.Decode(&value) != nil {
			return object
		}
		if name == key {
			continue
		}
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = append(append(append(out, quoted(name.(string))...), ':'), value...)
	}
	return append(out, '}')
}

// quoted is a text as JSON, without the HTML escapes of encoding/json.
func quoted(text string) json.RawMessage { return encoded(text) }

// encoded is a value as JSON, without the HTML escapes of encoding/json.
func encoded(v any) json.RawMessage {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if enc.Encode(v) != nil {
		return json.RawMessage("null")
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}

// array joins values.
func array(values []json.RawMessage) json.RawMessage {
	return append(append([]byte{'['}, bytes.Join(asBytes(values), []byte(","))...), ']')
}

func asBytes(values []json.RawMessage) [][]byte {
	out := make([][]byte, len(values))
	for i, v := range values {
		out[i] = v
	}
	return out
}

// rawParams are the parameters of a request to the client, as bytes.
type rawParams struct {
	mcp.ParamsBase
	raw json.RawMessage
}

// MarshalJSON gives the bytes.
func (p *rawParams) MarshalJSON() ([]byte, error) { return p.raw, nil }
