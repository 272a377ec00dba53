package store

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/internal/store/client"
)

// ClientFacts are what people want to know of one client that mcpctl knows.
type ClientFacts struct {
	Name, Title string
	User        []string // its files below the home directory, ~ in front, from strong to weak
	Darwin      []string // the same on macOS; nil where they are no other
	Variables   []string // of the environment, that move them
	Texts       []string // of the environment, that hold the text of a file, which is not read
	Project     []string // below the workspace, likewise
	Servers     string   // the key that holds the servers, dotted
	Written     bool     // mcpctl writes its files
	Comments    bool     // it accepts comments and trailing commas
	About       []string // how its entries differ: a word, a colon and what it is
}

// DescribeClients describes the known clients, strongest first.
func DescribeClients() []ClientFacts {
	var out []ClientFacts
	for _, row := range client.All() {
		f := ClientFacts{Name: row.Name, Title: row.Title, Servers: strings.Join(row.Servers, "."),
			Written: !row.ReadOnly, Comments: row.Comments, About: row.Dialect.About}
		for _, name := range row.ProjectFiles() {
			f.Project = append(f.Project, name+under(row, name))
		}
		if row.DropIns.Project != "" {
			f.Project = append(f.Project, dropIns(row.DropIns.Project, row))
		}
		f.User = userFacts(row, "linux")
		if darwin := userFacts(row, "darwin"); !slices.Equal(darwin, f.User) {
			f.Darwin = darwin
		}
		f.Variables = row.Variables()
		if row.TextVariable != "" {
			f.Texts = []string{row.TextVariable}
		}
		out = append(out, f)
	}
	return out
}

func userFacts(row client.Client, goos string) (paths []string) {
	for _, dirs := range append([]client.UserDir{row.User}, row.MoreDirs...) {
		dir, _ := dirs.Find(nil, client.Bases{Home: "~", ConfigHome: "~/.config", GOOS: goos})
		for _, name := range row.UserFiles() {
			path := filepath.ToSlash(filepath.Join(dir, name))
			if len(paths) == 0 && len(row.Folders) > 0 {
				paths = append(paths, path+" ("+strings.Join(slices.Concat(row.Folders, []string{"FOLDER"}, row.Servers), ".")+", read only)")
			}
			paths = append(paths, path+under(row, name))
		}
	}
	if row.DropIns.User != "" {
		dir, _ := row.User.Find(nil, client.Bases{Home: "~", ConfigHome: "~/.config", GOOS: goos})
		paths = append(paths, dropIns(filepath.ToSlash(filepath.Join(dir, row.DropIns.User)), row))
	}
	return paths
}

// dropIns are the files of a folder.
func dropIns(folder string, row client.Client) string {
	return folder + "/*" + strings.Join(row.DropIns.Endings, ", *")
}

// under names the keys of a file's servers where they are not the client's usual ones.
func under(row client.Client, file string) string {
	keys := row.KeysOf(file)
	if slices.Equal(keys, row.Servers) {
		return ""
	}
	return " (" + strings.Join(keys, ".") + ")"
}
