package redact

import "strings"

// algorithms name digests: what stands behind one of them names a content, and protects nothing.
var algorithms = wordList(`md sha shasum blake xxh crc integrity`)

// publicNames are the last words of names whose long hexadecimal value is no secret: what commits, trees, contents and
// traces are called by.
var publicNames = wordList(`
	archive at base blob checksum checkout commit commits digest etag fingerprint git head hash md object parent ref reset raw rev revision sha
	shasum shortcommit span traceid tag tarball traceparent tree zipball`)

// digestLens are how many hexadecimal digits the digests in use have.
func digestLen(n int) bool {
	switch n {
	case 32, 40, 56, 64, 96, 128:
		return true
	}
	return false
}

// isDigest reports whether the whole run is public by nature: package integrity (sha512-<base64>), and fingerprints of
// ssh's keys and of Go's modules.
func isDigest(s string, start, end int) bool {
	run := s[start:end]
	for name, size := range map[string]int{"sha1-": 27, "sha256-": 43, "sha384-": 64, "sha512-": 86} {
		if strings.HasPrefix(run, name) && len(strings.TrimRight(run, "=")) == len(name)+size {
			return true
		}
	}
	const inBase64 = 43 // 32 bytes
	return len(strings.TrimRight(run, "=")) == inBase64 && (strings.HasSuffix(s[:start], "SHA256:") || strings.HasSuffix(s[:start], "h1:"))
}

// publicIn returns the first part of s[start:end] that is public by nature: a UUID, a trace's parent, or the digits of a
// digest. None: (end, end).
func publicIn(s string, start, end int) (from, to int) {
	for i := start; i < end; i++ {
		if hexDigit(s[i]) < 0 || i > 0 && isAlnum(s[i-1]) {
			continue
		}
		n := i
		for n < end && hexDigit(s[n]) >= 0 {
			n++
		}
		switch {
		case isUUID(s[i:min(end, i+uuidLen)]) && (i+uuidLen == len(s) || !isAlnum(s[i+uuidLen])):
			return i, i + uuidLen
		case isTraceParent(s[i:min(end, i+traceLen)]):
			return i, i + traceLen
		case publicHex(s, i, n):
			return i, n
		}
		i = n
	}
	return end, end
}

const traceLen = 55

// isTraceParent: 00-<32 hex>-<16 hex>-01.
func isTraceParent(s string) bool {
	if len(s) != traceLen {
		return false
	}
	for i := range len(s) {
		if dash := i == 2 || i == 35 || i == 52; dash && s[i] != '-' || !dash && hexDigit(s[i]) < 0 {
			return false
		}
	}
	return true
}

// publicHex reports whether the hexadecimal digits from start to end are those of a digest by what stands around them.
func publicHex(s string, start, end int) bool {
	if !digestLen(end-start) || start == 0 || end < len(s) && (isAlnum(s[end]) || s[end] == '_' || s[end] == '+') {
		return false
	}
	commit := end-start == 40
	switch s[start-1] {
	case '#', '@':
		return commit
	case '/':
		return commit && publicNames()[strings.ToLower(wordBefore(s, start-1))]
	}
	at := digestNameEnd(s, start)
	name := wordBefore(s, at)
	if strings.Contains(s[at:start], ",") && !isOption(name) { // one of a list, and not behind its option
		return false
	}
	parts := nameWords(name)
	if len(parts) == 0 || at == start || Credential(name) {
		return false
	}
	last := parts[len(parts)-1]
	traced := last == "id" && len(parts) > 1 && (parts[len(parts)-2] == "trace" || parts[len(parts)-2] == "span")
	return publicNames()[last] || algorithms()[last] || traced
}

// digestNameEnd returns where the name of the digits at start ends: rev=…, "rev": "…", "--rev", "…", SHA256 (file) = ….
func digestNameEnd(s string, start int) int {
	const longest = 128
	at := start
	for at > 0 && start-at < longest && strings.IndexByte(" \t\"'`:=,", s[at-1]) >= 0 {
		at--
	}
	if at > 0 && s[at-1] == ')' {
		if n := strings.LastIndexByte(s[max(0, at-longest):at], '('); n >= 0 {
			at = max(0, at-longest) + n
			for at > 0 && s[at-1] == ' ' {
				at--
			}
		}
	}
	return at
}

// wordBefore returns the name that ends at byte end.
func wordBefore(s string, end int) string {
	const longest = 64
	start := end
	for start > 0 && end-start < longest && isName(s[start-1]) {
		start--
	}
	return s[start:end]
}
