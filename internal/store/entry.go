package store

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/mcpctl/mcpctl/internal/store/client"
	"github.com/mcpctl/mcpctl/internal/store/jsonc"
)

// Source is one file of one client in one scope, as one read found it.
type Source struct {
	Client   string
	Scope    Scope
	Path     string // where it is looked for
	Real     string // where it is, links resolved
	Exists   bool
	LinkedTo string // the real file, when a link was followed; "" otherwise
	Entries  []*Entry
	Problems []Problem
	Broken   bool // it could not be read or parsed, so Entries says nothing
	Empty    bool // missing, blank or comments only
	ShowOnly bool // its entries are shown and never in force
	Unread   bool // it is no file that is read; Problems says why

	second  bool     // read beside the file that the client writes
	shared  bool     // the settings of an editor, which may hold other clients' servers
	newer   bool     // written as the other edition of the client does
	alone   bool     // it may hold one entry and nothing else
	within  bool     // a further place in a file that another Source stands for
	root    string   // of a plugin: relative paths are meant from there
	keys    []string // that lead to the servers
	others  []*Entry // members that are something else of the client's, whose names are taken
	before  readBefore
	text    string            // a name that says the format of what has no name of its own
	inputs  map[string]string // what the client asks its user for, by ID
	off, on []listed          // names in lists beside the servers
	only    []listed          // beside which every other is off; nil when there is no such list
}

// Entry is one member of a file's servers: a definition, an override, or
// something invalid that is kept, shown and removable by its exact name.
type Entry struct {
	Name         string
	Source       *Source
	Line, Column int             // of the name, 1-based
	Raw          json.RawMessage // the value as written, without comments
	Fingerprint  Fingerprint
	Definition   *Definition // nil for an override and for an invalid entry
	Override     *Override   // nil for a definition and for an invalid entry
	Problems     []Problem

	List  string // the list beside the servers that says it, its keys joined by dots; "" for an entry
	other bool   // it is something else of the client's, not a server
}

// Valid tells whether the entry can be used at all.
func (e *Entry) Valid() bool { return e.Definition != nil || e.Override != nil }

// Definition is one valid server definition, values unexpanded (design §3).
type Definition struct {
	Transport       Transport
	Command         string
	Args            []string
	Env             map[string]string
	Cwd             string
	URL             string
	Headers         map[string]string
	Enabled         bool
	Timeout         *time.Duration // nil: the entry does not say
	Description     string
	Exposure        Exposure // "": the entry does not say
	ToolExposure    []ToolRule
	InheritEnv      InheritEnv
	Lifecycle       Lifecycle
	Shared          bool // one connection for every session of the workspace
	ProtocolVersion string
	CredentialID    string // auth.credentialId; user and local scope only
	OAuth           *OAuth // nil: the entry does not say
}

// Override changes only some fields of the server below it (design §1).
type Override struct {
	Enabled      *bool
	Timeout      *time.Duration
	Exposure     Exposure
	ToolExposure []ToolRule
}

// Exposure says how a gateway offers a tool (design §3).
type Exposure string

// The exposures. `codemode` and `codemode-deferred`, as other clients write it,
// are read as Deferred.
const (
	Direct   Exposure = "direct"
	Deferred Exposure = "deferred"
	Hidden   Exposure = "hidden"
)

// ToolRule gives the tools that match Pattern an exposure; order has meaning.
type ToolRule struct {
	Pattern  string
	Exposure Exposure
}

// InheritEnv names the variables of the session that reach a stdio server
// beside the base set (design §9.2).
type InheritEnv struct {
	All   bool
	Names []string
}

// Lifecycle says when the engine connects and whether it lets go when idle.
type Lifecycle string

// The lifecycles. An entry that does not say is Eager.
const (
	Lazy      Lifecycle = "lazy"
	Eager     Lifecycle = "eager"
	KeepAlive Lifecycle = "keep-alive"
)

