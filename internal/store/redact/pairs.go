package redact

import "strings"

const (
	blanks = " \t"
	quotes = "\"'`"
	// wordEnds end a value without quotes. Among them is what ends a parameter, a field or a sentence's bracket.
	wordEnds = " \t\r\n\v\f\"'`&,;)]}<>|"
)

// findPairs finds the value of `key=value`, `key: value`, `"key": "value"`, `key => value`, `Header: Scheme value` and Go's
// `Header:[value]` where the key is a credential's.
func findPairs(s string, out *spans) {
	for at := 0; at < len(s); {
		n := strings.IndexAny(s[at:], "=:")
		if n < 0 {
			return
		}
		i := at + n
		at = i + 1
		if strings.HasPrefix(s[i:], "://") {
			continue
		}
		name, before := nameBefore(s, i)
		if name == "" {
			continue
		}
		if isName(s[i-1]) && i+1 < len(s) && s[i+1] == before && strings.IndexByte(quotes, before) >= 0 {
			continue // only the name is quoted: "password=" is empty
		}
		inQuery := s[i] == '=' && (before == '?' || before == '&')
		if !Credential(name) && !(inQuery && secretInQuery(name)) {
			continue
		}
		start, end := valueAfter(s, i, name)
		if n := strings.IndexByte(s[start:end], '#'); inQuery && n >= 0 {
			end = start + n // the fragment of the URL
		}
		out.add(start, end)
		at = max(at, end)
	}
}

// nameBefore returns the name that ends at byte i, with blanks or a quote between, and the byte before it (0: none).
func nameBefore(s string, i int) (name string, before byte) {
	end := i
	for end > 0 && strings.IndexByte(blanks, s[end-1]) >= 0 {
		end--
	}
	if end > 0 && strings.IndexByte(quotes, s[end-1]) >= 0 {
		end--
	}
	start := end
	for start > 0 && isName(s[start-1]) {
		start--
	}
	if start > 0 {
		before = s[start-1]
	}
	return s[start:end], before
}

func isName(c byte) bool {
	return isAlnum(c) || c == '_' || c == '-' || c == '.'
}

// valueAfter returns where the secret of the pair whose `=` or `:` is byte i begins and ends; nothing to hide: (0, 0).
func valueAfter(s string, i int, name string) (start, end int) {
	p := i + 1
	if p < len(s) && (s[p] == '=' || s[p] == '>') { // `:=`, `==`, `=>`
		p++
	} else if strings.HasPrefix(s[i:], ":-") { // the default of ${TOKEN:-default}
		p++
	}
	p = skip(s, p, blanks)
	switch {
	case p == len(s) || s[p] == '{':
		return 0, 0
	case s[p] == '[':
		start, end = p+1, listEnd(s, p+1)
	case strings.IndexByte(quotes, s[p]) >= 0:
		start, end = p+1, quotedEnd(s, p)
	default:
		return bareValue(s, i, p, name)
	}
	if scheme, rest, ok := cutScheme(s[start:end]); ok && rest != "" {
		start = skip(s, start+len(scheme), blanks)
	}
	return secretPart(s, start, end)
}

// listEnd returns where the inside of the list at p ends; at p if it holds lists or objects, which have keys of their own.
func listEnd(s string, p int) int {
	if n := strings.IndexAny(s[p:], "{[]\r\n"); n >= 0 && s[p+n] == ']' {
		return p + n
	}
	return p
}

// bareValue returns where the secret in the value without quotes at p is, behind the separator at i.
func bareValue(s string, i, p int, name string) (start, end int) {
	start, end = p, wordEnd(s, p)
	switch kind := schemes[strings.ToLower(s[start:end])]; {
	case s[i] == ':' && kind == noScheme && prose(s, start, end, name):
		return 0, 0
	case kind != noScheme:
		start = skip(s, end, blanks)
		end = wordEnd(s, start)
		if kind == parameters && strings.Contains(s[start:end], "=") {
			end = lineEnd(s, start)
		} else if afterBearer()[strings.ToLower(s[start:end])] || kind == parameters && beginsSentence(s, start, end) {
			return 0, 0
		}
	case s[i] == ':' && (strings.EqualFold(name, "cookie") || strings.EqualFold(name, "set-cookie")):
		end = lineEnd(s, start)
	}
	return secretPart(s, start, end)
}

// secretPart leaves out what is no secret: constants and references like ${NAME}.
func secretPart(s string, start, end int) (int, int) {
	if v := s[start:end]; constant(v) || onlyReferences(v) {
		return 0, 0
	}
	return start, end
}

// constant reports whether v is what configuration and manuals give in place of a secret.
func constant(v string) bool {
	switch strings.ToLower(v) {
	case "", "true", "false", "yes", "no", "on", "off", "null", "nil", "none", "undefined", "auto", "oauth", "oauth2", "0", "…", "...":
		return true
	}
	return schemes[strings.ToLower(v)] != noScheme || v[0] == '<' && v[len(v)-1] == '>' || namesVariable(v)
}

// namesVariable reports whether v is the name of a variable that holds a credential, and so is none: what `env_http_headers`
// and `bearer_token_env_var` hold, and $GITHUB_TOKEN in a shell's line.
func namesVariable(v string) bool {
	name := strings.TrimPrefix(v, "$")
	for i := range len(name) {
		if c := name[i]; !isUpper(c) && !isDigit(c) && c != '_' {
			return false
		}
	}
	return strings.Contains(name, "_") && name[0] != '_' && Credential(name)
}

