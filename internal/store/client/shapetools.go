package client

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/internal/store/jsonc"
)

// tools reads the lists of names into toolExposure: what is hidden, then what is
// shown with everything else hidden.
func (r *shapeReader) tools() {
	off, on := r.listed(r.of.hide), r.listed(r.of.show)
	if off == nil && on == nil {
		return
	}
	rules, bad := toolRules(off, on, r.of.patterns)
	if bad != nil {
		key := r.of.hide
		if bad == on {
			key = r.of.show
		}
		r.gap(bad, key, "mcpctl does not understand the names of tools in '"+key+"'", namesHint(r.of.patterns))
	}
	r.Drop(r.of.hide)
	r.Drop(r.of.show)
	if rules == nil {
		return
	}
	if also := r.get("toolExposure"); also != nil {
		r.note(also, "'toolExposure' is ignored beside the lists of "+r.of.client, "remove it")
	}
	r.Set("toolExposure", rules)
}

// listed is the value of one of the fields that the client may have.
func (r *shapeReader) listed(key string) *jsonc.Node {
	if key == "" {
		return nil
	}
	return r.get(key)
}

func namesHint(patterns bool) string {
	if patterns {
		return "write whole names, or patterns with *"
	}
	return "write whole names"
}

// toolRules are the two lists as toolExposure; nil where they say nothing. bad is a list
// that is not one of names: of what is hidden the rest counts, of what is shown nothing.
func toolRules(off, on *jsonc.Node, patterns bool) (rules json.RawMessage, bad *jsonc.Node) {
	hidden, known := toolNames(off, patterns)
	if !known {
		bad = off
	}
	shown, known := toolNames(on, patterns)
	if !known {
		on, bad = nil, on
	}
	var list []string
	rule := func(name, exposure string) { list = append(list, string(quote(name))+":"+string(quote(exposure))) }
	for i, name := range hidden {
		if !slices.Contains(hidden[:i], name) {
			rule(name, "hidden")
		}
	}
	for i, name := range shown {
		if on != nil && !matchesAny(hidden, name) && !slices.Contains(shown[:i], name) {
			rule(name, "direct")
		}
	}
	if on != nil {
		rule("*", "hidden")
	}
	if len(list) == 0 {
		return nil, bad
	}
	return json.RawMessage("{" + strings.Join(list, ",") + "}"), bad
}

// manyTools bounds the lists, which are compared name by name.
const manyTools = 1000

// toolNames reads a list of names, and of patterns with * where there are such; known is
// false where there is anything else.
func toolNames(n *jsonc.Node, patterns bool) (names []string, known bool) {
	if n == nil {
		return nil, true
	}
	if len(n.Elements()) > manyTools {
		return nil, false
	}
	known = n.Kind() == jsonc.Array
	for _, el := range n.Elements() {
		text, ok := el.Text()
		if !ok || text == "" || text == "*" || strings.ContainsAny(text, "?[]{}") || !patterns && strings.Contains(text, "*") {
			known = false
			continue
		}
		names = append(names, text)
	}
	return names, known
}

// matchesAny tells whether a pattern of the list covers all that name means.
func matchesAny(patterns []string, name string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool { return matches(p, name) })
}

// matches compares piece by piece, the first place for each, so that no pattern
// of a hostile file takes long.
func matches(pattern, name string) bool {
	pieces := strings.Split(pattern, "*")
	if len(pieces) == 1 {
		return pattern == name
	}
	head, tail := pieces[0], pieces[len(pieces)-1]
	name, ok := strings.CutPrefix(name, head)
	if !ok {
		return false
	}
	for _, piece := range pieces[1 : len(pieces)-1] {
		at := strings.Index(name, piece)
		if at < 0 {
			return false
		}
		name = name[at+len(piece):]
	}
	return strings.HasSuffix(name, tail)
}

// tools writes toolExposure as the client's lists, where they say the same.
func (w *shapeWriter) tools() {
	rules := w.entry.Get("toolExposure")
	if rules == nil {
		return
	}
	hidden, shown, only, why := toolLists(rules, w.of.patterns)
	if why == "" && (only && w.of.show == "" || len(hidden) > 0 && w.of.hide == "") {
		why = "it has no such list"
	}
	if why != "" {
		w.gap("toolExposure", "'toolExposure' cannot be written for "+w.client+": "+why)
		return
	}
	w.Drop("toolExposure")
	if len(hidden) > 0 {
		w.Set(w.of.hide, list(hidden))
	}
	if only {
		w.Set(w.of.show, list(shown))
	}
}

// toolLists takes toolExposure apart into names that are hidden, and, when everything
// else is hidden, those that are shown. Of a tool in both lists clients take the first.
func toolLists(rules *jsonc.Node, patterns bool) (hidden, shown []string, only bool, why string) {
	behind := false // a pattern that shows: behind it, what hides is weaker, and stronger there
	for key, value := range rules.All() {
		word, _ := value.Text()
		pattern := strings.Contains(key, "*")
		switch {
		case pattern && patterns && (only || word == "hidden" && behind && key != "*"):
			return nil, nil, false, "it takes no patterns in this order"
		case word == "hidden" && key == "*":
			only = true
		case strings.ContainsAny(key, "?[]{}") || !patterns && strings.Contains(key, "*"):
			return nil, nil, false, "it takes no patterns"
		case word == "hidden":
			hidden = append(hidden, key)
		case word == "direct":
			if shown = append(shown, key); pattern {
				behind = true
			}
		default:
			return nil, nil, false, "it shows a tool at once or not at all"
		}
	}
	if !only && len(shown) > 0 {
		return nil, nil, false, "it has no rule for a tool that is shown anyway"
	}
	if slices.ContainsFunc(shown, func(name string) bool { return matchesAny(hidden, name) }) {
		return nil, nil, false, "it hides what a pattern hides, also by its whole name"
	}
	return hidden, shown, only, ""
}

func list(names []string) json.RawMessage {
	items := make([]json.RawMessage, len(names))
	for i, name := range names {
		items[i] = quote(name)
	}
	return rawList(items)
}

// rawList is an array of values, in one line.
func rawList(items []json.RawMessage) json.RawMessage {
	texts := make([]string, len(items))
	for i, item := range items {
		texts[i] = string(item)
	}
	return json.RawMessage("[" + strings.Join(texts, ",") + "]")
}
