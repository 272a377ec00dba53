package store

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/internal/store/jsonc"
	"github.com/mcpctl/mcpctl/internal/store/redact"
)

// Masked returns the whole entry as written, order and unknown keys included,
// with every secret hidden: what may be shown to people and programs.
func (e *Entry) Masked() json.RawMessage { return MaskEntry(e.Raw) }

// Hidden names the fields whose values Masked hides, as in "env.KEY".
func (e *Entry) Hidden() []string {
	shown := leaves(e.Masked())
	var out []string
	for where, text := range leaves(e.Raw) {
		if shown[where] != text {
			out = append(out, where)
		}
	}
	slices.Sort(out)
	return out
}

// MaskEntry is Masked for a raw entry.
func MaskEntry(raw json.RawMessage) json.RawMessage {
	doc, err := jsonc.Parse(raw)
	if err != nil || doc.Root() == nil {
		return json.RawMessage(`"` + redact.Hidden + `"`) // not JSON, so nothing of it is safe to show
	}
	var b bytes.Buffer
	maskNode(&b, doc.Root(), "")
	return b.Bytes()
}

// maskNode writes n; where is the dotted path of the keys that lead to it.
func maskNode(b *bytes.Buffer, n *jsonc.Node, where string) {
	switch n.Kind() {
	case jsonc.Object:
		b.WriteByte('{')
		for i, m := range n.Members() {
			if i > 0 {
				b.WriteByte(',')
			}
			b.Write(plainJSON(m.Key))
			b.WriteByte(':')
			maskNode(b, m.Value, strings.TrimPrefix(where+"."+m.Key, "."))
		}
		b.WriteByte('}')
	case jsonc.Array:
		maskArray(b, n, where)
	case jsonc.String:
		text, _ := n.Text()
		b.Write(plainJSON(maskText(text, where)))
	default:
		b.Write(n.Raw())
	}
}

// maskArray masks a list of strings as a command line, where an option tells
// what the next word is.
func maskArray(b *bytes.Buffer, n *jsonc.Node, where string) {
	words := make([]string, 0, len(n.Elements()))
	for _, el := range n.Elements() {
		if text, ok := el.Text(); ok {
			words = append(words, text)
		}
	}
	words = redact.Args(words)
	b.WriteByte('[')
	for i, el := range n.Elements() {
		if i > 0 {
			b.WriteByte(',')
		}
		if len(words) == len(n.Elements()) {
			b.Write(plainJSON(words[i]))
		} else {
			maskNode(b, el, where)
		}
	}
	b.WriteByte(']')
}

// maskText hides literals of env, headers and credential-named keys; references
// such as ${NAME} stay, they hold no secret.
func maskText(text, where string) string {
	group, key, nested := strings.Cut(where, ".")
	switch {
	case nested && (group == "env" || group == "headers"):
		return redact.Values(map[string]string{key: text})[key]
	case where == "url":
		return redact.URL(text)
	case redact.Credential(where[strings.LastIndexByte(where, '.')+1:]):
		return redact.Values(map[string]string{where: text})[where]
	}
	return redact.Text(text)
}

// MaskFile returns a file's text with the secrets of its servers hidden, laid out
// as it is, for showing a difference. Text that does not parse is masked by shape.
func (s *Store) MaskFile(data []byte) string {
	doc, err := jsonc.Parse(data)
	if err != nil || doc.Root() == nil || doc.Root().Kind() != jsonc.Object {
		return redact.Text(string(data))
	}
	var b strings.Builder
	done := 0
	put := func(n *jsonc.Node, masked []byte) {
		start, end := n.Span()
		b.Write(data[done:start])
		b.Write(masked)
		done = end
	}
	if servers := doc.Root().Get(s.Client.TopKey); servers != nil {
		for _, entry := range servers.Members() {
			maskLeaves(entry.Value, "", put)
		}
	}
	b.Write(data[done:])
	return b.String()
}

// maskLeaves calls put, in the order of the text, for each string whose masked
// form differs.
func maskLeaves(n *jsonc.Node, where string, put func(*jsonc.Node, []byte)) {
	switch n.Kind() {
	case jsonc.Object:
		for _, m := range n.Members() {
			maskLeaves(m.Value, strings.TrimPrefix(where+"."+m.Key, "."), put)
		}
	case jsonc.Array:
		words := make([]string, 0, len(n.Elements()))
		for _, el := range n.Elements() {
			text, _ := el.Text()
			words = append(words, text)
		}
		for i, masked := range redact.Args(words) {
			if el := n.Elements()[i]; el.Kind() != jsonc.String {
				maskLeaves(el, where, put)
			} else if masked != words[i] {
				put(el, plainJSON(masked))
			}
		}
	case jsonc.String:
		text, _ := n.Text()
		if masked := maskText(text, where); masked != text {
			put(n, plainJSON(masked))
		}
	}
}
