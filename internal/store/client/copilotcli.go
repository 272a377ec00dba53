package client

import (
	"slices"
	"time"
)

// copilotDialect is GitHub Copilot CLI: references in env and headers only, and a list
// of the tools that are on.
var copilotDialect = (&shape{
	client:   "Copilot CLI",
	types:    known("local=stdio", "stdio", "http", "sse", "streamable-http=http"),
	words:    map[string]string{"stdio": "local", "http": "http", "sse": "sse"},
	typeWhy:  "Copilot CLI wants a 'type' beside 'url'",
	unit:     time.Millisecond,
	show:     "tools",
	spelling: spelling{bare: true, defaults: true, dollar: true},
	resolved: []string{"env", "headers", "oauth"},
	signIn:   signIn{fields: []alias{{"oauthClientId", "clientId"}, {"oauthGrantType", "grant"}}},
	has:      []string{"cwd"},
	more:     []string{"oauthPublicClient"},
	gaps:     map[string]string{"oidc": "mcpctl has no tokens of GitHub's to give away"},
	aside: map[string]string{
		"deferTools":                exposureWhy,
		"disableToolCache":          "mcpctl keeps no tools of a server that runs",
		"slowConnectionThresholdMs": "mcpctl does not warn of slow servers",
		"gallery":                   originWhy,
		"version":                   originWhy,
		"filterMapping":             "mcpctl gives results as they are",
	},
	reads: (*shapeReader).copilot, writes: (*shapeWriter).copilot,
}).dialect()

// copilot takes a list with all tools for none, and tells of a secret that stands elsewhere.
func (r *shapeReader) copilot() {
	if tools := r.get("tools"); tools != nil && slices.Contains(textsOf(tools), "*") {
		r.Drop("tools")
	}
	if n := r.get("oauthPublicClient"); n != nil {
		if r.Drop("oauthPublicClient"); string(n.Raw()) == "false" {
			r.gap(n, "oauthPublicClient", "Copilot CLI keeps a client secret elsewhere, which mcpctl does not have", "write it into oauth.clientSecret as ${NAME}")
		}
	}
}

// copilot adds what a whole entry has to say.
func (w *shapeWriter) copilot() {
	if w.transport == "" {
		return
	}
	if w.transport == "stdio" && w.Node().Get("args") == nil {
		w.Set("args", list(nil))
	}
	if w.Node().Get("tools") == nil {
		w.Set("tools", list([]string{"*"}))
	}
}
