package jsonc

import (
	"bytes"
	"encoding/binary"
	"math/bits"

	"github.com/tailscale/hujson"
)

// scanner checks a text from front to back in one pass and builds nothing, but for the items of one object or
// array when it is asked to: a file of many megabytes that holds five servers then costs little more than reading
// it. What it accepts is what hujson accepts, within the limits of Parse; the tests hold the two together.
//
// It recurses, which MaxDepth bounds.
type scanner struct {
	doc  *Document
	src  []byte
	at   int
	open []int // the brackets not closed so far
	// foreign is where the text first has what JSON has not: a comment, or the bracket behind a trailing comma;
	// -1 if nowhere.
	foreign int
}

func (d *Document) scanner(at int) *scanner {
	return &scanner{doc: d, src: d.src, at: at, open: make([]int, 0, MaxDepth), foreign: -1}
}

// document passes over the whole text and returns its value with the items of it; nil if it has none.
func (s *scanner) document() (*hujson.Value, error) {
	if err := s.extra(); err != nil {
		return nil, err
	}
	if s.at == len(s.src) {
		return nil, nil
	}
	v := &hujson.Value{StartOffset: s.at}
	var err error
	if v.Value, err = s.opened(); err != nil {
		return nil, err
	}
	v.EndOffset = s.at
	if err := s.extra(); err != nil {
		return nil, err
	}
	if s.at < len(s.src) {
		return nil, s.unexpected(s.at, "after top-level value")
	}
	return v, nil
}

// opened passes over a value and returns it with the items of it.
func (s *scanner) opened() (hujson.ValueTrimmed, error) {
	start := s.at
	switch s.src[start] {
	case '{':
		obj := &hujson.Object{}
		return obj, s.object(obj)
	case '[':
		arr := &hujson.Array{}
		return arr, s.array(arr)
	}
	err := s.value()
	return hujson.Literal(s.src[start:s.at:s.at]), err
}

// kept is the value that stands between start and end, behind blanks and comments that start at before. It is
// not opened yet.
func (s *scanner) kept(before, start, end int) hujson.Value {
	v := hujson.Value{StartOffset: start, EndOffset: end, BeforeExtra: s.between(before, start)}
	if c := s.src[start]; c == '{' || c == '[' {
		v.Value = &closed{doc: s.doc, start: start, end: end}
	} else {
		v.Value = hujson.Literal(s.src[start:end:end])
	}
	return v
}

// between is a run of blanks and comments; nil if there are none, as hujson has it.
func (s *scanner) between(from, to int) hujson.Extra {
	if from == to {
		return nil
	}
	return s.src[from:to:to]
}

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

// value passes over a value.
func (s *scanner) value() error {
	if s.at == len(s.src) {
		return s.ended()
	}
	switch s.src[s.at] {
	case '"':
		return s.text()
	case '{':
		return s.object(nil)
	case '[':
		return s.array(nil)
	}
	end := s.at
	for end < len(s.src) && inWord(s.src[end]) {
		end++
	}
	switch word := s.src[s.at:end]; {
	case len(word) == 0:
		return s.unexpected(s.at, "at start of value")
	case !isWord(word):
		return s.doc.syntaxError(s.at, "not a JSON value; strings need double quotes")
	}
	s.at = end
	return nil
}

// object passes over an object, whose members are added to keep unless it is nil.
func (s *scanner) object(keep *hujson.Object) error {
	if err := s.enter(); err != nil {
		return err
	}
	for first := true; ; first = false {
		before := s.at
		if err := s.extra(); err != nil {
			return err
		}
		if s.closes('}', first) {
			if keep != nil {
				keep.AfterExtra = s.between(before, s.at-1)
			}
			return nil
		}
		name := s.at
		if err := s.value(); err != nil {
			return err
		}
		nameEnd := s.at
		if err := s.colon(name); err != nil {
			return err
		}
		colon := s.at - 1
		if err := s.extra(); err != nil {
			return err
		}
		start := s.at
		if err := s.value(); err != nil {
			return err
		}
		end := s.at
		if err := s.extra(); err != nil {
			return err
		}
		comma, err := s.separator('}', "after object value (expecting ',' or '}')")
		if err != nil {
			return err
		}
		if keep != nil {
			m := hujson.ObjectMember{Name: s.kept(before, name, nameEnd), Value: s.kept(colon+1, start, end)}
			m.Name.AfterExtra = s.between(nameEnd, colon)
			if behind := s.behind(end, comma); comma {
				m.Value.AfterExtra = behind
			} else {
				keep.AfterExtra = behind
			}
			keep.Members = append(keep.Members, m)
		}
		if !comma {
			return nil
		}
	}
}

// array is object for an array.
func (s *scanner) array(keep *hujson.Array) error {
	if err := s.enter(); err != nil {
		return err
	}
	for first := true; ; first = false {
		before := s.at
		if err := s.extra(); err != nil {
			return err
		}
		if s.closes(']', first) {
			if keep != nil {
				keep.AfterExtra = s.between(before, s.at-1)
			}
			return nil
		}
		start := s.at
		if err := s.value(); err != nil {
			return err
		}
		end := s.at
		if err := s.extra(); err != nil {
			return err
		}
		comma, err := s.separator(']', "after array value (expecting ',' or ']')")
		if err != nil {
			return err
		}
		if keep != nil {
			v := s.kept(before, start, end)
			if behind := s.behind(end, comma); comma {
				v.AfterExtra = behind
			} else {
				keep.AfterExtra = behind
			}
			keep.Elements = append(keep.Elements, v)
		}
		if !comma {
			return nil
		}
	}
}

// behind is what stands between the end of a value and the comma or bracket that was just passed. In front of a
// comma it is never nil: on the last item that is how hujson marks a trailing comma.
func (s *scanner) behind(end int, comma bool) hujson.Extra {
	if comma {
		return s.src[end : s.at-1 : s.at-1]
	}
	return s.between(end, s.at-1)
}

// enter passes over an opening bracket.
func (s *scanner) enter() error {
	if len(s.open) == MaxDepth {
		return s.doc.syntaxError(s.at, "nested deeper than %d levels", MaxDepth)
	}
	s.open = append(s.open, s.at)
	s.at++
	return nil
}

// closes passes over a closing bracket that stands where an item might; first says that there was no item yet.
func (s *scanner) closes(bracket byte, first bool) bool {
	if s.at == len(s.src) || s.src[s.at] != bracket {
		return false
	}
	if !first {
		s.beyondJSON() // a trailing comma
	}
	s.leave()
	return true
}

func (s *scanner) leave() {
	s.open = s.open[:len(s.open)-1]
	s.at++
}

// colon passes over what stands between the name that starts at name and its value. The name was read as any
// value would be, as hujson does it.
func (s *scanner) colon(name int) error {
	if err := s.extra(); err != nil {
		return err
	}
	switch {
	case s.src[name] != '"':
		return s.unexpected(name, "at start of object name")
	case s.at == len(s.src):
		return s.ended()
	case s.src[s.at] != ':':
		return s.unexpected(s.at, "after object name")
	}
	s.at++
	return nil
}

// separator passes over the comma or the closing bracket behind an item and says which it was.
func (s *scanner) separator(bracket byte, where string) (comma bool, err error) {
	if s.at == len(s.src) {
		return false, s.ended()
	}
	switch s.src[s.at] {
	case ',':
		s.at++
		return true, nil
	case bracket:
		s.leave()
		return false, nil
	}
	return false, s.unexpected(s.at, where)
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
