package redact

import (
	"encoding/json"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const canary = "tok_EXAMPLE_1234567890"

func TestTextHidesShapes(t *testing.T) {
	t.Parallel()
	tests := map[string]struct{ in, want string }{
		"password in URL":         {"connect http://u:hunter2@127.0.0.1:80/mcp: refused", "connect http://***@127.0.0.1:80/mcp: refused"},
		"token as user":           {"https://abc123@host/x", "https://***@host/x"},
		"password with slash":     {"postgresql://al:p/w?x@db.example/x", "postgresql://***@db.example/x"},
		"account":                 {"git+ssh://git@github.com/a ssh://u:p@h/", "git+ssh://git@github.com/a ssh://***@h/"},
		"scoped package":          {"http://localhost:8080/@scope/pkg", "http://localhost:8080/@scope/pkg"},
		"references in URL":       {"http://${USER}:${PASS}@h/x", "http://${USER}:${PASS}@h/x"},
		"query":                   {"GET https://h/p?id=3&api_key=abc&code=xyz#x", "GET https://h/p?id=3&api_key=***&code=***#x"},
		"fragment":                {"https://h/cb#access_token=abc&state=1", "https://h/cb#access_token=***&state=1"},
		"URL in a query":          {"https://h/?u=https%3A%2F%2Fa%3Ab%40c%2F", "https://h/?u=https%3A%2F%2F***%40c%2F"},
		"form":                    {"grant_type=authorization_code&code=abc&x=1", "grant_type=authorization_code&code=***&x=1"},
		"Go's URL error":          {`Get "https://h/?token=abc": EOF`, `Get "https://h/?token=***": EOF`},
		"bearer":                  {"sent Bearer abc.def-1 to it", "sent Bearer *** to it"},
		"bearer in prose":         {"Bearer token required", "Bearer token required"},
		"challenge":               {`Bearer realm="x", error="invalid_token"`, `Bearer realm="x", error="invalid_token"`},
		"bearer, more prose":      {"bearer values differ, Bearer Grant, bearer secret", "bearer values differ, Bearer Grant, bearer ***"},
		"scheme in prose":         {"credential: bearer header for http", "credential: bearer header for http"},
		"placeholders":            {"Authorization: Bearer <token>, Bearer …", "Authorization: Bearer <token>, Bearer …"},
		"scheme, then a sentence": {"ext-auth: OAuth Client Credentials; Authorization: OAuth abc1", "ext-auth: OAuth Client Credentials; Authorization: OAuth ***"},
		"OAuth":                   {"Headless OAuth: GET x", "Headless OAuth: GET x"},
		"file":                    {"token.go: bad", "token.go: bad"},
		"web hook":                {"https://hooks.slack.com/services/T00000000/B00000000/abcdefABCDEF012345678901", "https://***"},
		"id in a path":            {"h/channel/UCxg5N16FKrTa4Cees434pbw/more", "h/channel/UCxg5N16FKrTa4Cees434pbw/more"},
		"options quoted":          {"`--disabled`, `--auth` flag. -jwt `{x}`; -jwt, y", "`--disabled`, `--auth` flag. -jwt `{x}`; -jwt, y"},
		"basic":                   {"Basic YWw6cHc=", "Basic ***"},
		"basic in prose":          {"Basic usage follows", "Basic usage follows"},
		"header":                  {"Authorization: Bearer abc", "Authorization: Bearer ***"},
		"header, odd scheme":      {"Authorization: Digest username=\"a\", response=\"b\"\nx", "Authorization: Digest ***\nx"},
		"header, no scheme":       {"X-Api-Key: abc def", "X-Api-Key: *** def"},
		"cookies":                 {"Cookie: a=b; c=d\nnext", "Cookie: ***\nnext"},
		"Go header":               {"map[Authorization:[Bearer abc] Accept:[x] X-Api-Key:[a b]]", "map[Authorization:[Bearer ***] Accept:[x] X-Api-Key:[***]]"},
		"key=value":               {"FOO_API_KEY=abc other=1", "FOO_API_KEY=*** other=1"},
		"key = quoted":            {`password = "a b \" c" x`, `password = "***" x`},
		"fat arrow":               {":token=>'abc'", ":token=>'***'"},
		"JSON":                    {`{"apiKey": "a\"b", "n": 1}`, `{"apiKey": "***", "n": 1}`},
		"JSON in JSON":            {`{"m":"{\"token\":\"abc\"}"}`, `{"m":"{\"token\":\"***\"}"}`},
		"reference":               {"TOKEN=${TOKEN} x", "TOKEN=${TOKEN} x"},
		"default text":            {"url ${TOKEN:-abc}/x ${TOKEN:-}", "url ${TOKEN:-***}/x ${TOKEN:-}"},
		"constants":               {`"token": null, auth=true, password=`, `"token": null, auth=true, password=`},
		"about tokens":            {"token_type=bearer max_tokens=4096 tokenUrl=http://h/t", "token_type=bearer max_tokens=4096 tokenUrl=http://h/t"},
		"progress":                {`{"progressToken":17}`, `{"progressToken":17}`},
		"sentence":                {"token: server said no; auth: expired", "token: server said no; auth: expired"},
		"password: not sentence":  {"password: correct horse", "password: *** horse"},
		"option":                  {"run --token abc --port 3", "run --token *** --port 3"},
		"options printed":         {`["--api-key", "abc"] ['-password', 'x']`, `["--api-key", "***"] ['-password', '***']`},
		"option in prose":         {"use --token to sign in, --password-file F, --token VALUE", "use --token to sign in, --password-file F, --token VALUE"},
		"prefixes":                {"a ghp_0123456789abcdefABCD, xoxb-1234567890-a AKIAABCDEFGHIJKLMNOP.", "a ***, *** ***."},
		"canary":                  {"bad key " + canary, "bad key ***"},
		"names with dashes":       {"sk-learn-something-very-long task-0123456789abcdefgh npm_config_registry_mirror_x", "sk-learn-something-very-long task-0123456789abcdefgh npm_config_registry_mirror_x"},
		"JWT":                     {"t=eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.AbC-_1 x", "t=*** x"},
		"after an escape":         {`"a\nghp_0123456789abcdefABCD"`, `"a\n***"`},
		"private key":             {"-----BEGIN RSA PRIVATE KEY-----\nMIIE\nabc\n-----END RSA PRIVATE KEY-----", "-----BEGIN RSA PRIVATE KEY-----***-----END RSA PRIVATE KEY-----"},
		"private key, cut":        {"x -----BEGIN PRIVATE KEY-----\nMIIE", "x -----BEGIN PRIVATE KEY-----***"},
		"long hex":                {"id 0123456789abcdef0123456789abcdef.", "id ***."},
		"long base64":             {"v Zm9vYmFy/c2VjcmV0+MTIzNDU2Nzg5MGFiY2RlZg== x", "v *** x"},
		"long base64url":          {"v dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk x", "v *** x"},
		"in a path":               {"/hooks/0123456789abcdef0123456789abcdef/x", "/hooks/***/x"},
		"fingerprint":             {"sha256:" + strings.Repeat("0a", 32), "sha256:" + strings.Repeat("0a", 32)},
		"integrity":               {"sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=", "sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="},
		"UUID":                    {"x/550e8400-e29b-41d4-a716-446655440000/some-longer-path", "x/550e8400-e29b-41d4-a716-446655440000/some-longer-path"},
		"path":                    {"/home/max/projects/mcpctl2/node_modules/.bin/a", "/home/max/projects/mcpctl2/node_modules/.bin/a"},
		"class":                   {"OAuth2AuthenticationProcessingFilter", "OAuth2AuthenticationProcessingFilter"},
		"slug":                    {"mcp-server-2024-11-05-node20-linux-amd64-build5", "mcp-server-2024-11-05-node20-linux-amd64-build5"},
		"plain":                   {"cannot lock '~/.claude.json': held for 2s", "cannot lock '~/.claude.json': held for 2s"},
		"already hidden":          {"token=*** https://***@h Bearer ***", "token=*** https://***@h Bearer ***"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := Text(tt.in)
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("Text(%q) (-want +got):\n%s", tt.in, diff)
			}
			if again := Text(got); again != got {
				t.Errorf("Text is not idempotent: %q, then %q", got, again)
			}
		})
	}
}

