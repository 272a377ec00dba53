package jsonc

import (
	"bytes"
	"fmt"
	"sort"
)

// Position is a place in a text.
//
// Offset counts bytes from the very start, a byte order mark included. Line and Column start at 1; Column
// counts Unicode code points, and a byte order mark is not counted, so that both are what an editor shows.
// A line ends with "\n"; the "\r" of "\r\n" belongs to the line.
type Position struct{ Offset, Line, Column int }

// String returns "line 2, column 3".
func (p Position) String() string { return fmt.Sprintf("line %d, column %d", p.Line, p.Column) }

// SyntaxError says why and where a text is not JSON with comments, or breaks a limit of Parse. The message never
// repeats a string or word of the text, which may be a secret.
type SyntaxError struct {
	Position
	Msg string
}

// Error returns "line 2, column 3: …".
func (e *SyntaxError) Error() string { return e.Position.String() + ": " + e.Msg }

// Code is the word of the exit code table (design §8.3).
func (e *SyntaxError) Code() string { return "MCP_CONFIG_INVALID" }

// runeBlock is the distance of two checkpoints of lineIndex. It bounds what one question costs, also in a
// file of many megabytes on one line.
const runeBlock = 512

// lineIndex answers where an offset is, without counting from the start each time.
type lineIndex struct {
	starts []int // offsets at which lines start
	runes  []int // runes[i]: code points that start before i*runeBlock; nil if every byte is one
}

func newLineIndex(src []byte, body int) lineIndex {
	x := lineIndex{starts: []int{body}}
	for at := 0; ; {
		n := bytes.IndexByte(src[at:], '\n')
		if n < 0 {
			break
		}
		at += n + 1
		x.starts = append(x.starts, at)
	}
	count, checkpoints := 0, make([]int, 0, len(src)/runeBlock+1)
	for at := 0; at < len(src); at += runeBlock {
		checkpoints = append(checkpoints, count)
		count += runeStarts(src[at:min(at+runeBlock, len(src))])
	}
	if count < len(src) {
		x.runes = checkpoints
	}
	return x
}

// runeStarts counts the bytes that start a code point. Unlike utf8.RuneCount it is right for a piece cut anywhere.
func runeStarts(b []byte) int {
	n := 0
	for _, c := range b {
		if c&0xC0 != 0x80 {
			n++
		}
	}
	return n
}

func (x *lineIndex) position(src []byte, offset int) Position {
	line := max(1, sort.SearchInts(x.starts, offset+1))
	start := x.starts[line-1]
	return Position{Offset: offset, Line: line, Column: 1 + max(0, x.before(src, offset)-x.before(src, start))}
}

// before counts the code points that start in front of offset.
func (x *lineIndex) before(src []byte, offset int) int {
	if x.runes == nil || offset == 0 {
		return offset
	}
	block := min(offset/runeBlock, len(x.runes)-1)
	return x.runes[block] + runeStarts(src[block*runeBlock:offset])
}

func (d *Document) position(offset int) Position {
	d.once.Do(func() { d.index = newLineIndex(d.src, d.body()) })
	return d.index.position(d.src, offset)
}

func (d *Document) syntaxError(offset int, format string, args ...any) *SyntaxError {
	return &SyntaxError{Position: d.position(offset), Msg: fmt.Sprintf(format, args...)}
}
