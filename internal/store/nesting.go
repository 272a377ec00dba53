package store

import (
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/internal/store/client"
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

// tooHigh notes that servers stand at the top of a file, where nobody reads them.
func (src *Source) tooHigh(root *jsonc.Node) {
	if src.shared || !nested(root) {
		return
	}
	first, key := root.Members()[0], strings.Join(src.keys, ".")
	src.note(ruleNesting, SeverityError, CodeInvalid, first.KeyPosition, "the server "+quoted(first.Key)+" stands one level too high, so that the file holds no servers", "put the servers into an object under '"+key+"'")
}

// tooDeep refuses what would be an override that changes nothing. Other clients have
// objects of their own in their entries.
func (d *decoder) tooDeep(m jsonc.Member, foreign bool) bool {
	if foreign {
		return false
	}
	if !nested(m.Value) {
		return d.fileInside(m)
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

// fileInside refuses what holds the servers of a whole file, as when one file is pasted
// into another under a name.
func (d *decoder) fileInside(m jsonc.Member) bool {
	inner := insideOf(m.Value)
	if inner == nil {
		return false
	}
	d.failAs(ruleNesting, inner.KeyPosition, "servers stand two levels too deep, below "+quoted(inner.Key)+" in "+quoted(m.Key), "move them two levels up")
	return true
}

// insideOf is the member under which an object that is no server has the servers of a
// whole file; nil when there is none.
func insideOf(n *jsonc.Node) *jsonc.Member {
	if textAt(n, "command") || textAt(n, "url") {
		return nil
	}
	whose := client.TopKeys()
	for _, inner := range n.Members() {
		if whose[inner.Key] != "" && !slices.Contains(fields, inner.Key) && nested(inner.Value) {
			return &inner
		}
	}
	return nil
}
