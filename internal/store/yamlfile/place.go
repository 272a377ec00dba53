package yamlfile

import (
	"bytes"
	"sort"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"github.com/mcpctl/mcpctl/internal/store/jsonc"
)

// file is a text and its tree.
type file struct {
	src     []byte
	body    int   // behind a byte order mark
	lines   []int // where each line starts, as YAML counts lines
	starts  []int // where each line starts behind a line feed, from body on
	columns map[int][]int
	root    *node
	anchors map[*yaml.Node]*node
	aliased map[*yaml.Node]bool // values that aliases stand for
}

// node is one value and where it stands.
type node struct {
	kind       yaml.Kind
	flow       bool // in brackets, or quoted, or a plain word: anything that is not laid out by indentation
	text       string
	plain      bool   // a scalar without quotes
	tag        string // written in the text; "" otherwise
	anchor     string
	start, end int // of the value, without its anchor and tag; end is behind its last byte
	props      int // where anchor and tag begin, start if there are none
	colon      int // behind the colon, for the value of a member; 0 if there is none
	members    []member
	items      []*node
	target     *yaml.Node // of an alias
	repeated   bool       // an alias stands for it; known when the whole text is placed
}

type member struct{ key, value *node }

func (n *node) isEmpty() bool {
	return n.kind == yaml.ScalarNode && n.plain && n.text == "" && n.tag == ""
}

// findLines notes where lines start. YAML ends lines also with a lone CR, NEL, LS and PS.
func (f *file) findLines() {
	f.lines, f.starts = []int{f.body}, []int{f.body}
	for at := f.body; at < len(f.src); {
		r, size := utf8.DecodeRune(f.src[at:])
		at += size
		switch r {
		case '\r':
			if at < len(f.src) && f.src[at] == '\n' {
				at++
				f.starts = append(f.starts, at)
			}
			f.lines = append(f.lines, at)
		case '\n':
			f.starts = append(f.starts, at)
			f.lines = append(f.lines, at)
		case '\u0085', '\u2028', '\u2029':
			f.lines = append(f.lines, at)
		}
	}
}

// stride is after how many columns the place of one is noted: a line may be a megabyte long, and is asked for the
// columns of all that stands on it.
const stride = 256

// offset is the place of a line and column of the library, which count from 1; columns are code points.
func (f *file) offset(line, column int) int {
	if line < 1 || line > len(f.lines) {
		return len(f.src)
	}
	at := f.lines[line-1]
	if column > stride {
		known := f.columnsOf(line)
		i := min((column-1)/stride, len(known)-1)
		at, column = known[i], column-i*stride
	}
	for ; column > 1 && at < len(f.src); column-- {
		_, size := utf8.DecodeRune(f.src[at:])
		at += size
	}
	return at
}

// columnsOf are the places of the columns of a line, one in each stride, the first included.
func (f *file) columnsOf(line int) []int {
	if known, ok := f.columns[line]; ok {
		return known
	}
	end := len(f.src)
	if line < len(f.lines) {
		end = f.lines[line]
	}
	var known []int
	for at, column := f.lines[line-1], 0; at < end; column++ {
		if column%stride == 0 {
			known = append(known, at)
		}
		_, size := utf8.DecodeRune(f.src[at:])
		at += size
	}
	if f.columns == nil {
		f.columns = map[int][]int{}
	}
	f.columns[line] = known
	return known
}

// placer finds where values end.
type placer struct{ *file }

// spot is where a value may stand.
type spot struct {
	limit  int // it ends in front of this offset
	indent int // of the mapping or sequence around it, in columns; -1 at the top
	flow   bool
}

func (p placer) node(y *yaml.Node, s spot, depth int) (*node, error) {
	at := p.offset(y.Line, y.Column)
	if depth > jsonc.MaxDepth {
		return nil, jsonc.ErrorAt(p.src, at, "nested deeper than %d levels", jsonc.MaxDepth)
	}
	n := &node{kind: y.Kind, text: y.Value, anchor: y.Anchor, props: at, start: at, target: y.Alias}
	if y.Anchor != "" {
		p.anchors[y] = n
	}
	if y.Style&yaml.TaggedStyle != 0 {
		n.tag = y.Tag
	}
	if n.anchor != "" || n.tag != "" {
		n.start = p.behindProps(at)
	}
	n.flow = y.Style&yaml.FlowStyle != 0
	var err error
	switch y.Kind {
	case yaml.MappingNode:
		err = p.mapping(n, y, s, depth)
	case yaml.SequenceNode:
		err = p.sequence(n, y, s, depth)
	case yaml.AliasNode:
		p.aliased[y.Alias] = true
		n.flow, n.end = true, n.start+len("*")+len(y.Value)
	default:
		p.scalar(n, y, s)
	}
	return n, err
}

// behindProps passes over anchor and tag.
func (p placer) behindProps(at int) int {
	for at < len(p.src) && (p.src[at] == '&' || p.src[at] == '!') {
		for at < len(p.src) && bytes.IndexByte([]byte(" \t\r\n"), p.src[at]) < 0 {
			at++
		}
		next := p.skip(at, " \t")
		if next == len(p.src) || p.src[next] != '&' && p.src[next] != '!' {
			return next
		}
		at = next
	}
	return at
}

func (p placer) mapping(n *node, y *yaml.Node, s spot, depth int) error {
	if !n.flow && len(y.Content) > 0 {
		first := y.Content[0]
		n.start = p.offset(first.Line, first.Column)
	}
	inner := spot{indent: n.start - p.lineStart(n.start), flow: n.flow || s.flow}
	for i := 0; i+1 < len(y.Content); i += 2 {
		inner.limit = p.next(y.Content, i+1, s.limit)
		key, err := p.node(y.Content[i], inner, depth+1)
		if err != nil {
			return err
		}
		if inner.limit = p.next(y.Content, i+2, s.limit); inner.limit < key.end {
			inner.limit = key.end
		}
		value, err := p.node(y.Content[i+1], inner, depth+1)
		if err != nil {
			return err
		}
		p.placeColon(key, value)
		n.members = append(n.members, member{key, value})
	}
	n.end = p.closed(n, s.limit)
	return nil
}

