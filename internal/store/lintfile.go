package store

import (
	"github.com/mcpctl/mcpctl/internal/store/client"
	"github.com/mcpctl/mcpctl/internal/store/jsonc"
)

// topKey mends the reader's finding of servers under another key, or under none: in a file
// of mcpctl's own shape a single key that no other client reads there is renamed, or put
// around them.
func (l *linter) topKey(src *Source, doc *jsonc.Document) {
	if src.clientRow().Name != client.Native || len(src.keys) != 1 {
		return
	}
	for i, p := range src.Problems {
		if p.Rule == ruleNesting {
			src.Problems[i].fix = &mend{func(doc *jsonc.Document) ([]byte, error) { return doc.Around(src.keys[0]) }}
		}
		if p.Rule != ruleTopKey {
			continue
		}
		for _, m := range doc.Root().Members() {
			if m.KeyPosition.Line == p.Line && m.KeyPosition.Column == p.Column && nested(m.Value) && src.readUnder(m.Key) == "" {
				src.Problems[i].fix = renaming([]string{m.Key}, src.keys[0])
			}
		}
	}
}

// nesting mends the reader's finding of what stands one level too deep, where nothing
// else stands beside it.
func (x *inspection) nesting() {
	members := x.raw.Members()
	for i, p := range x.entry.Problems {
		if p.Rule != ruleNesting || !nested(x.raw) || x.row.Dialect.Read != nil {
			continue
		}
		path := x.path()
		switch {
		case !x.again():
			if len(members) == 1 && x.raw.PlainAround(members[0].Value) {
				x.entry.Problems[i].fix = raising(path, members[0].Key)
			}
		case x.alone:
			x.entry.Problems[i].fix = raising(path[:len(path)-1], x.entry.Name)
		}
	}
}

// again tells whether the entry is the object of servers a second time.
func (x *inspection) again() bool {
	keys := x.entry.Source.keys
	return x.entry.Name == keys[len(keys)-1]
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
