package client

import (
	"errors"
	"strings"
)

// spelling is how a client writes references in values. Of mcpctl's own only what it
// has comes out; the rest is an error.
type spelling struct {
	forms    string                              // for people; "" when there are none
	read     func(text string) string            // the client's into mcpctl's
	ref      func(name string) string            // a variable; nil when there are none, "" for one that there is not
	fallback func(name, otherwise string) string // a variable with a default; nil when there is none
}

// write spells a value for the client, and makes sure that it is read back as meant.
func (s spelling) write(text string) (string, error) {
	if strings.HasPrefix(text, "!") {
		return "", errors.New("it runs no commands there")
	}
	all, err := parts(text)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	for _, p := range all {
		switch {
		case p.name != "" && (s.ref == nil || s.ref(p.name) == ""):
			return "", errors.New("it expands no variables there")
		case p.fallback && s.fallback == nil:
			return "", errors.New("it has no defaults such as ${" + p.name + ":-" + p.text + "}")
		case p.fallback:
			b.WriteString(s.fallback(p.name, p.text))
		case p.name != "":
			b.WriteString(s.ref(p.name))
		default:
			b.WriteString(p.text)
		}
	}
	out := b.String()
	if !sameParts(s.read(out), all) {
		return "", errors.New("it would take text of it for a reference")
	}
	return out, nil
}

// braces is ${NAME}, as most clients have it; anything else stands for itself. With
// prefix env: also ${env:NAME}, which is then what is written.
func braces(prefix string) spelling {
	return spelling{
		forms: "${" + prefix + "NAME}",
		read: func(text string) string {
			return readReferences(text, func(text string) (ref, rest string) {
				body, rest, ok := enclosed(text, "${", "}")
				name := strings.TrimPrefix(body, prefix)
				if !ok || !isName(name) {
					return "", text
				}
				return "${" + name + "}", rest
			})
		},
		ref: func(name string) string { return "${" + prefix + name + "}" },
	}
}

// readReferences turns text into mcpctl's spelling: find takes a reference from the
// start of text, spelt as mcpctl's own, or returns "". What it does not take is text.
func readReferences(text string, find func(text string) (ref, rest string)) string {
	var b strings.Builder
	plain := 0 // the bytes in front of text that are no reference
	whole := text
	for text != "" {
		ref, rest := find(text)
		if ref == "" {
			plain, text = plain+1, text[1:]
			continue
		}
		end := len(whole) - len(text)
		b.WriteString(escaped(whole[end-plain:end], true) + ref)
		plain, text = 0, rest
	}
	return noCommand(b.String() + escaped(whole[len(whole)-plain:], false))
}

// escaped spells text so that it stays text; followed tells that a reference stands
// behind it.
func escaped(text string, followed bool) string {
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		b.WriteByte(text[i])
		last := i+1 == len(text)
		if text[i] == '$' && (last && followed || !last && (text[i+1] == '$' || text[i+1] == '{')) {
			b.WriteByte('$')
		}
	}
	return b.String()
}

// enclosed takes what stands between open and the next end at the start of text.
func enclosed(text, open, end string) (body, rest string, ok bool) {
	text, ok = strings.CutPrefix(text, open)
	if !ok {
		return "", "", false
	}
	return strings.Cut(text, end)
}

// dollars is $NAME and ${NAME}, also inside of words, and ${NAME:-default} where the
// client has it. There is no way to write a dollar in front of a name.
func dollars(defaults bool) spelling {
	s := spelling{
		forms: "$NAME, ${NAME}",
		read: func(text string) string {
			return readReferences(text, func(text string) (ref, rest string) {
				if ref, rest := ompReference(text); ref != "" && (defaults || !strings.Contains(ref, ":-")) {
					return ref, rest
				}
				if name := bareName(text); name != "" {
					return "${" + name + "}", text[1+len(name):]
				}
				return "", text
			})
		},
		ref: func(name string) string { return "${" + name + "}" },
	}
	if defaults {
		s.forms += ", ${NAME:-default}"
		s.fallback = func(name, otherwise string) string { return "${" + name + ":-" + otherwise + "}" }
	}
	return s
}

// bareName is the name in $NAME at the start of text.
func bareName(text string) string {
	if !strings.HasPrefix(text, "$") {
		return ""
	}
	return text[1 : 1+nameLength(text[1:])]
}
