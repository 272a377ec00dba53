package engine

import (
	"github.com/mcpctl/mcpctl/internal/engine/wire"
	"github.com/mcpctl/mcpctl/internal/store"
)

// Problems is what is wrong in files as JSON has it; never nil.
func Problems(list []store.Problem) []wire.Problem { return problems(list) }
