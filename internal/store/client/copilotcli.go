package client

import "time"

// copilotDialect is GitHub Copilot CLI: references in env and headers only, and a list
// of the tools that are on.
var copilotDialect = family{
	title: "Copilot CLI",
	types: known("local=stdio", "stdio", "http", "sse", "streamable-http=http"),
	stdio: "local", http: "http", sse: "sse",
	typeWhy: "Copilot CLI wants a 'type' beside 'url'",
	unit:    time.Millisecond,
	only:    "tools",
	values:  syntax{bare: true, defaults: true, dollar: true},
	plain:   map[string]bool{"command": true, "args": true, "cwd": true, "url": true},
	oauth:   oauthWords{fields: map[string]string{"oauthClientId": "clientId", "oauthGrantType": "grant"}},
	gaps:    map[string]string{"oidc": "mcpctl has no tokens of GitHub's to give away"},
	aside: map[string]string{
		"deferTools":                exposureWhy,
		"disableToolCache":          "mcpctl keeps no tools of a server that runs",
		"slowConnectionThresholdMs": "mcpctl does not warn of slow servers",
		"gallery":                   originWhy,
		"version":                   originWhy,
		"filterMapping":             "mcpctl gives results as they are",
	},
	odd: func(r *familyReading) {
		if n := r.entry.Get("oauthPublicClient"); n != nil {
			if r.Drop("oauthPublicClient"); string(n.Raw()) == "false" {
				r.gap(n, "oauthPublicClient", "Copilot CLI keeps a client secret elsewhere, which mcpctl does not have", "write it into oauth.clientSecret as ${NAME}")
			}
		}
	},
	oddWrite: func(w *writer, f family) {
		n := w.Node()
		if n.Get("command") == nil && n.Get("url") == nil {
			return // an override has no tools
		}
		if n.Get("command") != nil && n.Get("args") == nil {
			w.Set("args", []byte("[]")) // it wants both
		}
		if n.Get(f.only) == nil {
			w.Set(f.only, []byte(`["*"]`))
		}
	},
}.dialect()
