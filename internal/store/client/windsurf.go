package client

// windsurfDialect is Windsurf (Cascade): an address stands in serverUrl, or in url.
var windsurfDialect = family{
	title:    "Windsurf",
	types:    known("stdio", "http", "sse", "streamable-http=http", "streamableHttp=http"),
	typeKeys: []string{"transport"},
	url:      "serverUrl",
	disabled: true,
	noCwd:    true,
	off:      "disabledTools",
	values:   syntax{env: "env:", strange: []string{"file:"}},
	aside:    map[string]string{"alwaysAllow": approvalWhy, "autoApprove": approvalWhy, "registry": originWhy},
}.dialect()
