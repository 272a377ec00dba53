package commands

import (
	"bytes"

	"github.com/mcpctl/mcpctl/internal/engine"
	"github.com/mcpctl/mcpctl/internal/store"
)

// printEdit reports a write: nothing on a pipe, one line on a terminal, the
// document with --json.
// With --dry-run it is the difference that would be made, its secrets hidden.
// What goes with it is a change of another file.
func (a *app) printEdit(s *store.Store, c store.Change, done string, with ...store.Change) error {
	doc := engine.EditDocument(s, c, a.takeWarnings()...)
	if c.DryRun {
		for _, other := range with {
			doc.Diff += other.Diff(s)
		}
		return a.print(doc, func(w *bytes.Buffer) error { w.WriteString(doc.Diff); return nil })
	}
	if c.Unchanged {
		done = "unchanged"
	}
	a.say("%s '%s' in %s", done, c.Name, c.Path)
	return a.print(doc, func(*bytes.Buffer) error { return nil })
}

// warnOf tells what is remarkable about the entry as it is now, or would be.
func (a *app) warnOf(c store.Change) {
	for _, w := range engine.Warnings(c) {
		a.warn(w.Message, w.Hint)
	}
}