func TestTextHidesKnownValues(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		value, in, want string
	}{
		"plain":               {"pass phrase", "it is pass phrase.", "it is ***."},
		"newline at the end":  {"pass phrase\n", "it is pass phrase.", "it is ***."},
		"header value":        {"Bearer abcdefg", "got abcdefg", "got ***"},
		"basic header":        {"Basic YWxhZGRpbjpvcGVuIHNlc2FtZQ==", "for aladdin: open sesame", "for aladdin: ***"},
		"URL's password":      {"redis://al:s3cr3t!@db/0", "bad s3cr3t!", "bad ***"},
		"query value":         {"https://h/?token=q1w2e3r4", "bad q1w2e3r4", "bad ***"},
		"a line":              {"first-line-x\nsecond-line-y", "err second-line-y!", "err ***!"},
		"query escapes":       {"a b&c=d+e", "x=a+b%26c%3Dd%2Be&y", "x=***&y"},
		"lower-case escapes":  {"a/b&c=d+e", "x=a%2fb%26c%3dd%2be&y", "x=***&y"},
		"JSON escapes":        {"a\"b<c>\n\\d", `x \u0061\"b\u003cc\u003e\n\\d y`, `x *** y`},
		"JSON twice":          {`a"bcdef`, `"{\"k\":\"a\\\"bcdef\"}"`, `"{\"k\":\"***\"}"`},
		"surrogates":          {"key-\U0001F511-x", `key-\ud83d\udd11-x`, "***"},
		"hex":                 {"abcdef", "616263646566 0A616263646566", "*** 0A***"},
		"base64":              {"al:hunter", "YWw6aHVudGVy x", "*** x"},
		"base64, moved by 1":  {"hunter2", "eDpodW50ZXIy", "eD***"},
		"base64, moved by 2":  {"hunter2", "eHg6aHVudGVyMg==", "eHg6***"},
		"overlap":             {"abcabcabcx", "abcabcabcabcx", "abc***"},
		"too short":           {"abc", "abc", "abc"},
		"number":              {"8080", "port 8080", "port 8080"},
		"common":              {"Production", "in production", "in production"},
		"one character":       {"xxxxxxxx", "xxxxxxxx", "xxxxxxxx"},
		"path":                {"/home/max/work", "cannot read /home/max/work/x", "cannot read /home/max/work/x"},
		"PATH":                {"/usr/bin:/home/max/.local/bin", "PATH /usr/bin:/home/max/.local/bin", "PATH /usr/bin:/home/max/.local/bin"},
		"slash, but no path":  {"/9j4AAQSkZJRg", "x /9j4AAQSkZJRg", "x ***"},
		"address":             {"https://api.example.com/v1", "to https://api.example.com/v1/x", "to https://api.example.com/v1/x"},
		"web hook":            {"https://h.example/T1/AbC123dEf456GhI789", "to https://h.example/T1/AbC123dEf456GhI789", "to ***"},
		"inside another word": {"abcdef12", "xabcdef12y", "x***y"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := NewMask(tt.value)
			got := m.Text(tt.in)
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("Text(%q) knowing %q (-want +got):\n%s", tt.in, tt.value, diff)
			}
			if again := m.Text(got); again != got {
				t.Errorf("Text is not idempotent: %q, then %q", got, again)
			}
		})
	}
}

