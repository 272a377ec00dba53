package client

import (
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/mcpctl/mcpctl/internal/store/jsonc"
)

// Codex: TOML, [mcp_servers.NAME] among the other settings. Text stands for itself; what comes from the environment
// is said by fields of its own: env_vars are the variables that are passed on, bearer_token_env_var and
// env_http_headers the headers that are made of one. A header of a variable that is unset is left out there, and
// fails the server here. An entry with fields of both transports is refused. A relative path is meant from the folder
// of the file.
var (
	codexDialect = Dialect{Read: readCodex, Write: writeCodex, About: append(codexShape.about(),
		"variables: env_vars, bearer_token_env_var and env_http_headers name variables; text holds no references",
		"paths: a relative cwd, and a command that begins with ./, are meant from the folder of the file")}
	codexShape = &shape{
		client:   "Codex",
		names:    []alias{{"http_headers", "headers"}, {"tool_timeout_sec", "timeout"}, {"name", ""}},
		spelling: spelling{read: literal},
		unit:     time.Second,
		off:      "enabled",
		words:    map[string]string{"stdio": "-", "http": "-"},
		show:     "enabled_tools", hide: "disabled_tools",
		oauth: []alias{{"client_id", "clientId"}},
		has:   []string{"cwd"},
		theirs: map[string]string{
			"startup_timeout_sec":          "limits how long the server may take to start",
			"startup_timeout_ms":           "limits how long the server may take to start",
			"required":                     "makes Codex end if the server does not start",
			"supports_parallel_tool_calls": "lets tools run at once",
			"default_tools_approval_mode":  "says which tools run unasked",
			"tools":                        "says which tools run unasked",
			"experimental_environment":     "says where the server runs",
			"oauth_resource":               "names the resource of a sign-in",
		},
		reads: (*shapeReader).codex,
	}
)

var (
	codexStdio = []string{"args", "env", "env_vars", "cwd"}
	codexHTTP  = []string{"http_headers", "env_http_headers", "bearer_token_env_var", "oauth", "oauth_resource"}
	notCodex   = []string{"type", "headers", "timeout", "disabled", "toolExposure", "exposure", "inheritEnv", "lifecycle", "protocolVersion", "description", "auth"}
)

// codex tells what Codex does not accept, and leaves out what it does not look at.
func (r *shapeReader) codex() {
	command, url := r.get("command"), r.get("url")
	wrong := func(keys []string, transport string) {
		for _, key := range keys {
			if n := r.get(key); n != nil {
				r.Notes = append(r.Notes, Note{Position: n.Position(), Fatal: true,
					Message: "Codex refuses '" + key + "' beside '" + transport + "'", Hint: "remove one of them"})
			}
		}
	}
	switch {
	case command != nil:
		wrong(append([]string{"url", "bearer_token"}, codexHTTP...), "command")
	case url != nil:
		wrong(codexStdio, "url")
		if n := r.get("bearer_token"); n != nil {
			r.Notes = append(r.Notes, Note{Position: n.Position(), Fatal: true,
				Message: "Codex refuses 'bearer_token'", Hint: "put the token into a variable and name that with bearer_token_env_var"})
		}
	}
	for _, key := range notCodex {
		if n := r.get(key); n != nil {
			hint := ""
			if key == "headers" {
				hint = "write http_headers"
			}
			r.note(n, "Codex does not look at '"+key+"'", hint)
			r.Drop(key)
		}
	}
}

func readCodex(entry *jsonc.Node, project bool) Reading {
	r := &shapeReader{Reading: codexShape.read(entry, project), of: codexShape}
	r.Shape = r.Entry.Reshape()
	r.codexVariables()
	r.codexHeaders()
	if scopes := r.get("scopes"); scopes != nil {
		r.Set("oauth", with(r.get("oauth"), "scope", quote(strings.Join(textsOf(scopes), " "))))
		r.Drop("scopes")
	}
	r.Entry = r.Node()
	return r.Reading
}

// codexVariables: names, or objects that say where a name comes from.
func (r *shapeReader) codexVariables() {
	vars := r.get("env_vars")
	if vars == nil {
		return
	}
	var names []string
	for _, el := range vars.Elements() {
		name, ok := el.Text()
		if n := el.Get("name"); n != nil {
			name, ok = n.Text()
		}
		if source := el.Get("source"); source != nil {
			if word, _ := source.Text(); word != "local" {
				r.gap(source, "env_vars", "a variable of another machine, which mcpctl cannot express: it is left out", "")
				continue
			}
		}
		if !ok {
			r.note(el, "'env_vars' is a list of names", "")
			continue
		}
		names = append(names, name)
	}
	r.Drop("env_vars")
	if len(names) > 0 {
		r.Set("inheritEnv", list(names))
	}
}

