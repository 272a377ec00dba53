package store

import (
	"path/filepath"
	"strings"

	"github.com/mcpctl/mcpctl/internal/store/jsonc"
)

// A client may have two ways to write its files, the later within the earlier one's
// place: OpenCode 1 has the servers in `mcp`, OpenCode 2 in `mcp.servers`; Continue has
// YAML of its own, and JSON as other clients have it. The file says which it is, and is
// edited in its own way.

// edition decides how the file is written. Servers that stand the earlier way in a file
// of the later one are told, since they are not read.
func (src *Source) edition(root *jsonc.Node) {
	newer := src.clientRow().Newer
	if newer == nil || src.newer || newer.Ending != "" && !strings.EqualFold(filepath.Ext(src.Path), newer.Ending) {
		return
	}
	if newer.Ending != "" {
		src.newer, src.keys = true, newer.Servers
		return
	}
	n := root
	for _, key := range newer.Servers {
		if n = n.Get(key); n == nil {
			return
		}
	}
	if n.Kind() != jsonc.Object || isEntry(n) {
		return // a server that has this name
	}
	older := len(src.keys)
	src.newer, src.keys = true, newer.Servers
	beside := root
	for _, key := range src.keys[:older] {
		beside = beside.Get(key)
	}
	for _, m := range beside.Members() {
		if m.Key != src.keys[older] && isEntry(m.Value) {
			src.note(ruleTopKey, SeverityWarning, CodeInvalid, m.KeyPosition, quoted(m.Key)+" stands beside '"+src.keys[older]+"' and is not read: the file is written as the later "+src.clientRow().Title+" does",
				"move it into '"+src.keys[older]+"'")
		}
	}
}

// isEntry tells whether a value is a server rather than an object of servers.
func isEntry(n *jsonc.Node) bool {
	for _, key := range []string{"type", "command", "url", "enabled"} {
		if v := n.Get(key); v != nil && v.Kind() != jsonc.Object {
			return true
		}
	}
	return false
}
