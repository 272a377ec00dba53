package client

import (
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
// the header api_key_header in the form api_key_format.
var vibeDialect = (&shape{
	client: "Mistral Vibe",
	names:  []alias{{"transport", "type"}, {"tool_timeout_sec", "timeout"}, {"name", ""}},
	unit:   time.Second,
	hide:   "disabled_tools",
	more:   []string{"api_key_env", "api_key_header", "api_key_format"},
	gaps:   map[string]string{"startup_timeout_sec": startWhy},
	aside: map[string]string{
		"prompt":           "it tells the model about the server",
		"sampling_enabled": "it lets the server ask the model",
	},
	facts: []string{
		"servers: a list of entries with their names inside",
		"variables: api_key_env names the variable of a key, for the header api_key_header",
	},
	reads: (*shapeReader).vibe, readsLast: (*shapeReader).vibeKey,
}).readOnly()

// vibe: the command may be one array with its arguments.
func (r *shapeReader) vibe() {
	command := r.get("command")
	if command == nil || command.Kind() != jsonc.Array || len(command.Elements()) == 0 {
		return
	}
	words := textsOf(command)
	if args := r.get("args"); args != nil {
		words = append(words, textsOf(args)...)
	}
	if len(words) == 0 {
		return // no word among them, which the reader behind tells
	}
	r.Set("command", quote(words[0]))
	r.Set("args", list(words[1:]))
}

// vibeKey makes a header of the key.
func (r *shapeReader) vibeKey() {
	text := func(key, otherwise string) string {
		n := r.get(key)
		if n == nil {
			return otherwise
		}
		r.Drop(key)
		value, _ := n.Text()
		return value
	}
	name := text("api_key_env", "")
	header, format := text("api_key_header", "Authorization"), text("api_key_format", "Bearer {token}")
	if name != "" {
		r.Set("headers", with(r.get("headers"), header, quote(strings.ReplaceAll(Literal(format), "{token}", "${"+name+"}"))))
	}
}
