package redact

import (
	"encoding/base64"
	"strings"
)

// findBearer finds the token of `Bearer token` in any text.
func findBearer(s string, out *spans) {
	for at := 0; ; {
		n := indexFold(s[at:], "bearer")
		if n < 0 {
			return
		}
		word := at + n
		at = word + len("bearer")
		start := skip(s, at, blanks+":")
		if start == at || word > 0 && isAlnum(s[word-1]) {
			continue
		}
		end := start
		for end < len(s) && (isBase64(s[end]) || s[end] == '.' || s[end] == '~') {
			end++
		}
		if end < len(s) && s[end] == '=' {
			padded := skip(s, end, "=")
			if padded < len(s) && (s[padded] == '"' || isAlnum(s[padded])) {
				continue // a parameter of a challenge: Bearer realm="x"
			}
			end = padded
		}
		if !afterBearer()[strings.ToLower(strings.TrimRight(s[start:end], ".-"))] && !beginsSentence(s, start, end) {
			out.add(start, end)
		}
	}
}

// afterBearer are the words that follow the word bearer in a sentence.
var afterBearer = wordList(`
	a and auth authentication authorization challenge challenges credential credentials error for from grant grants has header headers in is
	method methods must not of only or realm required scheme schemes the to token tokens value was with`)

// indexFold is strings.Index for a lower-case ASCII needle that matches in any case.
func indexFold(s, lower string) int {
	pair := string([]byte{lower[0], lower[0] - 'a' + 'A'})
	for at := 0; at+len(lower) <= len(s); at++ {
		n := strings.IndexAny(s[at:], pair)
		if n < 0 || at+n+len(lower) > len(s) {
			return -1
		}
		at += n
		if strings.EqualFold(s[at:at+len(lower)], lower) {
			return at
		}
	}
	return -1
}

// findBasic finds `Basic credentials` where the credentials are what they say: base64 of user:password. "Basic usage"
// is none.
func findBasic(s string, out *spans) {
	for at := 0; ; {
		n := indexFold(s[at:], "basic")
		if n < 0 {
			return
		}
		at += n + len("basic")
		start := skip(s, at, blanks)
		if start == at {
			continue
		}
		end := start
		for end < len(s) && isBase64(s[end]) {
			end++
		}
		plain, err := base64.RawStdEncoding.DecodeString(s[start:end])
		if err == nil && strings.ContainsRune(string(plain), ':') {
			out.add(start, skip(s, end, "="))
		}
		at = end
	}
}

// findKeyBlocks finds the inside of PEM private keys; one without an end was cut and goes on to the end of the text.
func findKeyBlocks(s string, out *spans) {
	const begin, tail, finish = "-----BEGIN ", "PRIVATE KEY-----", "-----END "
	for at := 0; ; {
		n := strings.Index(s[at:], begin)
		if n < 0 {
			return
		}
		at += n + len(begin)
		label := strings.Index(s[at:min(len(s), at+64)], tail)
		if label < 0 {
			continue
		}
		start := at + label + len(tail)
		end := len(s)
		if n := strings.Index(s[start:], finish); n >= 0 {
			end = start + n
		}
		out.add(start, end)
		at = end
	}
}

// prefix is how the tokens of one issuer begin.
type prefix struct {
	text  string
	least int    // characters that must follow
	more  string // beside letters and digits, characters that may follow
}

// prefixes by their first byte. What follows must have a digit or a capital: `sk-learn-something-long` is a name.
var prefixes = map[byte][]prefix{
	'A': {{"AKIA", 16, ""}, {"ASIA", 16, ""}, {"AIza", 30, "-_"}, {"AGE-SECRET-KEY-1", 16, ""}},
	'S': {{"SG.", 16, "-_."}},
	'd': {{"dckr_pat_", 16, "-_"}, {"dop_v1_", 16, ""}},
	'e': {{"eyJ", 17, "-_."}}, // a JWT, or any JSON object in base64
	'f': {{"figd_", 16, "-_"}},
	'g': {
		{"ghp_", 16, ""}, {"gho_", 16, ""}, {"ghu_", 16, ""}, {"ghs_", 16, ""}, {"ghr_", 16, ""}, {"github_pat_", 16, "_"},
		{"glpat-", 16, "-_."}, {"gldt-", 16, "-_"}, {"glrt-", 16, "-_."}, {"glptt-", 16, "-_"}, {"gsk_", 16, ""},
	},
	'h': {{"hf_", 16, ""}, {"hvs.", 16, "-_"}, {"hooks.slack.com/services/", 16, "/"}},
	'l': {{"lin_api_", 16, ""}},
	'n': {{"npm_", 20, ""}, {"ntn_", 16, ""}},
	'p': {{"pypi-", 16, "-_"}, {"pplx-", 16, ""}},
	'r': {{"rk_live_", 16, ""}, {"rk_test_", 16, ""}, {"r8_", 16, ""}},
	's': {
		{"sk-", 16, "-_"}, {"sk_live_", 16, ""}, {"sk_test_", 16, ""}, {"secret_", 20, ""}, {"shpat_", 16, ""},
		{"sntrys_", 16, "-_="}, {"sbp_", 16, ""},
	},
	't': {{"tok_", 8, "-_"}, {"tvly-", 16, "-_"}},
	'w': {{"whsec_", 16, "+/="}},
	'x': {
		{"xoxb-", 10, "-"}, {"xoxp-", 10, "-"}, {"xoxa-", 10, "-"}, {"xoxr-", 10, "-"}, {"xoxs-", 10, "-"}, {"xoxe.", 10, "-."},
		{"xapp-", 10, "-"}, {"xai-", 16, ""},
	},
	'y': {{"ya29.", 16, "-_"}},
}

// findPrefixes finds tokens that say themselves whose they are.
func findPrefixes(s string, out *spans) {
	for i := 0; i < len(s); i++ {
		if i > 0 && isAlnum(s[i-1]) {
			continue
		}
		for _, p := range prefixes[s[i]] {
			if !strings.HasPrefix(s[i:], p.text) {
				continue
			}
			if end := p.end(s, i); end > i {
				out.add(i, end)
				i = end - 1
			}
			break
		}
	}
}

// end returns where the token that begins at byte i ends, i if it is none.
func (p prefix) end(s string, i int) int {
	start := i + len(p.text)
	end, telling := start, false
	for end < len(s) && (isAlnum(s[end]) || strings.IndexByte(p.more, s[end]) >= 0) {
		telling = telling || isDigit(s[end]) || isUpper(s[end])
		end++
	}
	if end-start < p.least || !telling {
		return i
	}
	return end
}
