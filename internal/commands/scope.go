package commands

import (
	"slices"

	"github.com/spf13/cobra"
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

// registerWithSession is register for commands that can change a session, too.
func (s *scopeFlags) registerWithSession(cmd *cobra.Command) {
	f := cmd.Flags()
	s.register(f)
	f.Lookup("scope").Usage = "in `SCOPE`: user, project or local, each a file, or session"
	words := append(slices.Clone(scopeWords), string(store.Session))
	_ = cmd.RegisterFlagCompletionFunc("scope", cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp))
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
	case chosen[0] == store.Session:
		err := usagef("the scope 'session' goes with add, remove, enable and disable alone: a session has no file")
		err.Advice = "to change what a session registered: mcpctl add NAME --session --replace -- COMMAND"
		return "", err
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
	return "", usagef("'%s' stands in several files: say --%s or --%s", name, found[0], found[1])
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
