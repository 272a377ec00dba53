// Package tomlfile reads and edits TOML as the translation to JSON of jsonc.Format, without touching a byte it was
// not asked to touch.
//
// A text is a list of statements: headers of tables, and keys with values. An edit cuts, puts in, or respells whole
// statements, or members of inline tables; the text between them stays.
package tomlfile

import (
	"errors"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"

	"github.com/mcpctl/mcpctl/internal/store/jsonc"
)

// Format is TOML 1.0, and what 1.1 adds to inline tables.
type Format struct{}

// Translate reads a text. Integers and floats keep their value, not their spelling; dates, times, nan and infinities
// become strings with a fatal remark.
func (Format) Translate(src []byte) (*jsonc.Translation, error) {
	f, err := parse(src)
	if err != nil {
		return nil, err
	}
	if len(f.list) == 0 {
		return &jsonc.Translation{}, nil
	}
	w := &translator{}
	w.table(f.root)
	return &w.Translation, nil
}

// parse reads the statements of a text, which the library has accepted as a whole: no key twice, no table reopened.
func parse(src []byte) (*file, error) {
	text, skipped := jsonc.SkipMark(src)
	var whole map[string]any
	if err := bounded(src, text, skipped); err != nil {
		return nil, err
	}
	if err := toml.Unmarshal(text, &whole); err != nil {
		return nil, syntaxError(src, text, skipped, err)
	}
	f := &file{src: src, root: &node{}}
	r := reader{src: src, skipped: skipped}
	r.Reset(text)
	section := -1
	for r.NextExpression() {
		s := r.statement(r.Expression())
		if s.header {
			section = len(f.list)
		} else if section >= 0 {
			s.path = append(append([]string{}, f.list[section].path...), s.path...)
		}
		s.section = section
		f.list = append(f.list, s)
	}
	if err := r.Error(); err != nil {
		return nil, syntaxError(src, text, skipped, err)
	}
	f.grow()
	return f, nil
}

// mostKeys bounds the keys of a text, headers and members of inline tables included: the library looks for a key
// among all its siblings, which takes a minute for a project's file that is full of them.
const mostKeys = 20000

// bounded refuses keys of more parts than JSON may have levels, before anything recurses over them, and texts of too
// many keys. The library bounds brackets itself.
func bounded(src, text []byte, skipped int) error {
	p := unstable.Parser{}
	p.Reset(text)
	keys := 0
	for p.NextExpression() {
		switch n, long := countKeys(p.Expression(), &keys); {
		case n == nil:
		case long:
			return jsonc.ErrorAt(src, int(n.Raw.Offset)+skipped, "nested deeper than %d levels", jsonc.MaxDepth)
		default:
			return jsonc.ErrorAt(src, int(n.Raw.Offset)+skipped, "more than %d keys", mostKeys)
		}
	}
	return nil // what does not parse is told by the library's reading of the whole
}

// countKeys adds the keys at and below a node. It finds the part of a key that is one too many, which is long, or the
// key that is one too many.
func countKeys(n *unstable.Node, keys *int) (key *unstable.Node, long bool) {
	switch n.Kind {
	case unstable.KeyValue, unstable.Table, unstable.ArrayTable:
		parts := 0
		for it := n.Key(); it.Next(); {
			if parts++; parts > jsonc.MaxDepth {
				return it.Node(), true
			}
			if *keys++; *keys > mostKeys {
				return it.Node(), false
			}
		}
		if n.Kind == unstable.KeyValue {
			return countKeys(n.Value(), keys)
		}
	case unstable.Array, unstable.InlineTable:
		for it := n.Children(); it.Next(); {
			if key, long := countKeys(it.Node(), keys); key != nil {
				return key, long
			}
		}
	}
	return nil, false
}

func syntaxError(src, text []byte, skipped int, err error) error {
	var de *toml.DecodeError
	if !errors.As(err, &de) {
		return jsonc.ErrorAt(src, skipped, "%s", err)
	}
	row, column := de.Position()
	at := 0
	for ; row > 1 && at < len(text); at++ {
		if text[at] == '\n' {
			row--
		}
	}
	return jsonc.ErrorAt(src, at+column-1+skipped, "%s", messageOf(de))
}

func messageOf(de *toml.DecodeError) string {
	const prefix = "toml: "
	if text := de.Error(); len(text) > len(prefix) && text[:len(prefix)] == prefix {
		return text[len(prefix):]
	}
	return de.Error()
}
