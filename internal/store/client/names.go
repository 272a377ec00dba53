package client

import (
	"strconv"
	"strings"
)

// NameRule says which server names a client accepts: letters, digits, '_', '-'
// and what the rule adds.
type NameRule struct {
	Extra  string // further characters
	Max    int    // characters at most; 0 is no limit
	Dash   bool   // may begin with '-'
	Spaces bool   // single spaces between other characters
}

// Fault says why the client does not accept name, or "" when it does.
func (r NameRule) Fault(name string) string {
	switch {
	case name == "":
		return "is empty"
	case r.Max > 0 && len(name) > r.Max:
		return "is longer than " + strconv.Itoa(r.Max) + " characters"
	case name[0] == '-' && !r.Dash:
		return "begins with '-'"
	}
	bare := name
	if r.Spaces {
		bare = strings.ReplaceAll(name, " ", "_")
		if strings.TrimSpace(name) != name || strings.Contains(name, "  ") {
			return "has spaces other than single ones inside"
		}
	}
	for _, c := range bare {
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', c == '_', c == '-', strings.ContainsRune(r.Extra, c):
		default:
			return "has characters other than A-Z a-z 0-9 " + r.signs()
		}
	}
	return ""
}

// String says what a name that mcpctl writes looks like, for a hint.
func (r NameRule) String() string {
	text := "a name has 1 to 100 of A-Z a-z 0-9 " + r.signs()
	if r.Spaces {
		text += " and single spaces inside"
	}
	return text + " and does not begin with '-'"
}

func (r NameRule) signs() string {
	return strings.Join(strings.Split("_"+r.Extra+"-", ""), " ")
}
