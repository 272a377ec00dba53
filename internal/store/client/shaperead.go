package client

import (
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/mcpctl/mcpctl/internal/store/jsonc"
)

// shapeReader is one reading under way.
type shapeReader struct {
	*jsonc.Shape
	Reading
	of      *shape
	project bool
}

func (f *shape) read(entry *jsonc.Node, project bool) Reading {
	r := &shapeReader{Shape: entry.Reshape(), of: f, project: project}
	if f.reads != nil {
		f.reads(r)
	}
	r.aliases()
	r.nulls()
	r.transport()
	r.switched()
	r.timeout()
	r.variables()
	r.tools()
	r.oauth()
	r.values()
	r.without()
	if f.readsLast != nil {
		f.readsLast(r)
	}
	r.Entry = r.Node()
	return r.Reading
}

// get is a member as it is by now.
func (r *shapeReader) get(key string) *jsonc.Node { return r.Node().Get(key) }

// refuse notes why the entry cannot be used.
func (r *shapeReader) refuse(at *jsonc.Node, field, message, hint string) {
	r.Notes = append(r.Notes, Note{Position: at.Position(), Field: field, Fatal: true, Message: message, Hint: hint})
}

// without leaves out what mcpctl cannot express, and tells.
func (r *shapeReader) without() {
	for _, m := range r.Node().Members() {
		why, gap := r.of.gaps[m.Key]
		asideWhy, aside := r.of.aside[m.Key]
		if !gap && !aside {
			continue
		}
		if r.Drop(m.Key); !saysNothing(m.Value) {
			r.gap(m.Value, m.Key, "'"+m.Key+"' of "+r.of.client+": "+why+asideWhy, "")
			r.Notes[len(r.Notes)-1].Aside = aside
		}
	}
}

// saysNothing: null, false, and empty lists and objects are what an entry without such
// a field means.
func saysNothing(n *jsonc.Node) bool {
	switch string(n.Raw()) {
	case "null", "false", "[]", "{}", `""`:
		return true
	}
	return false
}

// aliases gives fields mcpctl's names. Of two with one meaning the weaker is left out.
func (r *shapeReader) aliases() {
	for _, a := range r.of.names {
		switch n := r.get(a.theirs); {
		case n == nil || a.theirs == a.ours:
			continue
		case a.ours == "":
			r.Drop(a.theirs)
			continue
		}
		if also := r.get(a.ours); also != nil {
			r.note(also, "'"+a.ours+"' is ignored beside '"+a.theirs+"'", "remove it")
			r.Drop(a.ours)
		}
		r.Rename(a.theirs, a.ours)
	}
}

// nulls leaves out fields of null, which these programs take for absent. The two that
// make a server stay, and are told.
func (r *shapeReader) nulls() {
	for key, n := range r.Node().All() {
		if n.Kind() == jsonc.Null && key != "command" && key != "url" {
			r.Drop(key)
		}
	}
}

// transport reads the type, under whichever name, and what an address without one is.
func (r *shapeReader) transport() {
	t, key := r.get("type"), "type"
	for _, older := range r.of.olderType {
		if old := r.get(older); old != nil {
			if r.Drop(older); t == nil {
				t, key = old, older
			}
		}
	}
	if t != nil {
		r.typeWord(t, key)
		return
	}
	at := r.get("url")
	if at == nil || r.get("command") != nil {
		return
	}
	if r.of.typeWhy != "" {
		r.note(at, r.of.typeWhy, "say the type")
	}
	if r.of.urlAlone != "" {
		r.Set("type", quote(r.of.urlAlone))
	}
}

// typeWord reads the word for the transport. One that only mcpctl knows is told; older
// names of the field had other words.
func (r *shapeReader) typeWord(t *jsonc.Node, key string) {
	word, isText := t.Text()
	if !isText || r.of.types == nil {
		r.Set("type", t.Raw())
		return
	}
	ours, ok := r.of.types[word]
	if !ok {
		ours = word
		if key == "type" && slices.Contains([]string{"stdio", "http", "streamable-http", "sse"}, word) {
			r.note(t, r.of.client+" does not know the type '"+word+"'; mcpctl does", "write one of "+strings.Join(slices.Sorted(maps.Keys(r.of.types)), ", "))
		}
	}
	r.Set("type", quote(ours))
}

// known makes the table of types of a shape.
func known(pairs ...string) map[string]string {
	out := map[string]string{}
	for _, pair := range pairs {
		theirs, ours, found := strings.Cut(pair, "=")
		if !found {
			ours = theirs
		}
		out[theirs] = ours
	}
	return out
}

// switched: mcpctl honours `enabled` and `disabled` in every file (design §3), and says
// so where the client has no such field.
func (r *shapeReader) switched() {
	if r.of.off != "" {
		return
	}
	for _, off := range [][2]string{{"disabled", "true"}, {"enabled", "false"}} {
		if n := r.get(off[0]); n != nil && string(n.Raw()) == off[1] {
			r.note(n, r.of.client+" ignores '"+off[0]+"' and starts the server; mcpctl does not", "")
		}
	}
}

// timeout: a number of the client's unit. What is no number says nothing there.
func (r *shapeReader) timeout() {
	t := r.get("timeout")
	switch {
	case t == nil:
	case r.of.unit == 0:
		r.gap(t, "timeout", r.of.client+" has no timeout in an entry, so its unit is not known", "")
		r.Drop("timeout")
	default:
		r.timeoutIn(r.Shape, r.of.client, r.of.unit)
	}
}

// timeoutIn gives the number in `timeout` its unit, or says that it is none.
func (r *Reading) timeoutIn(s *jsonc.Shape, client string, unit time.Duration) {
	t := s.Node().Get("timeout")
	if t.Kind() != jsonc.Number {
		r.note(t, client+" takes only a number of "+unitName(unit)+" for 'timeout'", "write it without quotes and unit")
		return
	}
	letters := map[time.Duration]string{time.Second: "s", time.Millisecond: "ms"}[unit]
	if text := withUnit(t, letters); text != nil {
		s.Set("timeout", text)
	}
}

// variables: a number in env is its text, and null takes a variable away, which mcpctl
// cannot.
func (r *shapeReader) variables() {
	env := r.get("env")
	if env == nil || env.Kind() != jsonc.Object {
		return
	}
	s, changed := env.Reshape(), false
	for key, n := range env.All() {
		switch n.Kind() {
		case jsonc.Number:
			changed = true
			s.Set(key, quote(string(n.Raw())))
		case jsonc.Null:
			changed = true
			r.gap(n, "env."+key, "null takes a variable away, which mcpctl does not", "remove it")
			s.Drop(key)
		}
	}
	if changed {
		r.SetShape("env", s)
	}
}
