package redact

import "strings"

// maxReference is the longest ${NAME} that is taken for one; a longer one is text with a brace somewhere.
const maxReference = 256

// referenceLen returns the length of the reference at the start of s, 0 if there is none: ${NAME}, ${env:NAME},
// {env:NAME}, ${workspaceFolder}. A reference with a default text is none, for the default may be the secret.
func referenceLen(s string) int {
	name := strings.TrimPrefix(s, "${")
	if len(name) == len(s) {
		if !strings.HasPrefix(s, "{env:") {
			return 0
		}
		name = s[1:]
	}
	end := strings.IndexByte(name[:min(len(name), maxReference)], '}')
	if end <= 0 || !isAlpha(name[0]) && name[0] != '_' {
		return 0
	}
	for i := range end {
		if !isName(name[i]) && name[i] != ':' {
			return 0
		}
	}
	if strings.Contains(name[:end], ":-") && !strings.HasSuffix(name[:end], ":-") {
		return 0
	}
	return len(s) - len(name) + end + 1
}

// onlyReferences reports whether v holds no text of its own: references, at least one, and between them the names of
// schemes, blanks and the colon of user:password.
func onlyReferences(v string) bool {
	found := false
	rest := v
	for rest != "" {
		if n := referenceLen(rest); n > 0 {
			found = true
			rest = rest[n:]
			continue
		}
		if rest[0] == ' ' || rest[0] == ':' {
			rest = rest[1:]
			continue
		}
		word, _, _ := strings.Cut(rest, " ")
		if schemes[strings.ToLower(word)] == noScheme {
			return false
		}
		rest = rest[len(word):]
	}
	return found
}
