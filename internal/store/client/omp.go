package client

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/mcpctl/mcpctl/internal/store/jsonc"
)

// ompDialect is oh-my-pi 18 and MusePi, which share their files' shapes. Not taken
// over, because they are faults there or design.md decides: an unset variable sent
// as the text of its placeholder, a failing `!command` that drops its value, a
// `type` that falls through to stdio, an entry of null that loses the whole file,
// servers removed because of their names; OMP_MCP_TIMEOUT_MS, and 30 s where an
// entry names no timeout.
var ompDialect = Dialect{Read: readOmp, Write: writeOmp, Fields: ompFields, Inside: map[string][]string{"oauth": ompSignIn}, About: []string{
	"timeout: milliseconds", "references: ${NAME}, ${NAME:-default}", "tools: disabledTools and enabledTools are toolExposure",
	"no counterpart: auth",
}}

var (
	ompFields = []string{
		"type", "command", "args", "env", "cwd", "url", "headers", "enabled", "timeout", "auth", "oauth",
		"disabledTools", "enabledTools", "requestIdFormat", "instructions",
	}
	ompSignIn = []string{"clientId", "clientSecret", "scope", "callbackPort", "callbackPath", "redirectUri"}
)

// ompSpelling is ${NAME} and ${NAME:-default}, and a command in env and headers.
func ompSpelling(key string) spelling {
	return spelling{bare: true, defaults: true, commands: key == "env" || key == "headers"}
}

func readOmp(entry *jsonc.Node, _ bool) Reading {
	r := Reading{}
	s := entry.Reshape()
	ompTimeout(entry, s)
	ompEnabled(entry, s)
	for _, key := range append([]string{"oauth"}, everyField...) {
		s.Texts(key, func(text string) string { return ompSpelling(key).read(text).text })
	}
	r.ompLookups(entry)
	r.ompAuth(entry, s)
	r.ompTools(entry, s)
	r.Entry = s.Node()
	return r
}

// ompTimeout: milliseconds, also as the text of a number; 0 is no limit, which
// mcpctl does not have, so it becomes the longest one.
func ompTimeout(entry *jsonc.Node, s *jsonc.Shape) {
	t := entry.Get("timeout")
	if t == nil {
		return
	}
	if ms := withUnit(t, "ms"); string(ms) == `"0ms"` {
		s.Set("timeout", quote("24h"))
	} else if ms != nil {
		s.Set("timeout", ms)
	}
}

// ompEnabled: "true", "false", "1" and "0" are taken for a boolean.
func ompEnabled(entry *jsonc.Node, s *jsonc.Shape) {
	e := entry.Get("enabled")
	if e == nil {
		return
	}
	text, ok := e.Text()
	if !ok {
		return
	}
	switch strings.ToLower(text) {
	case "true", "1":
		s.Set("enabled", json.RawMessage("true"))
	case "false", "0":
		s.Set("enabled", json.RawMessage("false"))
	}
}

// ompLookups: a whole value that is the name of a variable is that variable for
// omp. mcpctl takes it as it stands, since the text does not say which is meant.
func (r *Reading) ompLookups(entry *jsonc.Node) {
	for _, key := range []string{"env", "headers"} {
		group := entry.Get(key)
		if group == nil {
			continue
		}
		for _, m := range group.Members() {
			text, _ := m.Value.Text()
			if text == "" || nameLength(text) != len(text) || text != strings.ToUpper(text) || !strings.ContainsAny(text, "_") && text != m.Key {
				continue
			}
			r.note(m.Value, fmt.Sprintf("omp would put the variable %s here if it is set; mcpctl takes the text as it stands", text), "write ${"+text+"}")
		}
	}
}

// ompAuth: `auth` names a credential of omp's own store, which mcpctl must not
// take for one of its own; and the names inside `oauth` differ.
func (r *Reading) ompAuth(entry *jsonc.Node, s *jsonc.Shape) {
	if a := entry.Get("auth"); a != nil {
		r.note(a, "'auth' names a sign-in of omp, which mcpctl does not have", "")
		s.Drop("auth")
	}
	o := s.Node().Get("oauth")
	if o == nil || o.Kind() != jsonc.Object {
		return
	}
	oauth := o.Reshape()
	oauth.Rename("redirectUri", "callbackUrl")
	if path := o.Get("callbackPath"); path != nil && o.Get("redirectUri") == nil {
		port := o.Get("callbackPort")
		if text, ok := path.Text(); ok && port != nil && port.Kind() == jsonc.Number {
			oauth.Set("callbackUrl", quote(fmt.Sprintf("http://localhost:%s/%s", port.Raw(), strings.TrimPrefix(text, "/"))))
		}
	}
	s.SetShape("oauth", oauth)
}

// ompTools: disabledTools and enabledTools are what mcpctl says with toolExposure:
// hidden, and direct with everything else hidden. A tool in both is hidden.
func (r *Reading) ompTools(entry *jsonc.Node, s *jsonc.Shape) {
	off, on := entry.Get("disabledTools"), entry.Get("enabledTools")
	if off == nil && on == nil || entry.Get("toolExposure") != nil {
		return
	}
	rules, bad := toolRules(off, on, true)
	if bad != nil {
		r.note(bad, "mcpctl does not understand these names of tools", namesHint(true))
	}
	if rules != nil {
		s.Set("toolExposure", rules)
	}
}

func writeOmp(entry json.RawMessage) (Writing, error) {
	n, s, err := reshape(entry)
	if err != nil {
		return Writing{}, err
	}
	w := &writer{Shape: s, client: "omp"}
	if n.Get("type") == nil && n.Get("command") != nil {
		s.Set("type", quote("stdio")) // omp's own writer always says the type
	}
	w.timeout(n, time.Millisecond)
	w.ompTools(n)
	for _, key := range append([]string{"oauth"}, everyField...) {
		w.spell([]string{key}, ompSpelling(key).write)
	}
	return w.writing(), nil
}

// ompTools writes toolExposure as the two lists, which alone omp looks at.
func (w *writer) ompTools(n *jsonc.Node) {
	rules := n.Get("toolExposure")
	if rules == nil || n.Get("disabledTools") != nil || n.Get("enabledTools") != nil {
		return
	}
	hidden, shown, only, why := toolLists(rules, true)
	if why != "" {
		w.gap("toolExposure", "'toolExposure' cannot be written for omp: "+why)
		return
	}
	w.Drop("toolExposure")
	if len(hidden) > 0 {
		w.Set("disabledTools", list(hidden))
	}
	if only {
		w.Set("enabledTools", list(shown))
	}
}
