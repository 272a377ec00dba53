package client

import "time"

// clineDialect is Cline 3: an address without a type is sse, and the timeout is in
// seconds.
var clineDialect = family{
	title: "Cline",
	types: known("stdio", "sse", "streamableHttp=http"),
	stdio: "stdio", http: "streamableHttp", sse: "sse",
	typeKeys: []string{"transportType"},
	urlAlone: "sse",
	disabled: true,
	unit:     time.Second,
	values:   syntax{env: "env:"},
	aside: map[string]string{
		"autoApprove": approvalWhy, "alwaysAllow": approvalWhy,
		"remoteConfigured": "who put the entry there is not kept",
	},
}.dialect()
