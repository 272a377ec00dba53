package redact

import (
	"encoding/base64"
	"net/url"
	"strings"
	"sync"
)

// minSecret is the shortest known value that is hidden. Shorter ones stand by chance in ordinary words and numbers, and
// hiding them would tell what they are: "po***ion".
const minSecret = 6

// minLine is the shortest line of a value with several lines that is hidden by itself, for logs that come line by line.
const minLine = 8

// common are values that configure and protect nothing. Hiding them would blacken ordinary sentences.
var common = wordList(`
	absent access account always another anything authorization bearer browser client config content database debug default
	deferred desktop develop developer development direct disable disabled docker enable enabled engine error example false
	filesystem github gitlab global header headers hidden inactive internal javascript latest linux local localhost master
	memory method middle missing mysql never nothing notice number object offline online optional output password postgres
	postgresql private prod production project public python python3 readonly read-only read-write release remote required
	resource result sandbox script secret secrets server servers session sqlite stable staging standard status stdio
	streamable-http string system target tester testing timeout token tokens undefined unknown unset update user-agent
	username verbose version warning windows workspace
	application/json text/event-stream text/plain en_us.utf-8 c.utf-8 xterm-256color`)

// topDirs begin file paths. A list, since base64 secrets may begin with a slash too.
var topDirs = wordList(`
	applications bin boot dev etc home lib library media mnt nix opt private proc root run sbin srv sys system tmp usr users
	var volumes workspace workspaces`)

// wordList returns a set that is made when first asked for: most runs of the program hide nothing, and pay nothing.
func wordList(list string) func() map[string]bool {
	return sync.OnceValue(func() map[string]bool {
		set := map[string]bool{}
		for w := range strings.FieldsSeq(list) {
			set[w] = true
		}
		return set
	})
}

// secretsIn returns v and what in it is secret by itself, so that a server that prints only the token of
// "Bearer <token>", or only the password of a database URL, gives nothing away.
func secretsIn(v string) []string {
	v = strings.TrimSpace(v)
	found := []string{v}
	if scheme, rest, ok := cutScheme(v); ok {
		found = append(found, rest)
		if strings.EqualFold(scheme, "basic") {
			found = append(found, basicPassword(rest)...)
		}
	}
	found = append(found, urlSecrets(v)...)
	if strings.Contains(v, "\n") {
		for line := range strings.Lines(v) {
			if line = strings.TrimSpace(line); len(line) >= minLine {
				found = append(found, line)
			}
		}
	}
	kept := found[:0]
	for _, f := range found {
		if worthHiding(f) {
			kept = append(kept, f)
		}
	}
	return kept
}

// cutScheme cuts the authentication scheme off a header value.
func cutScheme(v string) (scheme, rest string, ok bool) {
	scheme, rest, ok = strings.Cut(v, " ")
	return scheme, strings.TrimSpace(rest), ok && schemes[strings.ToLower(scheme)] != noScheme
}

// basicPassword returns user:password and password out of their base64 text.
func basicPassword(encoded string) []string {
	plain, err := base64.StdEncoding.DecodeString(encoded)
	if err != nil {
		return nil
	}
	_, password, _ := strings.Cut(string(plain), ":")
	return []string{string(plain), password}
}

// urlSecrets returns the password of a URL (or the user, if there is no password: then it is a token) and its
// credential-named query values.
func urlSecrets(v string) []string {
	if !strings.Contains(v, "://") {
		return nil
	}
	u, err := url.Parse(v)
	if err != nil {
		return nil
	}
	var found []string
	if password, ok := u.User.Password(); ok {
		found = append(found, password)
	} else if u.User != nil {
		found = append(found, u.User.Username())
	}
	for name, values := range u.Query() {
		if secretInQuery(name) {
			found = append(found, values...)
		}
	}
	return found
}

// worthHiding reports whether a known value can be a secret. Not hidden are values shorter than minSecret (which covers
// ports and small numbers), common words, one character repeated, file paths below the usual top directories and URLs
// without anything secret in them: they come as variables too, and without them no message could name a file or a host.
func worthHiding(v string) bool {
	if len(v) < minSecret || common()[strings.ToLower(v)] || strings.Trim(v, v[:1]) == "" {
		return false
	}
	return !plainPaths(v) && !plainURL(v)
}

// plainPaths reports whether v is a file path, or several joined by colons as in PATH, with nothing random in it.
func plainPaths(v string) bool {
	for path := range strings.SplitSeq(v, ":") {
		top, _, _ := strings.Cut(strings.TrimPrefix(path, "/"), "/")
		if !strings.HasPrefix(path, "~/") && !(strings.HasPrefix(path, "/") && topDirs()[strings.ToLower(top)]) {
			return false
		}
		if !wordy(path) {
			return false
		}
	}
	return true
}

// plainURL reports whether v is an http address that says only where something is.
func plainURL(v string) bool {
	u, err := url.Parse(v)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" && u.Scheme != "file" {
		return false
	}
	return u.User == nil && u.RawQuery == "" && u.Fragment == "" && wordy(v)
}

// wordy reports whether no segment of a path or URL looks drawn at random, as in the address of a web hook.
func wordy(v string) bool {
	const randomFrom = 16
	for segment := range strings.SplitSeq(v, "/") {
		if len(segment) >= randomFrom && random(segment) {
			return false
		}
	}
	return true
}
