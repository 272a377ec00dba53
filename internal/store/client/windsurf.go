package client

// windsurfDialect is Windsurf (Cascade): an address stands in serverUrl, or in url.
var windsurfDialect = (&shape{
	client:    "Windsurf",
	types:     known("stdio", "http", "sse", "streamable-http=http", "streamableHttp=http"),
	words:     plainWords,
	olderType: []string{"transport"},
	names:     []alias{{"serverUrl", "url"}},
	off:       "disabled",
	hide:      "disabledTools",
	spelling:  spelling{env: "env:", strange: []string{"file:"}},
	aside:     map[string]string{"alwaysAllow": approvalWhy, "autoApprove": approvalWhy, "registry": originWhy},
}).dialect()
