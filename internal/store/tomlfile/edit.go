package tomlfile

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/pelletier/go-toml/v2/unstable"

	"github.com/mcpctl/mcpctl/internal/store/jsonc"
)

// Set writes a value at a path. A table that is there is changed member by member, so that what stays keeps its
// bytes and comments.
func (Format) Set(src []byte, path []string, value json.RawMessage) ([]byte, error) {
	doc, err := jsonc.Parse(value)
	if err != nil {
		return nil, err
	}
	if err := expressible(doc.Root()); err != nil {
		return nil, err
	}
	return set(src, path, doc.Root())
}

// expressible refuses what TOML cannot say.
func expressible(n *jsonc.Node) error {
	if n.Kind() == jsonc.Null {
		return fmt.Errorf("TOML has no null")
	}
	for _, v := range n.All() {
		if err := expressible(v); err != nil {
			return err
		}
	}
	for _, v := range n.Elements() {
		if err := expressible(v); err != nil {
			return err
		}
	}
	return nil
}

func set(src []byte, path []string, want *jsonc.Node) ([]byte, error) {
	f, err := parse(src)
	if err != nil {
		return nil, err
	}
	is := f.lookup(path)
	switch {
	case is == nil:
		return f.insert(path, want)
	case want.Kind() == jsonc.Object && is.isTable():
		return setMembers(src, path, is, want)
	case is.value != nil:
		return splice(src, is.value.start, is.value.end, f.respelled(is.value, want)), nil
	}
	if src, err = (Format{}).Remove(src, path); err != nil {
		return nil, err
	}
	if f, err = parse(src); err != nil {
		return nil, err
	}
	return f.insert(path, want)
}

// setMembers makes a table that is there have exactly the members wanted.
func setMembers(src []byte, path []string, is *node, want *jsonc.Node) (_ []byte, err error) {
	for _, m := range is.table().members {
		if want.Get(m.text) == nil {
			if src, err = (Format{}).Remove(src, append(slices.Clone(path), m.text)); err != nil {
				return nil, err
			}
		}
	}
	for key, v := range want.All() {
		var w translator
		if m := is.table().byName[key]; m != nil {
			w.node(m)
		}
		if bytes.Equal(w.JSON, v.Raw()) {
			continue
		}
		if src, err = set(src, append(slices.Clone(path), key), v); err != nil {
			return nil, err
		}
	}
	f, err := parse(src)
	if err != nil || f.lookup(path) != nil {
		return src, err
	}
	return f.insert(path, want) // it was there only as long as something was in it
}

// isTable tells whether a node is a table, by statements or inline.
func (n *node) isTable() bool {
	return n.elements == nil && (n.value == nil || n.value.kind == unstable.InlineTable)
}

// table is the node with members: that of the inline table, if it is one.
func (n *node) table() *node {
	if n.value != nil && n.value.kind == unstable.InlineTable {
		return n.value.inline()
	}
	return n
}

// lookup follows a path; nil when nothing is there.
func (f *file) lookup(path []string) *node {
	n := f.root
	for _, key := range path {
		if n = n.table().byName[key]; n == nil {
			return nil
		}
	}
	return n
}

// Remove cuts every statement that is about the path or what is below it. Comments above a table stay, like those
// above a key.
func (Format) Remove(src []byte, path []string) ([]byte, error) {
	f, err := parse(src)
	if err != nil {
		return nil, err
	}
	var cuts []span
	for i, s := range f.list {
		switch {
		case !under(s.path, path):
			if s.value != nil && under(path, s.path) {
				cuts = append(cuts, s.value.cut(src, path[len(s.path):])...)
			}
		case s.header || s.section < 0 || !under(f.list[s.section].path, path):
			end := s.end
			for _, below := range f.list[i+1:] {
				if !s.header || below.header {
					break
				}
				end = below.end
			}
			cuts = append(cuts, span{lineStart(src, s.start), nextLine(src, end)})
		}
	}
	return cut(src, f.tidied(cuts)), nil
}

