package tomlfile

import (
	"math/big"
	"strings"

	"github.com/pelletier/go-toml/v2/unstable"

	"github.com/mcpctl/mcpctl/internal/store/jsonc"
)

// file is a text, its statements, and the tables they make.
type file struct {
	src  []byte
	list []*statement
	root *node
}

// node is a table, an array of tables, or a value.
type node struct {
	part             // the key under which it was met first
	value    *value  // nil for a table that statements make
	members  []*node // of a table, in the order of the text
	byName   map[string]*node
	elements []*node // of an array of tables
}

// grow builds the tree of tables. The text was accepted, so no statement contradicts another.
func (f *file) grow() {
	table := f.root
	for _, s := range f.list {
		switch {
		case s.array:
			n := f.root.down(s.keys[:len(s.keys)-1]).member(s.keys[len(s.keys)-1])
			n.elements = append(n.elements, &node{part: part{start: s.start, end: s.end}})
			table = n.last()
		case s.header:
			table = f.root.down(s.keys)
		default:
			table.down(s.keys[:len(s.keys)-1]).member(s.keys[len(s.keys)-1]).value = s.value
		}
	}
}

func (n *node) down(keys []part) *node {
	for _, key := range keys {
		n = n.member(key).last()
	}
	return n
}

// last is the table that further statements are about.
func (n *node) last() *node {
	if len(n.elements) > 0 {
		return n.elements[len(n.elements)-1]
	}
	return n
}

// member is the one of a name, made if it is not there.
func (n *node) member(key part) *node {
	if m := n.byName[key.text]; m != nil {
		return m
	}
	if n.byName == nil {
		n.byName = map[string]*node{}
	}
	m := &node{part: key}
	n.byName[key.text] = m
	n.members = append(n.members, m)
	return m
}

// inline is the tree of an inline table.
func (v *value) inline() *node {
	n := &node{part: part{start: v.start, end: v.end}}
	for _, m := range v.members {
		last := len(m.keys) - 1
		n.down(m.keys[:last]).member(m.keys[last]).value = m.value
	}
	return n
}

// translator writes the tree as JSON.
type translator struct{ jsonc.Translation }

func (w *translator) raw(text string) { w.JSON = append(w.JSON, text...) }

func (w *translator) table(n *node) {
	w.Mark(n.start, n.end)
	w.raw("{")
	for i, m := range n.members {
		if i > 0 {
			w.raw(",")
		}
		w.Mark(m.start, m.end)
		w.Text(m.text)
		w.raw(":")
		w.node(m)
	}
	w.raw("}")
}

func (w *translator) node(n *node) {
	switch {
	case n.value != nil:
		w.value(n.value)
	case n.elements != nil:
		w.Mark(n.start, n.end)
		w.raw("[")
		for i, el := range n.elements {
			if i > 0 {
				w.raw(",")
			}
			w.table(el)
		}
		w.raw("]")
	default:
		w.table(n)
	}
}

func (w *translator) value(v *value) {
	if v.kind == unstable.InlineTable {
		w.table(v.inline())
		return
	}
	w.Mark(v.start, v.end)
	switch v.kind {
	case unstable.Array:
		w.raw("[")
		for i, el := range v.elements {
			if i > 0 {
				w.raw(",")
			}
			w.value(el)
		}
		w.raw("]")
	case unstable.String:
		w.Text(v.text)
	case unstable.Bool:
		w.raw(v.text)
	case unstable.Integer:
		w.raw(integer(v.text))
	case unstable.Float:
		if strings.ContainsAny(v.text, "n") { // nan, inf
			w.strange(v.text, v.text+" is no number that a server's entry can have")
			return
		}
		w.raw(strings.TrimPrefix(strings.ReplaceAll(v.text, "_", ""), "+"))
	default:
		w.strange(v.text, "a date or a time, which a server's entry does not have")
	}
}

func (w *translator) strange(text, message string) {
	w.Remarks = append(w.Remarks, jsonc.Remark{At: len(w.JSON), Fatal: true, Message: message, Hint: "put it in quotes if it is text"})
	w.Text(text)
}

// integer is one of TOML in decimal: 0x1f, 1_000 and +7 are others' spellings.
func integer(text string) string {
	n, ok := new(big.Int).SetString(strings.TrimPrefix(text, "+"), 0)
	if !ok {
		return "0"
	}
	return n.String()
}
