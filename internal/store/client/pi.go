package client

import (
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	"github.com/mcpctl/mcpctl/internal/store/jsonc"
)

// piDialect is pi 1.6. Where its fields mean something else than mcpctl's, the
// function that converts them says so. Not taken over, because design.md decides:
// a child that inherits the whole environment (say inheritEnv), an empty command,
// a url that wins over a command beside it, and `disabled`, which pi ignores in
// silence and mcpctl honours.
var piDialect = Dialect{Read: readPi, Write: writePi, About: []string{
	"type: stdio, http, streamable-http", "timeout: seconds", "references: $NAME, ${NAME} in env and headers; $$ is a dollar",
	"exposure: codemode where an entry does not say",
}}

var (
	resolvedFields = []string{"env", "headers"}                // pi resolves references in these
	verbatimFields = []string{"command", "args", "cwd", "url"} // and takes these as they stand
)

// secondsAreMany: a timeout above an hour was probably meant in milliseconds.
const secondsAreMany = 3600

func readPi(entry *jsonc.Node, project bool) Reading {
	r := Reading{}
	s := entry.Reshape()
	r.piTimeout(entry, s)
	r.piTransport(entry, s)
	r.piAuth(entry, project)
	for _, key := range resolvedFields {
		s.Texts(key, fromPi)
	}
	for _, key := range verbatimFields {
		s.Texts(key, Literal)
	}
	if o := s.Node().Get("oauth"); o != nil && o.Get("clientSecret") != nil {
		oauth := o.Reshape()
		oauth.Texts("clientSecret", fromPi)
		s.SetShape("oauth", oauth)
	}
	// pi's default is codemode, which mcpctl reads as deferred; its own is direct.
	if isDefinition(entry) && entry.Get("exposure") == nil {
		s.Set("exposure", quote("codemode"))
	}
	r.Entry = s.Node()
	return r
}

// piTimeout: a number is seconds, however large; mcpctl alone would take 1000 and
// more for milliseconds. pi takes no string.
func (r *Reading) piTimeout(entry *jsonc.Node, s *jsonc.Shape) {
	t := entry.Get("timeout")
	if t == nil {
		return
	}
	r.timeoutIn(s, "pi", time.Second)
	if f, err := strconv.ParseFloat(string(t.Raw()), 64); err == nil && f > secondsAreMany {
		r.note(t, fmt.Sprintf("the timeout is %s seconds for pi, more than an hour", t.Raw()), "pi counts seconds; were milliseconds meant?")
	}
}

// piTransport: pi does not speak sse, which mcpctl does; and it does not look at
// the fields of the transport an entry does not have, whatever they hold.
func (r *Reading) piTransport(entry *jsonc.Node, s *jsonc.Shape) {
	word := ""
	if t := entry.Get("type"); t != nil {
		word, _ = t.Text()
		if word == "sse" {
			r.note(t, "pi does not speak sse and refuses this entry; mcpctl does", "use http if the server has it")
		}
	}
	hasCommand, hasURL := entry.Get("command") != nil, entry.Get("url") != nil
	var idle []string
	switch {
	case word == "stdio" || word == "" && hasCommand && !hasURL:
		idle = onlyHTTP
	case word != "" || hasURL && !hasCommand:
		idle = onlyStdio
	}
	for _, key := range idle {
		if n := entry.Get(key); n != nil {
			r.note(n, "'"+key+"' is ignored: the transport does not use it", "remove it")
			s.Drop(key)
		}
	}
}

// piAuth: {"provider": NAME} sends the token of one of pi's logins. mcpctl has no
// such login, and pi drops a project's entry that asks for one.
func (r *Reading) piAuth(entry *jsonc.Node, project bool) {
	a := entry.Get("auth")
	if a == nil {
		return
	}
	if project && entry.Get("url") != nil {
		r.note(a, "pi accepts no 'auth' in a project file: a repository must not choose where a credential goes", "put the server into the user's file")
		r.Notes[len(r.Notes)-1].Fatal = true
		return
	}
	if a.Get("provider") != nil {
		r.note(a, "'auth.provider' names a login of pi, whose token mcpctl does not have", "use a header with ${NAME}, or OAuth")
	}
}

func writePi(entry json.RawMessage) (Writing, error) {
	n, s, err := reshape(entry)
	if err != nil {
		return Writing{}, err
	}
	w := &writer{Shape: s, client: "pi"}
	if t := n.Get("type"); t != nil {
		if word, _ := t.Text(); word == "sse" {
			w.fatal("type", "pi does not speak sse; use http if the server has it")
		}
	}
	w.timeout(n, time.Second)
	w.spell(resolvedFields, toPi)
	w.spell(verbatimFields, spelling{}.write)
	return w.writing(), nil
}
