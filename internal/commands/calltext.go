package commands

import (
	"io"

	"github.com/mcpctl/mcpctl/internal/store/redact"
)

// What a tool answered, as text for people: whole for `output` and for pipes, with
// its middle cut for `call` on a terminal (design §12, record.CutMiddle).

// cutWords are the values of --cut.
var cutWords = []string{"auto", "always", "never"}

// writePieces writes a text straight to stdout, since a copy of it would be one of
// many megabytes, and unless it is to be raw the end of its last line. On a terminal
// nothing in it acts.
func (a *app) writePieces(pieces []string, raw bool) error {
	if err := a.flush(); err != nil {
		return err
	}
	last := ""
	for _, p := range pieces {
		if p == "" {
			continue
		}
		if last = p[len(p)-1:]; terminal(a.streams.Out) {
			p = redact.Visible(p)
		}
		if _, err := io.WriteString(a.streams.Out, p); err != nil {
			return unwritten(err)
		}
	}
	if raw || last == "\n" || len(pieces) == 0 {
		return nil
	}
	_, err := io.WriteString(a.streams.Out, "\n")
	return unwritten(err)
}
