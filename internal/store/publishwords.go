package store

import (
	"encoding/json"
	"path"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/internal/store/redact"
)

// publishedLiteral tells whether a literal of env or headers may be published as
// it is: true, false, and numbers of up to five digits under a name that is no
// credential's. Nothing else says of itself that it is no secret (design §5.4).
func publishedLiteral(key, text string) bool {
	if redact.Credential(key) {
		return false
	}
	return text == "true" || text == "false" || len(text) <= 5 && onlyOf(text, "0123456789")
}

func onlyOf(text, chars string) bool { return text != "" && strings.Trim(text, chars) == "" }

// literal tells whether text says something itself, beside references and the
// names of schemes. A default is such a text.
func literal(text string) bool {
	return redact.Values(map[string]string{"": text})[""] != text
}

// ownLiterals are the values that an entry's masked fields hold: they may stand in
// another field, too, where no name tells what they are. Left out is what may be
// seen where it stands.
func ownLiterals(raw json.RawMessage) []string {
	var out []string
	for where, text := range leaves(raw) {
		if namesVariable(where) && IsVariable(text) {
			continue
		}
		where = ownPath(where)
		key := lastKey(where)
		secret := secretAt(where) && !strings.HasPrefix(text, "!") && !publishedLiteral(key, text)
		if !secret || strings.HasPrefix(where, "env.") && loadsCode(key) || !literal(text) {
			continue
		}
		out = append(out, text)
		for _, part := range strings.Split(text, "${")[1:] { // defaults
			if _, def, ok := strings.Cut(part, ":-"); ok {
				def, _, _ = strings.Cut(def, "}")
				out = append(out, def)
			}
		}
	}
	slices.Sort(out)
	return out
}

// passwordOptions are followed by a password in many programs; some of them mean
// something else in others, so the mask does not know them.
var passwordOptions = []string{"-p", "-P", "-pw", "--pw", "--pwd", "--pass", "--passwd", "--password", "--passphrase"}

// password returns the password in words[i] after or in an option, "" where there
// is none, and the option.
func password(command string, words []string, i int) (text, option string) {
	word := words[i]
	if name, value, ok := strings.Cut(word, "="); ok && slices.Contains(passwordOptions, name) {
		text, option = value, name
	} else if i > 0 && slices.Contains(passwordOptions, words[i-1]) && !strings.HasPrefix(word, "-") {
		text, option = word, words[i-1]
	}
	ports := onlyOf(text, "0123456789.:") && (len(text) <= 5 || strings.ContainsAny(text, ".:"))
	if text == "" || ports || !literal(text) || strings.EqualFold(option, "-p") && namesPackage(command, words[:i]) {
		return "", ""
	}
	return text, option
}

// namesPackage tells whether -p at the end of words is that of npx and its like: a
// package, as long as what is run has not been named.
func namesPackage(command string, words []string) bool {
	if !slices.Contains([]string{"npx", "bunx", "uvx"}, path.Base(command)) {
		return false
	}
	for i, word := range words {
		if !strings.HasPrefix(word, "-") && (i == 0 || !strings.EqualFold(words[i-1], "-p")) {
			return false
		}
	}
	return true
}
