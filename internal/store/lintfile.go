package store

import (
	"github.com/mcpctl/mcpctl/internal/store/client"
	"github.com/mcpctl/mcpctl/internal/store/jsonc"
)

// topKey mends the reader's finding of servers under another key: in a file of
// mcpctl's own shape a single one is renamed.
func (l *linter) topKey(src *Source, doc *jsonc.Document) {
	if src.clientRow().Name != client.Native || len(src.keys) != 1 {
		return
	}
	for i, p := range src.Problems {
		if p.Rule != ruleTopKey {
			continue
		}
		for _, m := range doc.Root().Members() {
			if m.KeyPosition.Line == p.Line && m.KeyPosition.Column == p.Column && allServers(m.Value) {
				src.Problems[i].fix = renaming([]string{m.Key}, src.keys[0])
			}
		}
	}
}

// allServers tells whether an object holds nothing but what looks like servers.
func allServers(n *jsonc.Node) bool {
	members := n.Members()
	for _, m := range members {
		if !looksLikeServer(m.Value) {
			return false
		}
	}
	return len(members) > 0
}

func looksLikeServer(n *jsonc.Node) bool {
	return n.Kind() == jsonc.Object && (textAt(n, "command") || textAt(n, "url"))
}

func textAt(n *jsonc.Node, key string) bool {
	v := n.Get(key)
	return v != nil && v.Kind() == jsonc.String
}

// nestedServers finds the key that leads to the servers a second time below itself.
func (l *linter) nestedServers(src *Source, servers *jsonc.Node) bool {
	key := src.keys[len(src.keys)-1]
	inner := servers.Get(key)
	if inner == nil || !allServers(inner) {
		return false
	}
	members := servers.Members()
	p := Problem{Rule: ruleNesting, Message: "the servers stand one level too deep, below a second '" + key + "'", Hint: "move them one level up"}
	for _, m := range members {
		if m.Key == key {
			p.Line, p.Column = m.KeyPosition.Line, m.KeyPosition.Column
		}
	}
	if len(members) == 1 && src.dialect() == "" && servers.PlainAround(inner) {
		p.fix = raising(src.keys, key)
	}
	for _, e := range src.Entries {
		if e.Name == key {
			e.Problems = nil // said better here
		}
	}
	l.add(src, p)
	return len(members) == 1
}

// nestedEntry finds a server one level too deep below its name.
func (x *inspection) nestedEntry() bool {
	members := x.raw.Members()
	if len(members) != 1 || !looksLikeServer(members[0].Value) || looksLikeServer(x.raw) {
		return false
	}
	m := members[0]
	x.entry.Problems, x.entry.Override = nil, nil // said better here
	f := finding{rule: ruleNesting, at: m.KeyPosition, message: "the server stands one level too deep, below " + quoted(m.Key), hint: "move its fields one level up"}
	if x.raw.PlainAround(m.Value) {
		f.fix = x.native(raising(x.path(), m.Key))
	}
	x.add(f)
	return true
}

// renaming is the mend that gives a member another key.
func renaming(path []string, key string) *mend {
	return &mend{func(doc *jsonc.Document) ([]byte, error) { return doc.Rename(path, key) }}
}

// raising is the mend that puts the value of an only member in the place of its object.
func raising(path []string, key string) *mend {
	return &mend{func(doc *jsonc.Document) ([]byte, error) {
		text, err := doc.Excerpt(append(append([]string{}, path...), key))
		if err != nil {
			return nil, err
		}
		return doc.ReplaceText(path, text)
	}}
}

// setting is the mend that sets fields, one after the other.
func setting(path []string, fields ...FieldEdit) *mend {
	return &mend{func(doc *jsonc.Document) ([]byte, error) { return applyFields(doc, path, fields) }}
}
