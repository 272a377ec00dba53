package engine

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

// nameLimit is the longest tool name that model interfaces accept.
const nameLimit = 64

// ToolKey is a tool, or a prompt, of a server.
type ToolKey struct{ Server, Tool string }

// Naming is a way to join the name of a server and that of a tool into one by which
// all tools of a session can be told apart (design §10).
type Naming string

// The namings. NamingPi and NamingOmp are those of these clients; NamingShort is
// <server>__<tool>, which keeps hyphens.
const (
	NamingPi    Naming = "pi"
	NamingOmp   Naming = "omp"
	NamingShort Naming = "short"
)

// Join gives each tool its name, 64 characters at most. Every name that is too long
// or that two tools share gets eight hex digits of SHA-256(server NUL tool), so the
// result does not depend on order. With NamingOmp the first of those that share a
// name, by the bytes of server NUL tool, keeps it, as it does in that client.
func (n Naming) Join(tools []ToolKey) map[ToolKey]string {
	plain := make(map[ToolKey]string, len(tools))
	owners := map[string][]ToolKey{}
	for _, t := range tools {
		if _, again := plain[t]; again {
			continue
		}
		plain[t] = n.plain(t)
		owners[plain[t]] = append(owners[plain[t]], t)
	}
	for t, name := range plain {
		shared := len(owners[name]) > 1
		if shared && n == NamingOmp && len(name) <= nameLimit && isFirst(t, owners[name]) {
			continue
		}
		if shared || len(name) > nameLimit {
			sum := sha256.Sum256([]byte(t.order()))
			plain[t] = name[:min(len(name), nameLimit-9)] + "_" + hex.EncodeToString(sum[:4])
		}
	}
	return plain
}

func (t ToolKey) order() string { return t.Server + "\x00" + t.Tool }

func isFirst(t ToolKey, among []ToolKey) bool {
	for _, other := range among {
		if other.order() < t.order() {
			return false
		}
	}
	return true
}

// plain joins without regard to length and to other tools.
func (n Naming) plain(t ToolKey) string {
	switch n {
	case NamingShort:
		return tame(t.Server, "-") + "__" + tame(t.Tool, "-")
	case NamingOmp:
		server, tool := tamest(t.Server, "server"), tamest(t.Tool, "tool")
		return "mcp__" + server + "_" + strings.TrimPrefix(tool, server+"_")
	}
	return "mcp__" + tame(t.Server, "") + "__" + tame(t.Tool, "")
}

// Prefix is what the names of a server's tools begin with.
func (n Naming) Prefix(server string) string {
	return strings.TrimSuffix(n.plain(ToolKey{server, "x"}), "x")
}

// tame replaces each UTF-16 unit outside [A-Za-z0-9_] and more by '_', as the joiner
// of the client pi does; a character beyond the basic plane counts as two.
func tame(s, more string) string {
	var b strings.Builder
	for _, r := range s {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '_', strings.ContainsRune(more, r):
			b.WriteRune(r)
		case r > 0xffff:
			b.WriteString("__")
		default:
			b.WriteByte('_')
		}
	}
	return b.String()
}

// tamest is lower case, without underscores at the ends or two in a row, as the joiner
// of the client omp has it; empty for what nothing is left of.
func tamest(s, empty string) string {
	words := strings.FieldsFunc(tame(strings.ToLower(s), ""), func(r rune) bool { return r == '_' })
	if len(words) == 0 {
		return empty
	}
	return strings.Join(words, "_")
}
