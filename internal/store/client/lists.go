package client

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/mcpctl/mcpctl/internal/store/jsonc"
)

// Clients whose servers are a list of entries with their names inside. mcpctl reads them.

// Continue: YAML, and mcpServers in its config.yaml and in the files of its folders. ${{ secrets.NAME }} are its own secrets, of which mcpctl has
// those that are in the environment, where Continue looks too.
var continueDialect = (&shape{
	client:   "Continue",
	has:      []string{"cwd"},
	more:     []string{"requestOptions"},
	objects:  map[string][]string{"requestOptions": {"headers"}},
	names:    []alias{{"connectionTimeout", "timeout"}, {"name", ""}},
	spelling: continueSpelling,
	unit:     time.Millisecond,
	gaps:     map[string]string{"namespace": "it takes the server from the registry"},
	aside: map[string]string{
		"serverName": "it names the server otherwise in its tools",
	},
	facts: []string{
		"servers: a list of entries with their names inside",
		"variables: ${{ secrets.NAME }} is taken from the environment",
		"JSON: a file of another client in the folder is read as that client has it, ${NAME} in env and headers; one entry alone is called as the file is",
	},
	reads: (*shapeReader).continues,
}).readOnly()

var continueSpelling = spelling{
	own: func(text string) (ref, rest string) {
		body, rest, ok := enclosed(text, "${{", "}}")
		name, secret := strings.CutPrefix(strings.TrimSpace(body), "secrets.")
		if !ok || !secret || !isName(name) {
			return "", text
		}
		return "${" + name + "}", rest
	},
	variable: func(name string) string { return "${{ secrets." + name + " }}" },
	forms:    "${{ secrets.NAME }}",
}

// continueJSONDialect are files of other clients, JSON, that lie in Continue's folder. It takes a few fields of them,
// and ${NAME} in variables and headers for its own secrets.
var continueJSONDialect = (&shape{
	client:   "Continue",
	types:    known("stdio", "http", "sse"),
	spelling: spelling{bare: true},
	resolved: []string{"env", "headers"},
	gaps:     map[string]string{"envFile": envFileWhy},
}).readOnly()

// continues: headers stand in requestOptions.
func (r *shapeReader) continues() {
	options := r.get("requestOptions")
	if options == nil {
		return
	}
	for key, value := range options.All() {
		if key == "headers" {
			r.Set("headers", value.Raw())
			continue
		}
		r.gap(value, "requestOptions."+key, "'requestOptions."+key+"' is a field that mcpctl cannot express", "")
	}
	r.Drop("requestOptions")
}

// Mistral Vibe: TOML, [[mcp_servers]] with a `transport`. api_key_env names the variable of a key, which is sent in
// the header api_key_header in the form api_key_format, unless there is such a header. These and headers stand in the
// entry or in its table auth, which may speak of a sign-in instead (the definitions of its settings, 2026).
var vibeDialect = (&shape{
	client:  "Mistral Vibe",
	has:     []string{"cwd"},
	objects: map[string][]string{"auth": vibeStatic},
	names:   []alias{{"transport", "type"}, {"tool_timeout_sec", "timeout"}, {"name", ""}},
	unit:    time.Second,
	off:     "disabled",
	hide:    "disabled_tools",
	signIn: signIn{in: "auth", list: "scopes", fields: []alias{
		{"type", ""}, {"scopes", "scope"}, {"client_id", "clientId"}, {"client_metadata_url", "clientMetadataUrl"}, {"redirect_port", "callbackPort"},
	}},
	more: []string{"api_key_env", "api_key_header", "api_key_format"},
	gaps: map[string]string{"startup_timeout_sec": startWhy},
	aside: map[string]string{
		"prompt":           "it tells the model about the server",
		"sampling_enabled": "it lets the server ask the model",
	},
	facts: []string{
		"servers: a list of entries with their names inside",
		"variables: api_key_env names the variable of a key, for the header api_key_header",
		"command: words apart by blanks, or a list, are the command and its arguments",
	},
	reads: (*shapeReader).vibe, readsLast: (*shapeReader).vibeKey,
}).readOnly()

// vibe: the command may have its arguments in it, and what is sent may stand in auth.
func (r *shapeReader) vibe() {
	r.vibeCommand()
	auth := r.get("auth")
	if auth == nil || auth.Kind() != jsonc.Object {
		return
	}
	kind, _ := vibeText(auth, "type", "static")
	switch kind {
	case "oauth":
	case "static":
		r.Drop("auth")
		for key, value := range auth.All() {
			switch {
			case key == "type":
			case slices.Contains(vibeStatic, key):
				r.Set(key, value.Raw())
			default:
				r.gap(value, "auth."+key, "mcpctl has no 'auth."+key+"'", "")
			}
		}
	default:
		r.gap(auth, "auth", "'auth.type' of "+r.of.client+" is 'static' or 'oauth'", "")
		r.Drop("auth")
	}
}

// vibeStatic are the fields of an auth that is static.
var vibeStatic = []string{"headers", "api_key_env", "api_key_header", "api_key_format"}

// vibeCommand takes the command apart. One with quotes stays: it is for a reader of shell words.
func (r *shapeReader) vibeCommand() {
	command := r.get("command")
	if command == nil {
		return
	}
	words := textsOf(command)
	if text, isText := command.Text(); isText {
		words = strings.Fields(text)
		if len(words) < 2 || strings.ContainsAny(text, "\"'\\") {
			return
		}
	}
	if len(words) == 0 {
		return // no word among them, which the reader behind tells
	}
	if args := r.get("args"); args != nil {
		words = append(words, textsOf(args)...)
	}
	r.Set("command", quote(words[0]))
	r.Set("args", list(words[1:]))
}

// vibeText is a text in an object, or another when there is none.
func vibeText(in *jsonc.Node, key, otherwise string) (text string, there bool) {
	n := in.Get(key)
	if n == nil {
		return otherwise, false
	}
	text, _ = n.Text()
	return text, true
}

// vibeKey makes a header of the key.
func (r *shapeReader) vibeKey() {
	text := func(key, absent, empty string) string {
		value, there := vibeText(r.Node(), key, absent)
		if there {
			r.Drop(key)
		}
		return cmp.Or(strings.TrimSpace(value), empty)
	}
	name := text("api_key_env", "", "")
	header := text("api_key_header", "", "Authorization")
	format := text("api_key_format", "Bearer {token}", "{token}")
	headers := r.get("headers")
	if headers != nil {
		for key := range headers.All() {
			if strings.EqualFold(key, header) {
				return
			}
		}
	}
	if name != "" {
		r.Set("headers", with(headers, header, quote(strings.ReplaceAll(Literal(format), "{token}", "${"+name+"}"))))
	}
}
