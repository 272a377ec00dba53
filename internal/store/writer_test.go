package store

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
)

// jsonWriter writes random configuration files, token by token.
type jsonWriter struct {
	r       *rand.Rand
	tokens  []string
	entries int
}

func (g *jsonWriter) put(tokens ...string) { g.tokens = append(g.tokens, tokens...) }

func (g *jsonWriter) one(n int) bool { return g.r.IntN(n) == 0 }

func (g *jsonWriter) plain() []byte { return []byte(strings.Join(g.tokens, "")) }

// decorated is the same with blanks, comments and commas that end lists.
func (g *jsonWriter) decorated() []byte {
	var b bytes.Buffer
	if g.one(4) {
		b.WriteString("\xef\xbb\xbf")
	}
	for i, tok := range g.tokens {
		if last := i > 0 && tok != "," && g.tokens[i-1] != "," && g.tokens[i-1] != "{" && g.tokens[i-1] != "["; last && (tok == "}" || tok == "]") && g.one(5) {
			b.WriteByte(',')
		}
		b.WriteString(pick(g.r, "", "", "", " ", "\n", "\r\n\t", "/**/", "// \"command\": \"evil\"\n", "/* }, { */"))
		b.WriteString(tok)
	}
	return b.Bytes()
}

func pick[T any](r *rand.Rand, of ...T) T { return of[r.IntN(len(of))] }

func (g *jsonWriter) file() {
	top := func(value func()) {
		g.put("{")
		if g.one(3) {
			g.put(`"other"`, ":", pick(g.r, "1e400", `{"mcpServers":{"x":{"command":"no"}}}`, "null"), ",")
		}
		g.put(g.key("mcpServers"), ":")
		value()
		if g.one(30) {
			g.put(",", g.key(pick(g.r, "mcpServers", "MCPSERVERS", "mcp\u017fervers")), ":", "{", "}")
		}
		g.put("}")
	}
	top(func() {
		g.put("{")
		for i := range 1 + g.r.IntN(3) {
			if i > 0 {
				g.put(",")
			}
			g.put(g.key(pick(g.r, "a", "a", "b", "c-d", "c_d", "A", "e.f", "g:h", "", "i j"), "\u0061"), ":")
			g.entry()
			g.entries++
		}
		g.put("}")
	})
}

// entry writes one server. Keys come twice, in other cases, and with values of
// other types, now and then.
func (g *jsonWriter) entry() {
	g.put("{")
	defer g.put("}")
	keys := []string{"type", "args", "env", "cwd", "headers", "enabled", "disabled", "timeout", "description",
		"exposure", "toolExposure", "inheritEnv", "lifecycle", "shared", "protocolVersion", "x-unknown"}
	g.r.Shuffle(len(keys), func(i, j int) { keys[i], keys[j] = keys[j], keys[i] })
	keys = append(keys[:g.r.IntN(6)], pick(g.r, "command", "command", "command", "url", "url"))
	if g.one(12) {
		keys = append(keys, pick(g.r, keys...))
	}
	if g.one(40) {
		keys = append(keys, pick(g.r, "Command", "ARGS", "arg\u017f", "Url", "Env", "\u212aommand", "tYpe"))
	}
	g.r.Shuffle(len(keys), func(i, j int) { keys[i], keys[j] = keys[j], keys[i] })
	for i, key := range keys {
		if i > 0 {
			g.put(",")
		}
		g.put(g.key(key), ":")
		g.value(strings.ToLower(key))
	}
}

func (g *jsonWriter) value(key string) {
	if g.one(60) {
		g.put(pick(g.r, "null", "true", "7", `"x"`, "[]", "{}", "[null]", `{"a":1}`, `{"a":null}`, "1e400"))
		return
	}
	switch key {
	case "type":
		g.put(pick(g.r, `"stdio"`, `"http"`, `"sse"`, `"streamable-http"`, `"\u0073tdio"`, `"HTTP"`))
	case "args", "arg\u017f":
		g.list(g.text)
	case "env", "headers":
		g.object(pick(g.r, "A", "B", "C_D", "a"), g.text)
	case "url":
		g.put(pick(g.r, `"http://h.example/mcp"`, `"https:\/\/h.example\/\u006dcp?a=b"`, `"${URL}"`, `"nowhere"`))
	case "enabled", "disabled", "shared":
		g.put(pick(g.r, "true", "false"))
	case "timeout":
		g.put(pick(g.r, `30`, `0.5`, `1e3`, `999`, `1000.0`, `"30s"`, `"1500ms"`, `-1`, `"30"`))
	case "exposure":
		g.put(pick(g.r, `"direct"`, `"deferred"`, `"codemode"`, `"hidden"`, `"codemode-deferred"`))
	case "toolexposure":
		g.object(pick(g.r, "*", "a*", "b", "c"), func() { g.value("exposure") })
	case "inheritenv":
		if g.one(3) {
			g.put(pick(g.r, "true", "false"))
			return
		}
		g.list(g.text)
	case "lifecycle":
		g.put(pick(g.r, `"lazy"`, `"eager"`, `"keep-alive"`))
	case "x-unknown":
		g.put(pick(g.r, "1.50", "1e400", `{"command":"no","Command":"no"}`, "[[]]"))
	default:
		g.text()
	}
}

func (g *jsonWriter) list(item func()) {
	g.put("[")
	for i := range g.r.IntN(4) {
		if i > 0 {
			g.put(",")
		}
		item()
	}
	g.put("]")
}

func (g *jsonWriter) object(key string, item func()) {
	g.put("{")
	n := g.r.IntN(4)
	for i := range n {
		if i > 0 {
			g.put(",")
		}
		name := fmt.Sprint(key, i)
		if g.one(30) {
			name = key + "0"
		}
		g.put(g.key(name), ":")
		item()
	}
	g.put("}")
}

// key writes a key, now and then with escapes in it.
func (g *jsonWriter) key(names ...string) string {
	name := pick(g.r, names...)
	if name == "" || !g.one(8) {
		return string(plainJSON(name))
	}
	letters := []rune(name)
	at := g.r.IntN(len(letters))
	return `"` + string(letters[:at]) + fmt.Sprintf(`\u%04x`, letters[at]) + string(letters[at+1:]) + `"`
}

func (g *jsonWriter) text() {
	var b strings.Builder
	b.WriteByte('"')
	for range g.r.IntN(8) {
		b.WriteString(pick(g.r, "a", "Z", "/", ".", "-", " ", "=", "${", "}", "$", "!", "~", "é", "日", "😀", "\u202e",
			`\"`, `\\`, `\/`, `\n`, `\t`, `\r`, `\u00e9`, `\ud83d\ude00`, `\ud83d`, `\ude00x`, `\u0000`[:g.r.IntN(2)*6], "//", "/*", "{", "]", ",", ":"))
	}
	b.WriteByte('"')
	g.put(b.String())
}
