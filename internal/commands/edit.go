package commands

import (
	"bytes"

	"github.com/mcpctl/mcpctl/internal/commands/report"
	"github.com/mcpctl/mcpctl/internal/engine/wire"
	"github.com/mcpctl/mcpctl/internal/store"
)

// printEdit reports a write: nothing on a pipe, one line on a terminal, the
// document with --json.
func (a *app) printEdit(c store.Change, done string) error {
	doc := report.Edit{Schema: wire.Schema, Name: c.Name, Scope: string(c.Scope), Source: c.Path, Fingerprint: string(c.Fingerprint), Unchanged: c.Unchanged}
	if c.Unchanged {
		done = "unchanged"
	}
	a.say("%s '%s' in %s", done, c.Name, c.Path)
	return a.print(doc, func(*bytes.Buffer) error { return nil })
}
