package client

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/internal/store/jsonc"
)

// readTools: lists of tools that are off, and of the only ones that are on, are what
// mcpctl says with toolExposure. A name in these clients is a whole name.
func (r *familyReading) readTools() {
	var rules []string
	rule := func(name, exposure string) {
		rules = append(rules, string(quote(name))+":"+string(quote(exposure)))
	}
	off, offOK := r.toolList(r.off)
	only, onlyOK := r.toolList(r.only)
	for _, name := range off {
		rule(name, "hidden")
	}
	all := slices.Contains(only, "*")
	for _, name := range only {
		if !all && !slices.Contains(off, name) {
			rule(name, "direct")
		}
	}
	if onlyOK && !all {
		rule("*", "hidden")
	}
	if (offOK || onlyOK) && len(rules) > 0 && r.entry.Get("toolExposure") == nil {
		r.Set("toolExposure", json.RawMessage("{"+strings.Join(rules, ",")+"}"))
	}
}

// toolList reads one list and takes it from the entry; ok is false when there is none,
// or one that mcpctl cannot express.
func (r *familyReading) toolList(key string) (names []string, ok bool) {
	n := r.entry.Get(key)
	if key == "" || n == nil {
		return nil, false
	}
	bad := n.Kind() != jsonc.Array || len(n.Elements()) > manyTools
	for _, el := range n.Elements() {
		text, isText := el.Text()
		bad = bad || !isText || text == "" || text != "*" && strings.Contains(text, "*")
		if !slices.Contains(names, text) {
			names = append(names, text)
		}
	}
	r.Drop(key)
	if bad {
		r.gap(n, key, "'"+key+"' of "+r.title+" is a list of names of tools", "write whole names")
		return nil, false
	}
	return names, true
}

// writeTools writes toolExposure as such lists where they mean the same.
func (f family) writeTools(w *writer, n *jsonc.Node) {
	t := n.Get("toolExposure")
	if t == nil {
		return
	}
	hidden, direct, rest := []string{}, []string{}, ""
	same := t.Kind() == jsonc.Object
	for _, m := range t.Members() {
		word, _ := m.Value.Text()
		switch {
		case m.Key == "*":
			rest = word
		case strings.Contains(m.Key, "*"):
			same = false
		case word == "hidden":
			hidden = append(hidden, m.Key)
		case word == "direct":
			direct = append(direct, m.Key)
		default:
			same = false
		}
	}
	switch {
	case same && len(t.Members()) == 0:
		w.Drop("toolExposure")
	case same && rest == "hidden" && len(hidden) == 0 && f.only != "":
		w.Drop("toolExposure")
		w.Set(f.only, list(direct))
	case same && rest == "" && len(direct) == 0 && f.off != "":
		w.Drop("toolExposure")
		w.Set(f.off, list(hidden))
	default:
		w.gap("toolExposure", "the lists of tools of "+f.title+" do not say the same")
	}
}

func list(names []string) json.RawMessage {
	items := make([]string, 0, len(names))
	for _, name := range names {
		items = append(items, string(quote(name)))
	}
	return json.RawMessage("[" + strings.Join(items, ",") + "]")
}
