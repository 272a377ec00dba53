package store

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/internal/store/jsonc"
	"github.com/mcpctl/mcpctl/internal/store/redact"
)

// Masked returns the whole entry as written, order and unknown keys included,
// with every secret hidden: what may be shown to people and programs.
func (e *Entry) Masked() json.RawMessage { return MaskEntry(e.Raw) }

// Mask knows the entry's own literals: a value of env may stand in args or in the
// description as well.
func (e *Entry) Mask() *redact.Mask { return redact.NewMask(ownLiterals(e.Raw)...) }

// Hidden names the fields whose values Masked hides, as in "env.KEY".
func (e *Entry) Hidden() []string {
	shown := leaves(e.Masked())
	var out []string
	for where, text := range leaves(e.Raw) {
		if shown[where] != text {
			out = append(out, where)
		}
	}
	slices.Sort(out)
	return out
}

// MaskEntry is Masked for a raw entry.
func MaskEntry(raw json.RawMessage) json.RawMessage {
	own := masker{redact.NewMask(ownLiterals(raw)...)}
	doc, err := jsonc.Parse(raw)
	if err != nil || doc.Root() == nil {
		return json.RawMessage(`"` + redact.Hidden + `"`) // not JSON, so nothing of it is safe to show
	}
	var b bytes.Buffer
	own.node(&b, doc.Root(), "")
	return b.Bytes()
}

// masker hides what is secret in one entry.
type masker struct {
	mask *redact.Mask // knows the entry's own literals
}

// node writes n; where is the dotted path of the keys that lead to it.
func (own masker) node(b *bytes.Buffer, n *jsonc.Node, where string) {
	switch n.Kind() {
	case jsonc.Object:
		b.WriteByte('{')
		for i, m := range n.Members() {
			if i > 0 {
				b.WriteByte(',')
			}
			b.Write(plainJSON(m.Key))
			b.WriteByte(':')
			own.node(b, m.Value, strings.TrimPrefix(where+"."+m.Key, "."))
		}
		b.WriteByte('}')
	case jsonc.Array:
		own.array(b, n, where)
	case jsonc.String:
		text, _ := n.Text()
		b.Write(plainJSON(own.text(text, where)))
	case jsonc.Number:
		b.Write(maskNumber(n, where))
	default:
		b.Write(n.Raw())
	}
}

func (own masker) array(b *bytes.Buffer, n *jsonc.Node, where string) {
	words, masked := own.words(n, where)
	b.WriteByte('[')
	for i, el := range n.Elements() {
		if i > 0 {
			b.WriteByte(',')
		}
		switch {
		case el.Kind() == jsonc.String || masked[i] != words[i]:
			b.Write(plainJSON(masked[i]))
		default:
			own.node(b, el, where)
		}
	}
	b.WriteByte(']')
}

// words masks a list as a command line, where an option tells what the next
// word is, or wholly where everything is secret. Numbers count as words: people
// write a port, or a token, without quotes. Other elements are empty words.
func (own masker) words(n *jsonc.Node, where string) (words, masked []string) {
	for _, el := range n.Elements() {
		text, _ := el.Text()
		if el.Kind() == jsonc.Number {
			text = string(el.Raw())
		}
		words = append(words, text)
	}
	if !secretAt(where) {
		return words, own.mask.Args(words)
	}
	for _, w := range words {
		masked = append(masked, own.text(w, where))
	}
	return words, masked
}

// secretAt tells whether the literals at a dotted path are hidden: all of env and
// headers, at any depth, and those of credential-named keys. A malformed entry is
// shown, too, and its secrets are where they do not belong.
func secretAt(where string) bool {
	return inValues(where) || redact.Credential(where[strings.LastIndexByte(where, '.')+1:])
}

// inValues tells whether a dotted path leads to env or headers, or below them, under any
// client's name for them. Tools have names of their own.
func inValues(where string) bool {
	parts := strings.Split(where, ".")
	if parts[0] == "toolExposure" || parts[0] == "tools" {
		return false
	}
	return slices.ContainsFunc(parts, func(part string) bool {
		name, _, _ := strings.Cut(part, "[") // of an element
		name = ownPath(name)
		return name == "env" || name == "headers"
	})
}

// fieldGroup cuts a field's path, as mcpctl has it, behind its first key.
func fieldGroup(where string) (group, key string, nested bool) {
	return strings.Cut(ownPath(where), ".")
}

// namesVariable tells whether a field holds names of variables, whatever it is called.
func namesVariable(where string) bool {
	group, _, _ := strings.Cut(where, ".")
	return slices.Contains([]string{"env_keys", "env_vars", "bearer_token_env_var", "env_http_headers", "api_key_env"}, group)
}

// ownPath is the dotted path of a client's field as mcpctl has it: what is secret in a
// file is so under every name.
func ownPath(where string) string {
	if rest, ok := strings.CutPrefix(where, "command.env."); ok { // of older files of Zed
		return "env." + rest
	}
	first, rest, nested := strings.Cut(where, ".")
	switch first {
	case "environment", "envs":
		first = "env"
	case "http_headers":
		first = "headers"
	case "httpUrl", "serverUrl", "uri":
		first = "url"
	}
	if nested {
		return first + "." + rest
	}
	return first
}

