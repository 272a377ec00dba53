package redact

import "strings"

// urlEnds cannot stand in a URL and end it in running text.
const urlEnds = " \t\r\n\v\f\"'`<>\\"

// findURLs finds user info and credential-named query values of the URLs in s. whole: s is one URL, which may also
// lack its scheme.
func findURLs(s string, whole bool, out *spans) {
	if whole {
		findInURL(s, 0, len(s), out)
		return
	}
	for at := 0; at < len(s); {
		n := strings.Index(s[at:], "://")
		if n < 0 {
			return
		}
		start := at + n
		end := len(s)
		if n := strings.IndexAny(s[start:], urlEnds); n >= 0 {
			end = start + n
		}
		findInURL(s, start, end, out)
		at = end
	}
}

// findInURL looks into the text from start to end, which holds a URL and perhaps others in its query.
func findInURL(s string, start, end int, out *spans) {
	lastAt := start + strings.LastIndexByte(s[start:end], '@')
	at := start + strings.Index(s[start:end], "://")
	if at < start {
		at = skip(s, start, "/") // no scheme: only where the caller says that this is a URL
		findUserInfo(s, at, end, lastAt, out)
	}
	for n := 0; n >= 0; n = strings.Index(s[at:end], "://") {
		at = min(at+n+len("://"), end)
		findUserInfo(s, at, end, lastAt, out)
	}
	findInQuery(s, start, end, out)
}

// findInQuery finds the credential-named values behind the first question mark or hash.
func findInQuery(s string, start, end int, out *spans) {
	const ends = "?&;#"
	query := strings.IndexAny(s[start:end], "?#")
	if query < 0 {
		return
	}
	for at := start + query + 1; at < end; {
		stop := end
		if n := strings.IndexAny(s[at:end], ends); n >= 0 {
			stop = at + n
		}
		name, value, _ := strings.Cut(s[at:stop], "=")
		if secretInQuery(name) && !constant(value) && !onlyReferences(value) {
			out.add(stop-len(value), stop)
		}
		at = stop + 1
	}
}

func findUserInfo(s string, at, end, lastAt int, out *spans) {
	to := userInfoEnd(s, at, end, lastAt)
	login := strings.HasSuffix(s[:at], "ssh://") && !strings.Contains(s[at:to], ":") // names an account, as in ssh://git@host
	if to > at && !login && !onlyReferences(s[at:to]) {
		out.add(at, to)
	}
}

// userInfoEnd returns where the user info that may begin at byte at ends (its @), at if there is none. end is the URL's
// end and lastAt its last @. A password may hold a slash that should have been escaped: then what stands where the port
// should is no number.
func userInfoEnd(s string, at, end, lastAt int) int {
	if lastAt < at {
		return at
	}
	host := end
	if n := strings.IndexAny(s[at:end], "/?#"); n >= 0 {
		host = at + n
	}
	if n := strings.LastIndexByte(s[at:host], '@'); n >= 0 {
		return at + n
	}
	colon := strings.IndexByte(s[at:host], ':')
	if colon <= 0 || strings.IndexByte("[${", s[at]) >= 0 || allDigits(s[at+colon+1:host]) {
		return at
	}
	return lastAt
}

func allDigits(s string) bool {
	for i := range len(s) {
		if !isDigit(s[i]) {
			return false
		}
	}
	return true
}