// codexHeaders: those that are made of variables join the others.
func (r *shapeReader) codexHeaders() {
	if bearer := r.get("bearer_token_env_var"); bearer != nil {
		name, _ := bearer.Text()
		r.Drop("bearer_token_env_var")
		r.Set("headers", with(r.get("headers"), "Authorization", quote("Bearer ${"+name+"}")))
	}
	more := r.get("env_http_headers")
	if more == nil {
		return
	}
	for key, value := range more.All() {
		name, _ := value.Text()
		r.Set("headers", with(r.get("headers"), key, quote("${"+name+"}")))
	}
	r.Drop("env_http_headers")
}

// with is an object, or a new one, with a member set.
func with(object *jsonc.Node, key string, value json.RawMessage) json.RawMessage {
	var s *jsonc.Shape
	if object != nil {
		s = object.Reshape()
	}
	if s == nil {
		_, s, _ = reshape(json.RawMessage("{}"))
	}
	s.Set(key, value)
	return s.Node().Raw()
}

// writeCodex takes the references out of the values first, which Codex has fields of its own for.
func writeCodex(entry json.RawMessage) (Writing, error) {
	n, s, err := reshape(entry)
	if err != nil {
		return Writing{}, err
	}
	w := &writer{Shape: s, client: "Codex"}
	_, add, _ := reshape(json.RawMessage("{}"))
	stdio := transportOf(n) == "stdio"
	if stdio || transportOf(n) == "" {
		if names := w.passedOn(n); len(names) > 0 {
			add.Set("env_vars", list(names))
		}
		w.rooted(n)
	}
	if !stdio {
		w.codexHeaders(n, add)
	}
	if o := n.Get("oauth"); o != nil && o.Get("scope") != nil && !stdio {
		scope, _ := o.Get("scope").Text()
		add.Set("scopes", list(strings.Fields(scope)))
		w.without("oauth", "scope")
	}
	out, err := codexShape.write(w.Node().Raw())
	if err != nil {
		return Writing{}, err
	}
	out.Gaps = append(w.gaps, out.Gaps...)
	_, result, err := reshape(out.Entry)
	if err != nil {
		return Writing{}, err
	}
	for key, value := range add.Node().All() {
		result.Set(key, value.Raw())
	}
	out.Entry = result.Node().Raw()
	return out, nil
}

// without takes a member out of an object, and the object with the last one.
func (w *writer) without(key, member string) {
	o := w.Node().Get(key).Reshape()
	o.Drop(member)
	if len(o.Node().Members()) == 0 {
		w.Drop(key)
		return
	}
	w.Set(key, o.Node().Raw())
}

// passedOn takes the variables that are only passed on out of env and inheritEnv. The child lacks one that is unset;
// for mcpctl one of env fails the server then.
func (w *writer) passedOn(n *jsonc.Node) (names []string) {
	switch inherit := n.Get("inheritEnv"); {
	case inherit == nil:
	case inherit.Kind() == jsonc.Array:
		names = textsOf(inherit)
		w.Drop("inheritEnv")
	case string(inherit.Raw()) == "true":
		w.gap("inheritEnv", w.client+" passes only named variables on")
	default:
		w.Drop("inheritEnv")
	}
	env := n.Get("env")
	if env == nil {
		return names
	}
	for key, value := range env.All() {
		names = slices.DeleteFunc(names, func(name string) bool { return name == key }) // what env says is stronger
		if text, _ := value.Text(); text == "${"+key+"}" {
			names = append(names, key)
			w.without("env", key)
		}
	}
	return names
}

// rooted refuses relative paths, which Codex means from the folder of its file, and ~, which it does not expand.
func (w *writer) rooted(n *jsonc.Node) {
	if command := n.Get("command"); command != nil {
		text, _ := command.Text()
		if strings.HasPrefix(text, "./") || strings.HasPrefix(text, "../") || strings.HasPrefix(text, "~/") {
			w.fatal("command", "Codex would look for the command "+string(quote(text))+" from the folder of its file; write an absolute path")
		}
	}
	if cwd := n.Get("cwd"); cwd != nil {
		if text, _ := cwd.Text(); !strings.HasPrefix(text, "/") {
			w.gap("cwd", "Codex would take the cwd "+string(quote(text))+" from the folder of its file; write an absolute path")
		}
	}
}

// codexHeaders puts the headers that are one variable, or a bearer token of one, into their own fields.
func (w *writer) codexHeaders(n *jsonc.Node, add *jsonc.Shape) {
	headers := n.Get("headers")
	if headers == nil {
		return
	}
	for key, value := range headers.All() {
		text, _ := value.Text()
		if rest, ok := strings.CutPrefix(text, "Bearer "); ok && key == "Authorization" && isReference(rest) {
			add.Set("bearer_token_env_var", quote(rest[2:len(rest)-1]))
			w.without("headers", key)
			continue
		}
		if isReference(text) {
			add.Set("env_http_headers", with(add.Node().Get("env_http_headers"), key, quote(text[2:len(text)-1])))
			w.without("headers", key)
		}
	}
}

// isReference tells whether a value is one variable and nothing else.
func isReference(text string) bool {
	name, rest, ok := enclosed(text, "${", "}")
	return ok && rest == "" && isName(name)
}
