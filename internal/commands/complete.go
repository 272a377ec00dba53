package commands

import (
	"slices"

	"github.com/spf13/cobra"

	"github.com/mcpctl/mcpctl/internal/store"
)

// completeServers completes server names from the files; it starts nothing and
// connects to nothing.
func (a *app) completeServers(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	return a.completeRows(args, func(*store.Row) bool { return true })
}

// completeProject is completeServers for the entries that need the user's word.
func (a *app) completeProject(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	return a.completeRows(args, func(r *store.Row) bool { return r.Entry.Source.Scope == store.Project })
}

func (a *app) completeRows(args []string, wanted func(*store.Row) bool) ([]string, cobra.ShellCompDirective) {
	c, err := a.load()
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var out []string
	for _, row := range c.Rows {
		if name := row.Entry.Name; wanted(row) && !slices.Contains(args, name) && !slices.Contains(out, name) {
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

// strictCompletion lets cobra make its command `completion`, which takes any word
// for a shell, and has it refuse what is none. The output of root must be set.
func strictCompletion(root *cobra.Command) {
	root.InitDefaultCompletionCmd()
	for _, c := range root.Commands() {
		if c.Name() != "completion" {
			continue
		}
		c.Args = cobra.ArbitraryArgs
		c.RunE = func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return unknownCommand(cmd, args[0])
			}
			return usageOf(cmd, "name a shell: bash, zsh, fish or powershell")
		}
		for _, shell := range c.Commands() {
			shell.Args = names(0, 0, "")
		}
	}
}
