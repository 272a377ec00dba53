package engine

import (
	"github.com/mcpctl/mcpctl/internal/engine/wire"
	"github.com/mcpctl/mcpctl/internal/probe/dial"
)

// Recorder keeps what calls answered, and returns the id under which it can be read
// from then on (design §12). Id and time are its own.
type Recorder interface {
	Record(wire.Output) (id string, err error)
}

// recorded keeps the result of a call and returns it with the id. A call that was
// carried out does not fail because its result could not be kept: that is a warning.
func (s *Session) recorded(conn *dial.Conn, call wire.CallTool, result wire.CallResult) wire.CallResult {
	if s.opts.Outputs == nil {
		return result
	}
	id, err := s.opts.Outputs.Record(wire.Output{Workspace: s.opts.Store.Workspace.Dir, Server: call.Server, Tool: call.Tool,
		Arguments: conn.Mask().JSON(call.Arguments), Result: result.Result})
	if err != nil {
		result.Warning = "the result could not be recorded: " + wire.FromError(err).Text
		s.event(call.Server, "warning", result.Warning)
		return result
	}
	result.OutputID = &id
	return result
}
