package client

import (
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/internal/store/jsonc"
)

// signIn are a client's words for what mcpctl has in `oauth`. The zero value is a client
// whose entries say nothing of a sign-in.
type signIn struct {
	in     string  // the object that holds the fields; "" when the entry itself does
	fields []alias // their names there and here
	list   string  // the one of them that is a list of scopes there, and a text here
}

// oauth gathers what mcpctl knows of a sign-in; the rest is a gap.
func (r *shapeReader) oauth() {
	words := r.of.signIn
	for _, key := range []string{"oauth", "auth"} {
		if n := r.get(key); n != nil && key != words.in {
			if !saysNothing(n) {
				r.gap(n, key, "'"+key+"' of "+r.of.client+" means nothing to mcpctl", "")
			}
			r.Drop(key)
		}
	}
	if words.in == "" {
		r.oauthBeside()
		return
	}
	from := r.get(words.in)
	if from == nil {
		return
	}
	if from.Kind() != jsonc.Object {
		r.gap(from, words.in, "'"+words.in+"' is an object, found "+string(from.Kind()), "")
		r.Drop(words.in)
		return
	}
	out := from.Reshape()
	for key, value := range from.All() {
		ours, known := words.ours(key)
		if !known && !saysNothing(value) {
			r.gap(value, words.in+"."+key, "mcpctl has no '"+words.in+"."+key+"'", "")
		}
		if ours == "" {
			out.Drop(key)
			continue
		}
		r.unresolved(value, words.in+"."+key, ours)
		out.Set(key, words.value(key, value))
	}
	for _, a := range words.fields {
		out.Rename(a.theirs, a.ours)
	}
	if len(out.Node().Members()) == 0 && len(from.Members()) > 0 {
		r.Drop(words.in)
		return
	}
	r.Rename(words.in, "oauth")
	r.SetShape("oauth", out)
}

// oauthBeside gathers the fields of a sign-in that stand in the entry itself.
func (r *shapeReader) oauthBeside() {
	for _, a := range r.of.signIn.fields {
		if n := r.get(a.theirs); n != nil {
			r.Drop(a.theirs)
			r.unresolved(n, a.theirs, a.ours)
			r.Set("oauth", with(r.get("oauth"), a.ours, r.of.signIn.value(a.theirs, n)))
		}
	}
}

// unresolved tells of a variable where mcpctl puts none in: of a sign-in only the secret
// has any.
func (r *shapeReader) unresolved(n *jsonc.Node, field, ours string) {
	text, _ := n.Text()
	all, err := parts(r.of.spellingOf("oauth").read(text).text)
	if ours != "clientSecret" && err == nil && slices.ContainsFunc(all, func(p part) bool { return p.name != "" }) {
		r.gap(n, field, "mcpctl puts no variables into '"+field+"'", "write the value itself")
	}
}

// ours is mcpctl's name of a field; "" for one that means nothing to it.
func (s signIn) ours(theirs string) (name string, known bool) {
	i := slices.IndexFunc(s.fields, func(a alias) bool { return a.theirs == theirs })
	if i < 0 {
		return "", false
	}
	return s.fields[i].ours, true
}

// value is the value of a field as mcpctl has it.
func (s signIn) value(key string, n *jsonc.Node) []byte {
	if key == s.list && n.Kind() == jsonc.Array {
		return quote(strings.Join(textsOf(n), " "))
	}
	return n.Raw()
}

// oauth gives the fields the client's names; one that it does not have is left out.
func (w *shapeWriter) oauth() {
	o := w.Node().Get("oauth")
	if o == nil || o.Kind() != jsonc.Object {
		return
	}
	words := w.of.signIn
	out := o.Reshape()
	for key, value := range o.All() {
		i := slices.IndexFunc(words.fields, func(a alias) bool { return a.ours == key })
		text, isText := value.Text()
		switch {
		case i < 0:
			w.lost("oauth."+key, w.client+" has no 'oauth."+key+"'")
			out.Drop(key)
		case isText && words.fields[i].theirs == words.list:
			out.Set(key, list(strings.Fields(text)))
		case key == "clientSecret":
			spelt, err := w.of.spellingOf("oauth").write(text)
			if err != nil {
				w.lost("oauth."+key, "'oauth."+key+"' cannot be written for "+w.client+": "+err.Error())
				out.Drop(key)
				continue
			}
			out.Set(key, quote(spelt))
		}
	}
	for _, a := range words.fields {
		out.Rename(a.ours, a.theirs)
	}
	written := out.Node()
	switch {
	case words.in == "" || len(written.Members()) == 0 && len(o.Members()) > 0:
		w.Drop("oauth")
	default:
		w.Rename("oauth", words.in)
		w.Set(words.in, written.Raw())
	}
	if words.in == "" {
		for key, value := range written.All() {
			w.Set(key, value.Raw())
		}
	}
}
