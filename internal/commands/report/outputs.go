package report

import (
	"time"

	"github.com/mcpctl/mcpctl/internal/engine/record"
	"github.com/mcpctl/mcpctl/internal/engine/wire"
)

// Outputs is the document of `output --list`, newest first.
type Outputs struct {
	Schema  int         `json:"schema"`
	Outputs []OutputRow `json:"outputs"`
}

// OutputRow is one recorded call; Size is that of its file, in bytes.
type OutputRow struct {
	ID        string    `json:"id"`
	Time      time.Time `json:"time"`
	Workspace string    `json:"workspace"`
	Server    string    `json:"server"`
	Tool      string    `json:"tool"`
	Size      int64     `json:"size"`
}

// NewOutputs makes the document of a list.
func NewOutputs(rows []record.OutputRow) Outputs {
	out := Outputs{Schema: wire.Schema, Outputs: make([]OutputRow, len(rows))}
	for i, r := range rows {
		out.Outputs[i] = OutputRow{r.ID, r.Time, r.Workspace, r.Server, r.Tool, r.Size}
	}
	return out
}
