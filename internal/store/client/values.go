package client

import (
	"errors"
	"strings"
)

// Values hold references in every client, in four spellings. Here they are turned
// into mcpctl's and back (design §3.2): ${NAME}, ${NAME:-default}, $$ for a dollar,
// ${:-text} for text that must not be looked at, and `!command` as a whole value.

// Literal spells text that is to be taken as it stands in mcpctl's own spelling.
func Literal(text string) string { return noCommand(escaped(text, false)) }

// noCommand keeps a value that begins with '!' from being taken for a command.
func noCommand(value string) string {
	if rest, ok := strings.CutPrefix(value, "!"); ok {
		return "${:-!}" + rest
	}
	return value
}

// fromPi reads pi's template: $NAME and ${NAME} are references, $$ is a dollar,
// $! an exclamation mark; what is malformed stays as it stands, ${NAME:-default}
// included, which pi does not have.
func fromPi(text string) string {
	if strings.HasPrefix(text, "!") {
		return text
	}
	var b strings.Builder
	for text != "" {
		i := strings.IndexByte(text, '$')
		if i < 0 || i+1 == len(text) {
			break
		}
		b.WriteString(text[:i])
		text = text[i:]
		name, rest, braced := piReference(text)
		switch {
		case name != "":
			b.WriteString("${" + name + "}")
			text = rest
		case text[1] == '$':
			b.WriteString("$$")
			text = text[2:]
		case text[1] == '!':
			b.WriteByte('!')
			text = text[2:]
		case braced:
			b.WriteString("$$")
			text = text[1:]
		default:
			b.WriteByte('$')
			text = text[1:]
		}
	}
	return noCommand(b.String() + text)
}

// piReference reads $NAME or ${NAME} at the start of text; braced tells that it
// begins with "${", whether or not it is one.
func piReference(text string) (name, rest string, braced bool) {
	if strings.HasPrefix(text, "${") {
		name, rest, ok := strings.Cut(text[2:], "}")
		if !ok || nameLength(name) != len(name) {
			return "", text, true
		}
		return name, rest, true
	}
	n := nameLength(text[1:])
	return text[1 : 1+n], text[1+n:], false
}

// nameLength is how much of the start of text is a variable's name.
func nameLength(text string) int {
	for i := 0; i < len(text); i++ {
		c := text[i]
		letter := c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
		if !letter && (i == 0 || c < '0' || c > '9') {
			return i
		}
	}
	return len(text)
}

// part is one piece of a value in mcpctl's spelling.
type part struct {
	text     string // literal text, or the default
	name     string // the variable; "" for literal text
	fallback bool   // there is a default
}

// parts takes a value of mcpctl's spelling apart.
func parts(text string) ([]part, error) {
	var out []part
	for text != "" {
		i := strings.IndexByte(text, '$')
		if i < 0 || i+1 == len(text) {
			return append(out, part{text: text}), nil
		}
		if i > 0 {
			out = append(out, part{text: text[:i]})
		}
		text = text[i:]
		switch text[1] {
		case '$':
			out = append(out, part{text: "$"})
			text = text[2:]
		case '{':
			body, rest, ok := strings.Cut(text[2:], "}")
			name, def, fallback := strings.Cut(body, ":-")
			if !ok || nameLength(name) != len(name) || name == "" && !fallback {
				return nil, errors.New("a reference is written ${NAME} or ${NAME:-default}")
			}
			out = append(out, part{text: def, name: name, fallback: fallback && name != ""})
			text = rest
		default:
			out = append(out, part{text: "$"})
			text = text[1:]
		}
	}
	return out, nil
}

// toPi spells a value of env or headers for pi.
func toPi(text string) (string, error) {
	if strings.HasPrefix(text, "!") {
		return text, nil
	}
	list, err := parts(text)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	for _, p := range list {
		switch {
		case p.fallback:
			return "", errors.New("it has no defaults such as ${" + p.name + ":-" + p.text + "}")
		case p.name != "":
			b.WriteString("${" + p.name + "}")
		default:
			b.WriteString(strings.ReplaceAll(p.text, "$", "$$"))
		}
	}
	out := b.String()
	if strings.HasPrefix(out, "!") {
		out = "$" + out
	}
	return out, nil
}

// sameParts tells whether text means what list says: literal text may be cut
// differently.
func sameParts(text string, list []part) bool {
	again, err := parts(text)
	return err == nil && flat(again) == flat(list)
}

func flat(list []part) string {
	var b strings.Builder
	for _, p := range list {
		if p.name == "" {
			b.WriteString(p.text)
			continue
		}
		b.WriteString("\x00" + p.name + "\x00")
		if p.fallback {
			b.WriteString(p.text + "\x00")
		}
	}
	return b.String()
}
