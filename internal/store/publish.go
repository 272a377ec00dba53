package store

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/mcpctl/mcpctl/internal/store/jsonc"
	"github.com/mcpctl/mcpctl/internal/store/redact"
)

// Placeholder is a variable that took the place of a secret, and where.
type Placeholder struct {
	Name  string // of the variable
	Field string // as in "env.KEY" or "args[2]"
}

// publisher writes an entry anew with references in the place of secrets, and
// notes where those were. What it finds is what the mask would hide, the literals
// of env and headers with a few exceptions, and where they stand a second time.
type publisher struct {
	entry     *Entry
	lenient   bool // a literal of env or headers counts only when its name or its shape says so
	command   string
	mask      *redact.Mask
	stored    []string
	meant     map[string]string // variables the entry refers to already, and where
	taken     map[string]bool   // variables named here
	variables []Placeholder
	stuck     []string // fields with secrets that no reference can replace
	leftOut   []string
}

func newPublisher(e *Entry, stored []string) *publisher {
	known := slices.Concat(stored, ownLiterals(e.Raw))
	p := &publisher{entry: e, mask: redact.NewMask(known...), stored: stored, meant: map[string]string{}, taken: map[string]bool{}}
	fields := leaves(e.Raw)
	p.command = programOf(fields)
	for where, text := range fields {
		for _, name := range References(text) {
			p.meant[name] = where
		}
	}
	return p
}

// found names the fields with secrets.
func (p *publisher) found() []string {
	var fields []string
	for _, v := range p.variables {
		if !slices.Contains(fields, v.Field) {
			fields = append(fields, v.Field)
		}
	}
	for _, field := range p.stuck {
		if !slices.Contains(fields, field) {
			fields = append(fields, field)
		}
	}
	return fields
}

func (p *publisher) object(n *jsonc.Node, where string) json.RawMessage {
	var b bytes.Buffer
	b.WriteByte('{')
	for _, m := range n.Members() {
		field := dotted(where, m.Key)
		if field == "auth" { // names a credential of this user's
			p.leftOut = append(p.leftOut, field)
			continue
		}
		if p.mask.Text(m.Key) != m.Key {
			p.stuck = append(p.stuck, "a key of "+quoted(where))
		}
		if b.Len() > 1 {
			b.WriteByte(',')
		}
		b.Write(plainJSON(m.Key))
		b.WriteByte(':')
		b.Write(p.value(m.Value, field))
	}
	b.WriteByte('}')
	return b.Bytes()
}

func (p *publisher) value(n *jsonc.Node, where string) json.RawMessage {
	switch n.Kind() {
	case jsonc.Object:
		return p.object(n, where)
	case jsonc.Array:
		return p.array(n, where)
	case jsonc.String:
		text, _ := n.Text()
		if clean := p.text(text, where); clean != text {
			return plainJSON(clean)
		}
	case jsonc.Number:
		if redact.Credential(lastKey(where)) && where != "timeout" {
			p.stuck = append(p.stuck, where)
		}
	}
	return n.Raw()
}

// array replaces in a list of strings as in a command line, where an option
// tells what the next word is.
func (p *publisher) array(n *jsonc.Node, where string) json.RawMessage {
	var words []string
	for _, el := range n.Elements() {
		text, _ := el.Text()
		words = append(words, text)
	}
	program := ""
	if where == "args" {
		program = p.command
	}
	masked := p.mask.Command(program, words)
	var b bytes.Buffer
	b.WriteByte('[')
	for i, el := range n.Elements() {
		if i > 0 {
			b.WriteByte(',')
		}
		field := where + "[" + strconv.Itoa(i) + "]"
		option := "arg"
		if i > 0 && strings.HasPrefix(words[i-1], "-") && !strings.Contains(words[i-1], "=") {
			option = words[i-1]
		}
		switch {
		case el.Kind() != jsonc.String:
			b.Write(p.value(el, field))
		case p.isStored(words[i]) || strings.HasPrefix(words[i], "!"):
			b.Write(plainJSON(p.reference(field, p.entry.Name+"_"+option)))
		default:
			if text, after := password(p.command, words, i); text != "" && where == "args" && !p.lenient {
				masked[i], option = strings.TrimSuffix(words[i], text)+redact.Hidden, after
			}
			b.Write(plainJSON(p.fill(words[i], masked[i], placeholder{field: field, name: option})))
		}
	}
	b.WriteByte(']')
	return b.Bytes()
}

// text replaces in one string.
func (p *publisher) text(text, where string) string {
	group, key, nested := fieldGroup(where)
	switch {
	case p.isStored(text), strings.HasPrefix(text, "!") && takesReferences(where):
		return p.whole(text, where)
	case namesVariable(where) && IsVariable(text):
	case nested && (group == "env" || group == "headers") && !p.lenient:
		if literal(text) && !publishedLiteral(key, text) || p.mask.Text(text) != text {
			return p.whole(text, where)
		}
		return text
	case nested && (group == "env" || group == "headers"):
		if pair := key + "=" + text; p.mask.Args([]string{pair})[0] != pair || p.mask.Text(text) != text {
			return p.whole(text, where)
		}
		return text
	case where == "url":
		return p.fill(text, p.mask.URL(text), placeholder{field: where, name: "url"})
	case redact.Credential(lastKey(where)) && redact.Values(map[string]string{where: text})[where] != text:
		return p.whole(text, where)
	}
	return p.fill(text, p.mask.Text(text), placeholder{field: where, name: lastKey(where)})
}

