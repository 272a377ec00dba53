package redact

import "strings"

// secretWords make a name a credential's wherever they stand in it: API_TOKEN, token_prod, clientSecret.
var secretWords = wordList(`
	accesskey apikey apikeys authtoken clientsecret credential credentials creds jsessionid jwt passcode passphrase passwd
	password passwords phpsessid privatekey secret secretkey secrets sessionid token`)

// secretPairs do so as two words in a row.
var secretPairs = wordList(`
	accesskey accesskeys accesstokens apikey apikeys apitokens authcode authheader authkey authtokens devicecode encryptionkey
	privatekey privatekeys refreshtokens secretkey secretkeys servicekey sessionid sessionkey signingkey`)

// secretEnds do so only as the last word: `auth` is a credential, `auth_domain` is not.
var secretEnds = wordList(`auth authorization bearer cookie cookies otp pass pat`)

// secretSuffixes do so as the last of several words: FOO_KEY and BW_SESSION are credentials, `key` and `session` are not.
var secretSuffixes = wordList(`key keys pwd session`)

// notBeforeKey are the words after which `key`, `pwd` and `session` name something public.
var notBeforeKey = wordList(`
	cache column composite default desktop foreign group hot index map object old partition primary public publishable row
	sort ssh top unique xdg`)

// harmlessEnds turn the name of a credential into that of something about it: token_type, tokenUrl, password-file,
// --bearer-token-env-var, --client-secret-stdin.
var harmlessEnds = wordList(`
	at budget callback cmd command configured count dir directory enabled endpoint endpoints env error exp expires expiration
	expiry file files flow in issuer keyring len length lifetime limit limits manager metadata method methods mode name names
	path paths policy prompt provider registration required scope scopes size state status stdin store supported timeout ttl
	type types uri url urls usage var variable`)

// harmlessStarts do the same from the front: --no-auth, useToken, progressToken.
var harmlessStarts = wordList(`
	allow disable enable expose has hide ignore is max min need needs no num print progress prompt require requires show skip
	supports use with without`)

// fileEnds make of a name with a dot that of a file: "token.go: no such file".
var fileEnds = wordList(`c go h html java js json md mjs pem py rb rs sh toml ts txt yaml yml`)

// secretInQueries are last words that name a secret in the query of a URL or in a form, where `code` is not an exit code.
var secretInQueries = wordList(`assertion code hmac key pwd session sid sig signature ticket verifier`)

// schemeKind says what follows the name of an authentication scheme.
type schemeKind int

const (
	noScheme   schemeKind = iota
	oneToken              // one word: Bearer abc
	parameters            // up to the end of the line, or one word: Digest username="a", response="b"
)

// schemes are the authentication schemes, in lower case. The name stays readable: it tells what is wrong.
var schemes = map[string]schemeKind{
	"bearer": oneToken, "basic": oneToken, "token": oneToken, "apikey": oneToken, "api-key": oneToken, "key": oneToken,
	"negotiate": oneToken, "ntlm": oneToken, "dpop": oneToken, "digest": parameters, "hawk": parameters, "oauth": parameters,
	"signature": parameters, "aws4-hmac-sha256": parameters,
}

// Credential reports whether a variable, header, option, field or parameter of this name usually holds a secret. It goes by
// the words of the name in any spelling: FOO_API_KEY, x-api-key, apiKey, --client-secret. A name it does not know well is
// a credential's as soon as one of its words says so, except where the last word says it is only about one
// (token_type, tokenUrl). Names of one word that are ordinary elsewhere (key, session, code) are none.
// Source: design section 14.
func Credential(name string) bool {
	if dot := strings.LastIndexByte(name, '.'); dot >= 0 && fileEnds()[name[dot+1:]] {
		return false
	}
	parts := nameWords(name)
	if len(parts) == 0 || harmlessEnds()[parts[len(parts)-1]] || len(parts) > 1 && harmlessStarts()[parts[0]] {
		return false
	}
	joined := strings.Join(parts, "")
	if joined == "credentialid" || joined == "envkeys" { // names a stored credential, names variables
		return false
	}
	for i, w := range parts {
		if secretWords()[w] || endsInSecret(w) || i > 0 && secretPairs()[parts[i-1]+w] {
			return true
		}
	}
	last := parts[len(parts)-1]
	if secretEnds()[last] {
		return true
	}
	return len(parts) > 1 && secretSuffixes()[last] && !notBeforeKey()[parts[len(parts)-2]]
}

// secretInQuery is Credential for a parameter of a URL's query or fragment, or of a form.
func secretInQuery(name string) bool {
	parts := nameWords(name)
	return Credential(name) || len(parts) > 0 && secretInQueries()[parts[len(parts)-1]]
}

// endsInSecret recognises words written together in lower case: mytoken, dbpassword.
func endsInSecret(w string) bool {
	for _, end := range []string{"token", "secret", "password", "passwd", "apikey"} {
		if strings.HasSuffix(w, end) {
			return true
		}
	}
	return false
}

// nameWords splits a name at everything that is no letter and where the case says so, in lower case. Digits are left
// out: TOKEN_2 is a token.
func nameWords(name string) []string {
	var parts []string
	start := 0
	flush := func(end int) {
		if start < end {
			parts = append(parts, strings.ToLower(name[start:end]))
		}
		if n := len(parts); n > 1 && parts[n-2] == "o" && parts[n-1] == "auth" { // OAuth is one word
			parts = append(parts[:n-2], "oauth")
		}
		start = end
	}
	for i := 0; i < len(name); i++ {
		switch c := name[i]; {
		case !isAlpha(c):
			flush(i)
			start = i + 1
		case i > start && isUpper(c) && isLower(name[i-1]): // apiKey
			flush(i)
		case i > start && isUpper(c) && i+1 < len(name) && isLower(name[i+1]): // APIKey
			flush(i)
		}
	}
	flush(len(name))
	return parts
}
