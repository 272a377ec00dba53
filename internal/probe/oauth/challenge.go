package oauth

import "strings"

// Challenge is what a server's WWW-Authenticate headers say to a client that speaks
// Bearer (RFC 6750 §3, RFC 9728 §5.1).
type Challenge struct {
	Metadata    string // resource_metadata
	Scope       string
	Error       string
	Description string
}

// ParseChallenge reads the values of WWW-Authenticate headers. It takes the first
// challenge of the scheme Bearer or DPoP, wherever it stands, and what later ones add;
// an empty value is absent, and what does not parse is skipped: half a challenge
// leads further than none.
func ParseChallenge(headers ...string) Challenge {
	params, s := map[string]string{}, strings.Join(headers, ", ")
	ours := false
	for s = strings.TrimLeft(s, " \t,"); s != ""; s = strings.TrimLeft(s, " \t,") {
		word, rest := token(s)
		if word == "" {
			s = s[1:]
			continue
		}
		value, behind, is := parameter(rest)
		if !is {
			ours = strings.EqualFold(word, "bearer") || strings.EqualFold(word, "dpop")
			s = rest
			continue
		}
		if name := strings.ToLower(word); ours && params[name] == "" {
			params[name] = value
		}
		s = behind
	}
	return Challenge{Metadata: params["resource_metadata"], Scope: words(params["scope"]), Error: params["error"],
		Description: params["error_description"]}
}

// insufficient tells whether the token is good and its scope is not (RFC 6750 §3.1).
func (c Challenge) insufficient() bool { return c.Error == "insufficient_scope" }

// token cuts the token at the start of s (RFC 9110 §5.6.2).
func token(s string) (word, rest string) {
	i := 0
	for i < len(s) && s[i] > ' ' && s[i] < 0x7f && strings.IndexByte(`"(),;<=>?@[\]{}`, s[i]) < 0 {
		i++
	}
	return s[:i], s[i:]
}

// parameter reads `= value` at the start of s.
func parameter(s string) (value, rest string, is bool) {
	s, is = strings.CutPrefix(strings.TrimLeft(s, " \t"), "=")
	if !is {
		return "", "", false
	}
	s = strings.TrimLeft(s, " \t")
	if !strings.HasPrefix(s, `"`) {
		if i := strings.IndexAny(s, ", \t"); i >= 0 {
			return s[:i], s[i:], true
		}
		return s, "", true
	}
	var b strings.Builder
	for i := 1; i < len(s); i++ {
		switch s[i] {
		case '"':
			return b.String(), s[i+1:], true
		case '\\':
			if i++; i == len(s) {
				return b.String(), "", true
			}
		}
		b.WriteByte(s[i])
	}
	return b.String(), "", true // never closed
}

// words is a list of scopes with one blank between them.
func words(s string) string { return strings.Join(strings.Fields(s), " ") }

// union is the scopes of all lists, each once, in their order.
func union(lists ...string) string {
	seen, out := map[string]bool{}, []string{}
	for _, list := range lists {
		for _, word := range strings.Fields(list) {
			if !seen[word] {
				seen[word] = true
				out = append(out, word)
			}
		}
	}
	return strings.Join(out, " ")
}

// lacks returns what of the scopes in want is not in have.
func lacks(have, want string) string {
	var out []string
	for _, word := range strings.Fields(want) {
		if !strings.Contains(" "+words(have)+" ", " "+word+" ") {
			out = append(out, word)
		}
	}
	return strings.Join(out, " ")
}
