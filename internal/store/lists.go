package store

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/internal/store/jsonc"
)

// Some clients keep lists of names beside the servers, in the user's file: names
// that are off wherever they are defined, or in one workspace, and names that are on
// although their own entry says not (disabledServers and enabledServers of omp,
// disabledMcpServers of Claude Code). They are read
// as overrides of the user, the first strongest, the second weakest of all.

// listed is one name in such a list.
type listed struct {
	name string
	at   jsonc.Position
}

// readLists reads them where the client has them. A list that is none counts as
// empty, and is told.
func (src *Source) readLists(root *jsonc.Node) {
	row := src.clientRow()
	if src.Scope != User || src.second || row.DisabledList == "" {
		return
	}
	src.off = src.readList(root, row.DisabledList)
	if row.EnabledList != "" {
		src.on = src.readList(root, row.EnabledList)
	}
}

func (src *Source) readList(root *jsonc.Node, key string) []listed {
	n := root
	for _, part := range strings.Split(key, ".") { // the names of lists have no dots
		if n = n.Get(part); n == nil {
			return nil
		}
	}
	if n.Kind() != jsonc.Array {
		src.note(SeverityWarning, CodeInvalid, n.Position(), "'"+key+"' is an array of names, found "+string(n.Kind()), "")
		return nil
	}
	var out []listed
	for _, el := range n.Elements() {
		if name, ok := el.Text(); ok {
			out = append(out, listed{name, el.Position()})
			continue
		}
		src.note(SeverityWarning, CodeInvalid, el.Position(), "'"+key+"' holds something other than names: "+string(el.Kind()), "")
	}
	return out
}

// withLists adds what the lists of the chosen client say about a name.
func (c *Config) withLists(name string, overrides []*Entry) []*Entry {
	for _, src := range c.Sources {
		if c.Store.foreign(src) || src.off == nil && src.on == nil {
			continue
		}
		if e := src.listEntry(src.on, name, true); e != nil {
			overrides = append(overrides, e)
		}
		if e := src.listEntry(src.off, name, false); e != nil {
			at := slices.IndexFunc(overrides, func(o *Entry) bool { return o.Source.Scope != Session })
			if at < 0 {
				at = len(overrides) // what the session says is stronger than any file
			}
			overrides = slices.Insert(overrides, at, e)
		}
	}
	return overrides
}

func (src *Source) listEntry(list []listed, name string, enabled bool) *Entry {
	for _, l := range list {
		if l.name != name {
			continue
		}
		raw := json.RawMessage(`{"enabled":false}`)
		if enabled {
			raw = json.RawMessage(`{"enabled":true}`)
		}
		return &Entry{Name: name, Source: src, Line: l.at.Line, Column: l.at.Column, Raw: raw,
			Fingerprint: EntryFingerprint(name, raw), Override: &Override{Enabled: &enabled}}
	}
	return nil
}