func TestMaskWith(t *testing.T) {
	t.Parallel()
	one := NewMask("first-value")
	both := one.With("first-value-and-more", "second-value")
	in := "first-value-and-more second-value"
	if got, want := both.Text(in), "*** ***"; got != want {
		t.Errorf("both: %q, want %q", got, want)
	}
	if got, want := one.Text(in), "***-and-more second-value"; got != want {
		t.Errorf("the first mask changed: %q, want %q", got, want)
	}
	var zero Mask
	var none *Mask
	if zero.Text(in) != in || none.Text(in) != in || none.With("second-value").Text("second-value") != Hidden {
		t.Error("the zero value and nil must know no values and be usable")
	}
}

func TestMaskConcurrent(t *testing.T) {
	t.Parallel()
	m := NewMask("first-value")
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			if got := m.With("second-value").Text("first-value, second-value"); got != "***, ***" {
				t.Errorf("got %q", got)
			}
		})
	}
	wg.Wait()
}

func TestURL(t *testing.T) {
	t.Parallel()
	tests := map[string]string{
		"http://u:" + canary + "@127.0.0.1:8/mcp?api_key=" + canary: "http://***@127.0.0.1:8/mcp?api_key=***",
		"http://u:p w\"x@host/":             "http://***@host/",
		"//u:p@host/x":                      "//***@host/x",
		"https://h/mcp?key=abc&q=a b&sig=1": "https://h/mcp?key=***&q=a b&sig=***",
		"https://h/mcp?token=${TOKEN}":      "https://h/mcp?token=${TOKEN}",
		"https://mcp.example.com/mcp":       "https://mcp.example.com/mcp",
		"":                                  "",
		"not a url":                         "not a url",
	}
	for in, want := range tests {
		if got := URL(in); got != want {
			t.Errorf("URL(%q) = %q, want %q", in, got, want)
		}
	}
	if got := NewMask("secret-part").URL("https://h/secret-part/x"); got != "https://h/***/x" {
		t.Errorf("known value in a URL: %q", got)
	}
}

