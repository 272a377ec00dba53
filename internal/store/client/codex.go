package client

import (
	"strings"
	"time"

	"github.com/mcpctl/mcpctl/internal/store/jsonc"
)

// Codex: TOML, [mcp_servers.NAME] among the other settings. Text stands for itself; what comes from the environment
// is said by fields of its own: env_vars are the variables that are passed on, bearer_token_env_var and
// env_http_headers the headers that are made of one. A header of a variable that is unset is left out there, and
// fails the server here. An entry with fields of both transports is refused. A relative path is meant from the folder
// of the file.
var codexDialect = (&shape{
	client: "Codex",
	names:  []alias{{"http_headers", "headers"}, {"tool_timeout_sec", "timeout"}, {"name", ""}},
	unit:   time.Second,
	off:    "enabled",
	words:  map[string]string{"stdio": "-", "http": "-"},
	show:   "enabled_tools", hide: "disabled_tools",
	signIn: signIn{in: "oauth", fields: []alias{{"client_id", "clientId"}}},
	has:    []string{"cwd"},
	more:   []string{"env_vars", "bearer_token_env_var", "env_http_headers", "bearer_token", "scopes"},
	gaps: map[string]string{
		"startup_timeout_sec":      startWhy,
		"startup_timeout_ms":       startWhy,
		"experimental_environment": "it says on which machine the server runs; mcpctl runs it on this one",
		"oauth_resource":           signInWhy,
	},
	aside: map[string]string{
		"required":                     "mcpctl does not end when a server does not start",
		"supports_parallel_tool_calls": "mcpctl passes calls on as they come",
		"default_tools_approval_mode":  approvalWhy,
		"tools":                        approvalWhy,
	},
	facts: []string{
		"variables: env_vars, bearer_token_env_var and env_http_headers name variables; text holds no references",
		"paths: a relative cwd, and a command that begins with ./, are meant from the folder of the file",
	},
	reads: (*shapeReader).codex, readsLast: (*shapeReader).codexVariables,
	writesFirst: (*shapeWriter).codexVariables,
}).dialect()

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
				r.refuse(n, "", "Codex refuses '"+key+"' beside '"+transport+"'", "remove one of them")
			}
		}
	}
	switch {
	case command != nil:
		wrong(append([]string{"url", "bearer_token"}, codexHTTP...), "command")
	case url != nil:
		wrong(codexStdio, "url")
		if n := r.get("bearer_token"); n != nil {
			r.refuse(n, "", "Codex refuses 'bearer_token'", "put the token into a variable and name that with bearer_token_env_var")
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

// codexVariables: what names variables, and the scopes of a sign-in.
func (r *shapeReader) codexVariables() {
	r.codexPassedOn()
	r.codexHeaders()
	if scopes := r.get("scopes"); scopes != nil {
		r.Set("oauth", with(r.get("oauth"), "scope", quote(strings.Join(textsOf(scopes), " "))))
		r.Drop("scopes")
	}
}

// codexPassedOn: names, or objects that say where a name comes from.
func (r *shapeReader) codexPassedOn() {
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

// codexVariables takes the references out of the values, for which Codex has fields of its own.
func (w *shapeWriter) codexVariables() {
	n := w.entry
	if w.transport == "http" || w.transport == "sse" {
		w.codexHeaders(n)
		if o := n.Get("oauth"); o != nil && o.Get("scope") != nil {
			scope, _ := o.Get("scope").Text()
			w.Set("scopes", list(strings.Fields(scope)))
			w.without("oauth", "scope")
		}
		return
	}
	if names := w.passedOn(n); len(names) > 0 {
		w.Set("env_vars", list(names))
	}
	w.rooted(n)
}

// rooted refuses relative paths, which Codex means from the folder of its file, and ~, which it does not expand.
func (w *shapeWriter) rooted(n *jsonc.Node) {
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
func (w *shapeWriter) codexHeaders(n *jsonc.Node) {
	headers := n.Get("headers")
	if headers == nil {
		return
	}
	for key, value := range headers.All() {
		text, _ := value.Text()
		if rest, ok := strings.CutPrefix(text, "Bearer "); ok && key == "Authorization" && isReference(rest) {
			w.Set("bearer_token_env_var", quote(rest[2:len(rest)-1]))
			w.without("headers", key)
			continue
		}
		if isReference(text) {
			w.Set("env_http_headers", with(w.Node().Get("env_http_headers"), key, quote(text[2:len(text)-1])))
			w.without("headers", key)
		}
	}
}