// under tells whether a path is at or below another.
func under(path, top []string) bool {
	return len(path) >= len(top) && slices.Equal(path[:len(top)], top)
}

type span struct{ from, to int }

// tidied joins the lines that go where only empty ones are between, and takes one of two empty lines that would meet.
// What goes from an inline table stays as it is.
func (f *file) tidied(cuts []span) (out []span) {
	for _, c := range cuts {
		if last := len(out) - 1; last >= 0 && f.isLines(c) && f.isLines(out[last]) && len(bytes.TrimSpace(f.src[out[last].to:max(c.from, out[last].to)])) == 0 {
			out[last].to = max(out[last].to, c.to)
			continue
		}
		out = append(out, c)
	}
	for i, c := range out {
		if f.isLines(c) {
			out[i] = tidy(f.src, c.from, c.to)
		}
	}
	return out
}

// isLines tells whether a span is of whole lines.
func (f *file) isLines(c span) bool {
	return lineStart(f.src, c.from) == c.from && (c.to == len(f.src) || lineStart(f.src, c.to) == c.to)
}

func tidy(src []byte, from, to int) span {
	before := from == 0 || isBlankLine(src, lineStart(src, from-1))
	switch {
	case before && to < len(src) && isBlankLine(src, to):
		to = nextLine(src, to)
	case before && to == len(src) && from > 0:
		from = lineStart(src, from-1)
	}
	return span{from, to}
}

func isBlankLine(src []byte, start int) bool {
	return len(bytes.TrimSpace(src[start:lineEnd(src, start)])) == 0
}

// cut takes spans, in the order of the text, out of it.
func cut(src []byte, spans []span) []byte {
	var out []byte
	at := 0
	for _, s := range spans {
		if s.to <= at {
			continue
		}
		out = append(out, src[at:max(at, s.from)]...)
		at = s.to
	}
	return append(out, src[at:]...)
}

// cut finds what has to go from an inline table for a path in it.
func (v *value) cut(src []byte, path []string) (cuts []span) {
	if v.kind != unstable.InlineTable {
		return nil
	}
	for i, m := range v.members {
		switch {
		case under(m.path, path):
			cuts = append(cuts, v.without(src, i))
		case under(path, m.path):
			cuts = append(cuts, m.value.cut(src, path[len(m.path):])...)
		}
	}
	return cuts
}

// without is what goes with a member of an inline table.
func (v *value) without(src []byte, i int) span {
	switch {
	case i < len(v.members)-1:
		return span{v.members[i].start, v.members[i+1].start}
	case i > 0:
		return span{v.members[i-1].end, v.members[i].end}
	}
	return span{v.start + 1, between(src, v.members[i].end)}
}

// Rename respells the key at the end of a path wherever it is written.
func (Format) Rename(src []byte, path []string, key string) ([]byte, error) {
	f, err := parse(src)
	if err != nil {
		return nil, err
	}
	var places []part
	for _, s := range f.list {
		places = append(places, s.keysAt(path, len(s.path)-len(s.keys))...)
	}
	for _, p := range slices.Backward(places) {
		src = splice(src, p.start, p.end, spelledKey(key))
	}
	return src, nil
}

// keysAt finds the last key of path in a statement whose own keys begin at a level of its path.
func (s *statement) keysAt(path []string, level int) (out []part) {
	if under(s.path, path) {
		if i := len(path) - 1 - level; i >= 0 {
			out = append(out, s.keys[i])
		}
		return out
	}
	if s.value == nil || !under(path, s.path) {
		return nil
	}
	for _, m := range s.value.members {
		out = append(out, m.keysAt(path[len(s.path):], 0)...)
	}
	return out
}

func splice(src []byte, start, end int, insert []byte) []byte {
	return slices.Concat(src[:start], insert, src[end:])
}
