package commands

import (
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

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
		return chosen, c.InScope(chosen, name)
	}
	return c.DefiningScope(name)
}
