package client

import (
	"strings"
	"time"

	"github.com/mcpctl/mcpctl/internal/store/jsonc"
)

// Clients whose servers are a list of entries with their names inside. mcpctl reads them.

// Continue: YAML, and mcpServers in its config.yaml. ${{ secrets.NAME }} are its own secrets, of which mcpctl has
// those that are in the environment, where Continue looks too.
var continueDialect = Dialect{Read: continueShape.read, About: append(continueShape.about(),
	"servers: a list of entries with their names inside",
	"variables: ${{ secrets.NAME }} is taken from the environment")}

var continueShape = &shape{
	client:   "Continue",
	has:      []string{"cwd"},
	names:    []alias{{"connectionTimeout", "timeout"}, {"name", ""}},
	spelling: spelling{read: readContinue},
	resolved: everyField,
	unit:     time.Millisecond,
	theirs: map[string]string{
		"serverName": "names the server otherwise in its tools",
		"namespace":  "takes the server from the registry",
	},
	reads: (*shapeReader).continues,
}

func readContinue(text string) string {
	return readReferences(text, func(text string) (ref, rest string) {
		body, rest, ok := enclosed(text, "${{", "}}")
		name, secret := strings.CutPrefix(strings.TrimSpace(body), "secrets.")
		if !ok || !secret || !isName(name) {
			return "", text
		}
		return "${" + name + "}", rest
	})
}

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
var vibeDialect = Dialect{Read: readVibe, About: append(vibeShape.about(),
	"servers: a list of entries with their names inside",
	"variables: api_key_env names the variable of a key, for the header api_key_header")}

var vibeShape = &shape{
	client:   "Mistral Vibe",
	names:    []alias{{"transport", "type"}, {"tool_timeout_sec", "timeout"}, {"name", ""}},
	spelling: spelling{read: literal},
	unit:     time.Second,
	hide:     "disabled_tools",
	theirs: map[string]string{
		"startup_timeout_sec": "limits how long the server may take to start",
		"prompt":              "tells the model about the server",
		"sampling_enabled":    "lets the server ask the model",
	},
	reads: (*shapeReader).vibe,
}

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

func readVibe(entry *jsonc.Node, project bool) Reading {
	r := vibeShape.read(entry, project)
	s := r.Entry.Reshape()
	key := s.Node().Get("api_key_env")
	if key != nil {
		name, _ := key.Text()
		header, format := "Authorization", "Bearer {token}"
		if n := s.Node().Get("api_key_header"); n != nil {
			header, _ = n.Text()
		}
		if n := s.Node().Get("api_key_format"); n != nil {
			format, _ = n.Text()
		}
		if name != "" {
			s.Set("headers", with(s.Node().Get("headers"), header, quote(strings.ReplaceAll(literal(format), "{token}", "${"+name+"}"))))
		}
	}
	for _, key := range []string{"api_key_env", "api_key_header", "api_key_format"} {
		s.Drop(key)
	}
	r.Entry = s.Node()
	return r
}
