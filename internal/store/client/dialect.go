package client

import (
	"encoding/json"
	"slices"

	"github.com/mcpctl/mcpctl/internal/store/jsonc"
)

// Dialect converts entries between a client's shape and mcpctl's own (design
// §2.3, §3). A nil function means that the shapes are the same.
type Dialect struct {
	// Read returns the entry, an object, in mcpctl's shape. It keeps what it does
	// not know: the reader behind it judges the whole.
	Read func(entry *jsonc.Node, project bool) Reading
	// Write returns an entry of mcpctl's shape in the client's. It fails for what is no
	// entry; what the client cannot express is a Gap.
	Write func(entry json.RawMessage) (Writing, error)
	// Fields are the names of the fields that the client's entries have; nil where they
	// are mcpctl's. Inside are those of objects that stand in an entry, by their names.
	Fields []string
	Inside map[string][]string
	// About tells people how the client's entries differ from mcpctl's own: a word, a
	// colon and what it is.
	About []string
	// Older is where a field of the client's shape stands in an entry that is written in an
	// older one; the same path where there is no other place. It may be nil.
	Older func(entry *jsonc.Node, field []string) []string
	// Inputs: the client asks its user for values, and its files list what for.
	Inputs bool
}

// HasSwitch tells whether an entry of the client can say that its server is off.
func (d Dialect) HasSwitch() bool {
	if d.Write == nil {
		return true // as mcpctl's own
	}
	out, err := d.Write(json.RawMessage(`{"command":"c","enabled":false}`))
	return err == nil && !slices.ContainsFunc(out.Gaps, func(g Gap) bool { return g.Field == "enabled" })
}

// Writing is an entry in the client's shape, without what the gaps name.
type Writing struct {
	Entry json.RawMessage
	Gaps  []Gap
}

// Gap is what cannot be said in the other shape, and why.
type Gap struct {
	Field string // dotted, such as "env.TOKEN" or "timeout"
	Why   string
	Fatal bool // without it there is no server: the entry must not be written
}

// Reading is an entry in mcpctl's shape and what was remarkable about it.
type Reading struct {
	Entry *jsonc.Node
	Other bool // it is not a server but something else of the client's, such as a part of it that can be switched
	Notes []Note
}

// Note is something remarkable in a foreign entry.
type Note struct {
	Position jsonc.Position
	Field    string // that mcpctl cannot express, so that a copy would not have it; "" for other remarks
	Fatal    bool   // the client does not accept the entry either
	Aside    bool   // it concerns nobody but who copies the entry: the server runs as it does for the client
	Message  string
	Hint     string
}

func (r *Reading) note(at *jsonc.Node, message, hint string) {
	r.Notes = append(r.Notes, Note{Position: at.Position(), Message: message, Hint: hint})
}

// gap notes what mcpctl cannot express.
func (r *Reading) gap(at *jsonc.Node, field, message, hint string) {
	r.Notes = append(r.Notes, Note{Position: at.Position(), Field: field, Message: message, Hint: hint})
}

// isDefinition: an entry without these is an override (design §1).
func isDefinition(n *jsonc.Node) bool {
	return n.Get("command") != nil || n.Get("url") != nil || n.Get("type") != nil
}
