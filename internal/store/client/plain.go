package client

import "strings"

// Clients whose entries are those that began with Claude Desktop, and little more:
// mcpServers in a file of their own, or for Auggie among the other settings. None of them
// says that it resolves references, so text stands for itself.

// Factory's droid writes the type of every entry.
var factoryDialect = (&shape{
	client:   "Factory",
	spelling: spelling{read: literal},
	off:      "disabled",
	words:    map[string]string{"stdio": "stdio", "http": "http", "sse": "sse"},
	hide:     "disabledTools",
}).dialect()

// Junie finds out the transport of an address itself.
var junieDialect = (&shape{
	client:   "Junie",
	spelling: spelling{read: literal},
	off:      "disabled",
	words:    map[string]string{"stdio": "-", "http": "-", "sse": ""},
}).dialect()

// LM Studio takes the entries of Cursor, and switches servers elsewhere.
var lmstudioDialect = (&shape{
	client:   "LM Studio",
	spelling: spelling{read: literal},
	words:    map[string]string{"stdio": "-", "http": "-", "sse": ""},
}).dialect()

// Warp: `working_directory` for cwd; it switches servers elsewhere.
var warpDialect = (&shape{
	client:   "Warp",
	names:    []alias{{"working_directory", "cwd"}},
	spelling: spelling{read: literal},
	words:    map[string]string{"stdio": "-", "http": "-", "sse": ""},
	has:      []string{"cwd"},
	theirs:   map[string]string{"start_on_launch": "starts the server with Warp"},
}).dialect()

// TRAE keeps beside an entry which of its gallery it came from.
var traeDialect = (&shape{
	client:   "TRAE",
	spelling: traeSpelling,
	resolved: everyField,
	off:      "disabled",
	words:    map[string]string{"stdio": "-", "http": "-", "sse": ""},
	has:      []string{"cwd"},
}).dialect()

// traeSpelling has the folder of the workspace, and no variables.
var traeSpelling = spelling{
	forms: traeFolder,
	read: func(text string) string {
		return readReferences(text, func(text string) (ref, rest string) {
			if rest, ok := strings.CutPrefix(text, traeFolder); ok {
				return "${" + WorkspaceVariable + "}", rest
			}
			return "", text
		})
	},
	ref: func(name string) string {
		if name == WorkspaceVariable {
			return traeFolder
		}
		return ""
	},
}

const traeFolder = "${workspaceFolder}"

// Auggie, the command line of Augment: the type is said for an address only.
var augmentDialect = (&shape{
	client:   "Auggie",
	spelling: spelling{read: literal},
	off:      "disabled",
	words:    map[string]string{"stdio": "-", "http": "http", "sse": "sse"},
}).dialect()
