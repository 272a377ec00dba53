package tomlfile

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/pelletier/go-toml/v2/unstable"

	"github.com/mcpctl/mcpctl/internal/store/jsonc"
)

var bare = pattern(`^[A-Za-z0-9_-]+$`)

func spelledKey(key string) []byte {
	if bare().MatchString(key) {
		return []byte(key)
	}
	return text(key)
}

func dotted(path []string) []byte {
	keys := make([][]byte, len(path))
	for i, key := range path {
		keys[i] = spelledKey(key)
	}
	return bytes.Join(keys, []byte("."))
}

// text spells a string: plainly in quotes, or in single ones where it has backslashes, as paths of Windows do.
func text(s string) []byte {
	control := strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || r == 0x7f })
	if strings.ContainsRune(s, '\\') && !strings.ContainsRune(s, '\'') && !control {
		return []byte("'" + s + "'")
	}
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\t':
			b.WriteString(`\t`)
		case r < ' ' || r == 0x7f:
			fmt.Fprintf(&b, `\u%04X`, r)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return []byte(b.String())
}

// spelled writes a value on one line.
func spelled(n *jsonc.Node) []byte {
	var items [][]byte
	switch n.Kind() {
	case jsonc.String:
		s, _ := n.Text()
		return text(s)
	case jsonc.Array:
		for _, el := range n.Elements() {
			items = append(items, spelled(el))
		}
		return slices.Concat([]byte("["), bytes.Join(items, []byte(", ")), []byte("]"))
	case jsonc.Object:
		for key, v := range n.All() {
			items = append(items, slices.Concat(spelledKey(key), []byte(" = "), spelled(v)))
		}
		if len(items) == 0 {
			return []byte("{}")
		}
		return slices.Concat([]byte("{ "), bytes.Join(items, []byte(", ")), []byte(" }"))
	}
	return n.Raw()
}

// respelled writes a value in place of another: an array over several lines stays one.
func (f *file) respelled(was *value, want *jsonc.Node) []byte {
	if was.kind != unstable.Array || want.Kind() != jsonc.Array || len(was.elements) == 0 || len(want.Elements()) == 0 {
		return spelled(want)
	}
	first := was.elements[0].start
	indent := f.src[lineStart(f.src, first):first]
	if len(bytes.TrimSpace(indent)) > 0 || lineStart(f.src, first) <= was.start {
		return spelled(want)
	}
	outer := f.src[lineStart(f.src, was.end-1) : was.end-1]
	if len(bytes.TrimSpace(outer)) > 0 {
		outer = nil
	}
	out := append([]byte("["), f.eol()...)
	for _, el := range want.Elements() {
		out = slices.Concat(out, indent, spelled(el), []byte(","), f.eol())
	}
	return slices.Concat(out, outer, []byte("]"))
}

// pattern is a regular expression that is compiled when it is first used: most commands
// read no file of this format.
func pattern(expression string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })
}
