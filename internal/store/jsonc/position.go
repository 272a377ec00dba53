package jsonc

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/bits"
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

// indexBlock is the distance of two checkpoints of lineIndex. It bounds what one question costs, also in a
// file of many megabytes on one line.
const indexBlock = 2048

// lineIndex answers where an offset is, without counting from the start each time.
type lineIndex struct {
	checkpoints []checkpoint // one for every indexBlock bytes
	plain       bool         // every byte is a code point
}

// checkpoint is what stands in front of one offset.
type checkpoint struct {
	line  int // the line of the offset, from 1
	start int // the offset at which that line starts
	runes int // code points that start in front of the offset
}

func newLineIndex(src []byte, body int) lineIndex {
	x := lineIndex{checkpoints: make([]checkpoint, 0, len(src)/indexBlock+1)}
	at := checkpoint{line: 1, start: body}
	for offset := 0; offset <= len(src); offset += indexBlock {
		x.checkpoints = append(x.checkpoints, at)
		end := min(offset+indexBlock, len(src))
		at.pass(src, offset, end)
		at.runes += runeStarts(src[offset:end])
	}
	x.plain = at.runes == len(src)
	return x
}

// pass moves the line of a checkpoint from one offset to another.
func (c *checkpoint) pass(src []byte, from, to int) {
	piece := src[from:to]
	if n := bytes.Count(piece, []byte("\n")); n > 0 {
		c.line += n
		c.start = from + bytes.LastIndexByte(piece, '\n') + 1
	}
}

// runesBefore counts the code points that start in front of offset.
func (x *lineIndex) runesBefore(src []byte, offset int) int {
	if x.plain {
		return offset
	}
	block := offset / indexBlock
	return x.checkpoints[block].runes + runeStarts(src[block*indexBlock:offset])
}

// runeStarts counts the bytes that start a code point. Unlike utf8.RuneCount it is right for a piece cut anywhere.
func runeStarts(b []byte) int {
	n := len(b)
	for ; len(b) >= 8; b = b[8:] {
		word := binary.LittleEndian.Uint64(b)
		n -= bits.OnesCount64(word & ^(word << 1) & 0x8080808080808080) // bytes 10xxxxxx go on with one
	}
	for _, c := range b {
		if c&0xC0 == 0x80 {
			n--
		}
	}
	return n
}

func (x *lineIndex) position(src []byte, offset int) Position {
	block := offset / indexBlock
	at := x.checkpoints[block]
	at.pass(src, block*indexBlock, offset)
	return Position{Offset: offset, Line: at.line, Column: 1 + max(0, x.runesBefore(src, offset)-x.runesBefore(src, at.start))}
}

func (d *Document) position(offset int) Position {
	if d.of != nil {
		return d.of.position(offset)
	}
	d.once.Do(func() { d.index = newLineIndex(d.src, d.body()) })
	return d.index.position(d.src, offset)
}

func (d *Document) syntaxError(offset int, format string, args ...any) *SyntaxError {
	return &SyntaxError{Position: d.position(offset), Msg: fmt.Sprintf(format, args...)}
}
