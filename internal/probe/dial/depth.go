package dial

import (
	"bytes"

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
	m, err := jsonrpc.DecodeMessage(data)
	if err == nil || depth(data) <= maxDepth {
		return m, err
	}
	return jsonrpc.DecodeMessage(shallow(data))
}

// depth is how deep objects and lists are nested in a JSON text.
func depth(data []byte) (deepest int) {
	eachByte(data, func(_ byte, level int) { deepest = max(deepest, level) })
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
