package commands

import (
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/mcpctl/mcpctl/internal/engine/wire"
)

// usagef is wrong usage: exit 129, as git has it.
func usagef(format string, args ...any) *wire.Error {
	return wire.NewError(wire.Usage, fmt.Sprintf(format, args...), "")
}

// withinFlag lets the hint of an exceeded limit name the option that set it; 0 is
// no option, and then the entry's timeout is what the hint names.
func withinFlag(err error, limit time.Duration) error {
	if e := wire.FromError(err); limit > 0 && e.Word == wire.Timeout {
		named := *e
		named.Advice = "if it needs longer, give it more with --timeout"
		return &named
	}
	return err
}

// group makes a command that only has commands below it, in the order of its help.
func group(cmd *cobra.Command, below ...*cobra.Command) *cobra.Command {
	names := make([]string, len(below))
	for i, c := range below {
		names[i] = c.Name()
	}
	cmd.Args = cobra.ArbitraryArgs
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if len(args) > 0 {
			return unknownCommand(cmd, args[0])
		}
		return usageOf(cmd, "name one of "+strings.Join(names, ", "))
	}
	cmd.AddCommand(below...)
	return cmd
}