func (p *publisher) isStored(text string) bool {
	return text != "" && slices.Contains(p.stored, text)
}

// takesReferences tells whether references in a field are expanded (design §3.2),
// and thus whether `!` at its start is a command.
func takesReferences(where string) bool {
	group, _, _ := fieldGroup(where)
	return where == "command" || where == "cwd" || where == "url" || group == "oauth" && slices.Contains(oauthValues, lastKey(where)) ||
		group == "env" || group == "headers" || strings.HasPrefix(where, "args[")
}

// whole replaces a value. The scheme of a header stays: it tells what is sent.
func (p *publisher) whole(text, where string) string {
	group, key, _ := fieldGroup(where)
	switch group {
	case "env":
		return p.reference(where, key)
	case "headers":
		scheme, rest, ok := strings.Cut(text, " ")
		if ok && rest != "" && (strings.EqualFold(scheme, "bearer") || strings.EqualFold(scheme, "basic") || strings.EqualFold(scheme, "token")) {
			return scheme + " " + p.reference(where, p.entry.Name+"_token")
		}
	}
	return p.reference(where, p.entry.Name+"_"+lastKey(where))
}

// placeholder says what a reference would stand for.
type placeholder struct{ field, name string }

// fill puts references where the mask put stars.
func (p *publisher) fill(text, masked string, at placeholder) string {
	if masked == text {
		return text
	}
	if strings.Contains(text, redact.Hidden) { // which stars are the mask's?
		return p.reference(at.field, p.entry.Name+"_"+at.name)
	}
	var b strings.Builder
	for {
		before, after, found := strings.Cut(masked, redact.Hidden)
		b.WriteString(before)
		if !found {
			return b.String()
		}
		name := at.name
		if pair := strings.TrimRight(before, " "); strings.HasSuffix(pair, "=") || strings.HasSuffix(pair, ":") {
			pair = strings.TrimRight(pair, "=: ")
			name = pair[strings.LastIndexAny(pair, "?&;#, \"'")+1:]
		} else if strings.HasPrefix(after, "@") {
			name = "userinfo"
		}
		b.WriteString(p.reference(at.field, p.entry.Name+"_"+name))
		masked = after
	}
}

// reference is ${NAME} for a variable named after words, and notes it. A variable
// of the server keeps its name.
func (p *publisher) reference(field, words string) string {
	if !takesReferences(field) {
		p.stuck = append(p.stuck, field)
		return redact.Hidden
	}
	base := words
	if !IsVariable(words) || !strings.HasPrefix(field, "env.") {
		base = variableName(words)
	}
	name := base
	for i := 2; p.taken[name] || p.meant[name] != "" && p.meant[name] != field; i++ {
		name = base + "_" + strconv.Itoa(i)
	}
	p.taken[name] = true
	p.variables = append(p.variables, Placeholder{Name: name, Field: field})
	return "${" + name + "}"
}

// variableName writes words as a variable's name: docs_apiKey becomes
// DOCS_API_KEY.
func variableName(words string) string {
	var b strings.Builder
	lower := false
	for _, r := range words {
		switch letter := r < unicode.MaxASCII && (unicode.IsLetter(r) || unicode.IsDigit(r)); {
		case !letter:
			if s := b.String(); s != "" && !strings.HasSuffix(s, "_") {
				b.WriteByte('_')
			}
		case unicode.IsUpper(r) && lower && !strings.HasSuffix(b.String(), "_"):
			b.WriteString("_" + string(r))
		default:
			b.WriteRune(unicode.ToUpper(r))
		}
		lower = unicode.IsLower(r)
	}
	name := strings.Trim(b.String(), "_")
	if !IsVariable(name) {
		name = "V_" + name
	}
	return strings.TrimSuffix(name, "_")
}

func lastKey(where string) string { return where[strings.LastIndexByte(where, '.')+1:] }

// committedSecrets warns of fields of a project entry that look like secrets: the
// file is usually committed. The values are not told. It is more lenient than share:
// a warning of every log level would be read by nobody.
func committedSecrets(e *Entry) []Problem {
	if e.Source.Scope != Project {
		return nil
	}
	fields := e.SecretFields()
	if len(fields) == 0 {
		return nil
	}
	return []Problem{{Rule: ruleSecret, Code: CodeSecretRefused, Severity: SeverityWarning, Source: e.Source.Path, Line: e.Line, Column: e.Column, Server: e.Name,
		field:   fields[0],
		Message: "what looks like a secret is in " + strings.Join(fields, ", ") + ", and the project's file is usually committed",
		Hint:    "use references: --env-from NAME, --header-from NAME=VAR; or keep the entry in the user's file and see: mcpctl share --env-placeholders"}}
}

// SecretFields names the fields of an entry that look like secrets; the values are not
// told.
func (e *Entry) SecretFields() []string {
	doc, err := jsonc.Parse(e.Raw)
	if err != nil || doc.Root() == nil || doc.Root().Kind() != jsonc.Object {
		return nil
	}
	p := newPublisher(e, nil)
	p.lenient, p.mask = true, nil
	p.object(e.Source.ownShape(doc.Root()), "") // a secret is one under every name
	return p.found()
}
