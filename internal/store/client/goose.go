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
var (
	gooseDialect = Dialect{Read: readGoose, Write: writeGoose, About: append(gooseShape.about(),
		"variables: env_keys names those that goose takes from its environment or keyring; mcpctl has only the first",
		"not servers: extensions of type builtin, platform, frontend and inline_python are parts of goose; their names are taken")}
	gooseShape = &shape{
		client:   "goose",
		names:    []alias{{"cmd", "command"}, {"uri", "url"}, {"envs", "env"}, {"name", ""}, {"display_name", ""}},
		spelling: dollars(false),
		resolved: []string{"headers"},
		unit:     time.Second,
		off:      "enabled",
		words:    map[string]string{"stdio": "stdio", "http": "streamable_http"},
		show:     "available_tools",
		has:      []string{"description"},
		theirs:   map[string]string{"bundled": "says that it came with goose"},
		reads:    (*shapeReader).goose,
	}
)

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

func readGoose(entry *jsonc.Node, project bool) Reading {
	r := &shapeReader{Reading: gooseShape.read(entry, project), of: gooseShape}
	if r.Other {
		return r.Reading
	}
	r.Shape = r.Entry.Reshape()
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
	r.Entry = r.Node()
	return r.Reading
}

func writeGoose(entry json.RawMessage) (Writing, error) {
	n, s, err := reshape(entry)
	if err != nil {
		return Writing{}, err
	}
	w := &writer{Shape: s, client: "goose"}
	transport := transportOf(n)
	var names []string
	if transport == "stdio" {
		names = w.passedOn(n)
	} else if headers := n.Get("headers"); headers != nil {
		names = variablesOf(headers)
	}
	out, err := gooseShape.write(w.Node().Raw())
	if err != nil {
		return Writing{}, err
	}
	out.Gaps = append(w.gaps, out.Gaps...)
	_, result, err := reshape(out.Entry)
	if err != nil {
		return Writing{}, err
	}
	w.Shape, w.gaps = result, out.Gaps
	if tools := result.Node().Get("available_tools"); tools != nil && saysNothing(tools) {
		w.Drop("available_tools")
		w.gaps = append(w.gaps, Gap{Field: "toolExposure", Why: "goose takes an empty list of tools for all of them"})
	}
	if len(names) > 0 {
		w.Set("env_keys", list(names))
	}
	if t := result.Node().Get("timeout"); t != nil && strings.ContainsAny(string(t.Raw()), ".-") {
		w.gap("timeout", "goose skips an extension whose timeout is no whole number of seconds")
	}
	w.gooseWants(transport)
	return w.writing(), nil
}

// gooseWants are the fields without which goose skips an extension.
func (w *writer) gooseWants(transport string) {
	want := func(key, value string) {
		if w.Node().Get(key) == nil {
			w.Set(key, json.RawMessage(value))
		}
	}
	switch transport {
	case "":
		return
	case "stdio":
		want("args", "[]")
	default:
		want("description", `""`)
	}
	want("enabled", "true")
}

// variablesOf are the variables that the values of an object refer to.
func variablesOf(object *jsonc.Node) (names []string) {
	for _, value := range object.All() {
		text, _ := value.Text()
		all, err := parts(text)
		if err != nil || strings.HasPrefix(text, "!") {
			continue
		}
		for _, p := range all {
			if p.name != "" {
				names = append(names, p.name)
			}
		}
	}
	return names
}