func TestArgs(t *testing.T) {
	t.Parallel()
	tests := []struct{ in, want []string }{
		{[]string{"--token", canary, "--api-key=" + canary}, []string{"--token", "***", "--api-key=***"}},
		{[]string{"--password", "correct horse", "-p", "8080"}, []string{"--password", "***", "-p", "8080"}},
		{[]string{"--token", "-aB3/x", "--token", "--verbose"}, []string{"--token", "***", "--token", "--verbose"}},
		{[]string{"--token", "${TOKEN}", "--auth", "none"}, []string{"--token", "${TOKEN}", "--auth", "none"}},
		{[]string{"--no-auth", "server.js"}, []string{"--no-auth", "server.js"}},
		{[]string{"-e", "API_KEY=a b&c", "-e", "FOO=bar"}, []string{"-e", "API_KEY=***", "-e", "FOO=bar"}},
		{[]string{"-H", "X-Custom: abc", "--header", "Authorization: Bearer ${T}"}, []string{"-H", "X-Custom: ***", "--header", "Authorization: Bearer ${T}"}},
		{[]string{"--header=X-A:b", "-H", "nonsense here"}, []string{"--header=X-A:***", "-H", "***"}},
		{[]string{"-u", "al:pw", "--user", "1000:1000"}, []string{"-u", "al:***", "--user", "1000:1000"}},
		{[]string{"mcp-remote", "https://u:p@h/?key=x"}, []string{"mcp-remote", "https://***@h/?key=***"}},
		{[]string{"Bearer", "abc"}, []string{"Bearer", "***"}},
		{[]string{"-y", "@scope/server@1.2.3", "/home/max/x"}, []string{"-y", "@scope/server@1.2.3", "/home/max/x"}},
		{[]string{}, []string{}},
		{nil, nil},
	}
	for _, tt := range tests {
		if diff := cmp.Diff(tt.want, Args(tt.in)); diff != "" {
			t.Errorf("Args(%q) (-want +got):\n%s", tt.in, diff)
		}
	}
	if diff := cmp.Diff([]string{"x***"}, NewMask("known-one").Args([]string{"xknown-one"})); diff != "" {
		t.Errorf("known value (-want +got):\n%s", diff)
	}
}

func TestValues(t *testing.T) {
	t.Parallel()
	in := map[string]string{
		"A": "literal", "B": "${NAME}", "C": "Bearer ${NAME}", "D": "Bearer literal", "E": "${A}:${env:B} {env:C}",
		"F": "${NAME:-default}", "G": "${NAME}x", "H": "", "I": "Bearer", "J": "!command", "K": "$NAME", "L": "${NAME:-}", "M": "1",
	}
	want := map[string]string{
		"A": "***", "B": "${NAME}", "C": "Bearer ${NAME}", "D": "***", "E": "${A}:${env:B} {env:C}",
		"F": "***", "G": "***", "H": "", "I": "***", "J": "***", "K": "***", "L": "${NAME:-}", "M": "***",
	}
	if diff := cmp.Diff(want, Values(in)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if Values(nil) != nil {
		t.Error("nil must stay nil")
	}
}

func TestJSON(t *testing.T) {
	t.Parallel()
	tests := map[string]struct{ in, want string }{
		"members": {
			` { "url" : "https://u:p@h/a?b&c" , "token":"x","n":1.50e3, "apiKey": 12345, "auth": {"type": "oauth"} } `,
			` { "url" : "https://***@h/a?b&c" , "token":"***","n":1.50e3, "apiKey": "***", "auth": {"type": "oauth"} } `,
		},
		"lists":      {`{"args":["--token","x","y"],"passwords":["a",{"b":"c"}],"e":[],"o":{}}`, `{"args":["--token","***","y"],"passwords":["***",{"b":"c"}],"e":[],"o":{}}`},
		"untouched":  {`{"a":"\u00e9\/x","b":[true,false,null]}`, `{"a":"\u00e9\/x","b":[true,false,null]}`},
		"escapes":    {`{"m":"known\u002dvalue <x>"}`, `{"m":"*** <x>"}`},
		"key":        {`{"known-value":1}`, `{"***":1}`},
		"number":     {`[987654321, 987654322]`, `["***", 987654322]`},
		"scalar":     {`"token=x"`, `"token=***"`},
		"constants":  {`{"token":null,"auth":true,"secret":"${X}"}`, `{"token":null,"auth":true,"secret":"${X}"}`},
		"not JSON":   {`{"token":"x"`, `"{\"token\":\"***\""`},
		"nothing":    {``, ``},
		"line ends":  {"[\n1,\r\n2]\n", "[\n1,\r\n2]\n"},
		"log string": {`{"m":"token=abc is bad for h"}`, `{"m":"token=*** is bad for h"}`},
	}
	m := NewMask("known-value", "987654321")
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := m.JSON(json.RawMessage(tt.in))
			if diff := cmp.Diff(tt.want, string(got)); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			if len(got) > 0 && !json.Valid(got) {
				t.Errorf("not JSON: %s", got)
			}
		})
	}
}

