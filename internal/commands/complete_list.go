package commands

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// completeServerList completes the last of several names that are separated by commas.
func (a *app) completeServerList(cmd *cobra.Command, _ []string, word string) ([]string, cobra.ShellCompDirective) {
	before, _ := splitLast(word)
	names, directive := a.completeServers(cmd, strings.Split(before, ","), word)
	out := make([]string, len(names))
	for i, name := range names {
		out[i] = before + name
	}
	return slices.Clip(out), directive
}

// splitLast splits a list behind its last comma.
func splitLast(list string) (before, last string) {
	at := strings.LastIndexByte(list, ',') + 1
	return list[:at], list[at:]
}
