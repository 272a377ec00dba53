package client

// Antigravity: mcpServers in a file of its own. The address stands in `serverUrl`, and in
// `url` for older files; it finds out the transport itself, and resolves no references.
var antigravityDialect = (&shape{
	client:   "Antigravity",
	names:    []alias{{"serverUrl", "url"}},
	spelling: spelling{read: literal},
	off:      "disabled",
	words:    map[string]string{"stdio": "-", "http": "-", "sse": ""},
	hide:     "disabledTools",
	has:      []string{"cwd"},
	theirs: map[string]string{
		"authProviderType": "signs in another way",
	},
}).dialect()
