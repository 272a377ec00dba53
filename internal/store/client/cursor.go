package client

// cursorDialect is Cursor: references in command, args, env, url and headers; an
// address is tried as http and then as sse.
var cursorDialect = (&shape{
	client:    "Cursor",
	types:     known("stdio", "http", "sse", "streamable-http=http", "streamableHttp=http"),
	words:     ownWords,
	olderType: []string{"transport"},
	spelling: spelling{env: "env:", words: codeWords,
		strange: []string{"workspaceFolderBasename", "workspaceFolder:", "file", "input:", "command:", "config:"}},
	signIn: signIn{in: "auth", fields: []alias{{"CLIENT_ID", "clientId"}, {"CLIENT_SECRET", "clientSecret"}, {"scopes", "scope"}}, list: "scopes"},
	has:    []string{"cwd"},
	gaps:   map[string]string{"envFile": envFileWhy},
	aside:  map[string]string{"alwaysAllow": approvalWhy, "autoApprove": approvalWhy},
}).dialect()