// text hides what is secret in a string; references such as ${NAME} stay, they
// hold no secret.
func (own masker) text(text, where string) string {
	group, key, nested := fieldGroup(where)
	where = ownPath(where)
	switch {
	case where == "url":
		return own.mask.URL(text)
	case namesVariable(where) && IsVariable(text):
		return own.mask.Text(text)
	case group == "env" && nested && loadsCode(key):
		return own.mask.Text(text) // it says what runs, and that must be seen
	case secretAt(where):
		return redact.Values(map[string]string{where: text})[where]
	}
	return own.mask.Text(text)
}

// maskNumber returns a number as it is written, or the mask where it may be secret.
func maskNumber(n *jsonc.Node, where string) []byte {
	if secretAt(where) {
		return plainJSON(redact.Hidden)
	}
	return n.Raw()
}

// MaskFile returns a file's text with the secrets of its servers hidden, laid out
// as it is, for showing a difference. What else is in the file is masked as an entry
// is: a client keeps servers of other folders there, and settings of its own. Comments
// and text that does not parse are masked by shape.
func (s *Store) MaskFile(path string, data []byte) string { return s.MaskFileBut(path, data, "") }

// MaskFileBut is MaskFile with the fields of one entry left as they are, except for
// what looks like a secret by its shape.
func (s *Store) MaskFileBut(path string, data []byte, name string) string {
	doc, err := parseFile(path, data)
	if err != nil || doc.Root() == nil || doc.Root().Kind() != jsonc.Object {
		return redact.Text(string(data))
	}
	var places []maskedPlace
	put := func(n *jsonc.Node, masked []byte) {
		start, end := n.Span()
		places = append(places, maskedPlace{start, end, masked})
	}
	src := &Source{Client: s.Client.Name, keys: s.keysAt(path)}
	src.edition(doc.Root())
	src.unkeyed(doc.Root())
	servers := src.servers(doc)
	if servers != nil {
		for _, entry := range src.members(servers) {
			if name == "" || entry.Key != name {
				masker{redact.NewMask(ownLiterals(entry.Value.Raw())...)}.leaves(entry.Value, "", put)
			}
		}
	}
	beside{masker{redact.NewMask()}, servers, put}.leaves(doc.Root(), "")
	// Of what an alias of YAML repeats, one place is masked for all: that of an entry.
	slices.SortStableFunc(places, func(a, b maskedPlace) int { return a.start - b.start })
	var b strings.Builder
	done := 0
	for _, p := range places {
		if p.start >= done {
			b.Write(data[done:p.start])
			b.Write(p.text)
			done = p.end
		}
	}
	b.Write(data[done:])
	return redact.Text(b.String())
}

// maskedPlace is what stands in a masked text in place of some bytes.
type maskedPlace struct {
	start, end int
	text       []byte
}

// beside masks what stands beside the servers of a file.
type beside struct {
	masker
	servers *jsonc.Node // left out; nil for none
	put     func(*jsonc.Node, []byte)
}

func (in beside) leaves(n *jsonc.Node, where string) {
	switch {
	case n.Kind() != jsonc.Object && n.Kind() != jsonc.Array:
		in.masker.leaves(n, where, in.put)
	case in.servers != nil && sameSpan(n, in.servers):
	case n.Kind() == jsonc.Array && len(n.Elements()) > 0 && n.Elements()[0].Kind() != jsonc.Object:
		in.masker.leaves(n, where, in.put) // words
	default:
		in.input(n)
		for _, el := range n.Elements() {
			in.leaves(el, where)
		}
		for _, m := range n.Members() {
			in.leaves(m.Value, strings.TrimPrefix(where+"."+m.Key, "."))
		}
	}
}

// input hides what VS Code proposes in place of a password that it asks for.
func (in beside) input(n *jsonc.Node) {
	password, proposed := n.Get("password"), n.Get("default")
	if password != nil && string(password.Raw()) == "true" && proposed != nil {
		in.masker.leaves(proposed, "password", in.put)
	}
}

func sameSpan(a, b *jsonc.Node) bool {
	aStart, aEnd := a.Span()
	bStart, bEnd := b.Span()
	return aStart == bStart && aEnd == bEnd
}

// keysAt are the keys that lead to the servers in one of the chosen client's files.
func (s *Store) keysAt(path string) []string {
	for _, scope := range scopes {
		for _, p := range s.placesOf(s.Client, scope) {
			if p.path == path {
				return p.keys
			}
		}
	}
	return s.Client.Servers
}

// leaves calls put, in the order of the text, for each string and number whose
// masked form differs.
func (own masker) leaves(n *jsonc.Node, where string, put func(*jsonc.Node, []byte)) {
	switch n.Kind() {
	case jsonc.Object:
		for _, m := range n.Members() {
			own.leaves(m.Value, strings.TrimPrefix(where+"."+m.Key, "."), put)
		}
	case jsonc.Array:
		words, masked := own.words(n, where)
		for i, el := range n.Elements() {
			if masked[i] != words[i] {
				put(el, plainJSON(masked[i]))
			} else if el.Kind() != jsonc.String {
				own.leaves(el, where, put)
			}
		}
	case jsonc.String:
		text, _ := n.Text()
		if masked := own.text(text, where); masked != text {
			put(n, plainJSON(masked))
		}
	case jsonc.Number:
		if secretAt(where) {
			put(n, maskNumber(n, where))
		}
	}
}
