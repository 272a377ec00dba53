package client

// Amp: amp.mcpServers, one key with a dot in it, among the other settings, with comments.
// It resolves ${NAME} in every text, and finds out itself whether an address speaks http
// or the old transport. includeTools are names or patterns of the tools that are shown.
var ampDialect = (&shape{
	client:   "Amp",
	spelling: spelling{bare: true},
	off:      "disabled",
	words:    plainWords,
	show:     "includeTools", patterns: true,
}).dialect()
