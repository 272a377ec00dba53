package store

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/internal/store/client"
	"github.com/mcpctl/mcpctl/internal/store/tomlfile"
)

// Printed is the text of a client's file with one server in it.
type Printed struct {
	Client string // as its makers write it
	File   string // where it belongs unless variables say otherwise: "~/…", or below the project
	Text   []byte
	Gaps   []string // what the client cannot express, and why
}

// PrintFor writes an entry of mcpctl's shape as the only one of a client's file. USAGE
// for a client that is not known, or that cannot have such a server.
func PrintFor(clientName, server string, entry json.RawMessage) (Printed, error) {
	row, ok := client.Lookup(clientName)
	if !ok {
		err := &Error{Code_: CodeUsage, Message: "no client is called " + quoted(clientName), Hint_: "see: mcpctl help clients"}
		near := Closest(clientName, Clients())
		for _, known := range Clients() { // such as claude of claude-code
			if near == "" && strings.HasPrefix(clientName, known+"-") {
				near = known
			}
		}
		if near != "" {
			err.Hint_ = "did you mean '" + near + "'?"
		}
		return Printed{}, err
	}
	out := Printed{Client: row.Title}
	if row.Prints != nil {
		written, err := row.Prints(entry)
		if err != nil {
			return out, &Error{Code_: CodeUsage, Message: err.Error()}
		}
		entry = written
	} else if row.Dialect.Write != nil {
		written, err := row.Dialect.Write(entry)
		if err != nil {
			return out, &Error{Code_: CodeUsage, Message: err.Error()}
		}
		for _, gap := range written.Gaps {
			if gap.Fatal {
				return out, &Error{Code_: CodeUsage, Message: gap.Why}
			}
			out.Gaps = append(out.Gaps, gap.Why)
		}
		entry = written.Entry
	}
	name := row.UserFile
	dir, _ := row.User.Find(nil, client.Bases{Home: "~", ConfigHome: filepath.Join("~", ".config"), GOOS: runtime.GOOS})
	if out.File = filepath.Join(dir, name); name == "" {
		name, out.File = row.ProjectFile, row.ProjectFile
	}
	keys := row.KeysOf(name)
	if row.NameIn != "" {
		first := "{" + string(quotedJSON(row.NameIn)) + ":" + string(quotedJSON(server)) + ","
		entry = append([]byte(first), bytes.TrimPrefix(bytes.TrimSpace(entry), []byte("{"))...)
	}
	if row.List { // of entries with their names inside
		var err error
		out.Text, err = listOfOne(name, keys, entry)
		return out, err
	}
	doc, err := parseFile(name, nil)
	if err != nil {
		return out, err
	}
	out.Text, err = doc.Set(append(slices.Clone(keys), server), entry)
	return out, err
}

// listOfOne is a list with one entry. In TOML it is a table of an array of tables, which can
// be put at the end of a file; a key would there belong to the table before it.
func listOfOne(file string, keys []string, entry json.RawMessage) ([]byte, error) {
	doc, err := parseFile(file, nil)
	if err != nil {
		return nil, err
	}
	if formatOf(file) != (tomlfile.Format{}) {
		return doc.Set(keys, slices.Concat([]byte("["), entry, []byte("]")))
	}
	table, err := doc.Set(keys, entry)
	head := "[" + strings.Join(keys, ".") + "]"
	return bytes.Replace(table, []byte(head), []byte("["+head+"]"), 1), err
}

func quotedJSON(text string) json.RawMessage {
	quoted, _ := json.Marshal(text) // a string always encodes
	return quoted
}
