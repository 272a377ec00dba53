package commands

import (
	"fmt"

	"github.com/mcpctl/mcpctl/internal/engine/wire"
)

// usagef is wrong usage: exit 129, as git has it.
func usagef(format string, args ...any) *wire.Error {
	return wire.NewError(wire.Usage, fmt.Sprintf(format, args...), "")
}
