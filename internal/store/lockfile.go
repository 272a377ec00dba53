package store

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/mcpctl/mcpctl/internal/store/atomicfile"
	"github.com/mcpctl/mcpctl/internal/store/jsonc"
	"github.com/mcpctl/mcpctl/internal/store/redact"
)

// LockFileName is the file beside the project's files that says what their servers are.
const LockFileName = "mcp.lock.json"

const (
	lockFileVersion = 1
	lockFileLimit   = 16 << 20
)

// LockFile is what mcp.lock.json says. It is committed: it holds no secrets and no
// places of a machine.
type LockFile struct {
	Path     string
	Revision Fingerprint // of its bytes; "" when there is no file
	Servers  map[string]LockedServer
}

// LockedServer is a server of the project as it was when it was locked.
type LockedServer struct {
	Fingerprint     Fingerprint           `json:"fingerprint"`
	Package         *Package              `json:"package,omitempty"` // nil: the command fetches none
	ProtocolVersion string                `json:"protocolVersion"`
	Server          LockedPeer            `json:"server"`
	Tools           map[string]LockedTool `json:"tools"`

	Line, Column int `json:"-"`
}

// LockedPeer is what a server calls itself.
type LockedPeer struct {
	Name    string `json:"name"`
	Version string `json:"version"`
}

// LockedTool is one tool. The hash is over the definition before secrets were hidden.
type LockedTool struct {
	Hash       Fingerprint     `json:"hash"`
	Definition json.RawMessage `json:"definition"`

	Line, Column int `json:"-"`
}

// Definitions are the tools of the server, sorted by name.
func (l LockedServer) Definitions() []ToolDefinition {
	out := []ToolDefinition{}
	for _, name := range slices.Sorted(maps.Keys(l.Tools)) {
		out = append(out, ToolDefinition{Name: name, Hash: l.Tools[name].Hash, Definition: l.Tools[name].Definition})
	}
	return out
}

// LockServer makes the record of a server from what it said of itself. Secrets of the
// values it runs with are hidden in it; a tool whose name holds one would publish it and is
// MCP_SECRET_REFUSED.
func (s *Store) LockServer(a Admitted, protocol string, peer LockedPeer, tools []ToolDefinition) (LockedServer, error) {
	mask := redact.NewMask(a.Known(s.Env)...)
	l := LockedServer{Fingerprint: a.Fingerprint(), Package: a.Package().reported(mask.Text(peer.Version)), ProtocolVersion: protocol,
		Server: LockedPeer{mask.Text(peer.Name), mask.Text(peer.Version)}, Tools: map[string]LockedTool{}}
	for _, t := range tools {
		if shown := mask.Text(t.Name); shown != t.Name {
			return LockedServer{}, &Error{Code_: CodeSecretRefused, Server_: a.Name(), Message: "the name of a tool of server '" + a.Name() + "' holds what looks like a secret: '" + shown + "'",
				Hint_: "the lock file would publish it; see why the server puts it there"}
		}
		l.Tools[t.Name] = LockedTool{Hash: t.Hash, Definition: mask.JSON(t.Definition)}
	}
	return l, nil
}

// Package is what the admitted server's command fetches; nil when it fetches nothing.
func (a Admitted) Package() *Package { return a.entry.Package() }

// Package is what the entry's command fetches; nil when it fetches nothing.
func (e *Entry) Package() *Package {
	if e.Definition == nil || e.Definition.Transport != Stdio {
		return nil
	}
	return packageOf(e.Definition.Command, e.Definition.Args)
}

// LockPath is where the lock file is; "" where there is no project.
func (s *Store) LockPath() string {
	if !s.Workspace.HasProject {
		return ""
	}
	return filepath.Join(s.Workspace.Dir, LockFileName)
}

// ReadLock reads the lock file; nil when there is none. MCP_CONFIG_INVALID, with the
// place, for one that does not parse, that makes no sense, or that a newer mcpctl wrote;
// MCP_PATH_UNSAFE for one that leads out of the workspace.
func (s *Store) ReadLock() (*LockFile, error) {
	if s.LockPath() == "" {
		return nil, s.noProject()
	}
	data, info, _, err := atomicfile.ReadInside(s.Workspace.Dir, LockFileName, lockFileLimit)
	if err != nil || info == nil {
		return nil, err
	}
	return parseLock(s.LockPath(), data)
}

// mergeMark is the first line that version control has put between the sides of a conflict;
// 0 when there is none. No line of JSON begins so.
func mergeMark(data []byte) int {
	for i, line := range bytes.Split(data, []byte("\n")) {
		for _, mark := range []string{"<<<<<<<", "|||||||", "=======", ">>>>>>>"} {
			if bytes.HasPrefix(line, []byte(mark)) {
				return i + 1
			}
		}
	}
	return 0
}

// lockReader reads one lock file.
type lockReader struct{ path string }

func (r lockReader) fault(pos jsonc.Position, message, hint string) error {
	return &Error{Code_: CodeInvalid, Path: r.path, Line: pos.Line, Column: pos.Column, Message: message, Hint_: hint}
}

