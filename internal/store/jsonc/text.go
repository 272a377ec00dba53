package jsonc

import (
	"bytes"

	"github.com/tailscale/hujson"
)

// This file answers questions about the bytes around a token.

// lineStart returns the offset at which the line of offset starts.
func (d *Document) lineStart(offset int) int {
	return max(d.body(), bytes.LastIndexByte(d.src[:offset], '\n')+1)
}

// indentAt returns the blanks at the start of the line of offset.
func (d *Document) indentAt(offset int) string {
	start := d.lineStart(offset)
	return string(d.src[start:d.skipBlanks(start)])
}

// startsLine reports whether only blanks stand in front of offset on its line.
func (d *Document) startsLine(offset int) bool {
	return d.skipBlanks(d.lineStart(offset)) >= offset
}

// skipBlanks returns the offset of the first byte at or behind offset that is no space or tab.
func (d *Document) skipBlanks(offset int) int {
	for offset < len(d.src) && (d.src[offset] == ' ' || d.src[offset] == '\t') {
		offset++
	}
	return offset
}

// lineBreak returns the offset behind the line break at offset; -1 if there is none.
func (d *Document) lineBreak(offset int) int {
	rest := d.src[offset:]
	switch {
	case bytes.HasPrefix(rest, []byte("\n")):
		return offset + 1
	case bytes.HasPrefix(rest, []byte("\r\n")):
		return offset + 2
	default:
		return -1
	}
}

// newlineBefore returns the kind of line end that is nearest in front of offset, or behind it if there is none.
func (d *Document) newlineBefore(offset int) string {
	i := bytes.LastIndexByte(d.src[:offset], '\n')
	if i < 0 {
		i = bytes.IndexByte(d.src, '\n')
	}
	if i > 0 && d.src[i-1] == '\r' {
		return "\r\n"
	}
	return "\n"
}

// remark returns the offset behind the comments that follow offset on its line, without the line break, and
// whether the last of them is a // comment, so that nothing can follow on that line. A comment that starts there
// and ends on a later line counts if multi is true; the search goes on behind it.
func (d *Document) remark(offset int, multi bool) (end int, toLineEnd bool) {
	end = offset
	for {
		start := d.skipBlanks(end)
		stop := commentEnd(d.src, start)
		switch {
		case stop == start:
			return end, false
		case d.src[start+1] == '/':
			return start + len(bytes.TrimRight(d.src[start:stop], "\r\n")), true
		case !multi && hasBreak(d.src[start:stop]):
			return end, false
		}
		end = stop
	}
}

func hasBreak(b []byte) bool { return bytes.IndexByte(b, '\n') >= 0 }

// isBlank reports whether b is white space only, line breaks included.
func isBlank(b []byte) bool { return len(bytes.Trim(b, " \t\r\n")) == 0 }

// isExpanded reports whether an object or array has an item that starts a line of its own.
func isExpanded(v *hujson.Value) bool {
	switch t := open(v).(type) {
	case *hujson.Object:
		for i := range t.Members {
			if hasBreak(t.Members[i].Name.BeforeExtra) {
				return true
			}
		}
	case *hujson.Array:
		for i := range t.Elements {
			if hasBreak(t.Elements[i].BeforeExtra) {
				return true
			}
		}
	}
	return false
}

// isEmpty reports whether v is an object or array without items.
func isEmpty(v *hujson.Value) bool {
	switch t := open(v).(type) {
	case *hujson.Object:
		return len(t.Members) == 0
	case *hujson.Array:
		return len(t.Elements) == 0
	default:
		return false
	}
}

// commaAt returns the offset of the comma behind a value that has one: any but the last one of its object or
// array, and the last one if its AfterExtra is not nil, which is how hujson marks a trailing comma.
func commaAt(v *hujson.Value) int { return v.EndOffset + len(v.AfterExtra) }

// itemIndent returns the indentation of the last item that starts a line of its own.
func (d *Document) itemIndent(v *hujson.Value) (string, bool) {
	var starts []int
	switch t := open(v).(type) {
	case *hujson.Object:
		for i := range t.Members {
			if hasBreak(t.Members[i].Name.BeforeExtra) {
				starts = append(starts, t.Members[i].Name.StartOffset)
			}
		}
	case *hujson.Array:
		for i := range t.Elements {
			if hasBreak(t.Elements[i].BeforeExtra) {
				starts = append(starts, t.Elements[i].StartOffset)
			}
		}
	}
	for i := len(starts) - 1; i >= 0; i-- {
		if d.startsLine(starts[i]) {
			return d.indentAt(starts[i]), true
		}
	}
	if len(starts) == 0 {
		return "", false
	}
	return d.indentAt(starts[len(starts)-1]), true
}
