package client

import (
	"encoding/json"
	"slices"
	"strconv"
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
	if f.writesFirst != nil {
		f.writesFirst(w)
		w.entry = w.Node()
	}
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

// further are fields that mcpctl has and most clients have not, and what an entry without
// them means.
var further = []struct{ key, usual string }{
	{"description", `""`}, {"exposure", `"direct"`}, {"inheritEnv", "false"}, {"lifecycle", `"eager"`}, {"shared", "false"},
	{"protocolVersion", `""`}, {"auth", "{}"}, {"cwd", `""`},
}

// further leaves out what the client does not have, and tells where that says anything.
func (w *shapeWriter) further() {
	for _, field := range further {
		n := w.Node().Get(field.key)
		if n == nil || slices.Contains(w.of.has, field.key) {
			continue
		}
		if text := string(n.Raw()); text == field.usual || text == "[]" {
			w.Drop(field.key)
			continue
		}
		w.gap(field.key, w.client+" has no '"+field.key+"' in an entry")
	}
}

// switched says whether the server is on by the client's own word. A whole entry that
// does not say disabled is on; one that changes another has to say it.
func (w *shapeWriter) switched() {
	e, d := w.entry.Get("enabled"), w.entry.Get("disabled")
	if e == nil && d == nil {
		return
	}
	on := e != nil && string(e.Raw()) == "true" || e == nil && string(d.Raw()) == "false"
	for _, key := range []string{"enabled", "disabled"} {
		if key != w.of.off {
			w.Drop(key)
		}
	}
	switch {
	case w.of.off == "" && !on:
		w.lost("enabled", w.client+" cannot switch a server off in its entry")
	case w.of.off == "":
	case w.of.off == "disabled" && on && w.transport != "":
		w.Drop("disabled")
	default:
		w.Set(w.of.off, json.RawMessage(strconv.FormatBool(on == (w.of.off == "enabled"))))
	}
}

func (w *shapeWriter) timed() {
	if w.entry.Get("timeout") == nil {
		return
	}
	if w.of.unit == 0 {
		w.gap("timeout", w.client+" has no timeout in an entry")
		return
	}
	w.timeout(w.entry, w.of.unit)
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