func parseLock(path string, data []byte) (*LockFile, error) {
	r := lockReader{path}
	again := "mend it, or remove it and lock again with: mcpctl lock"
	if line := mergeMark(data); line > 0 {
		return nil, r.fault(jsonc.Position{Line: line, Column: 1}, "the lock file holds the marks of a merge that is not settled",
			"settle it, or take one side and lock again with: mcpctl lock --update")
	}
	doc, err := jsonc.Parse(data)
	if err != nil {
		return nil, r.fault(positionOf(err), messageOf(err), again)
	}
	root := doc.Root()
	if root == nil || root.Kind() != jsonc.Object {
		return nil, r.fault(jsonc.Position{Line: 1, Column: 1}, "the lock file is an object", again)
	}
	if err := r.known(root, "lockfileVersion", "servers"); err != nil {
		return nil, err
	}
	version := root.Get("lockfileVersion")
	if version == nil {
		return nil, r.fault(root.Position(), "'lockfileVersion' is missing", again)
	}
	n, err := strconv.Atoi(string(version.Raw()))
	if err != nil || n < 1 {
		return nil, r.fault(version.Position(), "'lockfileVersion' is a number from 1 on", again)
	}
	if n > lockFileVersion {
		return nil, r.fault(version.Position(), fmt.Sprintf("the lock file has version %d, this mcpctl knows %d", n, lockFileVersion), "update mcpctl")
	}
	out := &LockFile{Path: path, Revision: RevisionOf(data), Servers: map[string]LockedServer{}}
	servers := root.Get("servers")
	if servers == nil || servers.Kind() != jsonc.Object {
		return nil, r.fault(root.Position(), "'servers' is an object", again)
	}
	if err := r.unique(servers); err != nil {
		return nil, err
	}
	for _, m := range servers.Members() {
		if out.Servers[m.Key], err = r.server(m); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// unique refuses a key that stands twice: of two copies only one would be looked at.
func (r lockReader) unique(n *jsonc.Node) error {
	for _, c := range n.Clashes() {
		if c.Exact {
			return r.fault(c.Pos2, "the key "+quoted(c.Key2)+" stands twice, first at "+at(c.Pos1), "keep one of them")
		}
	}
	return nil
}

// known is unique for an object whose keys have a meaning. One that differs from such a
// key only by its case is refused, since who reads the file may take it for that key.
func (r lockReader) known(n *jsonc.Node, keys ...string) error {
	if err := r.unique(n); err != nil {
		return err
	}
	for _, m := range n.Members() {
		for _, key := range keys {
			if m.Key != key && strings.EqualFold(m.Key, key) {
				return r.fault(m.KeyPosition, "the key "+quoted(m.Key)+" is to be written '"+key+"'", "write it so, or remove it")
			}
		}
	}
	return nil
}

func (r lockReader) server(m jsonc.Member) (LockedServer, error) {
	l := LockedServer{}
	what := "the record of " + quoted(m.Key)
	again := "lock it again: remove the record, then: mcpctl lock " + redact.ShellWord(m.Key)
	if m.Value.Kind() != jsonc.Object {
		return l, r.fault(m.Value.Position(), what+" is an object, found "+string(m.Value.Kind()), again)
	}
	if err := r.known(m.Value, "fingerprint", "package", "protocolVersion", "server", "tools"); err != nil {
		return l, err
	}
	for _, part := range []string{"package", "server"} {
		if n := m.Value.Get(part); n != nil {
			if err := r.known(n, "registry", "name", "version", "origin"); err != nil {
				return l, err
			}
		}
	}
	if err := json.Unmarshal(m.Value.Raw(), &l); err != nil {
		return l, r.fault(m.Value.Position(), what+" makes no sense: "+err.Error(), again)
	}
	l.Line, l.Column = m.KeyPosition.Line, m.KeyPosition.Column
	if _, ok := ParseFingerprint(string(l.Fingerprint)); !ok {
		return l, r.fault(m.Value.Position(), what+" has no fingerprint", again)
	}
	tools := m.Value.Get("tools")
	if tools == nil || tools.Kind() != jsonc.Object {
		return l, r.fault(m.Value.Position(), "'tools' of "+quoted(m.Key)+" is an object", again)
	}
	if err := r.unique(tools); err != nil {
		return l, err
	}
	for _, t := range tools.Members() {
		if t.Value.Kind() == jsonc.Object {
			if err := r.known(t.Value, "hash", "definition"); err != nil {
				return l, err
			}
		}
		tool := l.Tools[t.Key]
		tool.Line, tool.Column = t.KeyPosition.Line, t.KeyPosition.Column
		if why := tool.fault(t.Key); why != "" {
			return l, r.fault(t.KeyPosition, "the tool "+quoted(t.Key)+" of "+quoted(m.Key)+" "+why, again)
		}
		l.Tools[t.Key] = tool
	}
	return l, nil
}

// fault says why a tool's record cannot be relied on. What a reader of the file sees has
// to be what the hash is of, as far as nothing in it is hidden.
func (t LockedTool) fault(name string) string {
	if _, ok := ParseFingerprint(string(t.Hash)); !ok {
		return "has no hash"
	}
	if len(t.Definition) == 0 {
		return "has no definition"
	}
	if !bytes.Contains(t.Definition, []byte(redact.Hidden)) && EntryFingerprint(name, t.Definition) != t.Hash && plainText(name, t.Definition) != t.Hash {
		return "has a definition that its hash is not of"
	}
	return ""
}

// plainText is the hash of a definition that could not be read, and is kept as a text.
func plainText(name string, definition json.RawMessage) Fingerprint {
	var text string
	if json.Unmarshal(definition, &text) != nil {
		return ""
	}
	return EntryFingerprint(name, json.RawMessage(text))
}
