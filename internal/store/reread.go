package store

import (
	"bytes"

	"github.com/mcpctl/mcpctl/internal/store/jsonc"
)

// readBefore are the entries of a file as they were read before an edit of it. The
// edit leaves all but one as they are; they need not be taken apart again.
type readBefore map[string]textOfEntry

type textOfEntry struct {
	entry *Entry
	text  []byte // of the value
}

// readBefore pairs the entries of src, which was read from doc, with their texts.
// Those about which there is something to say are left out: what is said names places.
func (src *Source) readBefore(doc *jsonc.Document) readBefore {
	servers := src.servers(doc)
	if servers == nil {
		return nil
	}
	members := servers.Members()
	if len(members) != len(src.Entries) {
		return nil
	}
	known := make(readBefore, len(members))
	for i, e := range src.Entries {
		if len(e.Problems) == 0 && members[i].Key == e.Name {
			known[e.Name] = textOfEntry{e, members[i].Value.Written()}
		}
	}
	return known
}

// entry is the one that m is, for src; nil when it has to be read.
func (known readBefore) entry(src *Source, m jsonc.Member) *Entry {
	was, ok := known[m.Key]
	if !ok || !bytes.Equal(was.text, m.Value.Written()) {
		return nil
	}
	e := *was.entry
	e.Source, e.Line, e.Column = src, m.KeyPosition.Line, m.KeyPosition.Column
	return &e
}
