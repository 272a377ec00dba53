package jsonc

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/tailscale/hujson"
)

// Parse reads JSON with // and /* */ comments and trailing commas (design §3.1). A byte order mark, CRLF, a last
// line without newline, and a text without any value (Root is then nil) are fine. Keys may repeat; see Clashes.
//
// The error is a *SyntaxError: text behind the value, more than MaxDepth levels, bytes that are not UTF-8, and
// anything else that is not JSON. The document keeps src; the caller must not change it afterwards.
func Parse(src []byte) (*Document, error) {
	d := &Document{src: src}
	if err := d.checkEncoding(); err != nil {
		return nil, err
	}
	s, err := d.survey()
	if err != nil {
		return nil, err
	}
	text := d.parseable(s)
	tree, err := hujson.Parse(text)
	if err != nil {
		return nil, d.explain(err, s)
	}
	if !s.blank {
		d.tree = &tree
	}
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

// parseable returns a text that hujson takes and in which every token has the offset it has in src: blanks for
// the byte order mark, a newline behind a last // comment, and a value where there is none, so that the
// comments of such a text are checked as well.
func (d *Document) parseable(s survey) []byte {
	body := d.body()
	if body == 0 && !s.inLineComment && !s.blank {
		return d.src
	}
	text := make([]byte, 0, len(d.src)+len("\nnull"))
	text = append(text, d.src...)
	copy(text[:body], "   ")
	switch {
	case s.blank:
		text = append(text, "\nnull"...)
	case s.inLineComment:
		text = append(text, '\n')
	}
	return text
}

// survey is what one look at the text says before it is parsed.
type survey struct {
	blank         bool  // there are only blanks and comments
	inLineComment bool  // the text ends in a // comment
	stringAt      int   // where the string starts in which the text ends, or -1
	open          []int // the brackets not closed at the end
}

// survey walks over the text once, skipping strings and comments, and refuses what is nested too deep.
func (d *Document) survey() (survey, error) {
	s := survey{blank: true, stringAt: -1, open: make([]int, 0, MaxDepth)}
	src := d.src
	for i := d.body(); i < len(src); i++ {
		switch c := src[i]; c {
		case ' ', '\t', '\r', '\n':
			continue
		case '/':
			if end := commentEnd(src, i); end > i {
				s.inLineComment = end == len(src) && src[i+1] == '/' && src[end-1] != '\n'
				i = end - 1
				continue
			}
		case '"':
			end := stringEnd(src, i)
			if end < 0 {
				s.stringAt = i
				end = len(src)
			}
			i = end - 1
		case '{', '[':
			if len(s.open) == MaxDepth {
				return s, d.syntaxError(i, "nested deeper than %d levels", MaxDepth)
			}
			s.open = append(s.open, i)
		case '}', ']':
			// Brackets that do not match are the parser's to report; it stops there, so depth counts no further.
			if len(s.open) > 0 {
				s.open = s.open[:len(s.open)-1]
			}
		}
		s.blank = false
	}
	return s, nil
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

// explain turns hujson's error into ours. hujson gives the place only as text, and its words for a bad literal
// repeat the literal, which may be a token; so only its words about single characters are passed on.
func (d *Document) explain(err error, s survey) *SyntaxError {
	var line, column int
	if _, scanErr := fmt.Sscanf(err.Error(), "hujson: line %d, column %d:", &line, &column); scanErr != nil {
		return d.syntaxError(0, "not JSON")
	}
	at := d.offset(line, column)
	reason := err
	if inner := errors.Unwrap(err); inner != nil {
		reason = inner
	}
	switch msg := reason.Error(); {
	case strings.HasPrefix(msg, "invalid literal"):
		return d.explainLiteral(at)
	case strings.HasPrefix(msg, "parsing comment"):
		return d.syntaxError(at, "comment is not closed")
	case strings.HasPrefix(msg, "parsing string") && s.stringAt >= 0:
		return d.syntaxError(s.stringAt, "string is not closed")
	case strings.HasPrefix(msg, "parsing") && len(s.open) > 0:
		bracket := s.open[len(s.open)-1]
		return d.syntaxError(at, "text ends before the '%c' of line %d is closed", d.src[bracket], d.position(bracket).Line)
	case strings.HasPrefix(msg, `invalid character '\''`):
		return d.syntaxError(at, "%s; strings need double quotes", msg)
	default:
		return d.syntaxError(at, "%s", msg)
	}
}

// offset is the inverse of hujson's line and column, which count bytes. The byte order mark counts as three.
func (d *Document) offset(line, column int) int {
	at := 0
	for ; line > 1; line-- {
		at += bytes.IndexByte(d.src[at:], '\n') + 1
	}
	return min(at+column-1, len(d.src))
}

// explainLiteral says what is wrong with the string or bare word at offset at.
func (d *Document) explainLiteral(at int) *SyntaxError {
	if d.src[at] != '"' {
		return d.syntaxError(at, "not a JSON value; strings need double quotes")
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

func validEscape(b []byte) bool {
	if len(b) == 0 || !strings.ContainsRune(`"\/bfnrtu`, rune(b[0])) {
		return false
	}
	if b[0] != 'u' {
		return true
	}
	return len(b) > 4 && strings.Trim(string(b[1:5]), "0123456789abcdefABCDEF") == ""
}
