package commands

import (
	"slices"

	"github.com/spf13/cobra"
)

// completeServers completes server names from the files; it starts nothing and
// connects to nothing.
func (a *app) completeServers(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	c, err := a.load()
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var out []string
	for _, row := range c.Rows {
		if name := row.Entry.Name; !slices.Contains(args, name) && !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	return out, cobra.ShellCompDirectiveNoFileComp
}

// completeOneServer is completeServers for commands whose first word only is a
// server.
func (a *app) completeOneServer(cmd *cobra.Command, args []string, word string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return a.completeServers(cmd, args, word)
}
