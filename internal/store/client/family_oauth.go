package client

import (
	"strings"

	"github.com/mcpctl/mcpctl/internal/store/jsonc"
)

// oauthWords are a client's names for what mcpctl has in `oauth`.
type oauthWords struct {
	in     string            // the object they stand in; "" for the entry itself
	fields map[string]string // the client's name, and mcpctl's
	scopes string            // the client's name of a list of scopes
}

// readOAuth gathers what mcpctl knows of a sign-in; the rest is a gap.
func (r *familyReading) readOAuth() {
	words := r.oauth
	from, prefix := r.entry, ""
	if words.in != "" {
		from, prefix = r.entry.Get(words.in), words.in+"."
	}
	for _, key := range []string{"oauth", "auth"} {
		if n := r.entry.Get(key); n != nil && key != words.in {
			if !saysNothing(n) {
				r.gap(n, key, "'"+key+"' of "+r.title+" means nothing to mcpctl", "")
			}
			r.Drop(key)
		}
	}
	if from == nil {
		return
	}
	if from.Kind() != jsonc.Object {
		r.gap(from, words.in, "'"+words.in+"' is an object, found "+string(from.Kind()), "")
		r.Drop(words.in)
		return
	}
	var members []string
	for _, m := range from.Members() {
		name, known := words.fields[m.Key]
		switch {
		case known:
			n := m.Value.Raw()
			if text, ok := m.Value.Text(); ok {
				n = quote(r.values.read(text).text)
			}
			members = append(members, string(quote(name))+":"+string(n))
		case m.Key == words.scopes && words.scopes != "":
			members = append(members, `"scope":`+string(quote(strings.Join(textsOf(m.Value), " "))))
		case words.in != "" && !saysNothing(m.Value):
			r.gap(m.Value, prefix+m.Key, "mcpctl has no '"+prefix+m.Key+"'", "")
		}
		if words.in == "" && (known || m.Key == words.scopes && words.scopes != "") {
			r.Drop(m.Key)
		}
	}
	if words.in != "" {
		r.Drop(words.in)
	}
	if len(members) > 0 {
		r.Set("oauth", []byte("{"+strings.Join(members, ",")+"}"))
	}
}

// textsOf are the strings of a list, or the one string.
func textsOf(n *jsonc.Node) (out []string) {
	texts(n, "", func(_ string, _ *jsonc.Node, text string) { out = append(out, text) })
	return out
}

func (f family) writeOAuth(w *writer, n *jsonc.Node) {
	o := n.Get("oauth")
	if w.Node().Get("oauth") == nil || o.Kind() != jsonc.Object {
		return
	}
	w.Drop("oauth")
	var members []string
	put := func(key string, value []byte) {
		if f.oauth.in == "" {
			w.Set(key, value)
			return
		}
		members = append(members, string(quote(key))+":"+string(value))
	}
	for _, m := range o.Members() {
		if why := f.writeSignIn(m, put); why != "" {
			w.gaps = append(w.gaps, Gap{Field: "oauth." + m.Key, Why: why})
		}
	}
	if len(members) > 0 {
		w.Set(f.oauth.in, []byte("{"+strings.Join(members, ",")+"}"))
	}
}

// writeSignIn writes one field of oauth, or says why not.
func (f family) writeSignIn(m jsonc.Member, put func(string, []byte)) (why string) {
	text, isText := m.Value.Text()
	if m.Key == "scope" && f.oauth.scopes != "" && isText {
		put(f.oauth.scopes, list(strings.Fields(text)))
		return ""
	}
	for theirs, ours := range f.oauth.fields {
		if ours != m.Key {
			continue
		}
		value := m.Value.Raw()
		if isText {
			out, err := f.values.write(text)
			if err != nil {
				return "'oauth." + m.Key + "' cannot be written for " + f.title + ": " + err.Error()
			}
			value = quote(out)
		}
		put(theirs, value)
		return ""
	}
	return f.title + " has no '" + m.Key + "' for a sign-in"
}
