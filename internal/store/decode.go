package store

import (
	"encoding/json"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/net/http/httpguts"

	"github.com/mcpctl/mcpctl/internal/store/jsonc"
)

// fields are the keys of an entry that mcpctl interprets (design §3). A key
// that differs from one of them, or from one of the client's own, only by case or Unicode
// folding makes the entry invalid: what a reviewer reads must be what runs.
var fields = []string{
	"type", "command", "args", "env", "cwd", "url", "headers", "enabled", "disabled",
	"timeout", "description", "exposure", "toolExposure", "oauth", "auth", "inheritEnv",
	"lifecycle", "shared", "protocolVersion",
}

// decoder reads one entry and notes what is wrong with it.
type decoder struct {
	entry  *Entry
	failed bool
}

func (d *decoder) note(rule string, pos jsonc.Position, severity, message, hint string) {
	d.entry.Problems = append(d.entry.Problems, Problem{
		Rule: rule, Code: CodeInvalid, Severity: severity, Source: d.entry.Source.Path,
		Line: pos.Line, Column: pos.Column, Server: d.entry.Name, Message: message, Hint: hint,
	})
}

// fail makes the entry invalid because of a value.
func (d *decoder) fail(pos jsonc.Position, message, hint string) {
	d.failAs(ruleValue, pos, message, hint)
}

// failAs makes the entry invalid by another rule.
func (d *decoder) failAs(rule string, pos jsonc.Position, message, hint string) {
	d.failed = true
	d.note(rule, pos, SeverityError, message, hint)
}

func (d *decoder) warn(rule string, pos jsonc.Position, message, hint string) {
	d.note(rule, pos, SeverityWarning, message, hint)
}

// clashes refuses keys written twice, and keys that only look like ours, in the
// entry and in the objects of it that we interpret (design §3.1).
func (d *decoder) clashes(entry *jsonc.Node) {
	d.twice(entry, "")
	dialect := d.entry.Source.clientRow().Dialect
	d.folded(entry, slices.Concat(fields, dialect.Fields), "")
	keys := []string{"env", "headers", "toolExposure", "oauth", "auth"}
	for _, key := range slices.Sorted(maps.Keys(dialect.Inside)) {
		if !slices.Contains(keys, key) {
			keys = append(keys, key)
		}
	}
	for _, key := range keys {
		n := entry.Get(key)
		if n == nil || n.Kind() != jsonc.Object {
			continue
		}
		d.twice(n, key+".")
		switch inside := dialect.Inside[key]; key {
		case "headers": // field names are case-insensitive (RFC 9110 §5.1)
			for _, c := range n.Clashes() {
				if !c.Exact {
					d.failAs(ruleFoldedKey, c.Pos2, "the header "+quoted(c.Key2)+" repeats "+quoted(c.Key1)+" of "+at(c.Pos1), "keep one of them")
				}
			}
		case "auth":
			d.folded(n, append([]string{"type", "credentialId"}, inside...), key+".")
		case "oauth":
			d.folded(n, slices.Concat(oauthFields, inside), key+".")
		default:
			d.folded(n, inside, key+".")
		}
	}
}

func (d *decoder) twice(n *jsonc.Node, prefix string) {
	for _, c := range n.Clashes() {
		if c.Exact {
			d.failAs(ruleDuplicateKey, c.Pos2, "the key "+quoted(prefix+c.Key2)+" stands twice, first at "+at(c.Pos1), "keep one of them")
		}
	}
}

func (d *decoder) folded(n *jsonc.Node, known []string, prefix string) {
	for _, m := range n.Members() {
		if slices.Contains(known, m.Key) {
			continue
		}
		for _, k := range known {
			if !strings.EqualFold(m.Key, k) {
				continue
			}
			msg := "the key " + quoted(prefix+m.Key) + " differs from '" + prefix + k + "' only by case"
			if first := n.Get(k); first != nil {
				msg += ", which stands at " + at(first.Position())
			}
			d.failAs(ruleFoldedKey, m.KeyPosition, msg, "write '"+k+"'")
			break
		}
	}
}

func at(p jsonc.Position) string {
	return "line " + strconv.Itoa(p.Line) + ", column " + strconv.Itoa(p.Column)
}

