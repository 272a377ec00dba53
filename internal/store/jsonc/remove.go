package jsonc

import (
	"bytes"

	"github.com/tailscale/hujson"
)

// cut returns the text without the member of s, and without a comma that would be left dangling.
func (d *Document) cut(s spot) []byte {
	members, i := s.members(), s.member
	m := &members[i]
	open, closing := s.container().StartOffset+1, s.container().EndOffset-1
	isLast := i == len(members)-1
	start, end := m.Name.StartOffset, m.Value.EndOffset
	ownComma := !isLast || m.Value.AfterExtra != nil
	if ownComma {
		end = commaAt(&m.Value) + 1
	}
	end, endsLine := d.withRemark(end, isLast, closing)

	if len(members) == 1 && isBlank(d.src[open:start]) && isBlank(d.src[end:closing]) {
		return splice(d.src, open, closing, nil)
	}
	from, to := d.block(start, end, endsLine, s.container())
	if ownComma || i == 0 {
		return splice(d.src, from, to, nil)
	}
	// The comma in front of the last member has nothing to separate any more.
	comma := commaAt(&members[i-1].Value)
	if isBlank(d.src[comma+1 : start]) {
		return splice(d.src, comma, end, nil)
	}
	return splice(d.src, comma, to, d.src[comma+1:from])
}

// withRemark moves end, which is behind a member, behind the comments on its line, unless they may be about
// what follows on that line. It also reports whether the line ends there.
func (d *Document) withRemark(end int, isLast bool, closing int) (moved int, endsLine bool) {
	behind, _ := d.remark(end, false)
	next := d.skipBlanks(behind)
	switch {
	case d.lineBreak(next) >= 0:
		return behind, true
	case isLast && next == closing:
		return behind, false
	default:
		return end, d.lineBreak(d.skipBlanks(end)) >= 0
	}
}

// block widens the span of a member to what would be left behind: its lines if it has them for itself, else
// the blanks on one side.
func (d *Document) block(start, end int, endsLine bool, obj *hujson.Value) (from, to int) {
	closes := d.skipBlanks(end) == obj.EndOffset-1
	switch {
	case endsLine && d.startsLine(start):
		from, to = d.lineStart(start), d.lineBreak(d.skipBlanks(end))
		// Of two empty lines, or one behind the brace, that would now meet, one goes.
		before := d.src[min(from, obj.StartOffset+1):from]
		if next := d.lineBreak(d.skipBlanks(to)); next >= 0 && (isBlank(before) || hasEmptyLine(tailOf(before))) {
			to = next
		}
		return from, to
	case endsLine, closes && !d.startsLine(start):
		for from = start; from > 0 && (d.src[from-1] == ' ' || d.src[from-1] == '\t'); {
			from--
		}
		return from, end
	default:
		return start, d.skipBlanks(end)
	}
}

// tailOf returns the white space at the end of b.
func tailOf(b []byte) []byte { return b[len(bytes.TrimRight(b, " \t\r\n")):] }
