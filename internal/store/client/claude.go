package client

import "time"

// claudeDialect is Claude Code 2.1: ~/.claude.json, .mcp.json. Not taken over: a
// reference to a variable that is not set, which it sends as it stands; mcpctl fails
// that server.
var claudeDialect = family{
	title: "Claude Code",
	types: known("stdio", "http", "sse", "streamable-http=http"),
	stdio: "stdio", http: "http", sse: "sse",
	typeWhy: "Claude Code takes an entry without 'type' for a stdio server, and refuses this one",
	unit:    time.Millisecond,
	noCwd:   true,
	values:  syntax{bare: true, defaults: true},
	oauth: oauthWords{in: "oauth", fields: map[string]string{
		"clientId": "clientId", "callbackPort": "callbackPort", "authServerMetadataUrl": "authServerMetadataUrl", "scopes": "scope",
	}},
	gaps: map[string]string{
		"headersHelper": "a command that prints headers; write a value !command in 'headers'",
	},
	aside: map[string]string{"alwaysLoad": exposureWhy},
}.dialect()
