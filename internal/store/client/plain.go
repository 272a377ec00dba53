package client

// Clients whose entries are those that began with Claude Desktop, and little more:
// mcpServers in a file of their own, or for Auggie among the other settings. But for Warp
// none of them resolves references, so text stands for itself.

// Factory's droid writes the type of every entry.
var factoryDialect = (&shape{
	client: "Factory",
	off:    "disabled",
	words:  ownWords,
	hide:   "disabledTools",
}).dialect()

// Junie finds out the transport of an address itself.
var junieDialect = (&shape{
	client: "Junie",
	off:    "disabled",
	words:  plainWords,
}).dialect()

// LM Studio takes the entries of Cursor, and switches servers elsewhere.
var lmstudioDialect = (&shape{
	client: "LM Studio",
	words:  plainWords,
}).dialect()

// Warp: `working_directory` for cwd; it switches servers elsewhere. It puts ${NAME} into
// the text of its file before it reads it, and takes nothing of a text of which one is
// unset or empty.
var warpDialect = (&shape{
	client:   "Warp",
	names:    []alias{{"working_directory", "cwd"}},
	spelling: spelling{bare: true},
	words:    plainWords,
	has:      []string{"cwd"},
	aside:    map[string]string{"start_on_launch": "mcpctl starts a server when it is wanted"},
}).dialect()

// TRAE keeps beside an entry which of its gallery it came from. It has the folder of the
// workspace in values, and no variables.
var traeDialect = (&shape{
	client:   "TRAE",
	spelling: spelling{words: folderWords},
	off:      "disabled",
	words:    plainWords,
	has:      []string{"cwd"},
}).dialect()

// Auggie, the command line of Augment: the type is said for an address only.
var augmentDialect = (&shape{
	client: "Auggie",
	off:    "disabled",
	words:  map[string]string{"stdio": "-", "http": "http", "sse": "sse"},
}).dialect()