// placeColon finds the colon between key and value, behind which a value stands that nobody wrote.
func (p placer) placeColon(key, value *node) {
	at := p.skip(key.end, " \t\r\n")
	if at < len(p.src) && p.src[at] == ':' {
		value.colon = at + 1
	}
	if value.isEmpty() {
		at := max(value.colon, key.end)
		if value.anchor == "" {
			value.props, value.start = at, at
		}
		value.end = value.start
	}
}

func (p placer) sequence(n *node, y *yaml.Node, s spot, depth int) error {
	inner := spot{indent: n.start - p.lineStart(n.start), flow: n.flow || s.flow}
	for i := range y.Content {
		inner.limit = p.next(y.Content, i+1, s.limit)
		item, err := p.node(y.Content[i], inner, depth+1)
		if err != nil {
			return err
		}
		n.items = append(n.items, item)
	}
	n.end = p.closed(n, s.limit)
	return nil
}

// next is where the text of the node in front of the i-th has to end: at the line of that one, or at its very start
// on the same line.
func (p placer) next(list []*yaml.Node, i, limit int) int {
	if i >= len(list) {
		return limit
	}
	at := p.offset(list[i].Line, list[i].Column)
	if before := list[i-1]; before.Line < list[i].Line {
		at = p.lineStart(at)
	}
	return min(at, limit)
}

// closed is where a collection ends: behind its bracket, or with what is last in it.
func (p placer) closed(n *node, limit int) int {
	at := n.start
	if n.flow {
		at++
	}
	for _, m := range n.members {
		at = max(at, m.key.end, m.value.colon, m.value.end)
	}
	for _, item := range n.items {
		at = max(at, item.end)
	}
	if n.flow {
		return min(p.between(at)+1, len(p.src))
	}
	return min(at, max(limit, n.start))
}

// scalar finds the end of a scalar.
func (p placer) scalar(n *node, y *yaml.Node, s spot) {
	n.flow = true
	switch {
	case y.Style&yaml.DoubleQuotedStyle != 0:
		for n.end = n.start + 1; n.end < len(p.src) && p.src[n.end] != '"'; n.end++ {
			if p.src[n.end] == '\\' {
				n.end++
			}
		}
		n.end = min(n.end+1, len(p.src))
	case y.Style&yaml.SingleQuotedStyle != 0:
		for n.end = n.start + 1; n.end < len(p.src); n.end++ {
			if p.src[n.end] != '\'' {
				continue
			}
			if n.end+1 == len(p.src) || p.src[n.end+1] != '\'' {
				break
			}
			n.end++
		}
		n.end = min(n.end+1, len(p.src))
	case y.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0:
		n.flow = false
		n.end = p.blockEnd(n.start, s)
	default:
		n.plain = true
		n.end = p.plainEnd(n.start, y.Value, s)
	}
}

// blockEnd is the end of a literal or folded scalar: its last line that is indented deeper than what it is in.
func (p placer) blockEnd(start int, s spot) int {
	end := p.lineEnd(start)
	for at := p.nextLine(start); at < min(s.limit, len(p.src)); at = p.nextLine(at) {
		text := p.skip(at, " ")
		switch {
		case p.skip(at, " \t\r") == p.lineEnd(at):
		case text-at > s.indent:
			end = p.lineEnd(at)
		default:
			return end
		}
	}
	return end
}

// plainEnd is the end of a plain scalar. One on several lines is folded, so its text is not what is written.
func (p placer) plainEnd(start int, text string, s spot) int {
	if bytes.HasPrefix(p.src[start:], []byte(text)) {
		return start + len(text)
	}
	if s.flow {
		return s.limit // as far as it may go; an edit that goes by it is found out
	}
	end := start
	for at := start; at < min(s.limit, len(p.src)); at = p.nextLine(at) {
		line := p.src[at:p.lineEnd(at)]
		comment := bytes.Index(line, []byte(" #"))
		if bytes.HasPrefix(bytes.TrimSpace(line), []byte("#")) {
			return end
		}
		if comment >= 0 {
			line = line[:comment]
		}
		if trimmed := bytes.TrimRight(line, " \t\r"); len(trimmed) > 0 {
			end = at + len(trimmed)
		}
		if comment >= 0 {
			return end
		}
	}
	return end
}

// between passes over what may stand between the items in brackets.
func (p placer) between(at int) int {
	for {
		at = p.skip(at, " \t\r\n,:")
		if at == len(p.src) || p.src[at] != '#' {
			return at
		}
		at = p.lineEnd(at)
	}
}

// skip returns the offset of the first byte at or behind at that is not among some.
func (f *file) skip(at int, some string) int {
	for at < len(f.src) && bytes.IndexByte([]byte(some), f.src[at]) >= 0 {
		at++
	}
	return at
}

// lineEnd is the offset of the line end at or behind at, the end of the text if there is none.
func (f *file) lineEnd(at int) int {
	if i := sort.SearchInts(f.starts, at+1); i < len(f.starts) {
		return f.starts[i] - 1
	}
	return len(f.src)
}

func (f *file) nextLine(at int) int { return min(f.lineEnd(at)+1, len(f.src)) }

func (f *file) lineStart(at int) int {
	return f.starts[max(0, sort.SearchInts(f.starts, at+1)-1)]
}
