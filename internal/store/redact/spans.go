package redact

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// span is the bytes from start up to, not including, end.
type span struct{ start, end int }

// spans are the places to hide, in any order, overlapping or not.
type spans []span

func (p *spans) add(start, end int) {
	if start < end {
		*p = append(*p, span{start, end})
	}
}

// addAll adds what was found in a view, at the place in the original text it stands for.
func (p *spans) addAll(v view, found spans) {
	for _, f := range found {
		p.add(v.origin(f.start), v.origin(f.end))
	}
}

// hide returns s with each span replaced by Hidden. Spans that touch become one, so that the number of stars says nothing
// about the number of secrets.
func (p spans) hide(s string) string {
	if len(p) == 0 {
		return s
	}
	slices.SortFunc(p, func(a, b span) int { return a.start - b.start })
	var b strings.Builder
	b.Grow(len(s))
	done := 0
	for i := 0; i < len(p); {
		start, end := p[i].start, p[i].end
		for i++; i < len(p) && p[i].start <= end; i++ {
			end = max(end, p[i].end)
		}
		start, end = wholeRunes(s, start, end)
		b.WriteString(s[done:max(start, done)])
		b.WriteString(Hidden)
		done = max(end, done)
	}
	b.WriteString(s[done:])
	return b.String()
}

// wholeRunes widens a span to character boundaries: a known value that is not UTF-8 may begin or end inside a character,
// and what is left must not become invalid by our doing.
func wholeRunes(s string, start, end int) (int, int) {
	for n := 0; n < utf8.UTFMax-1 && start > 0 && !utf8.RuneStart(s[start]); n++ {
		start--
	}
	for n := 0; n < utf8.UTFMax-1 && end < len(s) && !utf8.RuneStart(s[end]); n++ {
		end++
	}
	return start, end
}
