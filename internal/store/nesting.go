package store

import (
	"slices"

	"github.com/mcpctl/mcpctl/internal/store/jsonc"
)

// nested tells whether an object holds nothing but servers, where it should be one: what
// stands in it is one level too deep.
func nested(n *jsonc.Node) bool {
	members := n.Members()
	for _, m := range members {
		if slices.Contains(fields, m.Key) || m.Value.Kind() != jsonc.Object || !textAt(m.Value, "command") && !textAt(m.Value, "url") {
			return false
		}
	}
	return len(members) > 0
}

func textAt(n *jsonc.Node, key string) bool {
	v := n.Get(key)
	return v != nil && v.Kind() == jsonc.String
}

// tooDeep refuses what would be an override that changes nothing. Other clients have
// objects of their own in their entries.
func (d *decoder) tooDeep(m jsonc.Member, foreign bool) bool {
	if foreign || !nested(m.Value) {
		return false
	}
	inner := m.Value.Members()[0]
	message, hint := "the server stands one level too deep, below "+quoted(inner.Key), "move its fields one level up"
	if keys := d.entry.Source.keys; len(keys) > 0 && keys[len(keys)-1] == m.Key {
		message, hint = "the servers stand one level too deep, below a second "+quoted(m.Key), "move them one level up"
		inner.KeyPosition = m.KeyPosition
	}
	d.failAs(ruleNesting, inner.KeyPosition, message, hint)
	return true
}
