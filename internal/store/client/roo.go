package client

import "time"

// rooDialect is Roo Code 3, kilocodeDialect the Kilo Code that shares its files: the
// timeout is in seconds, and an address needs a type.
var (
	rooDialect      = rooFamily("Roo Code").dialect()
	kilocodeDialect = rooFamily("Kilo Code").dialect()
)

func rooFamily(title string) family {
	return family{
		title: title,
		types: known("stdio", "sse", "streamable-http=http"),
		stdio: "stdio", http: "streamable-http", sse: "sse",
		typeWhy:  title + " refuses an address without a 'type'",
		disabled: true,
		unit:     time.Second,
		off:      "disabledTools",
		values:   syntax{env: "env:", words: folderWords},
		aside: map[string]string{
			"alwaysAllow": approvalWhy, "autoApprove": approvalWhy,
			"watchPaths": "mcpctl restarts a server when its entry changes, and watches no other files",
		},
	}
}
