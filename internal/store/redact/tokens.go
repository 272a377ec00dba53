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
