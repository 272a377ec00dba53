package store

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/internal/store/client"
	"github.com/mcpctl/mcpctl/internal/store/jsonc"
)

// furtherKeys are keys that no client has, and under which people put servers all the same.
var furtherKeys = []string{"mcp.servers", "tools"}

// wrongTopKey names the key of another client, or a well-known mistake, under which a
// file has servers that its own client does not see. Settings files have some of these
// keys for other things, so what stands there has to look like servers.
// It tells whether there was one.
func (src *Source) wrongTopKey(root *jsonc.Node, topKey string) bool {
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
		means := "so it holds no servers"
		if reader := src.readUnder(m.Key); reader != "" {
			means = "so that only " + reader + " reads its servers"
			hint = "put the servers under '" + topKey + "' if other clients are to have them; lint --fix leaves that to you, since " + reader + " would lose them"
		}
		src.note(ruleTopKey, SeverityWarning, CodeInvalid, m.KeyPosition, "the file has '"+m.Key+"' but no '"+topKey+"', "+means, hint)
		return true
	}
	return false
}

// readUnder is the title of another client that has its servers under a key of this very
// file of a project; "" when none has.
func (src *Source) readUnder(key string) string {
	if src.Scope != Project {
		return ""
	}
	for _, row := range client.All() {
		for _, file := range row.ProjectFiles() {
			if row.Name != src.Client && row.KeysOf(file)[0] == key && strings.HasSuffix(filepath.ToSlash(src.Path), "/"+file) {
				return row.Title
			}
		}
	}
	return ""
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
