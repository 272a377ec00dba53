package store

import (
	"bytes"
	"cmp"
	"path/filepath"
	"reflect"
	"strings"

	"github.com/mcpctl/mcpctl/internal/store/atomicfile"
	"github.com/mcpctl/mcpctl/internal/store/client"
	"github.com/mcpctl/mcpctl/internal/store/jsonc"
)

// Stdout stands for a text that is printed, in the place of a path.
const Stdout = "-"

// At is the store of a client whose user file is the one at path, absolute, and
// nothing else: what export writes to. inWorkspace tells that the file lies in the
// workspace, where others may read it. It fails with MCP_PATH_UNSAFE for a file that
// only seems to lie in the workspace, with MCP_NOT_FOUND for a client that this program
// does not know, and with USAGE for one whose files it only reads.
func (s *Store) At(path, clientName string) (at *Store, inWorkspace bool, err error) {
	row, ok := client.Lookup(clientName)
	if !ok {
		return nil, false, unknownClient(clientName)
	}
	if row.ReadOnly {
		return nil, false, notCopiedTo(row)
	}
	if ours, theirs := formatOf(path), formatOf(row.UserFile); reflect.TypeOf(ours) != reflect.TypeOf(theirs) && path != Stdout {
		return nil, false, &Error{Code_: CodeUsage, Path: path, Message: "the files of " + row.Title + " are not in the format that this name says", Hint_: "give it a name like " + filepath.Base(row.UserFile) + ", or say with --as whose file it is"}
	}
	c := *s
	c.Client, c.file = row, path
	inWorkspace = path != Stdout && s.Workspace.HasProject && inside(s.Workspace.Dir, realest(filepath.Dir(path)))
	if inWorkspace && !inside(s.Workspace.Dir, realest(path)) {
		return nil, true, &Error{Code_: CodePathUnsafe, Path: path, Message: "it is a symbolic link that leads out of the workspace"}
	}
	return &c, inWorkspace, nil
}

// notCopiedTo refuses a copy for a client in whose shape mcpctl writes no file.
func notCopiedTo(row client.Client) *Error {
	return &Error{Code_: CodeUsage, Message: "mcpctl reads the files of " + row.Title + " and does not write them",
		Hint_: "one entry there gives it all servers: mcpctl serve --print-config " + row.Name}
}

// ShapeAt is the client in whose shape a copy into the file at path is to be written: the
// one that is wanted, or, with "", the one whose shape the file has already; mcpctl's own
// for a file that is not there or holds no servers. It fails with USAGE for a file that
// has its servers where the wanted client does not look.
func (s *Store) ShapeAt(path, wanted string) (string, error) {
	data, _, err := atomicfile.ReadFile(path, userLimit)
	doc, parseErr := parseFile(path, data)
	if err != nil || parseErr != nil || doc.Root() == nil || doc.Root().Kind() != jsonc.Object {
		return cmp.Or(wanted, client.Native), nil // what is wrong with it, its writer says
	}
	held, keys := s.shapeOf(path, data)
	if (&Source{keys: keys}).servers(doc) == nil {
		return cmp.Or(wanted, client.Native), nil
	}
	row, known := client.Lookup(wanted)
	switch {
	case wanted == "":
		return held.Name, nil
	case known && (&Source{keys: row.Servers}).servers(doc) == nil:
		return "", &Error{Code_: CodeUsage, Path: path, Message: "the file has its servers in '" + strings.Join(keys, ".") + "', where " + row.Title + " does not look",
			Hint_: "without --as they are written as the file has them; or name another file"}
	}
	return wanted, nil
}

// Text is what the copy is in a file of its own, in the shape of the target's client.
func (c *Copy) Text() ([]byte, error) {
	src := &Source{Client: c.store.Client.Name, Scope: User, keys: c.store.Client.Servers}
	format := formatOf(c.store.Client.UserFile)
	doc, err := jsonc.ParseAs(format, nil)
	if err != nil {
		return nil, err
	}
	for _, server := range c.Servers {
		if server.Result != CopyAdded {
			continue
		}
		text, err := doc.Set(src.at(server.Name), src.named(server.Name, server.entry))
		if err != nil {
			return nil, err
		}
		if doc, err = jsonc.ParseAs(format, text); err != nil {
			return nil, err
		}
	}
	text := doc.Bytes()
	if len(bytes.TrimSpace(text)) == 0 {
		text, err = doc.Set(src.keys, []byte("{}"))
	}
	return text, err
}

// PlanText is PlanCopy for a text that is written to no file; see Text.
func (s *Store) PlanText(req CopyRequest) (*Copy, error) {
	c := &Copy{store: s, req: req, into: &Source{Client: s.Client.Name, Scope: User, Empty: true, keys: s.Client.Servers}}
	return c, c.plan()
}
