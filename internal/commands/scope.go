package commands

import (
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/mcpctl/mcpctl/internal/engine/wire"
	"github.com/mcpctl/mcpctl/internal/store"
)

// scopeFlags are the flags that choose a file.
type scopeFlags struct {
	user, project, local bool
	scopeName            string
}

func (s *scopeFlags) register(f *pflag.FlagSet) {
	f.BoolVar(&s.user, "user", false, "in the user's file")
	f.BoolVar(&s.project, "project", false, "in the project's file")
	f.BoolVar(&s.local, "local", false, "in the user's private file for this workspace")
	f.StringVarP(&s.scopeName, "scope", "s", "", "in the file of `SCOPE`: user, project or local")
}

// scope returns the one that was chosen, or def.
func (s *scopeFlags) scope(def store.Scope) (store.Scope, error) {
	var chosen []store.Scope
	for scope, is := range map[store.Scope]bool{store.User: s.user, store.Project: s.project, store.Local: s.local} {
		if is {
			chosen = append(chosen, scope)
		}
	}
	if s.scopeName != "" {
		chosen = append(chosen, store.Scope(s.scopeName))
	}
	switch {
	case len(chosen) == 0:
		return def, nil
	case len(chosen) > 1:
		return "", usagef("choose one scope")
	case !slices.Contains([]store.Scope{store.User, store.Project, store.Local}, chosen[0]):
		return "", usagef("unknown scope '%s': use user, project or local", s.scopeName)
	}
	return chosen[0], nil
}

// definition is the chosen scope, or the only one whose file defines the name;
// overrides count only where nothing is defined.
func (s *scopeFlags) definition(c *store.Config, name string) (store.Scope, error) {
	chosen, err := s.scope("")
	if err != nil {
		return "", err
	}
	if chosen != "" {
		return chosen, otherFile(c, chosen, name)
	}
	var defines, overrides []store.Scope
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
	switch len(found) {
	case 0:
		return "", c.NotFound(name)
	case 1:
		return found[0], nil
	}
	return "", usagef("'%s' stands in several files: say %s", name, oneOf(found))
}

// oneOf names the flags of scopes to choose from: --local, --project or --user.
func oneOf(scopes []store.Scope) string {
	var flags []string
	for _, scope := range scopes {
		flags = append(flags, "--"+string(scope))
	}
	slices.Sort(flags)
	flags = slices.Compact(flags)
	last := len(flags) - 1
	return strings.Join(flags[:last], ", ") + " or " + flags[last]
}

// otherFile is the error for a name that stands in a file of another scope than
// the chosen one; nil when it stands in that, or nowhere.
func otherFile(c *store.Config, chosen store.Scope, name string) error {
	var other *store.Entry
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
	scope := string(other.Source.Scope)
	err := wire.NewError(wire.NotFound, "'"+name+"' does not stand in the "+string(chosen)+" file, but in "+place(other.Source.Path, other.Line, other.Column), "say --"+scope)
	return err.On(name)
}
