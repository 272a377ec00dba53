package tomlfile

import (
	"bytes"
	"slices"

	"github.com/pelletier/go-toml/v2/unstable"

	"github.com/mcpctl/mcpctl/internal/store/jsonc"
)

// insert adds what is not there, in the way its neighbours are written: a table of its own, a key below a header, a
// dotted key, or a member of an inline table.
func (f *file) insert(path []string, want *jsonc.Node) ([]byte, error) {
	depth := len(path) - 1
	for f.lookup(path[:depth]) == nil {
		depth--
	}
	parent, at := f.lookup(path[:depth]), path[:depth]
	rest := path[depth:]
	if parent.value != nil {
		return f.insertInline(parent.value, rest, want), nil
	}
	byKeys := f.writtenAsKeys(parent, at)
	if !byKeys && want.Kind() != jsonc.Object && len(rest) > 1 { // the table that holds it
		var w jsonc.Translation
		w.Text(path[len(path)-1])
		doc, err := jsonc.Parse(slices.Concat([]byte("{"), w.JSON, []byte(":"), want.Raw(), []byte("}")))
		if err != nil {
			return nil, err
		}
		path, want = path[:len(path)-1], doc.Root()
	}
	if !byKeys && want.Kind() == jsonc.Object {
		return f.insertTable(at, path, want), nil
	}
	return f.insertKey(at, rest, want), nil
}

// writtenAsKeys tells whether the tables in a table are written as keys with inline tables, or by dotted keys.
func (f *file) writtenAsKeys(parent *node, at []string) bool {
	if len(at) == 0 {
		return false
	}
	for _, m := range slices.Backward(parent.members) {
		if m.value != nil && m.value.kind != unstable.InlineTable || m.elements != nil {
			continue
		}
		return !slices.ContainsFunc(f.list, func(s *statement) bool { return s.header && under(s.path, append(slices.Clone(at), m.text)) })
	}
	return !slices.ContainsFunc(f.list, func(s *statement) bool { return s.header && under(s.path, at) })
}

// insertInline adds a member to an inline table.
func (f *file) insertInline(table *value, rest []string, want *jsonc.Node) []byte {
	text := append(append(dotted(rest), " = "...), spelled(want)...)
	if len(table.members) == 0 {
		return splice(f.src, table.start, table.end, slices.Concat([]byte("{ "), text, []byte(" }")))
	}
	end := table.members[len(table.members)-1].end
	return splice(f.src, end, end, append([]byte(", "), text...))
}

// insertKey adds a key to the table that stands at a path.
func (f *file) insertKey(at, rest []string, want *jsonc.Node) []byte {
	line := append(append(dotted(rest), " = "...), spelled(want)...)
	if i := slices.IndexFunc(f.list, func(s *statement) bool { return s.header && slices.Equal(s.path, at) }); i >= 0 {
		return f.insertLine(f.sectionEnd(i), line)
	}
	last := -1 // a key that has the table's in front of its own
	for i, s := range f.list {
		if !s.header && under(s.path, at) && len(s.path) > len(at) && len(s.path)-len(s.keys) <= len(at) {
			last = i
		}
	}
	switch {
	case last >= 0 && (len(at) > 0 || f.list[last].section < 0):
		s := f.list[last]
		own := at[len(s.path)-len(s.keys):]
		return f.insertLine(last, append(append(dotted(append(slices.Clone(own), rest...)), " = "...), spelled(want)...))
	case len(at) == 0:
		return splice(f.src, f.body(), f.body(), slices.Concat(line, f.eol(), f.eol()))
	}
	first := slices.IndexFunc(f.list, func(s *statement) bool { return s.header && under(s.path, at) })
	from := lineStart(f.src, f.list[first].start)
	return splice(f.src, from, from, slices.Concat([]byte("["), dotted(at), []byte("]"), f.eol(), line, f.eol(), f.eol()))
}

// sectionEnd is the last statement below a header; the header when there is none.
func (f *file) sectionEnd(i int) int {
	for i+1 < len(f.list) && !f.list[i+1].header {
		i++
	}
	return i
}

// insertLine puts a line behind that of a statement, indented like it.
func (f *file) insertLine(i int, line []byte) []byte {
	s := f.list[i]
	indent := f.src[lineStart(f.src, s.start):s.start]
	if s.header && i+1 < len(f.list) && f.list[i+1].section == i {
		indent = nil
	}
	to := nextLine(f.src, s.end)
	return f.splitAt(to, slices.Concat(indent, line, f.eol()))
}

// splitAt puts lines at the start of a line, or behind the last one if it has no end.
func (f *file) splitAt(to int, lines []byte) []byte {
	if to == len(f.src) && to > f.body() && f.src[to-1] != '\n' {
		lines = slices.Concat(f.eol(), bytes.TrimSuffix(lines, f.eol()))
	}
	return splice(f.src, to, to, lines)
}

// insertTable adds a table with a header behind the last of those that belong to the same parent, an empty line
// between.
func (f *file) insertTable(at, path []string, want *jsonc.Node) []byte {
	last := -1
	for i, s := range f.list {
		if under(s.path, at) {
			last = i
		}
	}
	lines := f.tableLines(path, want)
	to := len(f.src)
	if last >= 0 {
		if len(at) == 0 {
			last = len(f.list) - 1
		}
		if last = f.sectionEnd(last); last < len(f.list)-1 {
			to = nextLine(f.src, f.list[last].end)
		}
	}
	if to > f.body() && !isBlankLine(f.src, lineStart(f.src, to-1)) {
		lines = slices.Concat(f.eol(), lines)
	}
	if to < len(f.src) && !isBlankLine(f.src, to) {
		lines = slices.Concat(lines, f.eol())
	}
	return f.splitAt(to, lines)
}

// tableLines are the lines of a table: its header, its keys, and a table for each object in it.
func (f *file) tableLines(path []string, want *jsonc.Node) []byte {
	var keys, tables []byte
	for key, v := range want.All() {
		if v.Kind() == jsonc.Object {
			tables = slices.Concat(tables, f.eol(), f.tableLines(append(slices.Clone(path), key), v))
			continue
		}
		keys = slices.Concat(keys, spelledKey(key), []byte(" = "), spelled(v), f.eol())
	}
	return slices.Concat([]byte("["), dotted(path), []byte("]"), f.eol(), keys, tables)
}

// body is the offset behind a byte order mark.
func (f *file) body() int {
	_, skipped := jsonc.SkipMark(f.src)
	return skipped
}

// eol is how lines end in the text.
func (f *file) eol() []byte {
	if i := bytes.IndexByte(f.src, '\n'); i > 0 && f.src[i-1] == '\r' {
		return []byte("\r\n")
	}
	return []byte("\n")
}
