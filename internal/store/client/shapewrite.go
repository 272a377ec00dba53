package client

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/internal/store/jsonc"
)

// shapeWriter is one writing under way.
type shapeWriter struct {
	*writer
	of        *shape
	entry     *jsonc.Node // in mcpctl's shape
	transport string      // stdio, http or sse; "" for what is no definition
}

func (f *shape) write(entry json.RawMessage) (Writing, error) {
	n, s, err := reshape(entry)
	if err != nil {
		return Writing{}, err
	}
	w := &shapeWriter{writer: &writer{Shape: s, client: f.client}, of: f, entry: n, transport: transportOf(n)}
	w.idle()
	w.further()
	w.switched()
	w.timed()
	w.tools()
	w.oauth()
	w.values()
	w.typed()
	for _, a := range slices.Backward(f.names) { // the first of several names stays
		if a.ours != "" {
			w.Rename(a.ours, a.theirs)
		}
	}
	if f.writes != nil {
		f.writes(w)
	}
	out := w.writing()
	out.Entry = typeFirst(w.Node())
	return out, nil
}

// typeFirst puts the type where people look for it.
func typeFirst(n *jsonc.Node) json.RawMessage {
	var first, rest []string
	for _, m := range n.Members() {
		text := string(quote(m.Key)) + ":" + string(m.Value.Raw())
		if m.Key == "type" {
			first = append(first, text)
		} else {
			rest = append(rest, text)
		}
	}
	return json.RawMessage("{" + strings.Join(append(first, rest...), ",") + "}")
}

// transportOf decides as mcpctl's own reader does.
func transportOf(n *jsonc.Node) string {
	word := ""
	if t := n.Get("type"); t != nil {
		word, _ = t.Text()
	}
	switch {
	case word == "stdio" || word == "sse" || word == "http":
		return word
	case word == "streamable-http":
		return "http"
	case n.Get("command") != nil:
		return "stdio"
	case n.Get("url") != nil:
		return "http"
	}
	return ""
}

// idle leaves out what the transport does not look at.
func (w *shapeWriter) idle() {
	fields := onlyStdio
	switch w.transport {
	case "":
		return
	case "stdio":
		fields = []string{"url", "headers", "oauth"}
	default:
		fields = append([]string{"command"}, fields...)
	}
	for _, key := range fields {
		if w.entry.Get(key) != nil {
			w.gap(key, "'"+key+"' has no meaning: the transport is "+w.transport)
		}
	}
}

// further are fields that mcpctl has and most clients have not.
func (w *shapeWriter) further() {
	for _, key := range []string{"description", "exposure", "inheritEnv", "lifecycle", "shared", "protocolVersion", "auth", "cwd", "oauth"} {
		if w.entry.Get(key) != nil && w.Node().Get(key) != nil && !slices.Contains(w.of.has, key) && !(key == "oauth" && w.of.oauth != nil) {
			w.gap(key, w.client+" has no '"+key+"'")
		}
	}
}

// switched says whether the server is on by the client's own word; on is what it is
// when nothing is said.
func (w *shapeWriter) switched() {
	e, d := w.entry.Get("enabled"), w.entry.Get("disabled")
	if e == nil && d == nil {
		return
	}
	on := e != nil && string(e.Raw()) == "true" || e == nil && string(d.Raw()) == "false"
	if w.of.off == "" {
		w.Drop("disabled")
		w.Drop("enabled")
		if !on {
			w.gaps = append(w.gaps, Gap{Field: "enabled", Why: w.client + " cannot switch a server off in its entry"})
		}
		return
	}
	other := "enabled"
	if w.of.off == "enabled" {
		other = "disabled"
	}
	w.Drop(other)
	value := on == (w.of.off == "enabled")
	w.Set(w.of.off, json.RawMessage(map[bool]string{true: "true", false: "false"}[value]))
}

