package client

import (
	"strings"

	"github.com/mcpctl/mcpctl/internal/store/jsonc"
)

// values turns the references of every field into mcpctl's, and tells what is remarkable
// about them. Of a sign-in only the secret holds any.
func (r *shapeReader) values() {
	for _, key := range everyField {
		n := r.get(key)
		if n == nil {
			continue
		}
		s := r.of.spellingOf(key)
		texts(n, key, func(at string, n *jsonc.Node, text string) { r.remarks(s.read(text), at, n) })
		r.Texts(key, func(text string) string { return s.read(text).text })
	}
	o := r.get("oauth")
	if o == nil || o.Get("clientSecret") == nil {
		return
	}
	oauth := o.Reshape()
	oauth.Texts("clientSecret", func(text string) string { return r.of.spellingOf("oauth").read(text).text })
	r.SetShape("oauth", oauth)
}

// remarks tells of what the client puts into a value and mcpctl cannot, and of what only
// looks as if it did.
func (r *shapeReader) remarks(v valueReading, field string, n *jsonc.Node) {
	for _, id := range v.asked {
		r.note(n, r.of.client+" asks for '"+id+"'; mcpctl takes the variable "+InputVariable(id)+" in its place", "set "+InputVariable(id))
	}
	for _, what := range v.unread {
		r.gap(n, field, "mcpctl does not understand "+what+": the server cannot start with it", "write the value, or a variable")
	}
	for _, what := range v.plain {
		instead := "; it puts no variables in there"
		if ref := v.by.ref("NAME"); ref != "" {
			instead = "; a variable is " + ref + " there"
		}
		r.note(n, r.of.client+" takes "+what+" as it stands"+instead, "")
	}
}

// texts calls f for every string at or below n, with its dotted place.
func texts(n *jsonc.Node, at string, f func(at string, n *jsonc.Node, text string)) {
	if text, ok := n.Text(); ok {
		f(at, n, text)
	}
	for key, value := range n.All() {
		texts(value, at+"."+key, f)
	}
	for _, el := range n.Elements() {
		texts(el, at, f)
	}
}

// textsOf are the strings of a list, or the one string; none of nil.
func textsOf(n *jsonc.Node) (out []string) {
	if n != nil {
		texts(n, "", func(_ string, _ *jsonc.Node, text string) { out = append(out, text) })
	}
	return out
}

// holding finds the first text at or below a value that holds some other; nil when
// there is none.
func holding(n *jsonc.Node, part string) (at *jsonc.Node, text string) {
	texts(n, "", func(_ string, n *jsonc.Node, t string) {
		if at == nil && strings.Contains(t, part) {
			at, text = n, t
		}
	})
	return at, text
}

// values spells every field for the client. In env and headers only the values that it
// cannot have are left out.
func (w *shapeWriter) values() {
	for _, key := range everyField {
		s := w.of.spellingOf(key)
		group := w.Node().Get(key)
		switch {
		case group == nil:
		case key == "command", key == "args", key == "cwd":
			w.spell([]string{key}, s.home)
		case group.Kind() != jsonc.Object:
			w.spell([]string{key}, s.write)
		default:
			w.group(key, group, s)
		}
	}
}

// group spells the values of an object; without any that the client can have, it is left
// out.
func (w *shapeWriter) group(key string, group *jsonc.Node, s spelling) {
	out := group.Reshape()
	for name, value := range group.All() {
		text, ok := value.Text()
		if !ok {
			continue
		}
		if spelt, err := s.write(text); err != nil {
			out.Drop(name)
			w.lost(key+"."+name, "'"+key+"."+name+"' cannot be written for "+w.client+": "+err.Error())
		} else if spelt != text {
			out.Set(name, quote(spelt))
		}
	}
	if len(out.Node().Members()) == 0 && len(group.Members()) > 0 {
		w.Drop(key)
		return
	}
	w.SetShape(key, out)
}
