package engine

import (
	"context"
	"encoding/json"

	"github.com/mcpctl/mcpctl/internal/engine/wire"
	"github.com/mcpctl/mcpctl/internal/probe/dial"
	"github.com/mcpctl/mcpctl/internal/store"
)

// OrUnlisted replaces what a server said of a request about a prompt that it does not
// list by MCP_NOT_FOUND, with a suggestion: servers say the same of a wrong name and of
// wrong arguments.
func OrUnlisted(ctx context.Context, conn *dial.Conn, server, prompt string, err error) error {
	list, failed := conn.ListPrompts(ctx)
	if failed != nil {
		return err
	}
	var names []string
	for _, raw := range list {
		var p struct {
			Name string `json:"name"`
		}
		if json.Unmarshal(raw, &p) == nil {
			names = append(names, p.Name)
		}
		if p.Name == prompt {
			return err
		}
	}
	hint := "see: mcpctl prompts " + server
	if near := store.Closest(prompt, names); near != "" {
		hint = "did you mean '" + near + "'?"
	}
	return wire.NewError(wire.NotFound, "server '"+server+"' has no prompt '"+prompt+"'", hint)
}
