package dial

import (
	"bytes"
	"encoding/json"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

const (
	// maxDepth is how deep the SDK reads a message; a deeper one is to it no message
	// at all, and whoever waits for the answer would wait in vain.
	maxDepth = 1000
	// deepest is how deep a definition or a result may be. It is below maxDepth, so
	// that what shallow has cut is over it, wherever in a message it stood.
	deepest = 900
)

// decodeMessage reads one message. One that is nested too deep is read without its
// depths: it is an answer all the same, and spoils no more than what is deep in it.
func decodeMessage(data []byte) (jsonrpc.Message, error) {
	if m := decodeAnswer(data); m != nil {
		return m, nil
	}
	m, err := jsonrpc.DecodeMessage(data)
	if err == nil || depth(data) <= maxDepth {
		return m, err
	}
	return jsonrpc.DecodeMessage(shallow(data))
}

// decodeAnswer reads what is surely an answer, as almost all messages are; nil for any
// other. The SDK takes 32 KiB for each, which is most of what a call would cost.
func decodeAnswer(data []byte) *jsonrpc.Response {
	var m map[string]json.RawMessage // its keys are as they stand there, unlike those of a struct
	if json.Unmarshal(data, &m) != nil || m["method"] != nil || string(m["jsonrpc"]) != `"2.0"` || depth(data) > maxDepth {
		return nil
	}
	var id any
	if json.Unmarshal(m["id"], &id) != nil {
		return nil
	}
	out := &jsonrpc.Response{Result: m["result"]}
	var err error
	if out.ID, err = jsonrpc.MakeID(id); err != nil || !out.ID.IsValid() {
		return nil
	}
	var failure *jsonrpc.Error
	if e := m["error"]; e != nil && json.Unmarshal(e, &failure) != nil {
		return nil
	}
	if failure != nil {
		out.Error = failure
	}
	return out
}

// depth is how deep objects and lists are nested in a JSON text.
func depth(data []byte) (deepest int) {
	level := 0
	for i := 0; i < len(data); i++ {
		switch data[i] {
		case '"':
			for i++; i < len(data) && data[i] != '"'; i++ {
				if data[i] == '\\' {
					i++
				}
			}
		case '{', '[':
			level++
			deepest = max(deepest, level)
		case '}', ']':
			level--
		}
	}
	return deepest
}

// shallow empties the objects and lists at maxDepth.
func shallow(data []byte) []byte {
	var out bytes.Buffer
	eachByte(data, func(b byte, level int) {
		if level < maxDepth || level == maxDepth && (b == '{' || b == '[' || b == '}' || b == ']') {
			out.WriteByte(b)
		}
	})
	return out.Bytes()
}

// eachByte calls f with each byte of a JSON text and the level it stands on; a
// bracket stands on the level it opens or closes. In a string f is told of no
// bracket's level but the string's own.
func eachByte(data []byte, f func(b byte, level int)) {
	level, quoted, escaped := 0, false, false
	for _, b := range data {
		closes := false
		switch {
		case escaped:
			escaped = false
		case quoted && b == '\\':
			escaped = true
		case b == '"':
			quoted = !quoted
		case quoted:
		case b == '{', b == '[':
			level++
		case b == '}', b == ']':
			closes = true
		}
		f(b, level)
		if closes {
			level--
		}
	}
}
