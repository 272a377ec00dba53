package client

// vscodeDialect is Visual Studio Code 1.10x: every string is looked at for references,
// and an address is tried as http and then as sse.
var vscodeDialect = (&shape{
	client:   "VS Code",
	types:    known("stdio", "http", "sse"),
	words:    ownWords,
	spelling: codeValues,
	has:      []string{"cwd"},
	signIn:   signIn{in: "oauth", fields: []alias{{"clientId", "clientId"}}},
	gaps:     codeGaps, aside: codeAside,
}).dialect()

// visualStudioDialect is Visual Studio, whose files are those of VS Code.
var visualStudioDialect = (&shape{
	client:   "Visual Studio",
	types:    known("stdio", "http", "sse"),
	words:    ownWords,
	spelling: codeValues,
	has:      []string{"cwd"},
	gaps:     codeGaps, aside: codeAside,
}).dialect()

var codeValues = spelling{
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