func (d *decoder) decode(n *jsonc.Node) (*Definition, *Override) {
	def := &Definition{Enabled: true}
	enabled := d.enabled(n)
	def.Timeout = d.timeout(n)
	def.Exposure = d.exposure(n, "exposure")
	def.ToolExposure = d.toolExposure(n)
	def.Command, def.Cwd, def.URL = d.str(n, "command"), d.str(n, "cwd"), d.str(n, "url")
	def.Description, def.ProtocolVersion = d.str(n, "description"), d.str(n, "protocolVersion")
	def.Args = d.strings(n, "args")
	def.Env, def.Headers = d.strMap(n, "env"), d.strMap(n, "headers")
	def.InheritEnv, def.Lifecycle, def.Shared = d.inheritEnv(n), d.lifecycle(n), d.shared(n)
	d.auth(n, def)
	def.OAuth = d.oauth(n)
	if enabled != nil {
		def.Enabled = *enabled
	}
	if n.Get("command") == nil && n.Get("url") == nil && n.Get("type") == nil {
		return nil, d.override(n, def, enabled)
	}
	d.transport(n, def)
	return def, nil
}

// override accepts an entry without command, url and type. It has a server to
// change only where something lies below it, so never in a user file but that of a
// client that lays several on one another.
func (d *decoder) override(n *jsonc.Node, def *Definition, enabled *bool) *Override {
	if src := d.entry.Source; src.Scope == User && !src.clientRow().Layers {
		d.failAs(ruleNoTransport, n.Position(), "neither 'command' nor 'url'", "a stdio server has a command, an http server a url")
		return nil
	}
	for _, key := range []string{"args", "env", "cwd", "headers", "oauth", "auth", "inheritEnv", "shared"} {
		if n.Get(key) != nil {
			d.failAs(ruleNoTransport, n.Position(), "'"+key+"' without 'command' or 'url'",
				"an entry without them is an override: it may hold only enabled, timeout, exposure and toolExposure")
			break
		}
	}
	return &Override{Enabled: enabled, Timeout: def.Timeout, Exposure: def.Exposure, ToolExposure: def.ToolExposure}
}

// transport decides once how the server is spoken to.
func (d *decoder) transport(n *jsonc.Node, def *Definition) {
	hasCommand, hasURL := n.Get("command") != nil, n.Get("url") != nil
	typ := d.str(n, "type")
	pos := n.Position()
	if t := n.Get("type"); t != nil {
		pos = t.Position()
	}
	switch typ {
	case "":
		if hasCommand && hasURL {
			d.failAs(ruleTwoTransports, pos, "both 'command' and 'url', and no 'type' to decide", "remove one of them, or say type stdio or http")
			return
		}
		def.Transport = Stdio
		if hasURL {
			def.Transport = HTTP
		}
	case "stdio":
		def.Transport = Stdio
	case "http", "streamable-http":
		def.Transport = HTTP
	case "sse":
		def.Transport = SSE
	default:
		d.failAs(ruleUnknownType, pos, "unknown type "+quoted(typ), "use stdio, http, streamable-http or sse")
		return
	}
	if def.Transport == Stdio {
		d.stdio(n, def, hasURL)
		return
	}
	if hasCommand {
		d.warn(ruleIgnored, n.Get("command").Position(), "'command' is ignored: the type is "+typ, "remove it")
	}
	d.url(n, def)
}

func (d *decoder) stdio(n *jsonc.Node, def *Definition, hasURL bool) {
	if hasURL {
		d.warn(ruleIgnored, n.Get("url").Position(), "'url' is ignored: the type is stdio", "remove it")
	}
	if def.Command == "" {
		d.failAs(ruleNoTransport, n.Position(), "a stdio server needs a 'command'", "name the program in 'command'")
	}
	if len(def.Headers) > 0 {
		d.warn(ruleIgnored, n.Get("headers").Position(), "'headers' is ignored: the transport is stdio", "use 'env'")
	}
	if def.OAuth != nil {
		d.warn(ruleIgnored, n.Get("oauth").Position(), "'oauth' is ignored: the transport is stdio", "use 'env'")
	}
	d.shellValue(n, "command", def.Command)
	d.shellValue(n, "cwd", def.Cwd)
	for _, a := range def.Args {
		d.shellValue(n, "args", a)
	}
	for _, v := range def.Env {
		d.shellValue(n, "env", v)
	}
	for k := range def.Env {
		if k == "" || strings.ContainsAny(k, "=\x00") {
			d.fail(n.Get("env").Position(), quoted(k)+" is not a variable name", "")
		}
	}
}

func (d *decoder) url(n *jsonc.Node, def *Definition) {
	pos := n.Position()
	if u := n.Get("url"); u != nil {
		pos = u.Position()
	}
	d.headers(n)
	for _, v := range def.Headers {
		d.shellValue(n, "headers", v)
	}
	d.shellValue(n, "url", def.URL)
	if strings.Contains(def.URL, "${") || isCommand(def.URL) {
		return // known only when it is resolved
	}
	if why, hint := URLFault(def.URL); why != "" {
		d.failAs(ruleURL, pos, why, hint)
	}
}