// prose reports whether the word after `name: ` begins a sentence ("token: server said no") or says what happened
// ("token: expired") and so is no value. Only a plain word can, and after a name for a password only one of a few words:
// a pass phrase is a sentence too.
func prose(s string, start, end int, name string) bool {
	word := strings.ToLower(strings.Trim(s[start:end], ".!?:*_"))
	if word == "" || outcomes()[word] || glue()[word] {
		return true
	}
	parts := nameWords(name)
	return wordyNames()[parts[len(parts)-1]] && beginsSentence(s, start, end)
}

// beginsSentence reports whether the text from start to end is a plain word and another follows.
func beginsSentence(s string, start, end int) bool {
	for i := start; i < end; i++ {
		if c := s[i]; !isLower(c) && !(i == start && isUpper(c)) && !(i > start && (c == '-' || c == '\'')) {
			return false
		}
	}
	next := skip(s, end, blanks)
	return end-start <= 12 && next > end && next < len(s) && isAlpha(s[next])
}

// wordyNames are the last words of names that also begin sentences about a credential.
var wordyNames = wordList(`auth authorization cookie cookies credential credentials session token`)

var outcomes = wordList(`
	absent denied empty expired failed forbidden hidden ignored invalid malformed missing ok optional refused rejected required
	revoked set unauthorized unknown unset unsupported used valid verified`)

// findFlags finds the value of `--token value`, also in a printed list: `"--token", "value"`.
func findFlags(s string, out *spans) {
	for i := 0; i < len(s); i++ {
		if s[i] != '-' || i > 0 && isName(s[i-1]) {
			continue
		}
		name := i
		for i < len(s) && isName(s[i]) {
			i++
		}
		if !Credential(s[name:i]) {
			continue
		}
		if name > 0 && i < len(s) && s[i] == s[name-1] && strings.IndexByte(quotes, s[i]) >= 0 {
			out.add(listedValue(s, i))
		} else {
			out.add(flagValue(s, i))
		}
	}
}

// listedValue returns where the value after the option whose closing quote is byte i stands; it has the same quotes.
func listedValue(s string, i int) (start, end int) {
	p := skip(s, i+1, blanks+",")
	if p == i+1 || p == len(s) || s[p] != s[i] {
		return 0, 0
	}
	start, end = p+1, quotedEnd(s, p)
	if looksLikeFlag(s[start:end]) {
		return 0, 0
	}
	return secretPart(s, start, end)
}

// flagValue returns where the value of the option that ends at byte i stands; none: (0, 0).
func flagValue(s string, i int) (start, end int) {
	p := skip(s, i, blanks)
	if p == i || p == len(s) || s[p] == '`' {
		return 0, 0
	}
	if s[p] == '"' || s[p] == '\'' {
		start, end = p+1, quotedEnd(s, p)
	} else if start, end = p, wordEnd(s, p); placeholder(strings.TrimRight(s[start:end], ".:!?")) {
		return 0, 0
	}
	if looksLikeFlag(s[start:end]) {
		return 0, 0
	}
	return secretPart(s, start, end)
}

// placeholder reports whether the word after an option in running text is not its value but the sentence going on
// ("use --token to …") or the manual's word for it ("--token VALUE").
func placeholder(w string) bool {
	if glue()[w] {
		return true
	}
	for i := range len(w) {
		if !isUpper(w[i]) && w[i] != '_' && w[i] != '-' {
			return false
		}
	}
	return len(w) <= 8
}

var glue = wordList(`
	a already also an and are as at be been but by can cannot does failed flag for from given has if in instead is may more
	must needs not of on option or requires should so string strings than that the then to twice value values was when with without`)

// looksLikeFlag reports whether an argument is an option and not a value that begins with a dash, as base64 may.
func looksLikeFlag(arg string) bool {
	name, _, _ := strings.Cut(arg, "=")
	if len(name) < 2 || name[0] != '-' {
		return false
	}
	if len(name) == 2 {
		return true
	}
	name = strings.TrimPrefix(name[1:], "-")
	for i := range len(name) {
		if !isLower(name[i]) && name[i] != '-' {
			return false
		}
	}
	return true
}

// skip returns the first byte from p on that is not in set.
func skip(s string, p int, set string) int {
	for p < len(s) && strings.IndexByte(set, s[p]) >= 0 {
		p++
	}
	return p
}

// wordEnd returns where the value without quotes at p ends. A reference ${…} is part of it in spite of its brace.
func wordEnd(s string, p int) int {
	for p < len(s) && strings.IndexByte(wordEnds, s[p]) < 0 {
		if n := referenceLen(s[p:]); n > 0 {
			p += n
			continue
		}
		p++
	}
	if p < len(s) && s[p] == '"' { // `\"`: the backslash belongs to the quote, or what is left is no JSON any more
		for p > 0 && s[p-1] == '\\' {
			p--
		}
	}
	return p
}

// quotedEnd returns where the text behind the quote at p ends: at the next such quote without a backslash, else at the end
// of the line.
func quotedEnd(s string, p int) int {
	for i := p + 1; i < len(s) && s[i] != '\n'; i++ {
		if s[i] == '\\' {
			i++
		} else if s[i] == s[p] {
			return i
		}
	}
	return lineEnd(s, p+1)
}

func lineEnd(s string, p int) int {
	if n := strings.IndexAny(s[p:], "\r\n"); n >= 0 {
		return p + n
	}
	return len(s)
}
