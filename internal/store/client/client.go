// Package client describes every client's files: where they are, what they hold,
// and how their entries differ from mcpctl's own. One table row a client, one file
// per dialect (design §1, §2.3). It reads no file.
package client

import (
	"encoding/json"
	"slices"
)

// Native is the client whose files are mcpctl's own.
const Native = "native"

// Client is one program that reads MCP files.
type Client struct {
	Name         string
	Title        string // as its makers write it, for people
	User         UserDir
	MoreDirs     []UserDir           // where another edition of it keeps the same files; read as well, weaker than User; written where it alone is there
	FileVariable string              // names the user's file itself, in place of all the others; "" when no variable does
	Pointers     []Pointer           // where variables say that further files of the user are, strongest first; stronger than those in User, and not written
	TextVariable string              // holds the text of a file, which mcpctl does not read; "" when no variable does
	UserFile     string              // below User, slash separated; the one that is written; "" when it has none
	MoreUser     []string            // read as well, weaker than UserFile
	ProjectFile  string              // below the workspace, slash separated; the one that is written; "" when it has none
	MoreProject  []string            // read as well, weaker than ProjectFile
	Servers      []string            // the keys that lead to the object that holds the servers
	ServersIn    map[string][]string // the same for a file of the lists above that has it under other keys
	DropIns      DropIns             // folders of files, each with servers of its own; weaker than the other files, and not written
	Folders      []string            // the keys that lead, in the written user file, to an object whose members are workspaces, each with its own Servers
	FolderOff    string              // beside these: a list of names that are off in the workspace
	DisabledList string              // a list of names beside the servers that are off, in the user's file, its keys joined by dots; "" when there is none
	OnlyList     string              // a list of names beside which every other is off, likewise; none when it is empty or not there
	EnabledList  string              // a list of names that are on although their own entry says not
	Names        NameRule
	Dialect      Dialect
	Newer        *Edition // another way to write files in the same places; nil when there is one way
	Either       bool     // of its files the first of the More ones that is there is written, and they are the stronger
	Layers       bool     // an entry without command and address lies on that of a weaker file, also of the user's
	NoOverrides  bool     // an entry is always a whole definition for it
	Comments     bool     // it accepts comments and trailing commas in its files
	Rooted       bool     // a relative cwd, and a command that begins with ./ or ../, are meant from the folder of the file
	NameIn       string   // the field in which an entry holds its name; "" for none
	// Prints turns an entry of mcpctl's shape, its command or its address, into one that the
	// user puts into a file which mcpctl only reads; nil where Dialect.Write does it.
	Prints   func(entry json.RawMessage) (json.RawMessage, error)
	List     bool // the servers are a list of entries that have their names inside
	Bare     bool // a file without the keys may itself be the object that holds the servers
	ReadOnly bool // mcpctl does not write its files
}

// DropIns are folders in which every file with one of the endings is read. The zero value
// is a client without.
type DropIns struct {
	User, Project string   // below the user's directory and below the workspace, slash separated
	Endings       []string // such as ".yaml"
	Alone         string   // the ending of files that may hold one entry and nothing else, which is then called as the file is
}

// Edition is another way to write a client's files, as a later edition of it does. A file
// in which its keys lead to an object of servers is such a file; where it has an ending,
// every file that ends so.
type Edition struct {
	Servers     []string
	Dialect     Dialect
	NoOverrides bool
	Ending      string // such as ".json"; "" when the keys alone tell
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

// ProjectFiles lists the project files of all known clients, and their folders of files; the presence of
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
		if folder := table[i].DropIns.Project; folder != "" {
			files = append(files, folder)
		}
	}
	return files
}
