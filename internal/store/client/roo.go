package client

import "time"

// rooDialect is Roo Code 3, kilocodeDialect the Kilo Code that shares its files: the
// timeout is in seconds, and an address needs a type.
var (
	rooDialect      = rooShape("Roo Code").dialect()
	kilocodeDialect = rooShape("Kilo Code").dialect()
)

func rooShape(client string) *shape {
	return &shape{
		client:   client,
		types:    known("stdio", "sse", "streamable-http=http"),
		words:    map[string]string{"stdio": "stdio", "http": "streamable-http", "sse": "sse"},
		typeWhy:  client + " refuses an address without a 'type'",
		off:      "disabled",
		unit:     time.Second,
		hide:     "disabledTools",
		spelling: spelling{env: "env:", words: folderWords},
		has:      []string{"cwd"},
		aside: map[string]string{
			"alwaysAllow": approvalWhy, "autoApprove": approvalWhy,
			"watchPaths": "mcpctl restarts a server when its entry changes, and watches no other files",
		},
	}
}
