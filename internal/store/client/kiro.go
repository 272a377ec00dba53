package client

import "time"

// Kiro, and Amazon Q Developer, which its command line was called before: mcpServers in
// a file of their own, milliseconds, and lists of the tools that are off or run unasked.
// Kiro resolves ${NAME} in variables and headers, those only that its user allows;
// Amazon Q Developer ${env:NAME}. Kiro finds out the transport of an address itself.
var (
	kiroDialect = (&shape{
		client:   "Kiro",
		spelling: spelling{bare: true},
		resolved: []string{"env", "headers"},
		unit:     time.Millisecond,
		off:      "disabled",
		words:    plainWords,
		hide:     "disabledTools",
		signIn:   signIn{fields: []alias{{"oauthScopes", "scope"}}, list: "oauthScopes"},
		aside:    map[string]string{"autoApprove": approvalWhy},
	}).dialect()
	amazonqDialect = (&shape{
		client:   "Amazon Q Developer",
		spelling: spelling{bare: true, env: "env:"},
		resolved: []string{"env", "headers"},
		unit:     time.Millisecond,
		off:      "disabled",
		words:    map[string]string{"stdio": "-", "http": "http"},
		hide:     "disabledTools",
		signIn:   signIn{fields: []alias{{"oauthScopes", "scope"}}, list: "oauthScopes"},
		aside:    map[string]string{"autoApprove": approvalWhy},
	}).dialect()
)
