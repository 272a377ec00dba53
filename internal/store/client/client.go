// Package client describes every client's files: where they are, what they hold,
// and how their entries differ from mcpctl's own. One table row a client, one file
// per dialect (design §1, §2.3). It reads no file.
package client

import "slices"

// Native is the client whose files are mcpctl's own.
const Native = "native"

// Client is one program that reads MCP files.
type Client struct {
	Name         string
	Title        string // as its makers write it, for people
	User         UserDir
	MoreDirs     []UserDir           // where another edition of it keeps the same files; read as well, weaker than User; written where it alone is there
	UserFile     string              // below User, slash separated; the one that is written; "" when it has none
	MoreUser     []string            // read as well, weaker than UserFile
	ProjectFile  string              // below the workspace, slash separated; the one that is written; "" when it has none
	MoreProject  []string            // read as well, weaker than ProjectFile
	Servers      []string            // the keys that lead to the object that holds the servers
	ServersIn    map[string][]string // the same for a file of the lists above that has it under other keys
	Folders      []string            // the keys that lead, in the written user file, to an object whose members are workspaces, each with its own Servers
	FolderOff    string              // beside these: a list of names that are off in the workspace
	DisabledList string              // a list of names beside the servers that are off, in the user's file, its keys joined by dots; "" when there is none
	OnlyList     string              // a list of names beside which every other is off, likewise; none when it is empty or not there
	EnabledList  string              // a list of names that are on although their own entry says not
	Names        NameRule
	Dialect      Dialect
	Newer        *Edition // another way to write the same files; nil when there is one way
	Either       bool     // of its files the first of the More ones that is there is written, and they are the stronger
	Layers       bool     // an entry without command and address lies on that of a weaker file, also of the user's
	NoOverrides  bool     // an entry is always a whole definition for it
	Comments     bool     // it accepts comments and trailing commas in its files
	Rooted       bool     // a relative cwd, and a command that begins with ./ or ../, are meant from the folder of the file
	NameIn       string   // the field in which an entry holds its name; "" for none
	Says         string   // members, as JSON, that an entry of such a list has beside those of mcpctl; "" for none
	List         bool     // the servers are a list of entries that have their names inside
	ReadOnly     bool     // mcpctl does not write its files
}

// Edition is how a later edition of a client writes the files of the earlier one. A file
// in which its keys lead to an object of servers is such a file.
type Edition struct {
	Servers     []string
	Dialect     Dialect
	NoOverrides bool
}

// Lookup finds a client by its exact name.
func Lookup(name string) (Client, bool) {
	for i := range table {
		if table[i].Name == name {
			return table[i], true
		}
	}
	return Client{}, false
}

// All returns the table: every known client, strongest first.
func All() []Client { return append([]Client(nil), table...) }

// Names lists the known clients in the order of the table, which is also their
// order of precedence (design §4).
func Names() []string {
	names := make([]string, len(table))
	for i := range table {
		names[i] = table[i].Name
	}
	return names
}

// KeysOf are the keys that lead to the servers in one of the client's files, named as
// in its row.
func (c Client) KeysOf(file string) []string {
	if keys, ok := c.ServersIn[file]; ok {
		return keys
	}
	return c.Servers
}

// IsShared tells whether one of the client's files has the servers among other things, as
// an editor's settings have.
func (c Client) IsShared(file string) bool {
	_, among := c.ServersIn[file]
	return among
}

// UserFiles are the user's files below the client's directory, the one that is
// written first, then from strong to weak.
func (c Client) UserFiles() []string { return written(c.UserFile, c.MoreUser) }

// ProjectFiles are the client's files below a workspace, in the same order.
func (c Client) ProjectFiles() []string { return written(c.ProjectFile, c.MoreProject) }

func written(first string, more []string) []string {
	if first == "" {
		return more
	}
	return append([]string{first}, more...)
}

// TopKeys tells, for each first key under which a client has its servers, whose it is:
// the strongest client's that has it in the file it writes, before any other's.
func TopKeys() map[string]string {
	keys := map[string]string{}
	add := func(row Client, servers []string) {
		if _, known := keys[servers[0]]; !known {
			keys[servers[0]] = row.Title
		}
	}
	for _, row := range table {
		add(row, row.Servers)
	}
	for _, row := range table {
		for _, servers := range row.ServersIn {
			add(row, servers)
		}
	}
	return keys
}

// ProjectFiles lists the project files of all known clients; the presence of
// one marks a workspace (design §2.2). A file that has the servers among other things,
// as an editor's settings, marks none.
func ProjectFiles() []string {
	var files []string
	for i := range table {
		for _, file := range table[i].ProjectFiles() {
			if _, among := table[i].ServersIn[file]; !among && !slices.Contains(files, file) {
				files = append(files, file)
			}
		}
	}
	return files
}
