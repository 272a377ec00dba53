package store

import (
	"fmt"
	"slices"
	"strings"
)

// DefiningScope is the only scope whose files define the name, for an edit that has
// to be of one of them; overrides count only where nothing is defined. MCP_NOT_FOUND
// when there is none, USAGE when there are several.
func (c *Config) DefiningScope(name string) (Scope, error) {
	var defines, overrides []Scope
	for _, src := range c.Sources {
		for _, e := range src.Entries {
			switch {
			case e.Name != name:
			case e.Override != nil:
				overrides = append(overrides, src.Scope)
			default:
				defines = append(defines, src.Scope)
			}
		}
	}
	found := slices.Compact(defines)
	if len(found) == 0 {
		found = slices.Compact(overrides)
	}
	if len(found) == 0 {
		return "", c.NotFound(name)
	}
	return onlyScope(name, found)
}

// HoldingScope is the only scope whose file, of those that are written, holds the
// name, whatever its value; one that does more than override goes first. Errors are
// those of DefiningScope.
func (c *Config) HoldingScope(name string) (Scope, error) {
	var found, overrides []Scope
	for _, src := range c.Sources {
		if !c.Store.Writes(src) {
			continue
		}
		switch e := src.entry(name); {
		case e == nil:
		case e.Override != nil:
			overrides = append(overrides, src.Scope)
		default:
			found = append(found, src.Scope)
		}
	}
	if found = slices.Compact(found); len(found) == 0 {
		found = slices.Compact(overrides)
	}
	if len(found) == 0 {
		return "", c.NotWritable(name)
	}
	return onlyScope(name, found)
}

func onlyScope(name string, found []Scope) (Scope, error) {
	if len(found) == 1 {
		return found[0], nil
	}
	return "", &Error{Code_: CodeUsage, Message: "'" + name + "' stands in several files: say " + ScopeFlags(found)}
}

// ScopeFlags names the flags of scopes to choose from: "--local, --project or
// --user".
func ScopeFlags(scopes []Scope) string {
	var flags []string
	for _, scope := range scopes {
		flags = append(flags, "--"+string(scope))
	}
	slices.Sort(flags)
	flags = slices.Compact(flags)
	last := len(flags) - 1
	if last == 0 {
		return flags[0]
	}
	return strings.Join(flags[:last], ", ") + " or " + flags[last]
}

// InScope fails for a name that stands in a file of another scope than the one that
// was named, and says in which; nil when it stands in that, or nowhere.
func (c *Config) InScope(chosen Scope, name string) error {
	var other *Entry
	for _, src := range c.Sources {
		if src.Scope == chosen && src.Broken {
			return nil
		}
		for _, e := range src.Entries {
			switch {
			case e.Name != name || !c.Store.Writes(src):
			case src.Scope == chosen:
				return nil
			case other == nil:
				other = e
			}
		}
	}
	if other == nil {
		return nil
	}
	where := fmt.Sprintf("%s:%d:%d", other.Source.Path, other.Line, other.Column)
	if other.Line == 0 {
		where = other.Source.Path
	}
	return &Error{Code_: CodeNotFound, Server_: name,
		Message: "'" + name + "' does not stand in the " + string(chosen) + " file, but in " + where,
		Hint_:   "say --" + string(other.Source.Scope)}
}
