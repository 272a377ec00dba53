package client

import (
	"encoding/json"
	"time"

	"github.com/mcpctl/mcpctl/internal/store/jsonc"
)

// OpenCode: JSON with comments, servers of type local and remote, the command and its
// arguments in one array. OpenCode 1 has the servers directly in `mcp` and switches them
// with `enabled`; OpenCode 2 reads that too, and itself writes `mcp.servers` with
// `disabled`, and the names of oauth with an underscore. A file that has mcp.servers is
// read and written the second way, any other the first.
//
// Both put variables in the place of {env:NAME}, and the content of a file in the place
// of {file:PATH}, anywhere in the text. mcpctl never reads that file: the word that names
// it may be a repository's, and its content would go to a server. In a project's file
// such an entry is invalid; in the user's the variable or header is left out, and told.
//
// Layers: OpenCode 1 merges entries of one name field by field, from the user's file up
// to .opencode/opencode.jsonc; OpenCode 2 takes the strongest whole. mcpctl takes the
// strongest definition whole, and lays on it what stands above as an entry without
// command and url: `enabled` and `timeout`, as any override. Each layer of a project is
// approved by itself.
var (
	opencodeSignIn   = []alias{{"clientId", "clientId"}, {"clientSecret", "clientSecret"}, {"scope", "scope"}, {"callbackPort", "callbackPort"}, {"redirectUri", "callbackUrl"}}
	opencodeDialect  = opencodeShape("enabled", opencodeSignIn).dialect()
	opencode2Dialect = opencodeShape("disabled", []alias{{"client_id", "clientId"}, {"client_secret", "clientSecret"}, {"scope", "scope"}, {"callback_port", "callbackPort"}, {"redirect_uri", "callbackUrl"}}).dialect()
)

// Kilo Code 7 grew out of OpenCode 1, and has its files in places of its own. It reads those
// of OpenCode in its own folders too.
var kiloDialect = func() Dialect {
	kilo := opencodeShape("enabled", opencodeSignIn)
	kilo.client = "Kilo Code"
	kilo.facts = []string{layersFact}
	return kilo.dialect()
}()

const layersFact = "layers: an entry without command and address lies on that of a weaker file"

func opencodeShape(off string, oauth []alias) *shape {
	return &shape{
		client: "OpenCode",
		facts: []string{
			"editions: a file with mcp.servers, of OpenCode 2, has disabled in place of enabled",
			layersFact,
		},
		names:    []alias{{"environment", "env"}},
		spelling: opencodeSpelling,
		unit:     time.Millisecond,
		off:      off,
		words:    map[string]string{"stdio": "local", "http": "remote", "sse": ""},
		signIn:   signIn{in: "oauth", fields: oauth},
		has:      []string{"cwd"},
		reads:    (*shapeReader).opencode,
		writes:   (*shapeWriter).opencode,
	}
}

const (
	opencodeVariable = "{env:"
	opencodeFile     = "{file:"
)

var opencodeSpelling = spelling{
	forms:    "{env:NAME}; not {file:PATH}",
	variable: func(name string) string { return opencodeVariable + name + "}" },
	own: func(text string) (ref, rest string) {
		if name, rest, ok := enclosed(text, opencodeVariable, "}"); ok && isName(name) {
			return "${" + name + "}", rest
		}
		if _, rest, ok := enclosed(text, opencodeFile, "}"); ok {
			return "${:-}", rest // never the text itself; see opencodeFiles
		}
		return "", text
	},
}

func (r *shapeReader) opencode() {
	r.opencodeFiles()
	r.opencodeWords()
	r.opencodeCommand()
	if o := r.get("oauth"); o != nil && string(o.Raw()) == "false" {
		r.gap(o, "oauth", "'oauth' of false keeps "+r.of.client+" from signing in, which mcpctl cannot express", "")
		r.Drop("oauth")
	}
	if e := r.get("enabled"); e != nil && r.of.off == "disabled" {
		r.note(e, "OpenCode 2 does not look at 'enabled'", "write 'disabled'")
	}
	if t := r.get("timeout"); t != nil && t.Kind() == jsonc.Object {
		r.gap(t, "timeout", "'timeout' has several limits, of which mcpctl takes the one of a call", "")
		if call := t.Get("execution"); call != nil {
			r.Set("timeout", call.Raw())
		} else {
			r.Drop("timeout")
		}
	}
}

// opencodeWords: local and remote; an entry that says only that is an override.
func (r *shapeReader) opencodeWords() {
	t := r.get("type")
	if r.get("command") == nil && r.get("url") == nil {
		r.Drop("type")
		return
	}
	if t == nil {
		r.note(r.Node(), r.of.client+" wants a 'type' of local or remote", "")
		return
	}
	switch word, _ := t.Text(); word {
	case "local":
		r.Set("type", quote("stdio"))
	case "remote":
		r.Set("type", quote("http"))
	default:
		r.note(t, r.of.client+" knows the types local and remote", "")
	}
}

// opencodeCommand takes the array apart.
func (r *shapeReader) opencodeCommand() {
	c := r.get("command")
	if c == nil {
		return
	}
	if c.Kind() != jsonc.Array {
		r.note(c, r.of.client+" wants 'command' to be an array of the program and its arguments", "")
		return
	}
	words := c.Elements()
	if len(words) == 0 {
		r.Set("command", quote(""))
		return
	}
	var args []json.RawMessage
	for _, word := range words[1:] {
		args = append(args, word.Raw())
	}
	if more := r.get("args"); more != nil {
		r.note(more, r.of.client+" does not look at 'args'", "put the arguments into 'command'")
		r.Drop("args")
	}
	r.Set("command", words[0].Raw())
	if len(args) > 0 {
		r.Set("args", rawList(args))
	}
}

// opencodeFiles finds the values that name a file. A variable or header of the user's is
// left out; without any other value there is no server.
func (r *shapeReader) opencodeFiles() {
	const hint = "use {env:NAME}"
	for _, m := range r.Node().Members() {
		at, _ := holding(m.Value, opencodeFile)
		if at == nil {
			continue
		}
		group := m.Key == "environment" || m.Key == "headers" || m.Key == "oauth"
		if r.project || !group || m.Value.Kind() != jsonc.Object {
			r.refuse(at, m.Key, "'"+m.Key+"' takes the content of a file, which mcpctl does not read", hint)
			continue
		}
		rest := m.Value.Reshape()
		for _, value := range m.Value.Members() {
			if at, _ := holding(value.Value, opencodeFile); at != nil {
				field := m.Key + "." + value.Key
				r.gap(at, field, "'"+field+"' takes the content of a file, which mcpctl does not read: it is left out", hint)
				rest.Drop(value.Key)
			}
		}
		r.SetShape(m.Key, rest)
	}
}

func (w *shapeWriter) opencode() {
	if w.transport == "sse" {
		w.Set("type", quote("remote"))
	}
	command, args := w.Node().Get("command"), w.Node().Get("args")
	if command == nil || w.transport != "stdio" {
		return
	}
	words := []json.RawMessage{command.Raw()}
	if args != nil {
		for _, arg := range args.Elements() {
			words = append(words, arg.Raw())
		}
		w.Drop("args")
	}
	w.Set("command", rawList(words))
}
