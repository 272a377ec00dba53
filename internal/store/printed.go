package store

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/internal/store/client"
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
	if row.Says != "" && hasURL(entry) { // what it says is of servers that the client starts
		return out, &Error{Code_: CodeUsage, Message: "mcpctl writes no entry of " + row.Title + " for a server that is reached by a URL", Hint_: "let the client start it: leave out --http"}
	}
	if row.Dialect.Write != nil {
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
	doc, err := parseFile(name, nil)
	if err != nil {
		return out, err
	}
	keys := row.KeysOf(name)
	if row.NameIn != "" {
		first := "{" + string(quotedJSON(row.NameIn)) + ":" + string(quotedJSON(server)) + ","
		if row.Says != "" {
			first += row.Says + ","
		}
		entry = append([]byte(first), bytes.TrimPrefix(bytes.TrimSpace(entry), []byte("{"))...)
	}
	if row.List { // of entries with their names inside
		out.Text, err = doc.Set(keys, slices.Concat([]byte("["), entry, []byte("]")))
		return out, err
	}
	out.Text, err = doc.Set(append(slices.Clone(keys), server), entry)
	return out, err
}

func hasURL(entry json.RawMessage) bool {
	var e struct {
		URL string `json:"url"`
	}
	return json.Unmarshal(entry, &e) == nil && e.URL != ""
}

func quotedJSON(text string) json.RawMessage {
	quoted, _ := json.Marshal(text) // a string always encodes
	return quoted
}