func TestCredential(t *testing.T) {
	t.Parallel()
	yes := strings.Fields(`token TOKEN API_TOKEN apiToken --token FOO_API_KEY x-api-key apiKey APIKey apikey api_key OPENAI_KEY
		secret clientSecret client_secret password DB_PASSWORD passwd DB_PASS DB_PWD PGPASSWORD auth Authorization
		Proxy-Authorization credential credentials private_key PRIVATE-KEY accessKey AWS_ACCESS_KEY_ID AWS_SECRET_ACCESS_KEY
		session_id Mcp-Session-Id BW_SESSION sessionToken JSESSIONID Cookie Set-Cookie TOKEN_2 API_KEY_PROD githubtoken
		refresh_token id_token_hint X-Amz-Credential GITHUB_PAT jwt passphrase device_code`)
	no := strings.Fields(`name url key code session author tokens max_tokens token_type tokenUrl token_endpoint
		authorization_endpoint auth_domain credentialId password-file --bearer-token-env-var --oauth-client-secret-stdin
		--no-auth progressToken primary_key public_key ssh_key DESKTOP_SESSION PWD OLDPWD tokenizer PATH HOME keyboard monkey
		exposure secretary clientId - _ 1`)
	for _, name := range yes {
		if !Credential(name) {
			t.Errorf("Credential(%q) = false", name)
		}
	}
	for _, name := range append(no, "") {
		if Credential(name) {
			t.Errorf("Credential(%q) = true", name)
		}
	}
}

// TestTextIsLinear takes minutes where one of the finders looks at the rest of the text from each place again.
func TestTextIsLinear(t *testing.T) {
	t.Parallel()
	const size = 1 << 16
	m := NewMask(strings.Repeat("a1/", 2000)+"z", "abc def ghi")
	for _, piece := range []string{
		"a", "://", "a://b@", "token:", "token:[", "--token \"", "'--token \"`", `\`, `\u0061`, "%41", "+", "bearer ", "-----BEGIN ",
		"-----BEGIN PRIVATE KEY-----", "eyJ", "a1/", "550e8400-", "?a=b&", "${", "cookie:${A} ", `"token":"\`, "===:", " = ", " \t",
	} {
		got := m.Text(strings.Repeat(piece, size/len(piece)))
		if len(got) > 3*size {
			t.Errorf("%q: %d bytes become %d", piece, size, len(got))
		}
	}
}

// TestSecretsWithinKnownValues: a part of a known value that is secret by itself is hidden where it stands alone.
func TestSecretsWithinKnownValues(t *testing.T) {
	for value, secret := range map[string]string{
		"https://lonely-word@host.example/x":             "lonely-word",
		"https://me:pass-phrase@host.example/x":          "pass-phrase",
		"https://host.example/x?api_key=query-word":      "query-word",
		"Basic bWU6aGlkZGVuLXdvcmRz":                     "hidden-words",
		"Bearer spoken-word":                             "spoken-word",
		"first line of all\nsecond-line\nthird and last": "second-line",
	} {
		if got := NewMask(value).Text("refused: " + secret); strings.Contains(got, secret) {
			t.Errorf("%q of %q: %s", secret, value, got)
		}
	}
}
