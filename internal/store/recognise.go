package store

import (
	"bytes"
	"cmp"
	"path/filepath"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/internal/store/client"
	"github.com/mcpctl/mcpctl/internal/store/jsonc"
)

// recognise finds out which client's shape a text has: what the user says, else what
// the path says, else what the key is under which its servers stand. The source that
// it returns knows the client and the keys; the text is what is to be parsed, which for
// servers without a key around them is more than the file has.
func (s *Store) recognise(src *Source, data []byte, req TextRequest) (*Source, []byte, error) {
	shaped := *src
	if filepath.Ext(src.Path) == "" && req.As == "" {
		if shaped.text = textName(data); shaped.text == "" {
			return nil, nil, unknownFormat(src.Path)
		}
	}
	if req.As != "" {
		row, ok := client.Lookup(req.As)
		if !ok {
			return nil, nil, unknownClient(req.As)
		}
		shaped.Client, shaped.keys = row.Name, keysIn(row, src.Path)
	} else {
		row, keys := s.shapeOf(cmp.Or(shaped.text, src.Path), data)
		shaped.Client, shaped.keys = row.Name, keys
	}
	doc, err := parseFile(shaped.formatName(), data)
	if err != nil || doc.Root() == nil || doc.Root().Kind() != jsonc.Object || shaped.servers(doc) != nil || formatOf(shaped.formatName()) != nil {
		return &shaped, data, nil // as it is, whatever is wrong with it
	}
	wrapped, err := shaped.wrapped(doc, req.Name)
	return &shaped, wrapped, err
}

// keysIn are the keys that lead to a client's servers in a file that is called as one of
// its own.
func keysIn(row client.Client, path string) []string {
	for _, file := range slices.Concat(row.UserFiles(), row.ProjectFiles()) {
		if filepath.Base(file) == filepath.Base(path) {
			return row.KeysOf(file)
		}
	}
	return row.Servers
}

// shapeOf is the client whose file a path is, or whose file a text looks like, and the
// keys that lead to the servers. What only looks like many clients' is mcpctl's own.
func (s *Store) shapeOf(path string, data []byte) (client.Client, []string) {
	slashed := "/" + filepath.ToSlash(path)
	for _, row := range client.All() {
		for _, file := range row.ProjectFiles() {
			if strings.Contains(file, "/") && strings.HasSuffix(slashed, "/"+file) {
				return row, row.KeysOf(file)
			}
		}
		for _, p := range s.placesOf(row, User) {
			if p.path == path || filepath.Base(p.path) == filepath.Base(path) && !slices.Contains(commonNames, filepath.Base(path)) {
				return row, p.keys
			}
		}
	}
	native, _ := client.Lookup(client.Native)
	doc, err := parseFile(path, data)
	if err != nil || doc.Root() == nil {
		return native, native.Servers
	}
	for _, same := range []bool{true, false} { // a client whose files are of this format goes before others with the key
		for _, row := range client.All() {
			at := &Source{keys: row.Servers}
			n := at.servers(doc)
			if n != nil && (n.Kind() == jsonc.Object || n.Kind() == jsonc.Array && row.List) && same == (formatOf(path) == formatOf(cmp.Or(row.UserFile, row.ProjectFile))) {
				return row, row.Servers
			}
		}
	}
	return native, native.Servers
}

// commonNames are names of files that do not say whose they are.
var commonNames = []string{"mcp.json", ".mcp.json", "settings.json", "config.json", "config.toml", "config.yaml"}

// wrapped puts the keys around servers that stand without them: one entry, which needs a
// name, or an object of entries. Anything else is returned as it is.
func (src *Source) wrapped(doc *jsonc.Document, name string) ([]byte, error) {
	root := doc.Root()
	text := bytes.TrimPrefix(doc.Bytes(), []byte("\xef\xbb\xbf"))
	if isServer(root) {
		if said := root.Get("name"); said != nil && name == "" { // as code --add-mcp takes it
			name, _ = said.Text()
			entry := root.Reshape()
			entry.Drop("name")
			text = entry.Node().Raw()
		}
		if name == "" {
			return nil, &Error{Code_: CodeUsage, Path: src.Path, Message: "the text is one entry and does not say its name", Hint_: "give it one with --name"}
		}
		return around(append(slices.Clone(src.keys), name), text), nil
	}
	members := root.Members()
	servers := 0
	for _, m := range members {
		if m.Value.Kind() == jsonc.Object && isServer(m.Value) {
			servers++
		}
	}
	if servers == 0 {
		return doc.Bytes(), nil
	}
	for _, m := range members {
		if m.Value.Kind() != jsonc.Object || !isServer(m.Value) {
			return nil, &Error{Code_: CodeInvalid, Path: src.Path, Line: m.KeyPosition.Line, Column: m.KeyPosition.Column, Server_: m.Key,
				Message: quoted(m.Key) + " stands beside servers and is none: it has neither 'command' nor 'url'", Hint_: "leave it out, or put the servers below 'mcpServers'"}
		}
	}
	return around(src.keys, text), nil
}

// isServer tells whether an object says how a server is started or reached.
func isServer(n *jsonc.Node) bool {
	for _, key := range []string{"command", "url", "serverUrl", "httpUrl"} {
		if v := n.Get(key); v != nil && (v.Kind() == jsonc.String || v.Kind() == jsonc.Array) {
			return true
		}
	}
	return false
}

func around(keys []string, text []byte) []byte {
	var front, back bytes.Buffer
	for _, key := range keys {
		front.WriteString("{" + quoted(key) + ":")
		back.WriteByte('}')
	}
	return slices.Concat(front.Bytes(), text, back.Bytes())
}

// parseText reads the servers of a text.
func (src *Source) parseText(data []byte) { src.parse(parseFile(src.formatName(), data)) }

// formatName is a name that says the format of a text: its own, or, where it has none,
// that of its client's file.
func (src *Source) formatName() string {
	switch {
	case src.text != "":
		return src.text
	case filepath.Ext(src.Path) == "":
		return src.clientRow().UserFile
	}
	return src.Path
}
