package main

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/mcpctl/mcpctl/internal/commands"
)

// TestHelpIsNarrow: the running text of a help fits a terminal; what is indented, such as
// a table or an example, may be as wide as it has to be.
func TestHelpIsNarrow(t *testing.T) {
	const widest = 100
	var walk func(cmd *cobra.Command)
	walk = func(cmd *cobra.Command) {
		for line := range strings.SplitSeq(cmd.Long, "\n") {
			if width := utf8.RuneCountInString(line); width > widest && !strings.HasPrefix(line, " ") {
				t.Errorf("%s: a line of %d columns: %s", cmd.CommandPath(), width, line)
			}
		}
		for _, sub := range cmd.Commands() {
			walk(sub)
		}
	}
	walk(commands.Root())
}
