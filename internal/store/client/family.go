package client

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/mcpctl/mcpctl/internal/store/jsonc"
)

// family describes a client whose entries are mcpctl's but for words: how the
// transports, the switch, the timeout, lists of tools and references are spelt. It
// makes both functions of a Dialect.
type family struct {
	title     string                // for people
	types     map[string]string     // the client's words for a transport, and mcpctl's
	typeKeys  []string              // older names of the key `type`
	stdio     string                // the word that is written for each transport; "" writes none
	http      string                //
	sse       string                //
	url       string                // the key of the address, "" for url
	urlAlone  string                // the transport of an address without a type; "" for http
	typeWhy   string                // said of an address without a type, where the client refuses that
	disabled  bool                  // an entry may say "disabled": true
	unit      time.Duration         // of the timeout; 0 when entries have none
	noCwd     bool                  // an entry has no folder to start in
	off, only string                // lists of tools that are off, and of the only ones that are on
	values    syntax                // of all values
	plain     map[string]bool       // fields that are taken as they stand all the same
	oauth     oauthWords            // of the sign-in
	gaps      map[string]string     // fields that mcpctl cannot express, and why
	aside     map[string]string     // those of them without which a server runs just the same
	odd       func(*familyReading)  // what else differs, after all the rest was read
	oddWrite  func(*writer, family) // and was written
}

func (f family) dialect() Dialect { return Dialect{Read: f.read, Write: f.write, About: f.about()} }

// familyReading is one entry being read.
type familyReading struct {
	family
	Reading
	*jsonc.Shape
	entry *jsonc.Node
}

