package store

import "strings"

// ExposureOf is how a tool is offered: what toolExposure says of its exact name, else
// the first of its patterns that matches, else the server's own exposure (design §3).
func (r *Row) ExposureOf(tool string) Exposure {
	found := r.Exposure
	for i := len(r.Tools) - 1; i >= 0; i-- {
		rule := r.Tools[i]
		if rule.Pattern == tool {
			return rule.Exposure
		}
		if Matches(rule.Pattern, tool) {
			found = rule.Exposure
		}
	}
	return found
}

// Matches tells whether a name is the pattern, in which '*' stands for any text.
func Matches(pattern, name string) bool {
	parts := strings.Split(pattern, "*")
	if len(parts) == 1 {
		return pattern == name
	}
	rest, ok := strings.CutPrefix(name, parts[0])
	if !ok {
		return false
	}
	last := parts[len(parts)-1]
	for _, part := range parts[1 : len(parts)-1] {
		at := strings.Index(rest, part)
		if at < 0 {
			return false
		}
		rest = rest[at+len(part):]
	}
	return strings.HasSuffix(rest, last)
}
