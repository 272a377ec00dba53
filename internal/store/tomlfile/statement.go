package tomlfile

import (
	"bytes"

	"github.com/pelletier/go-toml/v2/unstable"
)

// statement is a header, or a key with its value; also a member of an inline table.
type statement struct {
	header, array bool     // [a.b]; [[a.b]]
	path          []string // from the top level, the header's included; of a member, from its inline table
	keys          []part   // as written here
	start, end    int      // from the first bracket or key to the last bracket or the end of the value
	value         *value   // nil for a header
	section       int      // index of the header it stands below, its own for a header; -1 for none
}

// part is one key of a dotted one.
type part struct {
	text       string
	start, end int
}

// value is one value and where it stands.
type value struct {
	kind       unstable.Kind
	text       string // of a string: what it means; of another scalar: what is written
	start, end int
	elements   []*value     // of an array
	members    []*statement // of an inline table
}

// reader takes the library's tree apart and finds the places the library does not tell.
type reader struct {
	unstable.Parser
	src     []byte
	skipped int // bytes in front of what the parser sees
}

func (r *reader) statement(n *unstable.Node) *statement {
	s := &statement{header: n.Kind != unstable.KeyValue, array: n.Kind == unstable.ArrayTable}
	for it := n.Key(); it.Next(); {
		key := it.Node()
		start := int(key.Raw.Offset) + r.skipped
		s.keys = append(s.keys, part{string(key.Data), start, start + int(key.Raw.Length)})
		s.path = append(s.path, string(key.Data))
	}
	s.start, s.end = s.keys[0].start, s.keys[len(s.keys)-1].end
	if !s.header {
		s.value = r.value(n.Value(), skip(r.src, s.end, " \t="))
		s.end = s.value.end
		return s
	}
	s.start = bytes.LastIndexByte(r.src[:s.start], '[')
	s.end += bytes.IndexByte(r.src[s.end:], ']') + 1
	if s.array {
		s.start--
		s.end++
	}
	return s
}

// value reads the value that starts at an offset.
func (r *reader) value(n *unstable.Node, start int) *value {
	v := &value{kind: n.Kind, start: start}
	at := start + 1
	switch n.Kind {
	case unstable.Array:
		for it := n.Children(); it.Next(); {
			el := r.value(it.Node(), between(r.src, at))
			v.elements, at = append(v.elements, el), el.end
		}
	case unstable.InlineTable:
		for it := n.Children(); it.Next(); {
			m := r.statement(it.Node())
			v.members, at = append(v.members, m), m.end
		}
	default:
		v.text, v.end = string(n.Data), start+int(n.Raw.Length)
		return v
	}
	v.end = between(r.src, at) + 1
	return v
}

// skip returns the offset of the first byte at or behind at that is not among some.
func skip(src []byte, at int, some string) int {
	for at < len(src) && bytes.IndexByte([]byte(some), src[at]) >= 0 {
		at++
	}
	return at
}

// between passes over what may stand between the items of an array: blanks, line ends, commas and comments.
func between(src []byte, at int) int {
	for {
		at = skip(src, at, " \t\r\n,")
		if at == len(src) || src[at] != '#' {
			return at
		}
		at = lineEnd(src, at)
	}
}

// lineEnd is the offset of the line end at or behind at, the end of the text if there is none.
func lineEnd(src []byte, at int) int {
	if i := bytes.IndexByte(src[at:], '\n'); i >= 0 {
		return at + i
	}
	return len(src)
}

// nextLine is the offset of the line behind that of at.
func nextLine(src []byte, at int) int { return min(lineEnd(src, at)+1, len(src)) }

// lineStart is the offset at which the line of at starts.
func lineStart(src []byte, at int) int { return bytes.LastIndexByte(src[:at], '\n') + 1 }
