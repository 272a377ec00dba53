package client

import (
	"encoding/json"
	"strings"
	"time"

	"github.com/mcpctl/mcpctl/internal/store/jsonc"
)

// Goose: YAML, `extensions` among the other settings. An extension of type stdio or streamable_http is a server; sse,
// which goose spoke once, is kept by it and not used. The other types are parts of goose itself. Every entry says
// `enabled`, `type` and `name`. env_keys are variables whose values goose has in its environment or its keyring;
// mcpctl has only the first. References in headers are to the entry's own variables.
var gooseDialect = (&shape{
	client:   "goose",
	names:    []alias{{"cmd", "command"}, {"uri", "url"}, {"envs", "env"}, {"name", ""}, {"display_name", ""}},
	spelling: spelling{bare: true, dollar: true},
	resolved: []string{"headers"},
	unit:     time.Second,
	off:      "enabled",
	words:    map[string]string{"stdio": "stdio", "http": "streamable_http"},
	show:     "available_tools",
	has:      []string{"description"},
	more:     []string{"env_keys"},
	aside:    map[string]string{"bundled": originWhy},
	facts: []string{
		"variables: env_keys names those that goose takes from its environment or keyring; mcpctl has only the first",
		"not servers: extensions of type builtin, platform, frontend and inline_python are parts of goose; their names are taken",
	},
	reads: (*shapeReader).goose, readsLast: (*shapeReader).gooseVariables,
	writesFirst: (*shapeWriter).gooseVariables, writes: (*shapeWriter).gooseWants,
}).dialect()

// goose tells what goose does not take for a server, or for one of its own.
func (r *shapeReader) goose() {
	if tools := r.get("available_tools"); tools != nil && saysNothing(tools) {
		r.Drop("available_tools") // all of them
	}
	for _, key := range []string{"description", "timeout"} {
		if n := r.get(key); n != nil && n.Kind() == jsonc.Null {
			r.Drop(key)
		}
	}
	t := r.get("type")
	if t == nil {
		r.refuse(r.Node(), "", "goose skips an extension without 'type'", "write type: stdio, or type: streamable_http")
		return
	}
	switch word, _ := t.Text(); word {
	case "stdio":
	case "streamable_http":
		r.Set("type", quote("http"))
	case "sse":
		r.note(t, "goose does not speak sse any more; mcpctl does", "use streamable_http if the server has it")
	case "builtin", "platform", "frontend", "inline_python":
		r.Other = true
		return
	default:
		r.refuse(t, "", "goose does not know the type "+string(t.Raw()), "write type: stdio, or type: streamable_http")
		return
	}
	if r.get("enabled") == nil {
		r.refuse(r.Node(), "", "goose skips an extension that does not say 'enabled'", "write enabled: true")
	}
}

// gooseVariables: env_keys are variables that are passed on; those of a server that is reached stand in its headers.
func (r *shapeReader) gooseVariables() {
	if r.Other {
		return
	}
	if keys := r.get("env_keys"); keys != nil {
		for _, name := range textsOf(keys) {
			r.Set("env", with(r.get("env"), name, quote("${"+name+"}")))
		}
		r.Drop("env_keys")
	}
	env := r.get("env")
	if t := r.get("type"); env != nil && t != nil && string(t.Raw()) != `"stdio"` {
		for key, value := range env.All() {
			text, _ := value.Text()
			r.Texts("headers", func(header string) string { return strings.ReplaceAll(header, "${"+key+"}", text) })
		}
		r.Drop("env")
	}
}

func (w *shapeWriter) gooseVariables() {
	var names []string
	if headers := w.entry.Get("headers"); w.transport == "stdio" {
		names = w.passedOn(w.entry)
	} else if headers != nil {
		names = variablesOf(headers)
	}
	if len(names) > 0 {
		w.Set("env_keys", list(names))
	}
}

// gooseWants are the fields without which goose skips an extension, or with which it does.
// An empty list of tools is all of them to it.
func (w *shapeWriter) gooseWants() {
	if t := w.Node().Get("timeout"); t != nil && strings.ContainsAny(string(t.Raw()), ".-") {
		w.Drop("timeout")
		w.lost("timeout", "goose skips an extension whose timeout is no whole number of seconds")
	}
	if tools := w.Node().Get("available_tools"); tools != nil && saysNothing(tools) {
		w.Drop("available_tools")
		w.lost("toolExposure", "goose takes an empty list of tools for all of them")
	}
	want := func(key, value string) {
		if w.Node().Get(key) == nil {
			w.Set(key, json.RawMessage(value))
		}
	}
	switch w.transport {
	case "":
		return
	case "stdio":
		want("args", "[]")
	default:
		want("description", `""`)
	}
	want("enabled", "true")
}
