package record

import (
	"slices"
	"strings"
	"unicode/utf8"
)

const (
	// ShownText is the longest text that is shown whole, and keptEdge what is shown
	// of a longer one in front and at the end, in bytes (design §12).
	ShownText = 20 << 10
	keptEdge  = ShownText / 2
)

// CutMiddle shortens a text that is too long to be shown: marker gets the number of
// characters that are left out, and stands on a line of its own in their place.
func CutMiddle(pieces []string, marker func(missing int) string) []string {
	total := 0
	for _, p := range pieces {
		total += len(p)
	}
	if total <= ShownText {
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
