package client

import (
	"errors"
	"strings"

	"github.com/mcpctl/mcpctl/internal/store/jsonc"
)

// WorkspaceVariable is the name by which a value refers to the workspace's folder. No
// environment holds it: who resolves values puts it there.
const WorkspaceVariable = "MCPCTL_WORKSPACE"

// syntax is how a client spells references in its values. The zero value is a client
// that takes them as they stand.
type syntax struct {
	env      string            // before a variable's name inside ${…}, such as "env:"; "" for none of this kind
	bare     bool              // ${NAME} is a reference
	defaults bool              // ${NAME:-text} too
	dollar   bool              // $NAME too
	words    map[string]string // what else may stand inside ${…}, and mcpctl's spelling of it
	inputs   bool              // ${input:ID} asks the user
	strange  []string          // beginnings of what the client puts in and mcpctl cannot
}

// The words of the VS Code family. A value of mcpctl has slashes only.
var (
	folderWords = map[string]string{"workspaceFolder": "${" + WorkspaceVariable + "}"}
	codeWords   = map[string]string{
		"workspaceFolder": "${" + WorkspaceVariable + "}", "workspaceRoot": "${" + WorkspaceVariable + "}", "userHome": "${HOME}",
		"pathSeparator": "/", "/": "/",
	}
)

// valueReading is a value in mcpctl's spelling, with what is to be said about it.
type valueReading struct {
	text   string
	asked  []string // the client asks the user for these; they are variables in text
	unread []string // the client puts something in here that mcpctl cannot; it stays, and cannot be resolved
	plain  []string // these look like references, and are none for the client
}

// read turns a value into mcpctl's spelling.
func (s syntax) read(text string) valueReading {
	var out valueReading
	var b strings.Builder
	for text != "" {
		i := strings.IndexByte(text, '$')
		if i < 0 || i+1 == len(text) {
			b.WriteString(text)
			break
		}
		b.WriteString(text[:i])
		text = text[i:]
		body, rest, closed := strings.Cut(text[1:], "}")
		ref, ok := "", false
		if closed && strings.HasPrefix(body, "{") {
			ref, ok = s.reference(body[1:], &out)
		}
		switch n := nameLength(text[1:]); {
		case ok:
			b.WriteString(ref)
			text = rest
		case s.dollar && n > 0:
			b.WriteString("${" + text[1:1+n] + "}")
			text = text[1+n:]
		default:
			b.WriteByte('$')
			if text[1] == '$' || text[1] == '{' {
				b.WriteByte('$')
			}
			text = text[1:]
		}
	}
	out.text = noCommand(b.String())
	return out
}

// reference reads what stands between ${ and }.
func (s syntax) reference(body string, out *valueReading) (ref string, ok bool) {
	if word, known := s.words[body]; known {
		return word, true
	}
	if name, found := strings.CutPrefix(body, s.env); found && s.env != "" {
		name = strings.TrimSpace(name)
		return "${" + name + "}", isName(name)
	}
	if id, found := strings.CutPrefix(body, "input:"); found && s.inputs && id != "" {
		out.asked = append(out.asked, id)
		return "${" + inputVariable(id) + "}", true
	}
	for _, start := range s.strange {
		if strings.HasPrefix(body, start) {
			out.unread = append(out.unread, "${"+body+"}")
			return "${" + body + "}", true
		}
	}
	name, _, fallback := strings.Cut(body, ":-")
	if s.bare && isName(name) && (!fallback || s.defaults) {
		return "${" + body + "}", true
	}
	if isName(strings.TrimPrefix(name, "env:")) {
		out.plain = append(out.plain, "${"+body+"}")
	}
	return "", false
}

func isName(name string) bool { return name != "" && nameLength(name) == len(name) }

// inputVariable is the variable that stands for what the client asks the user for.
func inputVariable(id string) string {
	name := strings.Map(func(r rune) rune {
		if r < 0x80 && nameLength("_"+string(r)) == 2 {
			return r
		}
		return '_'
	}, id)
	if nameLength(name) == 0 {
		name = "_" + name
	}
	return strings.ToUpper(name)
}

// write turns a value of mcpctl's spelling into the client's.
func (s syntax) write(text string) (string, error) {
	if strings.HasPrefix(text, "!") {
		return "", errors.New("it runs no commands for values")
	}
	list, err := parts(text)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	for _, p := range list {
		ref, err := s.spelt(p)
		if err != nil {
			return "", err
		}
		b.WriteString(ref)
	}
	if again := s.read(b.String()); len(again.asked)+len(again.unread) > 0 || !sameParts(again.text, list) {
		return "", errors.New("it would take a text in it for a reference")
	}
	return b.String(), nil
}

func (s syntax) spelt(p part) (string, error) {
	switch {
	case p.name == "":
		return p.text, nil
	case p.name == WorkspaceVariable && s.words["workspaceFolder"] != "":
		return "${workspaceFolder}", nil
	case p.name == WorkspaceVariable:
		return "", errors.New("it has no word for the folder of the workspace")
	case p.fallback && !s.defaults:
		return "", errors.New("it has no defaults such as ${" + p.name + ":-" + p.text + "}")
	case p.fallback:
		return "${" + p.name + ":-" + p.text + "}", nil
	case s.env != "":
		return "${" + s.env + p.name + "}", nil
	case s.bare:
		return "${" + p.name + "}", nil
	}
	return "", errors.New("it expands no variables there")
}

// home spells a path that begins in the home directory; these clients do not know ~.
func (s syntax) home(text string) (string, error) {
	if text != "~" && !strings.HasPrefix(text, "~/") {
		return s.write(text)
	}
	rest, err := s.write(text[1:])
	switch {
	case err != nil:
		return "", err
	case s.words["userHome"] != "":
		return "${userHome}" + rest, nil
	case s.env != "":
		return "${" + s.env + "HOME}" + rest, nil
	case s.bare:
		return "${HOME}" + rest, nil
	}
	return "", errors.New("it does not know ~; write the whole path")
}

// texts calls f for every string at or below n, with its dotted place.
func texts(n *jsonc.Node, at string, f func(at string, n *jsonc.Node, text string)) {
	if text, ok := n.Text(); ok {
		f(at, n, text)
	}
	for _, m := range n.Members() {
		texts(m.Value, at+"."+m.Key, f)
	}
	for _, el := range n.Elements() {
		texts(el, at, f)
	}
}
