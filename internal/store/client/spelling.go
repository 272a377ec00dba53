package client

import (
	"errors"
	"strings"
)

// WorkspaceVariable is the name by which a value refers to the workspace's folder. No
// environment holds it: who resolves values puts it there.
const WorkspaceVariable = "MCPCTL_WORKSPACE"

// spelling is how a client writes references in values. The zero value is a client that
// takes them as they stand.
type spelling struct {
	env      string                               // before a variable's name inside ${…}, such as "env:"; "" for none of this kind
	bare     bool                                 // ${NAME} is a reference
	defaults bool                                 // ${NAME:-text} too
	dollar   bool                                 // $NAME too
	words    map[string]string                    // what else may stand inside ${…}, and mcpctl's spelling of it
	inputs   bool                                 // ${input:ID} asks the user
	strange  []string                             // beginnings of what the client puts in and mcpctl cannot
	commands bool                                 // a value that begins with ! is a command, as it is for mcpctl
	own      func(text string) (ref, rest string) // takes a reference of another kind from the start of text, spelt as mcpctl's; "" when there is none
	variable func(name string) string             // a variable of that kind
	forms    string                               // those of that kind, for people
}

// The words of editors. A value of mcpctl has slashes only.
var (
	folderWords = map[string]string{"workspaceFolder": "${" + WorkspaceVariable + "}"}
	codeWords   = map[string]string{
		"workspaceFolder": "${" + WorkspaceVariable + "}", "workspaceRoot": "${" + WorkspaceVariable + "}", "userHome": "${HOME}",
		"pathSeparator": "/", "/": "/",
	}
)

// valueReading is a value in mcpctl's spelling, with what is to be said about it.
type valueReading struct {
	by     spelling
	text   string
	asked  []string // the client asks the user for these; they are variables in text
	unread []string // the client puts something in here that mcpctl cannot; it stays, and cannot be resolved
	plain  []string // these look like references, and are none for the client
}

// read turns a value into mcpctl's spelling.
func (s spelling) read(text string) valueReading {
	out := valueReading{by: s, text: text}
	if s.commands && strings.HasPrefix(text, "!") {
		return out
	}
	out.text = readReferences(text, func(text string) (ref, rest string) {
		if s.own != nil {
			if ref, rest := s.own(text); ref != "" {
				return ref, rest
			}
		}
		if body, rest, ok := enclosed(text, "${", "}"); ok {
			if ref := s.reference(body, &out); ref != "" {
				return ref, rest
			}
		}
		if name := bareName(text); s.dollar && name != "" {
			return "${" + name + "}", text[1+len(name):]
		}
		return "", text
	})
	return out
}

// reference reads what stands between ${ and }; "" when it is none.
func (s spelling) reference(body string, out *valueReading) string {
	if word, known := s.words[body]; known {
		return word
	}
	if name, found := strings.CutPrefix(body, s.env); found && s.env != "" {
		if name = strings.TrimSpace(name); isName(name) {
			return "${" + name + "}"
		}
		return ""
	}
	if id, found := strings.CutPrefix(body, "input:"); found && s.inputs && id != "" {
		out.asked = append(out.asked, id)
		return "${" + InputVariable(id) + "}"
	}
	for _, start := range s.strange {
		if strings.HasPrefix(body, start) {
			out.unread = append(out.unread, "${"+body+"}")
			return "${" + body + "}"
		}
	}
	name, _, fallback := strings.Cut(body, ":-")
	if s.bare && isName(name) && (!fallback || s.defaults) {
		return "${" + body + "}"
	}
	if isName(strings.TrimPrefix(name, "env:")) {
		if fallback {
			name += ":-…" // the default may be a secret
		}
		out.plain = append(out.plain, "${"+name+"}")
	}
	return ""
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

// bareName is the name in $NAME at the start of text.
func bareName(text string) string {
	if !strings.HasPrefix(text, "$") {
		return ""
	}
	return text[1 : 1+nameLength(text[1:])]
}

func isName(name string) bool { return name != "" && nameLength(name) == len(name) }

// InputVariable is the variable that stands for what the client asks the user for.
func InputVariable(id string) string {
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

// ref is a variable as the client spells it; "" when it has none.
func (s spelling) ref(name string) string {
	switch {
	case name == WorkspaceVariable && s.words["workspaceFolder"] != "":
		return "${workspaceFolder}"
	case name == WorkspaceVariable:
		return ""
	case s.variable != nil:
		return s.variable(name)
	case s.env != "":
		return "${" + s.env + name + "}"
	case s.bare:
		return "${" + name + "}"
	}
	return ""
}

// write spells a value for the client, and makes sure that it is read back as meant.
func (s spelling) write(text string) (string, error) {
	switch command := strings.HasPrefix(text, "!"); {
	case command && s.commands:
		return text, nil
	case command:
		return "", errors.New("it runs no commands there")
	}
	all, err := parts(text)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	for _, p := range all {
		spelt, err := s.spelt(p)
		if err != nil {
			return "", err
		}
		b.WriteString(spelt)
	}
	out := b.String()
	if s.commands && strings.HasPrefix(out, "!") {
		return "", errors.New("it would take the text for a command")
	}
	if again := s.read(out); len(again.asked)+len(again.unread) > 0 || !sameParts(again.text, all) {
		return "", errors.New("it would take text of it for a reference")
	}
	return out, nil
}

func (s spelling) spelt(p part) (string, error) {
	switch ref := s.ref(p.name); {
	case p.name == "":
		return p.text, nil
	case ref == "" && p.name == WorkspaceVariable:
		return "", errors.New("it has no word for the folder of the workspace")
	case ref == "":
		return "", errors.New("it expands no variables there")
	case p.fallback && !s.defaults:
		return "", errors.New("it has no defaults such as ${" + p.name + ":-" + p.text + "}")
	case p.fallback:
		return "${" + p.name + ":-" + p.text + "}", nil
	default:
		return ref, nil
	}
}

// home spells a value that may begin in the home directory, which mcpctl writes ~ and
// these clients do not know.
func (s spelling) home(text string) (string, error) {
	if text != "~" && !strings.HasPrefix(text, "~/") {
		return s.write(text)
	}
	rest, err := s.write(text[1:])
	if err != nil {
		return "", err
	}
	switch ref := s.ref("HOME"); {
	case s.words["userHome"] != "":
		return "${userHome}" + rest, nil
	case ref != "":
		return ref + rest, nil
	}
	return "", errors.New("it does not know ~; write the whole path")
}
