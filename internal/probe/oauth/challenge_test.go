package oauth

import (
	"testing"
	"unicode/utf8"
)

func TestChallenge(t *testing.T) {
	for _, tt := range []struct {
		in   []string
		want Challenge
	}{
		{[]string{`Bearer resource_metadata="https://h/x", scope="a  b"`}, Challenge{Metadata: "https://h/x", Scope: "a b"}},
		{[]string{`bearer RESOURCE_METADATA=https://h/x,scope=a`}, Challenge{Metadata: "https://h/x", Scope: "a"}},
		{[]string{`Basic realm="a, Bearer scope=\"x\"", Bearer scope="b"`}, Challenge{Scope: "b"}},
		{[]string{`Basic realm="x"`, `DPoP algs="ES256", error="insufficient_scope", scope="s"`}, Challenge{Error: "insufficient_scope", Scope: "s"}},
		{[]string{`Negotiate YWJj==, Bearer scope = "q"`}, Challenge{Scope: "q"}},
		{[]string{`Bearer scope="", resource_metadata="https://h/"`}, Challenge{Metadata: "https://h/"}}, // OA-06
		{[]string{`Bearer scope="never closed`}, Challenge{Scope: "never closed"}},
		{[]string{`Bearer scope="a", scope="b"`}, Challenge{Scope: "a"}},
		{[]string{`Bearer error_description="a \"q\" b"`}, Challenge{Description: `a "q" b`}},
		{[]string{`Basic scope="x"`}, Challenge{}}, {nil, Challenge{}}, {[]string{`"""`, `=`, `,,,`}, Challenge{}},
	} {
		if got := ParseChallenge(tt.in...); got != tt.want {
			t.Errorf("%q: %+v, want %+v", tt.in, got, tt.want)
		}
	}
}

func FuzzChallenge(f *testing.F) {
	f.Add(`Bearer resource_metadata="https://h/x", scope="a b"`)
	f.Add(`Basic realm="a\", Bearer =`)
	f.Fuzz(func(t *testing.T, s string) { ParseChallenge(s) })
}

func FuzzEndpoint(f *testing.F) {
	for _, s := range []string{"https://h/a?b=$(c)", "http://127.0.0.1:1/", "http://[::1]/", "javascript:x", "https://\u202e/"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		u, why := endpoint(s)
		if why != "" {
			return
		}
		text := u.String()
		if u.Scheme != "https" && !(u.Scheme == "http" && loopbackName(u.Hostname())) || u.Hostname() == "" || u.User != nil || !utf8.ValidString(text) {
			t.Errorf("%q became %q", s, text)
		}
		for _, c := range text {
			if c <= ' ' || c >= 0x7f || c == '`' || c == '"' {
				t.Errorf("%q became %q", s, text)
			}
		}
	})
}

func TestCovers(t *testing.T) {
	for resource, servers := range map[string]map[string]bool{
		"https://h/a":      {"https://h/a": true, "https://h/a/": true, "https://h/a/mcp": true, "https://h/ab": false, "https://h": false, "http://h/a": false, "https://h:8443/a": false},
		"https://H:443":    {"https://h/x": true, "https://h": true, "https://h.evil/": false},
		"https://h/?a=1":   {"https://h/x?a=1": true, "https://h/x": false},
		"https://h/%2e%2e": {"https://h/../x": false}, "": {"https://h": false}, "urn:x": {"https://h": false},
	} {
		for server, want := range servers {
			if got := covers(resource, server); got != want {
				t.Errorf("covers(%q, %q) = %v", resource, server, got)
			}
		}
	}
}
