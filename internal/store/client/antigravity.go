package client

// Antigravity: mcpServers in a file of its own. The address stands in `serverUrl`, and in
// `url` for older files; it finds out the transport itself, and resolves no references.
var antigravityDialect = (&shape{
	client: "Antigravity",
	names:  []alias{{"serverUrl", "url"}},
	off:    "disabled",
	words:  plainWords,
	hide:   "disabledTools",
	has:    []string{"cwd"},
	gaps:   map[string]string{"authProviderType": signInWhy},
}).dialect()
