package client

import (
	"slices"
	"time"
)

// shape is a client whose entries differ from mcpctl's by names, words, units and
// spellings. What is particular to one client stands in its own file, beside its facts.
type shape struct {
	client      string              // as people write it
	names       []alias             // fields with another name; of several with one meaning the first is written, and the strongest
	types       map[string]string   // its words for a transport, and mcpctl's; nil where mcpctl's own are read
	olderType   []string            // older names of the field type
	urlAlone    string              // the transport of an address without a type; "" for http
	typeWhy     string              // said of an address without a type, where the client refuses that
	words       map[string]string   // what it writes for stdio, http and sse; "-" for no word, "" when it finds out itself, absent when it cannot speak it
	spelling    spelling            // of values in the fields of resolved
	resolved    []string            // the fields in which it resolves references, oauth among them; nil for all; elsewhere text stands for itself
	unit        time.Duration       // of its timeout; 0 when it has none
	off         string              // the field that switches a server: "enabled" or "disabled"; "" when an entry cannot say
	show        string              // a list of the tools that alone are shown; "" when it has none
	hide        string              // a list of the tools that are not shown
	patterns    bool                // a * in these lists stands for any text
	signIn      signIn              // its words for oauth
	has         []string            // of the fields that only some clients have, those it has
	more        []string            // further fields that it has, which reads and writes see to
	objects     map[string][]string // fields that are objects, and the names in them
	gaps        map[string]string   // fields that mcpctl cannot express, and why
	aside       map[string]string   // more of them, without which the server runs just the same
	facts       []string            // what else is remarkable, for people, as in Dialect.About
	reads       func(*shapeReader)  // what else there is to reading, before the rest
	readsLast   func(*shapeReader)  // and behind it
	writesFirst func(*shapeWriter)  // what else there is to writing, before the rest
	writes      func(*shapeWriter)  // and behind it
}

// alias is a field's name there and here; "" here for a field that means nothing to mcpctl.
type alias struct{ theirs, ours string }

// The fields of an entry, by what they are for.
var (
	onlyStdio  = []string{"args", "env", "cwd"}                              // of a server that is started
	onlyHTTP   = []string{"headers", "oauth", "auth"}                        // of one that is reached
	everyField = []string{"command", "args", "cwd", "url", "env", "headers"} // that hold values, but for those in oauth
)

// What is said of fields that several clients have.
const (
	approvalWhy = "mcpctl asks nobody before a tool runs; that is for who calls it"
	envFileWhy  = "mcpctl reads no files of variables; write the variables into 'env', or start mcpctl with them"
	exposureWhy = "which tools are loaded at once is said by 'exposure'"
	originWhy   = "where the entry came from is not kept"
	headersWhy  = "a command that prints headers; write a value !command in 'headers'"
	startWhy    = "mcpctl has one time limit, 'timeout'"
	signInWhy   = "mcpctl does not sign in that way"
)

// dialect is the shape's two ways.
func (f *shape) dialect() Dialect {
	d := f.readOnly()
	d.Write = f.write
	return d
}

// readOnly is its way from the client alone.
func (f *shape) readOnly() Dialect {
	return Dialect{Read: f.read, About: f.about(), Inputs: f.spelling.inputs, Fields: f.fields(), Inside: f.inside()}
}

// spellingOf is how values of a field are spelt.
func (f *shape) spellingOf(field string) spelling {
	if f.resolved != nil && !slices.Contains(f.resolved, field) {
		return spelling{}
	}
	return f.spelling
}

// plainWords are the words of a client that finds the transport of an address out itself.
var plainWords = map[string]string{"stdio": "-", "http": "-", "sse": ""}

// ownWords are those of a client that has mcpctl's.
var ownWords = map[string]string{"stdio": "stdio", "http": "http", "sse": "sse"}

// unitName is the unit of a timeout for people.
func unitName(unit time.Duration) string {
	return map[time.Duration]string{0: "none", time.Second: "seconds", time.Millisecond: "milliseconds"}[unit]
}
