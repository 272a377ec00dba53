package redact

import "strings"

// prefix is how the tokens of one issuer begin.
type prefix struct {
	text  string
	least int    // characters that must follow
	more  string // beside letters and digits, characters that may follow
	drawn bool   // what follows must look drawn at random: names begin so, too
}

// prefixes by their first byte. What follows must have a digit or a capital: `sk-learn-something-long` is a name.
var prefixes = map[byte][]prefix{
	'1': {{"1//0", 30, "-_", false}}, // Google's refresh tokens
	'A': {
		{"AKIA", 16, "", false}, {"ASIA", 16, "", false}, {"AIza", 30, "-_", false}, {"AGE-SECRET-KEY-1", 16, "", false},
		{"ATATT3x", 16, "-_=", false}, {"ATCTT3x", 16, "-_=", false}, {"ATBB", 24, "", true}, {"AKCp", 16, "", true}, {"ABSK", 40, "+/=", true},
	},
	'C': {{"CFPAT-", 16, "-_", false}, {"CCIPAT_", 16, "_", false}},
	'E': {{"EAAA", 40, "-_", true}},
	'G': {{"GOCSPX-", 16, "-_", false}},
	'L': {{"LTAI", 16, "", true}},
	'N': {{"NRAK-", 16, "", false}},
	'P': {{"PMAK-", 24, "-", false}},
	'S': {{"SG.", 16, "-_.", false}},
	'a': {{"apify_api_", 16, "", false}},
	'b': {{"bkua_", 16, "", true}},
	'c': {{"ctx7sk-", 16, "-", false}, {"csk-", 24, "", true}},
	'd': {
		{"dckr_pat_", 16, "-_", false}, {"dop_v1_", 16, "", false}, {"dapi", 32, "", true},
		{"dp.st.", 16, "-_.", true}, {"dp.pt.", 16, "", true}, {"dp.ct.", 16, "", true}, {"dt0c01.", 16, ".", false},
	},
	'e': {{"eyJ", 17, "-_.", false}}, // a JWT, or any JSON object in base64
	'f': {{"figd_", 16, "-_", false}, {"fc-", 32, "", true}, {"fo1_", 24, "-_", true}, {"fw_", 20, "", true}},
	'g': {
		{"ghp_", 16, "", false}, {"gho_", 16, "", false}, {"ghu_", 16, "", false}, {"ghs_", 16, "", false}, {"ghr_", 16, "", false},
		{"github_pat_", 16, "_", false}, {"glpat-", 16, "-_.", false}, {"gldt-", 16, "-_", false}, {"glrt-", 16, "-_.", false},
		{"glptt-", 16, "-_", false}, {"gsk_", 16, "", false}, {"glsa_", 16, "_", false}, {"glc_", 20, "+/=", true},
	},
	'h': {{"hf_", 16, "", false}, {"hvs.", 16, "-_", false}, {"hvb.", 16, "-_", false}, {"hooks.slack.com/services/", 16, "/", false}},
	'j': {{"jina_", 32, "-_", true}},
	'k': {{"key_", 32, "", true}},
	'l': {{"lin_api_", 16, "", false}, {"lin_oauth_", 16, "", false}, {"lsv2_", 24, "_", true}},
	'n': {{"npm_", 20, "", false}, {"ntn_", 16, "", false}, {"nvapi-", 20, "-_", true}},
	'o': {{"ops_eyJ", 17, "-_.", false}},
	'p': {
		{"pypi-", 16, "-_", false}, {"pplx-", 16, "", false}, {"pcsk_", 16, "_", true}, {"phx_", 16, "", false}, {"phs_", 16, "", false},
		{"pul-", 32, "", true},
	},
	'r': {
		{"rk_live_", 16, "", false}, {"rk_test_", 16, "", false}, {"r8_", 16, "", false}, {"rubygems_", 32, "", true}, {"re_", 20, "_", true},
		{"rpa_", 24, "", true}, {"rnd_", 24, "", true},
	},
	's': {
		{"sk-", 16, "-_", false}, {"sk_live_", 16, "", false}, {"sk_test_", 16, "", false}, {"sk_", 32, "", true}, {"secret_", 20, "", false},
		{"shpat_", 16, "", false}, {"shpss_", 16, "", false}, {"shpca_", 16, "", false}, {"shppa_", 16, "", false},
		{"sntrys_", 16, "-_=", false}, {"sntryu_", 16, "", false}, {"sbp_", 16, "", false}, {"sb_secret_", 16, "-_", false},
		{"sgp_", 32, "_", true}, {"sq0atp-", 16, "-_", false}, {"sq0csp-", 16, "-_", false},
	},
	't': {{"tok_", 8, "-_", false}, {"tvly-", 16, "-_", false}, {"tskey-", 16, "-", true}, {"tgp_v1_", 24, "-_", true}},
	'w': {{"whsec_", 16, "+/=", false}},
	'x': {
		{"xoxb-", 10, "-", false}, {"xoxp-", 10, "-", false}, {"xoxa-", 10, "-", false}, {"xoxr-", 10, "-", false}, {"xoxs-", 10, "-", false},
		{"xoxc-", 10, "-", false}, {"xoxd-", 10, "-+/%=", false}, {"xoxe.", 10, "-.", false}, {"xapp-", 10, "-", false}, {"xai-", 16, "", false},
		{"xkeysib-", 32, "-", false},
	},
	'y': {{"ya29.", 16, "-_", false}},
}

// findPrefixes finds tokens that say themselves whose they are.
func findPrefixes(s string, out *spans) {
	for i := 0; i < len(s); i++ {
		if i > 0 && isAlnum(s[i-1]) {
			continue
		}
		if end := botToken(s, i); end > i {
			out.add(i, end)
			i = end - 1
			continue
		}
		for _, p := range prefixes[s[i]] {
			if !strings.HasPrefix(s[i:], p.text) {
				continue
			}
			if end := p.end(s, i); end > i {
				out.add(i, end)
				i = end - 1
				break
			}
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
	if end-start < p.least || !telling || p.drawn && !drawn(s[start:end]) {
		return i
	}
	return end
}

// drawn reports whether a word looks drawn at random: letters, capitals and digits change every four characters or more
// often, or it is long and hexadecimal.
func drawn(word string) bool {
	const changeEvery, hexFrom = 4, 16
	changes, marks, last := 0, 0, 0
	var has [kindDigit + 1]bool
	for i := range len(word) {
		kind := kindOf(word[i])
		if kind == 0 {
			continue
		}
		if last != 0 && kind != last {
			changes++
		}
		has[kind] = true
		last = kind
		marks++
	}
	if !has[kindDigit] || !has[kindLower] && !has[kindUpper] {
		return false
	}
	return changes*changeEvery >= marks || len(word) >= hexFrom && isHex(word)
}

// botToken returns where a bot's token of Telegram that begins at byte i ends: 1234567890:AA and 33 more; i for none.
func botToken(s string, i int) int {
	const colonFrom, colonUpTo, least = 8, 10, 33
	colon := i
	for colon < len(s) && colon-i <= colonUpTo && isDigit(s[colon]) {
		colon++
	}
	if colon-i < colonFrom || colon-i > colonUpTo || !strings.HasPrefix(s[colon:], ":AA") {
		return i
	}
	end := colon + len(":AA")
	for end < len(s) && (isAlnum(s[end]) || s[end] == '-' || s[end] == '_') {
		end++
	}
	if end-colon-len(":AA") < least {
		return i
	}
	return end
}
