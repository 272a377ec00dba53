package client

// What is said of fields that several clients have.
const (
	approvalWhy = "mcpctl asks nobody before a tool runs; that is for who calls it"
	envFileWhy  = "mcpctl reads no files of variables; write the variables into 'env', or start mcpctl with them"
	exposureWhy = "which tools are loaded at once is said by 'exposure'"
	originWhy   = "where the entry came from is not kept"
)

// cursorDialect is Cursor: references in command, args, env, url and headers; an
// address is tried as http and then as sse.
var cursorDialect = family{
	title: "Cursor",
	types: known("stdio", "http", "sse", "streamable-http=http", "streamableHttp=http"),
	stdio: "stdio", http: "http", sse: "sse",
	typeKeys: []string{"transport"},
	values: syntax{env: "env:", words: codeWords,
		strange: []string{"workspaceFolderBasename", "workspaceFolder:", "file", "input:", "command:", "config:"}},
	oauth: oauthWords{in: "auth", fields: map[string]string{"CLIENT_ID": "clientId", "CLIENT_SECRET": "clientSecret"}, scopes: "scopes"},
	gaps:  map[string]string{"envFile": envFileWhy},
	aside: map[string]string{"alwaysAllow": approvalWhy, "autoApprove": approvalWhy},
}.dialect()
