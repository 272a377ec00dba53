package store

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/internal/store/jsonc"
)

// Some clients keep lists of names beside the servers, in the user's file: names
// that are off wherever they are defined, or in one workspace, names beside which
// every other is off, and names that are on although their own entry says not
// (disabledServers and enabledServers of omp, disabledMcpServers of Claude Code,
// mcp.excluded and mcp.allowed of Gemini CLI). They are read as overrides of the
// user, the first two strongest, the last weakest of all. What the lists of another
// client than the chosen one say is about that client's own servers.

// listed is one name in such a list.
type listed struct {
	name string
	at   jsonc.Position
}

// readLists reads them where the client has them. A list that is none counts as
// empty, and is told.
func (src *Source) readLists(root *jsonc.Node) {
	row := src.clientRow()
	for i, key := range []string{row.DisabledList, row.EnabledList, row.OnlyList} {
		switch {
		case key == "", src.Scope == User && src.second:
		case src.Scope == User:
			*[]*[]listed{&src.off, &src.on, &src.only}[i] = src.readList(root, key)
		case src.Scope == Project:
			src.unheardList(root, key)
		}
	}
}

// unheardList tells of a list in a project's file: it is the client's, and a repository's
// word on servers of the user's needs an entry that can be approved.
func (src *Source) unheardList(root *jsonc.Node, key string) {
	if n := listAt(root, key); n != nil && len(n.Elements()) > 0 {
		src.note(ruleNotHonoured, SeverityWarning, CodeInvalid, n.Position(), "mcpctl does not look at '"+key+"' of a project's file", "use mcpctl disable")
	}
}

// listAt is what stands under a key; the names of lists have no dots of their own.
func listAt(root *jsonc.Node, key string) *jsonc.Node {
	n := root
	for _, part := range strings.Split(key, ".") {
		if n = n.Get(part); n == nil {
			return nil
		}
	}
	return n
}

func (src *Source) readList(root *jsonc.Node, key string) []listed {
	n := listAt(root, key)
	if n == nil {
		return nil
	}
	if n.Kind() != jsonc.Array {
		src.note(ruleShape, SeverityWarning, CodeInvalid, n.Position(), "'"+key+"' is an array of names, found "+string(n.Kind()), "")
		return nil
	}
	var out []listed
	for _, el := range n.Elements() {
		if name, ok := el.Text(); ok {
			out = append(out, listed{name, el.Position()})
			continue
		}
		src.note(ruleShape, SeverityWarning, CodeInvalid, el.Position(), "'"+key+"' holds something other than names: "+string(el.Kind()), "")
	}
	return out
}

// withLists adds what lists say about a server.
func (c *Config) withLists(winner *Entry, overrides []*Entry) []*Entry {
	for _, src := range c.Sources {
		if c.Store.foreign(src) && src.Client != winner.Source.Client || src.ShowOnly {
			continue
		}
		if e := src.listEntry(src.on, src.clientRow().EnabledList, winner.Name, true); e != nil {
			overrides = append(overrides, e)
		}
		if e := src.listedOff(winner.Name); e != nil {
			at := slices.IndexFunc(overrides, func(o *Entry) bool { return o.Source.Scope != Session })
			if at < 0 {
				at = len(overrides) // what the session says is stronger than any file
			}
			overrides = slices.Insert(overrides, at, e)
		}
	}
	return overrides
}

// listedOff is the word of a list that a name is off; nil when none says so.
func (src *Source) listedOff(name string) *Entry {
	row := src.clientRow()
	off := row.DisabledList
	if src.keysOfFolder() {
		off = row.FolderOff
	}
	if e := src.listEntry(src.off, off, name, false); e != nil || len(src.only) == 0 {
		return e
	}
	if src.listEntry(src.only, row.OnlyList, name, true) != nil {
		return nil
	}
	return src.listEntry([]listed{{name, src.only[0].at}}, row.OnlyList, name, false)
}

// keysOfFolder tells whether the source is what a file says of one folder.
func (src *Source) keysOfFolder() bool { return len(src.keys) > len(src.clientRow().Servers) }

// unlisted tells of a server that a list beside it keeps off, though its own entry does
// not say so; nil when none does.
func (src *Source) unlisted(name string) []Problem {
	e := src.listedOff(name)
	if e == nil {
		return nil
	}
	message, hint := e.Switch()
	return []Problem{{Message: "'" + name + "' is off there: " + message, Hint: hint}}
}

// Switch tells what an entry that switches a server says and how that is changed, for
// people.
func (e *Entry) Switch() (message, hint string) {
	switch row := e.Source.clientRow(); {
	case e.List == "":
		return e.Source.Path + " says otherwise", ""
	case e.List == row.OnlyList:
		return "'" + e.List + "' at " + e.where() + " does not name it", "add " + quoted(e.Name) + " to that list in an editor"
	default:
		return "'" + e.List + "' at " + e.where() + " names it", "take " + quoted(e.Name) + " from that list in an editor"
	}
}

func (src *Source) listEntry(list []listed, key, name string, enabled bool) *Entry {
	for _, l := range list {
		if l.name != name {
			continue
		}
		raw := json.RawMessage(`{"enabled":false}`)
		if enabled {
			raw = json.RawMessage(`{"enabled":true}`)
		}
		return &Entry{Name: name, Source: src, List: key, Line: l.at.Line, Column: l.at.Column, Raw: raw,
			Fingerprint: EntryFingerprint(name, raw), Override: &Override{Enabled: &enabled}}
	}
	return nil
}
