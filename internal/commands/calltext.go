package commands

import (
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/mcpctl/mcpctl/internal/store/redact"
)

// What a tool answered, as text for people: whole for `output` and for pipes, with
// its middle cut for `call` on a terminal (design §12).

const (
	// shownText is the longest text that is shown whole, and keptEdge what is shown
	// of a longer one in front and at the end, in bytes.
	shownText = 20 << 10
	keptEdge  = shownText / 2
)

// cutWords are the values of --cut.
var cutWords = []string{"auto", "always", "never"}

// cutMiddle shortens a text that is too long to be shown: marker gets the number of
// characters that are left out, and stands on a line of its own in their place.
func cutMiddle(pieces []string, marker func(missing int) string) []string {
	total := 0
	for _, p := range pieces {
		total += len(p)
	}
	if total <= shownText {
		return pieces
	}
	head, middle := splitAt(pieces, keptEdge, func(s string, at int) int {
		for at > 0 && !utf8.RuneStart(s[at]) {
			at--
		}
		return at
	})
	for _, p := range head {
		total -= len(p)
	}
	middle, tail := splitAt(middle, total-keptEdge, func(s string, at int) int {
		for at < len(s) && !utf8.RuneStart(s[at]) {
			at++
		}
		return at
	})
	missing := 0
	for _, p := range middle {
		missing += utf8.RuneCountInString(p)
	}
	line := marker(missing) + "\n"
	if n := len(head); n > 0 && !strings.HasSuffix(head[n-1], "\n") {
		line = "\n" + line
	}
	return slices.Concat(head, []string{line}, tail)
}

// splitAt splits a text at a byte, moved to a boundary by the function.
func splitAt(pieces []string, at int, move func(string, int) int) (before, after []string) {
	for i, p := range pieces {
		if at >= len(p) {
			at -= len(p)
			continue
		}
		at = move(p, at)
		return append(slices.Clone(pieces[:i]), p[:at]), append([]string{p[at:]}, pieces[i+1:]...)
	}
	return pieces, nil
}

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
