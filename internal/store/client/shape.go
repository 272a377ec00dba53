package client

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/mcpctl/mcpctl/internal/store/jsonc"
)

// shape is a client whose entries differ from mcpctl's by names, words, units and
// spellings. What is particular to one client stands in its own file, beside its facts.
type shape struct {
	client   string             // as people write it
	names    []alias            // fields with another name; of several with one meaning the first is written, and the strongest
	address  string             // what is remarkable about an address, for people
	editions string             // and about editions of the client
	layers   string             // and about files that lie on one another
	spelling spelling           // of values in the fields of resolved
	resolved []string           // the fields in which it resolves references; elsewhere text stands for itself
	unit     time.Duration      // of its timeout; 0 when it has none
	off      string             // the field that switches a server: "enabled" or "disabled"; "" when an entry cannot say
	words    map[string]string  // what it writes for stdio, http and sse; "-" for no word, "" when it finds out itself, absent when it cannot speak it
	show     string             // a list of the tools that alone are shown; "" when it has none
	hide     string             // a list of the tools that are not shown
	oauth    []alias            // the fields of its oauth object; nil when it has none
	has      []string           // of the fields that only some clients have, those it has
	theirs   map[string]string  // fields that mcpctl cannot express, and what they say
	reads    func(*shapeReader) // what else there is to reading, before the rest
	writes   func(*shapeWriter) // and to writing, behind the rest
}

// alias is a field's name there and here; "" here for a field that means nothing to mcpctl.
type alias struct{ theirs, ours string }

// dialect is the shape's two ways.
func (f *shape) dialect() Dialect { return Dialect{Read: f.read, Write: f.write, About: f.about()} }

// shapeReader is one reading under way.
type shapeReader struct {
	*jsonc.Shape
	Reading
	of      *shape
	project bool
}

func (f *shape) read(entry *jsonc.Node, project bool) Reading {
	r := &shapeReader{Shape: entry.Reshape(), of: f, project: project}
	r.theirs()
	if f.reads != nil {
		f.reads(r)
	}
	r.aliases(f.names)
	r.nulls()
	r.timeout()
	r.tools()
	r.oauth()
	r.values()
	r.Entry = r.Node()
	return r.Reading
}

// get is a member as it is by now.
func (r *shapeReader) get(key string) *jsonc.Node { return r.Node().Get(key) }

// refuse notes why the entry cannot be used.
func (r *shapeReader) refuse(at *jsonc.Node, field, message, hint string) {
	r.Notes = append(r.Notes, Note{Position: at.Position(), Field: field, Fatal: true, Message: message, Hint: hint})
}