// newEntry reads one member. It never fails: what is wrong is in Problems, and
// then the entry is not Valid.
func newEntry(src *Source, row client.Client, m jsonc.Member) *Entry {
	raw := m.Value.Raw()
	e := &Entry{
		Name: m.Key, Source: src, Line: m.KeyPosition.Line, Column: m.KeyPosition.Column,
		Raw: raw, Fingerprint: fingerprintOf(m.Key, m.Value),
	}
	d := &decoder{entry: e}
	if why := row.Names.Fault(m.Key); why != "" {
		d.failAs(ruleBadName, m.KeyPosition, "the name "+quoted(m.Key)+" "+why, "rename it in the file, or remove it with this exact name")
	}
	if m.Value.Kind() != jsonc.Object {
		rule, hint := ruleNoObject, nestingHint(m.Key)
		if hint != "" {
			rule = ruleNesting
		}
		d.failAs(rule, m.Value.Position(), "a server is an object, found "+string(m.Value.Kind()), hint)
		return e
	}
	if d.clashes(m.Value); d.tooDeep(m, row.Dialect.Read != nil) {
		return e
	}
	d.remarks(m.Value)
	clashed := d.failed
	own, other := d.converted(row, m.Value)
	switch {
	case other:
		e.other = true
		return e
	case d.failed && !clashed:
		return e // its client does not accept it either
	case row.Dialect.Read != nil && !clashed:
		d.clashes(own) // by now also what stood under another name
	}
	if def, over := d.decode(own); !d.failed {
		e.Definition, e.Override = def, over
	}
	if root := src.rootOf(row); root != "" && e.Definition != nil {
		e.Definition.rootAt(root)
	}
	return e
}

// rootOf is the folder that relative paths of the entries are meant from; "" for that of
// the workspace.
func (src *Source) rootOf(row client.Client) string {
	if src.root == "" && row.Rooted && src.Path != "" {
		return filepath.Dir(src.Path)
	}
	return src.root
}

// remarks tells what the format of the file says and JSON cannot.
func (d *decoder) remarks(n *jsonc.Node) {
	for _, r := range n.Remarks() {
		if r.Fatal {
			d.failAs(ruleDialectRefused, r.Position, r.Message, r.Hint)
		} else {
			d.warn(ruleDialect, r.Position, r.Message, r.Hint)
		}
	}
}

// rootAt takes a relative working directory, and a command that begins with ./ or ../, as meant from a folder: for
// a client that does so.
func (d *Definition) rootAt(folder string) {
	base := strings.ReplaceAll(folder, "$", "$$")
	if d.Cwd != "" && !filepath.IsAbs(d.Cwd) {
		d.Cwd = filepath.Join(base, d.Cwd)
	}
	if d.Cwd != "" {
		base = d.Cwd
	}
	if strings.HasPrefix(d.Command, "./") || strings.HasPrefix(d.Command, "../") {
		d.Command = filepath.Join(base, d.Command)
	}
}

// where is the place of the entry, for people.
func (e *Entry) where() string {
	if e.Line == 0 {
		return e.Source.Path
	}
	return fmt.Sprintf("%s:%d", e.Source.Path, e.Line)
}

// ReadEntry reads one entry that stands in no file: JSON with comments. It fails
// with MCP_CONFIG_INVALID when the text does not parse, or is neither a valid
// definition nor a valid override.
func ReadEntry(name string, text []byte) (*Entry, error) {
	invalid := func(message, hint string) error {
		return &Error{Code_: CodeInvalid, Server_: name, Message: message, Hint_: hint}
	}
	doc, err := jsonc.Parse(text)
	if err != nil {
		return nil, invalid("the entry does not parse: "+err.Error(), "")
	}
	if doc.Root() == nil {
		return nil, invalid("there is no entry", "")
	}
	native, _ := client.Lookup(client.Native)
	e := newEntry(&Source{Scope: Local}, native, jsonc.Member{Key: name, KeyPosition: doc.Root().Position(), Value: doc.Root()})
	if !e.Valid() {
		return nil, invalidEntry(name, e)
	}
	return e, nil
}

// nestingHint recognises a definition written one level too high.
func nestingHint(key string) string {
	for _, f := range []string{"type", "command", "args", "env", "url", "headers", "cwd"} {
		if key == f {
			return "a server's fields belong one level deeper, below its name"
		}
	}
	return ""
}

// namespace is what a name becomes in the names of its tools by the strictest of
// the joiners (design §10): lower case, runs of anything but letters and digits
// as one '_', none at the ends. Two names of one source that fall together
// cannot both be served.
func namespace(name string) string {
	out := make([]byte, 0, len(name))
	for _, c := range []byte(name) {
		switch {
		case c >= 'a' && c <= 'z', c >= '0' && c <= '9':
			out = append(out, c)
		case c >= 'A' && c <= 'Z':
			out = append(out, c+('a'-'A'))
		case len(out) > 0 && out[len(out)-1] != '_':
			out = append(out, '_')
		}
	}
	return strings.TrimSuffix(string(out), "_")
}

func quoted(s string) string {
	b, _ := json.Marshal(s)
	return string(b)
}
