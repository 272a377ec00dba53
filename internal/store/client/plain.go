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
	spelling: spelling{read: readTrae},
	resolved: everyField,
	off:      "disabled",
	words:    map[string]string{"stdio": "-", "http": "-", "sse": ""},
	reads:    (*shapeReader).traeFolder,
}).dialect()

const traeFolder = "${workspaceFolder}"

// readTrae takes no text for the workspace's folder; see traeFolder.
func readTrae(text string) string {
	return readReferences(text, func(text string) (ref, rest string) {
		if rest, ok := strings.CutPrefix(text, traeFolder); ok {
			return "${:-}", rest
		}
		return "", text
	})
}

// traeFolder: an entry may name the folder of the workspace, for which mcpctl has no
// word but in cwd, where a path is below it anyway.
func (r *shapeReader) traeFolder() {
	for _, key := range everyField {
		n := r.get(key)
		if n == nil {
			continue
		}
		at, text := holding(n, traeFolder)
		below, whole := strings.CutPrefix(text, traeFolder)
		switch {
		case at == nil:
		case key == "cwd" && whole && !strings.Contains(below, "${"):
			r.Set("cwd", quote("."+below))
		default:
			r.refuse(at, key, "'"+key+"' names the folder of the workspace, which mcpctl cannot express", "write the path below that folder: a server starts there when it has no 'cwd'")
		}
	}
}

// Auggie, the command line of Augment: the type is said for an address only.
var augmentDialect = (&shape{
	client:   "Auggie",
	spelling: spelling{read: literal},
	off:      "disabled",
	words:    map[string]string{"stdio": "-", "http": "http", "sse": "sse"},
}).dialect()
