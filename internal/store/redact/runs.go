package redact

import "strings"

// minRun is the shortest run that is hidden for its looks alone: 32 hexadecimal digits are the shortest keys in use.
const minRun = 32

// findRuns finds long runs of letters and digits that look drawn at random, in hexadecimal or base64.
func findRuns(s string, out *spans) {
	for i := 0; i < len(s); {
		if !isBase64(s[i]) {
			i++
			continue
		}
		end := i
		for end < len(s) && isBase64(s[end]) {
			end++
		}
		if end-i >= minRun && !isDigest(s, i, end) {
			findInRun(s, i, end, out)
		}
		i = end
	}
}

// findInRun looks into one run: between what is public by nature, such as UUIDs, and then at each part between slashes,
// since a run may be a path, and at the whole, since base64 has slashes too.
func findInRun(s string, start, end int, out *spans) {
	for start < end {
		from, to := publicIn(s, start, end)
		findBetween(s, start, from, out)
		start = to
	}
}

func findBetween(s string, start, end int, out *spans) {
	if end-start < minRun || strings.HasPrefix(s[start:end], "/nix/store/") {
		return
	}
	rest, at := start, start
	for part := range strings.SplitSeq(s[start:end], "/") {
		if len(part) >= minRun && random(part) {
			hideIfRandom(s, rest, at, out)
			rest = at + len(part)
			out.add(at, padded(s, rest))
		}
		at += len(part) + 1
	}
	hideIfRandom(s, rest, end, out)
}

// hideIfRandom hides the run from start to end unless one of its parts is a word: then it is a path.
func hideIfRandom(s string, start, end int, out *spans) {
	const wordFrom = 4
	if end-start < minRun || !random(s[start:end]) {
		return
	}
	lowers := 0
	for i := start; i < end; i++ {
		switch {
		case isLower(s[i]) && (lowers > 0 || i == start || s[i-1] == '/'):
			lowers++
		case s[i] == '/' && lowers >= wordFrom:
			return
		default:
			lowers = 0
		}
	}
	out.add(start, padded(s, end))
}

// padded takes in the equals signs that end a base64 text.
func padded(s string, end int) int {
	for n := 0; n < 2 && end < len(s) && s[end] == '='; n++ {
		end++
	}
	return end
}

// random reports whether a run has letters and digits mixed as no word, path or identifier has. Hexadecimal and lower-case
// runs need only have both. Where capitals or separators may come from CamelCase or kebab-case, letters, capitals and
// digits must also change often: every 1.6 characters on average in base64, every 4 to 6 in names.
func random(run string) bool {
	const changeEvery = 3.2
	var letters, digits, uppers, changes, between int
	hex := true
	last := 0
	for i := range len(run) {
		kind := kindOf(run[i])
		switch kind {
		case kindDigit:
			digits++
		case kindLower:
			letters++
		case kindUpper:
			letters++
			uppers++
		default:
			between++
		}
		hex = hex && hexDigit(run[i]) >= 0
		if kind != 0 && last != 0 && kind != last {
			changes++
		}
		last = kind
	}
	if letters == 0 || digits == 0 {
		return false
	}
	if hex || between == 0 && (uppers == 0 || uppers == letters) {
		return true
	}
	return float64(changes)*changeEvery >= float64(letters+digits)
}

const (
	kindLower = iota + 1
	kindUpper
	kindDigit
)

func kindOf(c byte) int {
	switch {
	case isLower(c):
		return kindLower
	case isUpper(c):
		return kindUpper
	case isDigit(c):
		return kindDigit
	}
	return 0
}

func isHex(s string) bool {
	for i := range len(s) {
		if hexDigit(s[i]) < 0 {
			return false
		}
	}
	return true
}

const uuidLen = 36

func isUUID(s string) bool {
	if len(s) != uuidLen {
		return false
	}
	for i := range len(s) {
		switch i {
		case 8, 13, 18, 23:
			if s[i] != '-' {
				return false
			}
		default:
			if hexDigit(s[i]) < 0 {
				return false
			}
		}
	}
	return true
}
