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
	if err := deepest(src, text, skipped); err != nil {
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

// deepest refuses keys of more parts than JSON may have levels, before anything recurses over them. The library
// bounds brackets itself.
func deepest(src, text []byte, skipped int) error {
	p := unstable.Parser{}
	p.Reset(text)
	for p.NextExpression() {
		if key := longKey(p.Expression()); key != nil {
			return jsonc.ErrorAt(src, int(key.Raw.Offset)+skipped, "nested deeper than %d levels", jsonc.MaxDepth)
		}
	}
	return nil // what does not parse is told by the library's reading of the whole
}

// longKey finds the part of a key that is one too many.
func longKey(n *unstable.Node) *unstable.Node {
	switch n.Kind {
	case unstable.KeyValue, unstable.Table, unstable.ArrayTable:
		count := 0
		for it := n.Key(); it.Next(); {
			if count++; count > jsonc.MaxDepth {
				return it.Node()
			}
		}
		if n.Kind == unstable.KeyValue {
			return longKey(n.Value())
		}
	case unstable.Array, unstable.InlineTable:
		for it := n.Children(); it.Next(); {
			if key := longKey(it.Node()); key != nil {
				return key
			}
		}
	}
	return nil
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
