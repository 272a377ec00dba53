package store

import (
	"strings"

	"github.com/mcpctl/mcpctl/internal/store/jsonc"
)

// The decoder's readers of plain values: absent gives the zero value, another
// type makes the entry invalid.

func boolean(n *jsonc.Node) (v, ok bool) {
	return string(n.Raw()) == "true", n.Kind() == jsonc.Bool
}

func (d *decoder) str(n *jsonc.Node, key string) string { return d.strBelow(n, "", key) }

// strBelow is str for a key of an object that is shown as prefix in messages.
func (d *decoder) strBelow(n *jsonc.Node, prefix, key string) string {
	v := n.Get(key)
	if v == nil {
		return ""
	}
	text, ok := v.Text()
	if !ok {
		d.fail(v.Position(), "'"+prefix+key+"' is a string, found "+string(v.Kind()), quotesHint(v))
	}
	if strings.ContainsRune(text, 0) {
		d.fail(v.Position(), "'"+prefix+key+"' holds a NUL character", "")
	}
	return text
}

func (d *decoder) strings(n *jsonc.Node, key string) []string {
	v := n.Get(key)
	if v == nil {
		return nil
	}
	if v.Kind() != jsonc.Array {
		d.fail(v.Position(), "'"+key+"' is an array of strings, found "+string(v.Kind()), "")
		return nil
	}
	list := make([]string, 0, 8)
	for _, el := range v.Elements() {
		text, ok := el.Text()
		if !ok || strings.ContainsRune(text, 0) {
			d.fail(el.Position(), "'"+key+"' holds something other than strings: "+string(el.Kind()), quotesHint(el))
			return nil
		}
		list = append(list, text)
	}
	return list
}

func (d *decoder) strMap(n *jsonc.Node, key string) map[string]string {
	v := n.Get(key)
	if v == nil {
		return nil
	}
	if v.Kind() != jsonc.Object {
		d.fail(v.Position(), "'"+key+"' is an object of strings, found "+string(v.Kind()), "")
		return nil
	}
	out := map[string]string{}
	for _, m := range v.Members() {
		text, ok := m.Value.Text()
		if !ok || strings.ContainsRune(text, 0) {
			d.fail(m.Value.Position(), "'"+key+"."+m.Key+"' is a string, found "+string(m.Value.Kind()), quotesHint(m.Value))
			continue
		}
		out[m.Key] = text
	}
	return out
}

// quotesHint says how to make a string of a value; of a list or an object there is
// no such way.
func quotesHint(n *jsonc.Node) string {
	switch n.Kind() {
	case jsonc.Number, jsonc.Bool:
		return "put it in quotes"
	case jsonc.Null:
		return "remove it, or write a text in quotes"
	case jsonc.Array, jsonc.Object:
		return "write one text in quotes"
	}
	return ""
}
