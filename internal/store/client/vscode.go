package client

// vscodeDialect is Visual Studio Code 1.10x: every string is looked at for references,
// and an address is tried as http and then as sse.
var vscodeDialect = family{
	title: "VS Code",
	types: known("stdio", "http", "sse"),
	stdio: "stdio", http: "http", sse: "sse",
	values: codeValues,
	oauth:  oauthWords{in: "oauth", fields: map[string]string{"clientId": "clientId"}},
	gaps:   codeGaps, aside: codeAside,
}.dialect()

// visualStudioDialect is Visual Studio, whose files are those of VS Code.
var visualStudioDialect = family{
	title: "Visual Studio",
	types: known("stdio", "http", "sse"),
	stdio: "stdio", http: "http", sse: "sse",
	values: codeValues,
	gaps:   codeGaps, aside: codeAside,
}.dialect()

var codeValues = syntax{
	env: "env:", words: codeWords, inputs: true,
	strange: []string{"workspaceFolderBasename", "workspaceFolder:", "workspaceRootFolderName", "file", "relativeFile", "cwd", "lineNumber",
		"columnNumber", "selectedText", "execPath", "defaultBuildTask", "command:", "config:", "env:", "input:"},
}

var codeGaps = map[string]string{
	"envFile":        envFileWhy,
	"sandbox":        "mcpctl has no sandbox; the server runs without it",
	"sandboxEnabled": "mcpctl has no sandbox; the server runs without it",
}

var codeAside = map[string]string{
	"dev":     "mcpctl does not watch or debug a server's code",
	"gallery": originWhy, "version": originWhy,
}
