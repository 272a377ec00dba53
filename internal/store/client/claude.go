package client

import "time"

// claudeDialect is Claude Code 2.1: ~/.claude.json, .mcp.json. Not taken over: a
// reference to a variable that is not set, which it sends as it stands; mcpctl fails
// that server.
var claudeDialect = (&shape{
	client:   "Claude Code",
	types:    known("stdio", "http", "sse", "streamable-http=http"),
	words:    ownWords,
	typeWhy:  "Claude Code takes an entry without 'type' for a stdio server, and refuses this one",
	unit:     time.Millisecond,
	spelling: spelling{bare: true, defaults: true},
	signIn: signIn{in: "oauth", fields: []alias{
		{"clientId", "clientId"}, {"callbackPort", "callbackPort"}, {"authServerMetadataUrl", "authServerMetadataUrl"}, {"scopes", "scope"},
	}},
	gaps: map[string]string{
		"headersHelper": headersWhy,
	},
	aside: map[string]string{"alwaysLoad": exposureWhy},
}).dialect()
