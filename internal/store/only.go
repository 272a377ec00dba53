package store

import "strings"

// Only returns the configuration without the rows of servers whose names keep refuses.
// What a session itself says stays.
func (c *Config) Only(keep func(name string) bool) *Config {
	out := *c
	out.Rows = nil
	for _, r := range c.Rows {
		if r.Entry.Source.Scope == Session || keep(r.Entry.Name) {
			out.Rows = append(out.Rows, r)
		}
	}
	return &out
}

// Matches tells whether a pattern is about a name: '*' stands for any run of
// characters, everything else for itself.
func Matches(pattern, name string) bool {
	parts := strings.Split(pattern, "*")
	last := len(parts) - 1
	if last == 0 {
		return pattern == name
	}
	rest, ok := strings.CutPrefix(name, parts[0])
	if !ok {
		return false
	}
	for _, part := range parts[1:last] {
		i := strings.Index(rest, part)
		if i < 0 {
			return false
		}
		rest = rest[i+len(part):]
	}
	return strings.HasSuffix(rest, parts[last])
}
