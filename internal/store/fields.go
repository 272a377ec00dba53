package store

import "slices"

// Fields lists the keys of an entry that mcpctl interprets (design §3).
func Fields() []string { return slices.Clone(fields) }