func (f family) read(entry *jsonc.Node, _ bool) Reading {
	r := &familyReading{family: f, Shape: entry.Reshape(), entry: entry}
	r.transport()
	r.enabled()
	r.timeout()
	r.numbers()
	for _, key := range everyValue {
		r.spelling(key)
	}
	r.readOAuth()
	r.readTools()
	for _, m := range entry.Members() {
		why, known := f.gaps[m.Key]
		if aside, only := f.aside[m.Key]; only {
			why, known = aside, true
		}
		if !known {
			continue
		}
		if r.Drop(m.Key); !saysNothing(m.Value) {
			r.gap(m.Value, m.Key, "'"+m.Key+"' of "+f.title+": "+why, "")
			_, r.Notes[len(r.Notes)-1].Aside = f.aside[m.Key]
		}
	}
	if f.odd != nil {
		f.odd(r)
	}
	r.Entry = r.Node()
	return r.Reading
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

// transport reads the type and the address.
func (r *familyReading) transport() {
	if key := r.family.url; key != "" && r.entry.Get(key) != nil {
		if other := r.entry.Get("url"); other != nil {
			r.note(other, "'url' is ignored beside '"+key+"'", "remove it")
			r.Drop("url")
		}
		r.Rename(key, "url")
	}
	t, key := r.entry.Get("type"), "type"
	for _, older := range r.typeKeys {
		if old := r.entry.Get(older); old != nil {
			if r.Drop(older); t == nil {
				t, key = old, older
			}
		}
	}
	if t != nil {
		r.typeWord(t, key)
		return
	}
	at := r.Node().Get("url")
	if at == nil || r.entry.Get("command") != nil {
		return
	}
	if r.typeWhy != "" {
		r.note(at, r.typeWhy, "say the type")
	}
	if r.urlAlone != "" {
		r.Set("type", quote(r.urlAlone))
	}
}

// typeWord reads the word for the transport. One that only mcpctl knows is told; older
// keys had other words.
func (r *familyReading) typeWord(t *jsonc.Node, key string) {
	word, isText := t.Text()
	if !isText {
		r.Set("type", t.Raw())
		return
	}
	ours, ok := r.types[word]
	if !ok {
		ours = word
		if key == "type" && slices.Contains([]string{"stdio", "http", "streamable-http", "sse"}, word) {
			r.note(t, r.title+" does not know the type '"+word+"'; mcpctl does", "write one of "+strings.Join(slices.Sorted(maps.Keys(r.types)), ", "))
		}
	}
	r.Set("type", quote(ours))
}

// enabled: mcpctl honours `enabled` and `disabled` in every file (design §3), and says
// so where the client does not.
func (r *familyReading) enabled() {
	if r.family.disabled {
		return
	}
	for _, key := range []string{"disabled", "enabled"} {
		if n := r.entry.Get(key); n != nil && string(n.Raw()) == map[string]string{"disabled": "true", "enabled": "false"}[key] {
			r.note(n, r.title+" ignores '"+key+"' and starts the server; mcpctl does not", "")
		}
	}
}

func (r *familyReading) timeout() {
	t := r.entry.Get("timeout")
	switch {
	case t == nil:
	case r.unit == 0:
		r.gap(t, "timeout", r.title+" has no timeout in an entry, so its unit is not known", "")
		r.Drop("timeout")
	case t.Kind() != jsonc.Number:
		r.note(t, r.title+" takes only a number for 'timeout'", "write a number of "+unitName(r.unit))
	default:
		r.Set("timeout", withUnit(t, map[time.Duration]string{time.Second: "s", time.Millisecond: "ms"}[r.unit]))
	}
}

func unitName(unit time.Duration) string {
	if unit == time.Second {
		return "seconds"
	}
	return "milliseconds"
}

// numbers: a number in env is its text for these clients, and null takes a variable
// away, which mcpctl cannot.
func (r *familyReading) numbers() {
	env := r.Node().Get("env")
	if env == nil || env.Kind() != jsonc.Object {
		return
	}
	shape, changed := env.Reshape(), false
	for _, m := range env.Members() {
		switch m.Value.Kind() {
		case jsonc.Number:
			changed = true
			shape.Set(m.Key, quote(string(m.Value.Raw())))
		case jsonc.Null:
			r.gap(m.Value, "env."+m.Key, "null takes a variable away, which mcpctl does not", "remove it")
			changed = true
			shape.Drop(m.Key)
		}
	}
	if changed {
		r.Set("env", shape.Node().Raw())
	}
}

// spelling turns the references of a field into mcpctl's.
func (r *familyReading) spelling(key string) {
	s := r.syntaxOf(key)
	n := r.entry.Get(key)
	if key == "url" && n == nil {
		n = r.entry.Get(r.family.url)
	}
	if key == "oauth" || n == nil {
		return
	}
	texts(n, key, func(at string, n *jsonc.Node, text string) {
		v := s.read(text)
		for _, id := range v.asked {
			r.gap(n, at, r.title+" asks for '"+id+"'; mcpctl takes the variable "+inputVariable(id)+" in its place", "set "+inputVariable(id))
		}
		for _, what := range v.unread {
			r.gap(n, at, "mcpctl does not understand "+what+": the server cannot start with it", "write the value, or a variable")
		}
		for _, what := range v.plain {
			r.note(n, r.title+" takes "+what+" as it stands"+s.instead(), "")
		}
	})
	r.Texts(key, func(text string) string { return s.read(text).text })
}

// instead tells how the client spells a variable.
func (s syntax) instead() string {
	switch {
	case s.env != "":
		return "; a variable is ${" + s.env + "NAME} there"
	case s.bare:
		return "; a variable is ${NAME} there"
	}
	return "; it puts no variables in there"
}

func (f family) syntaxOf(key string) syntax {
	if f.plain[key] {
		return syntax{}
	}
	return f.values
}

// own are the fields that only mcpctl has, and what an entry without them means.
var own = []struct {
	key, usual string
}{
	{"description", `""`}, {"exposure", `"direct"`}, {"inheritEnv", "false"}, {"lifecycle", `"eager"`}, {"protocolVersion", `""`}, {"auth", "{}"},
}

func (f family) write(entry json.RawMessage) (Writing, error) {
	n, s, err := reshape(entry)
	if err != nil {
		return Writing{}, err
	}
	w := &writer{Shape: s, client: f.title}
	for _, field := range own {
		switch v := n.Get(field.key); {
		case v == nil:
		case string(v.Raw()) == field.usual || string(v.Raw()) == "[]":
			w.Drop(field.key)
		default:
			w.gap(field.key, f.title+" has no '"+field.key+"'")
		}
	}
	f.writeTransport(w, n)
	f.writeEnabled(w, n)
	if f.unit == 0 && n.Get("timeout") != nil {
		w.gap("timeout", f.title+" has no timeout in an entry")
	} else {
		w.timeout(n, f.unit)
	}
	if f.noCwd && n.Get("cwd") != nil {
		w.gap("cwd", f.title+" has no 'cwd' in an entry")
	}
	f.writeTools(w, n)
	f.writeOAuth(w, n)
	for _, key := range everyValue {
		if key != "oauth" {
			f.writeValues(w, key)
		}
	}
	if f.url != "" {
		w.Rename("url", f.url)
	}
	if f.oddWrite != nil {
		f.oddWrite(w, f)
	}
	return w.writing(), nil
}

// writeTransport writes the word for the transport. What the transport does not use is
// left out: clients refuse the two together.
func (f family) writeTransport(w *writer, n *jsonc.Node) {
	word := ""
	if t := n.Get("type"); t != nil {
		word, _ = t.Text()
	} else if n.Get("url") != nil {
		word = "http"
	} else if n.Get("command") != nil {
		word = "stdio"
	}
	idle, written := onlyStdio, f.http
	switch word {
	case "stdio":
		idle, written = []string{"url", "headers", "oauth"}, f.stdio
	case "http", "streamable-http":
		idle = append([]string{"command"}, idle...)
	case "sse":
		idle, written = append([]string{"command"}, idle...), f.sse
		if f.sse == "" {
			w.gaps = append(w.gaps, Gap{Field: "type", Why: f.title + " finds out itself whether a server speaks http or sse"})
		}
	default:
		return // an override, or what no reader accepts
	}
	for _, key := range idle {
		if n.Get(key) != nil {
			w.gap(key, "'"+key+"' is not used by the transport "+word)
		}
	}
	if written == "" {
		w.Drop("type")
		return
	}
	w.Set("type", quote(written))
}

func (f family) writeEnabled(w *writer, n *jsonc.Node) {
	on, off := n.Get("enabled"), n.Get("disabled")
	isOff := off != nil && string(off.Raw()) == "true"
	if on != nil {
		isOff = string(on.Raw()) == "false"
	}
	w.Drop("enabled")
	w.Drop("disabled")
	switch {
	case isOff && f.disabled:
		w.Set("disabled", json.RawMessage("true"))
	case isOff:
		w.gap("enabled", f.title+" has no switch in an entry")
	}
}

// writeValues spells a field. In env and headers only the values that the client
// cannot have are left out.
func (f family) writeValues(w *writer, key string) {
	s := f.syntaxOf(key)
	group := w.Node().Get(key)
	if group == nil {
		return
	}
	if key == "command" || key == "args" || key == "cwd" {
		w.spell([]string{key}, s.home)
		return
	}
	if group.Kind() != jsonc.Object {
		w.spell([]string{key}, s.write)
		return
	}
	shape := group.Reshape()
	for _, m := range group.Members() {
		text, ok := m.Value.Text()
		if !ok {
			continue
		}
		if out, err := s.write(text); err != nil {
			shape.Drop(m.Key)
			w.gaps = append(w.gaps, Gap{Field: key + "." + m.Key, Why: "'" + key + "." + m.Key + "' cannot be written for " + w.client + ": " + err.Error()})
		} else if out != text {
			shape.Set(m.Key, quote(out))
		}
	}
	w.Set(key, shape.Node().Raw())
}

// known makes the table of types.
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
