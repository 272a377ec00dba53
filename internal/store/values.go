package store

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/internal/store/redact"
)

// expand replaces ${NAME} and ${NAME:-default} by values of env and $$ by a
// dollar; $NAME without braces is literal. It happens once: what a variable
// holds is not looked at again. missing names variables that are unset or
// empty without a default, used those that gave a value (design §3.2).
func expand(text string, env Environ) (out string, used, missing []string, fault string) {
	var b strings.Builder
	for {
		i := strings.IndexByte(text, '$')
		if i < 0 || i+1 == len(text) {
			b.WriteString(text)
			return b.String(), used, missing, ""
		}
		b.WriteString(text[:i])
		switch text = text[i:]; text[1] {
		case '$':
			b.WriteByte('$')
			text = text[2:]
		case '{':
			end := strings.IndexByte(text, '}')
			if end < 0 {
				return "", nil, nil, "'${' is never closed"
			}
			name, def, hasDefault := strings.Cut(text[2:end], ":-")
			if name == "" && hasDefault { // ${:-text}: text that is not looked at
				b.WriteString(def)
				text = text[end+1:]
				continue
			}
			if !IsVariable(name) {
				return "", nil, nil, "'" + nameOnly(text[:end+1]) + "' is not a reference mcpctl understands"
			}
			switch v := env[name]; {
			case v != "":
				b.WriteString(v)
				used = append(used, name)
			case hasDefault:
				b.WriteString(def)
			default:
				missing = append(missing, name)
			}
			text = text[end+1:]
		default:
			b.WriteByte('$')
			text = text[1:]
		}
	}
}

// nameOnly shortens a reference of another spelling to the name it begins with: what
// follows may be a default, as in ${NAME-text}, and that a secret. What an editor would
// look up, as in ${config:name}, stays.
func nameOnly(ref string) string {
	body := ref[len("${") : len(ref)-1]
	end := 0
	for end < len(body) && IsVariable("_"+body[:end+1]) {
		end++
	}
	kind, _, found := strings.Cut(body, ":")
	lookup := found && kind == body[:end] && kind == strings.ToLower(kind) && !redact.Credential(kind) &&
		!strings.ContainsAny(body[end+1:min(end+2, len(body))], "-+=?")
	if end == len(body) || lookup {
		return ref
	}
	return "${" + body[:end] + "…}"
}

// IsVariable tells whether name is one of the POSIX environment, upper or lower case.
func IsVariable(name string) bool {
	for i, r := range name {
		letter := r == '_' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
		if !letter && (i == 0 || r < '0' || r > '9') {
			return false
		}
	}
	return name != ""
}

// References lists the variables that text names, sorted, without looking at
// any value.
func References(text string) []string {
	_, _, names, _ := expand(withoutDefaults(text), nil)
	slices.Sort(names)
	return slices.Compact(names)
}

// withoutDefaults drops the defaults, so that every reference counts.
func withoutDefaults(text string) string {
	var b strings.Builder
	for {
		i := strings.Index(text, "${")
		end := -1
		if i >= 0 {
			end = strings.IndexByte(text[i:], '}')
		}
		if end < 0 {
			b.WriteString(text)
			return b.String()
		}
		name, _, _ := strings.Cut(text[i:i+end], ":-")
		if name == "${" {
			b.WriteString(text[:i]) // ${:-text} names no variable
		} else {
			b.WriteString(text[:i] + name + "}")
		}
		text = text[i+end+1:]
	}
}

// tilde replaces ~ or ~/ at the start by the home directory.
func tilde(text, home string) string {
	if text == "~" {
		return home
	}
	if rest, ok := strings.CutPrefix(text, "~/"); ok {
		return filepath.Join(home, rest)
	}
	return text
}
