// Package client describes every client's files: paths, top key and who may
// write them. One table row a client (design §1, §2.3).
package client

// Native is the client whose files are mcpctl's own.
const Native = "native"

// Client is one program that reads MCP files.
type Client struct {
	Name        string
	UserFile    string // below the configuration home, slash separated
	ProjectFile string // below the workspace, slash separated
	TopKey      string // the object that holds the servers
}

var table = []Client{
	{Name: Native, UserFile: "mcp/mcp.json", ProjectFile: ".mcp.json", TopKey: "mcpServers"},
}

// Lookup finds a client by its exact name.
func Lookup(name string) (Client, bool) {
	for _, c := range table {
		if c.Name == name {
			return c, true
		}
	}
	return Client{}, false
}

// Names lists the known clients in the order of the table, which is also their
// order of precedence (design §4).
func Names() []string {
	names := make([]string, len(table))
	for i, c := range table {
		names[i] = c.Name
	}
	return names
}

// ProjectFiles lists the project files of all known clients; the presence of
// one marks a workspace (design §2.2).
func ProjectFiles() []string {
	files := make([]string, len(table))
	for i, c := range table {
		files[i] = c.ProjectFile
	}
	return files
}
