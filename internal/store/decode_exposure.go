package store

import "github.com/mcpctl/mcpctl/internal/store/jsonc"

func (d *decoder) exposure(n *jsonc.Node, key string) Exposure {
	v := n.Get(key)
	if v == nil {
		return ""
	}
	text, _ := v.Text()
	e, ok := ParseExposure(text)
	if !ok {
		d.fail(v.Position(), "unknown exposure in '"+key+"'", "use direct, deferred, codemode or hidden")
	}
	return e
}

// ParseExposure reads an exposure word; ok is false when there is no such one.
func ParseExposure(word string) (e Exposure, ok bool) {
	switch word {
	case "direct", "deferred", "hidden":
		return Exposure(word), true
	case "codemode", "codemode-deferred":
		return Deferred, true
	}
	return "", false
}

func (d *decoder) toolExposure(n *jsonc.Node) []ToolRule {
	v := n.Get("toolExposure")
	if v == nil {
		return nil
	}
	if v.Kind() != jsonc.Object {
		d.fail(v.Position(), "'toolExposure' is an object, found "+string(v.Kind()), "")
		return nil
	}
	var rules []ToolRule
	for _, m := range v.Members() {
		rules = append(rules, ToolRule{Pattern: m.Key, Exposure: d.exposure(v, m.Key)})
	}
	return rules
}
