package store

import (
	"slices"

	"github.com/mcpctl/mcpctl/internal/store/client"
	"github.com/mcpctl/mcpctl/internal/store/jsonc"
)

// furtherKeys are keys that no client has, and under which people put servers all the same.
var furtherKeys = []string{"mcp.servers", "tools"}

// wrongTopKey names the key of another client, or a well-known mistake, under which a
// file has servers that its own client does not see. Settings files have some of these
// keys for other things, so what stands there has to look like servers.
func (src *Source) wrongTopKey(root *jsonc.Node, topKey string) {
	whose := client.TopKeys()
	for _, m := range root.Members() {
		title, known := whose[m.Key]
		if src.shared && known {
			continue // they may well be that client's
		}
		if !known && !slices.Contains(furtherKeys, m.Key) || !looksLikeServers(m.Value, 2) {
			continue
		}
		hint := "put the servers under '" + topKey + "'"
		if known {
			hint += ": '" + m.Key + "' is the key of " + title
		}
		src.note(ruleTopKey, SeverityWarning, CodeInvalid, m.KeyPosition,
			"the file has '"+m.Key+"' but no '"+topKey+"', so it holds no servers", hint)
		return
	}
}

// looksLikeServers tells whether one of the values in n, down to a depth, has a command
// or an address.
func looksLikeServers(n *jsonc.Node, depth int) bool {
	inner := n.Elements()
	for _, v := range n.All() {
		inner = append(inner, v)
	}
	for _, v := range inner {
		for _, key := range []string{"command", "url", "httpUrl", "serverUrl"} {
			if v.Get(key) != nil {
				return true
			}
		}
		if depth > 1 && looksLikeServers(v, depth-1) {
			return true
		}
	}
	return false
}
