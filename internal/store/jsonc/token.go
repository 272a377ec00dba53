package jsonc

import (
	"bytes"
	"encoding/binary"
	"math/bits"
)

// This file knows what stands between the brackets: blanks, comments, strings, numbers and words.

// extra passes over blanks and comments.
func (s *scanner) extra() error {
	for s.at < len(s.src) {
		switch s.src[s.at] {
		case ' ', '\t', '\r', '\n':
			s.at++
		case '/':
			end := commentEnd(s.src, s.at)
			if end == s.at {
				return nil
			}
			if err := s.comment(end); err != nil {
				return err
			}
		default:
			return nil
		}
	}
	return nil
}

// comment passes over the comment that goes on to end.
func (s *scanner) comment(end int) error {
	text := s.src[s.at:end]
	if text[1] == '*' {
		if len(text) < len("/**/") || !bytes.HasSuffix(text, []byte("*/")) {
			return s.doc.syntaxError(s.at, "comment is not closed")
		}
	} else if i := lineSeparator(text); i >= 0 {
		return s.unexpected(s.at+i, "in line comment")
	}
	s.beyondJSON()
	s.at = end
	return nil
}

// lineSeparator finds a line end of JavaScript that is none of JSON: where a // comment ends would depend on the
// reader.
func lineSeparator(comment []byte) int {
	return bytes.IndexAny(comment, "\u2028\u2029")
}

func (s *scanner) beyondJSON() {
	if s.foreign < 0 {
		s.foreign = s.at
	}
}

// text passes over a string.
func (s *scanner) text() error {
	for i := s.at + 1; ; {
		i = plainEnd(s.src, i)
		switch {
		case i < len(s.src) && s.src[i] == '"':
			s.at = i + 1
			return nil
		case i < len(s.src) && s.src[i] == '\\' && validEscape(s.src[i+1:]):
			i += len(`\n`)
		default:
			return s.doc.explainString(s.at)
		}
	}
}

// plainEnd returns the offset of the first byte at or behind i that is a quote, a backslash or a control
// character. It looks at eight bytes at once: most bytes of a large file stand in long strings.
func plainEnd(src []byte, i int) int {
	const ones, highs = 0x0101010101010101, 0x8080808080808080
	for ; len(src)-i >= 8; i += 8 {
		word := binary.LittleEndian.Uint64(src[i:])
		quote, backslash := word^(ones*'"'), word^(ones*'\\')
		// In each term the lowest high bit that is set marks the first byte that is meant; ones above may be wrong.
		found := ((quote-ones)&^quote | (backslash-ones)&^backslash | (word-ones*' ')&^word) & highs
		if found != 0 {
			return i + bits.TrailingZeros64(found)/8
		}
	}
	for i < len(src) && src[i] != '"' && src[i] != '\\' && src[i] >= ' ' {
		i++
	}
	return i
}

// inWord reports whether c may stand in a number or a bare word.
func inWord(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c == '-' || c == '+' || c == '.'
}

// isWord reports whether b is null, true, false or a number of RFC 8259.
func isWord(b []byte) bool {
	switch string(b) {
	case "null", "true", "false":
		return true
	}
	b = bytes.TrimPrefix(b, []byte("-"))
	whole := digits(b)
	if whole == 0 || b[0] == '0' && whole > 1 {
		return false
	}
	b = b[whole:]
	if len(b) > 0 && b[0] == '.' {
		fraction := digits(b[1:])
		if fraction == 0 {
			return false
		}
		b = b[1+fraction:]
	}
	if len(b) > 0 && b[0]|' ' == 'e' {
		b = b[1:]
		if len(b) > 0 && (b[0] == '+' || b[0] == '-') {
			b = b[1:]
		}
		return len(b) > 0 && digits(b) == len(b)
	}
	return len(b) == 0
}

// digits counts the digits that b starts with.
func digits(b []byte) int {
	n := 0
	for n < len(b) && '0' <= b[n] && b[n] <= '9' {
		n++
	}
	return n
}

// validEscape reports whether b starts with what may stand behind a backslash.
func validEscape(b []byte) bool {
	if len(b) == 0 {
		return false
	}
	switch b[0] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return true
	case 'u':
		return len(b) > 4 && isHex(b[1]) && isHex(b[2]) && isHex(b[3]) && isHex(b[4])
	}
	return false
}

func isHex(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c|' ' && c|' ' <= 'f'
}
