package oauth

import "testing"

// TestPage: what a person is sent to is https, or http at a literal loopback address; at
// localhost only for who has configured a server there.
func TestPage(t *testing.T) {
	for _, c := range []struct {
		server, page string
		ok           bool
	}{
		{"http://127.0.0.1:1/mcp", "http://127.0.0.1:1/authorize", true},
		{"http://127.0.0.1:1/mcp", "http://[::1]:1/authorize", true},
		{"http://127.0.0.1:1/mcp", "http://localhost:1/authorize", false},
		{"http://127.0.0.1:1/mcp", "http://LocalHost:1/authorize", false},
		{"http://127.0.0.1:1/mcp", "https://localhost:1/authorize", true},
		{"http://localhost:1/mcp", "http://localhost:1/authorize", true},
		{"https://mcp.example/mcp", "http://localhost:1/authorize", false},
		{"https://mcp.example/mcp", "http://example.com/authorize", false},
	} {
		f := &flow{t: Target{url: c.server}}
		if u, why := f.page(c.page); (why == "") != c.ok || (u != nil) != c.ok {
			t.Errorf("%s of %s: %q", c.page, c.server, why)
		}
	}
}