func (w *shapeWriter) timed() {
	if w.entry.Get("timeout") == nil {
		return
	}
	if w.of.unit == 0 {
		w.gap("timeout", w.client+" has no 'timeout'")
		return
	}
	w.timeout(w.entry, w.of.unit)
}

// tools writes toolExposure as the client's lists, where they say the same.
func (w *shapeWriter) tools() {
	rules := w.entry.Get("toolExposure")
	if rules == nil {
		return
	}
	hidden, shown, only, why := toolLists(rules)
	switch {
	case why != "":
	case only && w.of.show == "", len(hidden) > 0 && w.of.hide == "":
		why = "it has no such list"
	}
	if why != "" || len(hidden) == 0 && !only {
		if why == "" {
			why = "there is nothing to say"
		}
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
// else is hidden, those that are shown.
func toolLists(rules *jsonc.Node) (hidden, shown []string, only bool, why string) {
	for _, m := range rules.Members() {
		word, _ := m.Value.Text()
		switch {
		case word == "hidden" && m.Key == "*":
			only = true
		case strings.ContainsAny(m.Key, "*?[]{}"):
			return nil, nil, false, "it takes no patterns"
		case word == "hidden":
			hidden = append(hidden, m.Key)
		case word == "direct":
			shown = append(shown, m.Key)
		default:
			return nil, nil, false, "it shows a tool at once or not at all"
		}
	}
	if !only && len(shown) > 0 {
		return nil, nil, false, "it has no rule for a tool that is shown anyway"
	}
	return hidden, shown, only, ""
}

// oauth gives the fields the client's names; one that it does not have is left out.
func (w *shapeWriter) oauth() {
	o := w.Node().Get("oauth")
	if o == nil || o.Kind() != jsonc.Object {
		return
	}
	out := o.Reshape()
	for _, m := range o.Members() {
		i := slices.IndexFunc(w.of.oauth, func(a alias) bool { return a.ours == m.Key })
		switch {
		case i < 0:
			w.gaps = append(w.gaps, Gap{Field: "oauth." + m.Key, Why: w.client + " has no 'oauth." + m.Key + "'"})
			out.Drop(m.Key)
		case m.Key == "clientSecret":
			w.secret(out, m.Value)
		}
	}
	if s := out.Node().Get("scope"); s != nil && slices.Contains(w.of.oauth, alias{"scopes", "scope"}) {
		text, _ := s.Text()
		out.Set("scope", list(strings.Fields(text)))
	}
	for _, a := range w.of.oauth {
		out.Rename(a.ours, a.theirs)
	}
	if len(out.Node().Members()) == 0 && len(o.Members()) > 0 {
		w.Drop("oauth")
		return
	}
	w.Set("oauth", out.Node().Raw())
}

func (w *shapeWriter) secret(out *jsonc.Shape, n *jsonc.Node) {
	write := toLiteral
	if slices.Contains(w.of.resolved, "oauth") {
		write = w.of.spelling.write
	}
	text, _ := n.Text()
	spelt, err := write(text)
	if err != nil {
		w.gaps = append(w.gaps, Gap{Field: "oauth.clientSecret", Why: "'oauth.clientSecret' cannot be written for " + w.client + ": " + err.Error()})
		out.Drop("clientSecret")
		return
	}
	out.Set("clientSecret", quote(spelt))
}

func (w *shapeWriter) values() {
	for _, key := range everyField {
		write := toLiteral
		if slices.Contains(w.of.resolved, key) {
			write = w.of.spelling.write
		}
		w.spell([]string{key}, write)
	}
}

// typed says the transport in the client's word.
func (w *shapeWriter) typed() {
	if w.transport == "" {
		return
	}
	word, can := w.of.words[w.transport]
	switch {
	case !can:
		w.fatal("type", w.client+" does not speak "+w.transport)
	case word == "":
		w.gap("type", w.client+" finds out itself whether a server speaks "+w.transport)
	case word == "-":
		w.Drop("type")
	default:
		w.Set("type", quote(word))
	}
}
