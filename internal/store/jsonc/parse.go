package jsonc

import (
	"bytes"
	"unicode"
	"unicode/utf8"
)

// Parse reads JSON with // and /* */ comments and trailing commas (design §3.1). A byte order mark, CRLF, a last
// line without newline, and a text without any value (Root is then nil) are fine. Keys may repeat; see Clashes.
//
// The error is a *SyntaxError: text behind the value, more than MaxDepth levels, bytes that are not UTF-8, and
// anything else that is not JSON. The document keeps src; the caller must not change it afterwards.
func Parse(src []byte) (*Document, error) { return parseWith(src, wholeLimit) }

func parseWith(src []byte, wholeLimit int) (*Document, error) {
	d := &Document{src: src, wholeLimit: wholeLimit}
	if err := d.checkEncoding(); err != nil {
		return nil, err
	}
	s := d.scanner(d.body())
	tree, err := s.document()
	if err != nil {
		return nil, err
	}
	d.tree, d.foreign = tree, s.foreign
	return d, nil
}

func (d *Document) checkEncoding() error {
	if utf8.Valid(d.src) {
		return nil
	}
	if bytes.HasPrefix(d.src, []byte("\xff\xfe")) || bytes.HasPrefix(d.src, []byte("\xfe\xff")) {
		return d.syntaxError(0, "text is UTF-16; save it as UTF-8")
	}
	at := 0
	for rest := d.src; ; {
		r, n := utf8.DecodeRune(rest)
		if r == utf8.RuneError && n <= 1 {
			break
		}
		at, rest = at+n, rest[n:]
	}
	return d.syntaxError(at, "byte 0x%02x is not UTF-8", d.src[at])
}

// stringEnd returns the offset behind the string that starts at i, or -1 if it is not closed.
func stringEnd(src []byte, i int) int {
	for i++; i < len(src); i++ {
		switch src[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return -1
}

// commentEnd returns the offset behind the comment that starts at i: behind the newline of a // comment, behind
// the */ of the other kind, len(src) if it is not closed. It returns i if no comment starts there.
func commentEnd(src []byte, i int) int {
	var end string
	switch rest := src[i:]; {
	case bytes.HasPrefix(rest, []byte("//")):
		end = "\n"
	case bytes.HasPrefix(rest, []byte("/*")):
		end = "*/"
	default:
		return i
	}
	n := bytes.Index(src[i+2:], []byte(end))
	if n < 0 {
		return len(src)
	}
	return i + 2 + n + len(end)
}

// ended is the error for a text that ends inside an object or array.
func (s *scanner) ended() error {
	bracket := s.open[len(s.open)-1]
	return s.doc.syntaxError(s.at, "text ends before the '%c' of line %d is closed", s.src[bracket], s.doc.position(bracket).Line)
}

// unexpected is the error for the character at offset at, in hujson's words.
func (s *scanner) unexpected(at int, where string) error {
	r, _ := utf8.DecodeRune(s.src[at:])
	form := `'\u%04x'`
	switch {
	case unicode.IsPrint(r):
		form = "%q"
	case r > 0xFFFF:
		form = `'\U%08x'`
	}
	if r == '\'' {
		where += "; strings need double quotes"
	}
	return s.doc.syntaxError(at, "invalid character "+form+" "+where, r)
}

// explainString says what is wrong with the string at offset at.
func (d *Document) explainString(at int) error {
	if stringEnd(d.src, at) < 0 {
		return d.syntaxError(at, "string is not closed")
	}
	for i := at + 1; i < len(d.src); i++ {
		switch c := d.src[i]; {
		case c == '\n' || c == '\r':
			return d.syntaxError(at, "string is not closed on its line")
		case c < ' ':
			return d.syntaxError(i, "control character 0x%02x in a string", c)
		case c == '\\':
			if !validEscape(d.src[i+1:]) {
				return d.syntaxError(i, `invalid escape in a string; a backslash is written \\`)
			}
			i++
		}
	}
	return d.syntaxError(at, "invalid string")
}