// headers refuses names with which no request could be sent (RFC 9110 §5.1).
func (d *decoder) headers(n *jsonc.Node) {
	h := n.Get("headers")
	if h == nil || h.Kind() != jsonc.Object {
		return
	}
	for _, m := range h.Members() {
		if !httpguts.ValidHeaderFieldName(m.Key) {
			d.fail(m.KeyPosition, strconv.QuoteToASCII(m.Key)+" is not the name of a header", "a name has no blanks, colons or control characters")
		}
	}
}

// shellValue refuses `!command` values in files a repository supplies; they are
// never run from there, approved or not (design §3.2). Elsewhere they have to be
// words.
func (d *decoder) shellValue(n *jsonc.Node, key, v string) {
	if !isCommand(v) {
		return
	}
	if whose := noCommands(d.entry.Source.Scope); whose != "" {
		d.failAs(ruleCommandValue, n.Get(key).Position(), "a '!command' value in '"+key+"' of "+whose,
			"commands as values are for user and local files only; use ${NAME}")
		return
	}
	if _, why := splitCommand(v); why != "" {
		d.failAs(ruleCommandValue, n.Get(key).Position(), "the '!command' value in '"+key+"' "+why, commandHint)
	}
}

// noCommands names what must not hold `!command` values: what a repository supplies,
// and what a program hands to a session; "" where they are allowed.
func noCommands(scope Scope) string {
	switch scope {
	case Project:
		return "a project file"
	case Session:
		return "a session's server"
	}
	return ""
}

// URLFault says why u is not the address of an MCP server, with a hint; "" when
// it is: an absolute http or https URL with a host.
func URLFault(u string) (why, hint string) {
	parsed, err := url.Parse(u)
	switch {
	case u == "":
		return "the url is empty", "write it as https://HOST/PATH"
	case err != nil || strings.ContainsAny(u, " \t\r\n"):
		return "the url does not parse", "write it as https://HOST/PATH"
	case parsed.Scheme != "http" && parsed.Scheme != "https":
		return "the url has no http:// or https:// in front", "write it as https://HOST/PATH"
	case parsed.Hostname() == "":
		return "the url has no host", "write it as https://HOST/PATH"
	}
	return "", ""
}

func (d *decoder) enabled(n *jsonc.Node) *bool {
	e, off := n.Get("enabled"), n.Get("disabled")
	if off != nil {
		v, ok := boolean(off)
		if !ok {
			d.fail(off.Position(), "'disabled' is true or false", "")
			return nil
		}
		v = !v
		if e == nil {
			return &v
		}
	}
	if e == nil {
		return nil
	}
	v, ok := boolean(e)
	if !ok {
		d.fail(e.Position(), "'enabled' is true or false", "")
	}
	return &v
}

func (d *decoder) shared(n *jsonc.Node) bool {
	v := n.Get("shared")
	if v == nil {
		return false
	}
	shared, ok := boolean(v)
	if !ok {
		d.fail(v.Position(), "'shared' is true or false", "")
	}
	return shared
}

// timeout: a string has a unit; a number below 1000 is seconds, from 1000 on
// milliseconds, because clients disagree (design §3).
func (d *decoder) timeout(n *jsonc.Node) *time.Duration {
	t := n.Get("timeout")
	if t == nil {
		return nil
	}
	var dur time.Duration
	switch t.Kind() {
	case jsonc.String:
		text, _ := t.Text()
		parsed, err := time.ParseDuration(text)
		if err != nil {
			d.fail(t.Position(), "the timeout "+quoted(text)+" does not parse", `write a number of seconds or a string with a unit, such as "30s" or "1500ms"`)
			return nil
		}
		dur = parsed
	case jsonc.Number:
		var f float64
		if json.Unmarshal(t.Raw(), &f) == nil {
			unit := time.Second
			if f >= 1000 {
				unit = time.Millisecond
			}
			dur = time.Duration(f * float64(unit))
		}
	}
	const longest = 24 * time.Hour
	if dur <= 0 || dur > longest {
		d.fail(t.Position(), "the timeout is not between 0 and 24 h", `write a number of seconds or a string with a unit, such as "30s" or "1500ms"`)
		return nil
	}
	return &dur
}

func (d *decoder) inheritEnv(n *jsonc.Node) InheritEnv {
	v := n.Get("inheritEnv")
	if v == nil {
		return InheritEnv{}
	}
	if all, ok := boolean(v); ok {
		return InheritEnv{All: all}
	}
	return InheritEnv{Names: d.strings(n, "inheritEnv")}
}

func (d *decoder) lifecycle(n *jsonc.Node) Lifecycle {
	switch l := Lifecycle(d.str(n, "lifecycle")); l {
	case "":
		return Eager
	case Lazy, Eager, KeepAlive:
		return l
	default:
		d.fail(n.Get("lifecycle").Position(), "unknown lifecycle "+quoted(string(l)), "use lazy, eager or keep-alive")
		return Eager
	}
}