// aliases gives fields mcpctl's names. Of two with one meaning the weaker is left out.
func (r *shapeReader) aliases(names []alias) {
	for _, a := range names {
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
	var absent []string
	for key, n := range r.Node().All() {
		if n.Kind() == jsonc.Null && key != "command" && key != "url" {
			absent = append(absent, key)
		}
	}
	for _, key := range absent {
		r.Drop(key)
	}
}

func (r *shapeReader) theirs() {
	for _, m := range r.Node().Members() {
		if what := r.of.theirs[m.Key]; what != "" && !saysNothing(m.Value) {
			r.gap(m.Value, m.Key, "'"+m.Key+"' "+what+", which mcpctl cannot express", "")
		}
	}
}

// timeout: a number of the client's unit. What is no number says nothing there.
func (r *shapeReader) timeout() {
	t := r.get("timeout")
	switch {
	case t == nil:
	case r.of.unit == 0:
		r.note(t, r.of.client+" has no 'timeout' and does not look at it", "")
	case t.Kind() != jsonc.Number:
		r.note(t, fmt.Sprintf("%s takes only a number of %s for 'timeout'", r.of.client, unitName(r.of.unit)), "write it without quotes and unit")
	default:
		if text := withUnit(t, unitLetters(r.of.unit)); text != nil {
			r.Set("timeout", text)
		}
	}
}

func unitLetters(unit time.Duration) string {
	if unit == time.Second {
		return "s"
	}
	return "ms"
}

// tools reads the lists of names into toolExposure: what is hidden, then what is
// shown with everything else hidden.
func (r *shapeReader) tools() {
	var off, on *jsonc.Node
	if r.of.hide != "" {
		off = r.get(r.of.hide)
	}
	if r.of.show != "" {
		on = r.get(r.of.show)
	}
	if off == nil && on == nil {
		return
	}
	rules, bad := toolRules(off, on)
	if bad != nil {
		key := r.of.hide
		if on != nil && bad.Position() == on.Position() {
			key = r.of.show
		}
		r.gap(bad, key, "mcpctl does not understand the names of tools in '"+key+"'", "write whole names, or patterns with *")
		return
	}
	for _, key := range []string{r.of.hide, r.of.show} {
		if key != "" {
			r.Drop(key)
		}
	}
	if rules != nil {
		r.Set("toolExposure", rules)
	}
}

// toolRules are the two lists as toolExposure; nil where they say nothing. bad is the
// list that is none of names.
func toolRules(off, on *jsonc.Node) (rules json.RawMessage, bad *jsonc.Node) {
	hidden, known := toolNames(off)
	if !known {
		return nil, off
	}
	shown, known := toolNames(on)
	if !known {
		return nil, on
	}
	var list []string
	rule := func(name, exposure string) { list = append(list, string(quote(name))+":"+string(quote(exposure))) }
	for i, name := range hidden {
		if !slices.Contains(hidden[:i], name) {
			rule(name, "hidden")
		}
	}
	for i, name := range shown {
		if !matchesAny(hidden, name) && !slices.Contains(shown[:i], name) {
			rule(name, "direct")
		}
	}
	if on != nil {
		rule("*", "hidden")
	}
	if len(list) == 0 {
		return nil, nil
	}
	return json.RawMessage("{" + strings.Join(list, ",") + "}"), nil
}

// oauth gives the fields of the object mcpctl's names, and notes those it cannot have.
func (r *shapeReader) oauth() {
	o := r.get("oauth")
	if o == nil || o.Kind() != jsonc.Object {
		return
	}
	in := &shapeReader{Shape: o.Reshape(), of: r.of, project: r.project}
	known := map[string]bool{}
	for _, a := range r.of.oauth {
		known[a.theirs] = true
	}
	for _, m := range o.Members() {
		if !known[m.Key] && !saysNothing(m.Value) {
			r.gap(m.Value, "oauth."+m.Key, "'oauth."+m.Key+"' is a field that mcpctl cannot express", "")
		}
		if !known[m.Key] {
			in.Drop(m.Key)
		}
	}
	in.aliases(r.of.oauth)
	r.Notes = append(r.Notes, in.Notes...)
	if s := in.get("scope"); s != nil && s.Kind() == jsonc.Array {
		in.Set("scope", quote(strings.Join(textsOf(s), " ")))
	}
	if len(in.Node().Members()) == 0 && len(o.Members()) > 0 {
		r.Drop("oauth")
		return
	}
	r.Set("oauth", in.Node().Raw())
}

// everyField are the fields of an entry that hold values.
var everyField = []string{"command", "args", "cwd", "url", "env", "headers"}

func (r *shapeReader) values() {
	for _, key := range everyField {
		read := literal
		if slices.Contains(r.of.resolved, key) {
			read = r.of.spelling.read
		} else if n := r.get(key); n != nil {
			r.unresolved(key, n)
		}
		r.Texts(key, read)
	}
	o := r.get("oauth")
	if o == nil || o.Get("clientSecret") == nil {
		return
	}
	read := literal
	if slices.Contains(r.of.resolved, "oauth") {
		read = r.of.spelling.read
	}
	oauth := o.Reshape()
	oauth.Texts("clientSecret", read)
	r.Set("oauth", oauth.Node().Raw())
}

// unresolved warns of what looks like a reference where the client has none.
func (r *shapeReader) unresolved(key string, n *jsonc.Node) {
	if at, text := holding(n, "${"); at != nil {
		r.note(at, fmt.Sprintf("%s resolves no references in '%s', so %s stays as it stands", r.of.client, key, quote(text)), "")
	}
}

// holding finds the first text below a value that holds some other.
func holding(n *jsonc.Node, part string) (at *jsonc.Node, text string) {
	if text, ok := n.Text(); ok {
		if strings.Contains(text, part) {
			return n, text
		}
		return nil, ""
	}
	for _, el := range n.Elements() {
		if at, text := holding(el, part); at != nil {
			return at, text
		}
	}
	for _, el := range n.All() {
		if at, text := holding(el, part); at != nil {
			return at, text
		}
	}
	return nil, ""
}
