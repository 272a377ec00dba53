package jsonc

import (
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
		p := places{before: s.at}
		if err := s.extra(); err != nil {
			return err
		}
		if s.closes('}', first) {
			if keep != nil {
				keep.AfterExtra = s.between(p.before, s.at-1)
			}
			return nil
		}
		err := s.member(&p)
		if err != nil {
			return err
		}
		comma, err := s.separator('}', "after object value (expecting ',' or '}')")
		if err != nil {
			return err
		}
		if keep != nil {
			s.keepMember(keep, p, comma)
		}
		if !comma {
			return nil
		}
	}
}

// places are the offsets of one member.
type places struct {
	before        int // of what stands in front of the name
	name, nameEnd int
	colon         int
	start, end    int // of the value
}

// member passes over name and value and what stands behind it.
func (s *scanner) member(p *places) error {
	p.name = s.at
	if err := s.value(); err != nil {
		return err
	}
	p.nameEnd = s.at
	if err := s.passColon(p.name); err != nil {
		return err
	}
	p.colon = s.at - 1
	if err := s.extra(); err != nil {
		return err
	}
	p.start = s.at
	if err := s.value(); err != nil {
		return err
	}
	p.end = s.at
	return s.extra()
}

// keepMember adds the member that was just passed, with its comma or the bracket behind it.
func (s *scanner) keepMember(keep *hujson.Object, p places, comma bool) {
	m := hujson.ObjectMember{Name: s.kept(p.before, p.name, p.nameEnd), Value: s.kept(p.colon+1, p.start, p.end)}
	m.Name.AfterExtra = s.between(p.nameEnd, p.colon)
	if behind := s.behind(p.end, comma); comma {
		m.Value.AfterExtra = behind
	} else {
		keep.AfterExtra = behind
	}
	keep.Members = append(keep.Members, m)
}

// array passes over an array, whose elements are added to keep unless it is nil.
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
			s.keepElement(keep, places{before: before, start: start, end: end}, comma)
		}
		if !comma {
			return nil
		}
	}
}

// keepElement is keepMember for an array.
func (s *scanner) keepElement(keep *hujson.Array, p places, comma bool) {
	v := s.kept(p.before, p.start, p.end)
	if behind := s.behind(p.end, comma); comma {
		v.AfterExtra = behind
	} else {
		keep.AfterExtra = behind
	}
	keep.Elements = append(keep.Elements, v)
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

// passColon passes over what stands between the name that starts at name and its value. The name was read as any
// value would be, as hujson does it.
func (s *scanner) passColon(name int) error {
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
