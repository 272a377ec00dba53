package engine

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

// nameLimit is the longest tool name that model interfaces accept.
const nameLimit = 64

// toolKey is a tool of a server.
type toolKey struct{ server, tool string }

// joinNames gives each tool the one name by which all tools of a session can be
// told apart: mcp__<server>__<tool>, characters outside [A-Za-z0-9_] as '_', 64
// at most. Every name that is too long or that two tools share gets eight hex
// digits of SHA-256(server NUL tool), so the result does not depend on order
// (design §10).
func joinNames(tools []toolKey) map[toolKey]string {
	plain := make(map[toolKey]string, len(tools))
	count := map[string]int{}
	for _, t := range tools {
		if _, again := plain[t]; again {
			continue
		}
		plain[t] = "mcp__" + tame(t.server) + "__" + tame(t.tool)
		count[plain[t]]++
	}
	for t, name := range plain {
		if len(name) > nameLimit || count[name] > 1 {
			sum := sha256.Sum256([]byte(t.server + "\x00" + t.tool))
			plain[t] = name[:min(len(name), nameLimit-9)] + "_" + hex.EncodeToString(sum[:4])
		}
	}
	return plain
}

// tame replaces each UTF-16 unit outside [A-Za-z0-9_] by '_', as the joiner of
// the client pi does; a character beyond the basic plane counts as two.
func tame(s string) string {
	var b strings.Builder
	for _, r := range s {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '_':
			b.WriteRune(r)
		case r > 0xffff:
			b.WriteString("__")
		default:
			b.WriteByte('_')
		}
	}
	return b.String()
}
