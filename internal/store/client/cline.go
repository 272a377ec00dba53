package client

import "time"

// clineDialect is Cline 3: an address without a type is sse, and the timeout is in
// seconds.
var clineDialect = (&shape{
	client:    "Cline",
	types:     known("stdio", "sse", "streamableHttp=http"),
	words:     map[string]string{"stdio": "stdio", "http": "streamableHttp", "sse": "sse"},
	olderType: []string{"transportType"},
	urlAlone:  "sse",
	off:       "disabled",
	unit:      time.Second,
	spelling:  spelling{env: "env:"},
	has:       []string{"cwd"},
	aside: map[string]string{
		"autoApprove": approvalWhy, "alwaysAllow": approvalWhy,
		"remoteConfigured": "who put the entry there is not kept",
	},
}).dialect()
