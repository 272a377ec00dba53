package jsonc

import (
	"bytes"
	"strings"

	"github.com/tailscale/hujson"
)

// insert returns the text with m added behind the last member of the last object of s. wrappers counts the
// objects that m adds on the way to the value.
func (d *Document) insert(s spot, m *hujson.ObjectMember, wrappers int) []byte {
	members := s.members()
	if len(members) == 0 {
		return d.insertFirst(s, m, wrappers)
	}
	last := &members[len(members)-1].Value
	trailing := last.AfterExtra != nil
	at := last.EndOffset
	if trailing {
		at = commaAt(last) + 1
	}
	// A comment behind the last member on its line is about that member and stays with it.
	behind, toLineEnd := d.remark(at, true)
	ownLine := isExpanded(s.container()) || toLineEnd

	p := printer{style: d.styleAt(s)}
	indent := d.memberIndent(s.container(), p.unit)
	switch {
	case ownLine:
		if d.isSpaced(members) {
			p.out = append(p.out, p.eol...)
		}
		p.line(indent)
	case trailing:
		p.out = append(p.out, strings.TrimPrefix(p.comma, ",")...)
	default:
		p.out = append(p.out, d.separator(members, p.comma)...)
	}
	p.member(m, d.memberColon(s, p.colon), indent, d.newForm(s, m, wrappers, ownLine, &p, indent))
	switch {
	case trailing:
		p.out = append(p.out, ',')
		return splice(d.src, behind, behind, p.out)
	case ownLine:
		// The comma belongs behind the value, not behind the comment, where // would swallow it.
		block := append([]byte(","), d.src[at:behind]...)
		return splice(d.src, at, behind, append(block, p.out...))
	default:
		return splice(d.src, behind, behind, p.out)
	}
}

// insertFirst is insert for an object without members. What blanks and comments it holds stay.
func (d *Document) insertFirst(s spot, m *hujson.ObjectMember, wrappers int) []byte {
	open, end := s.container().StartOffset+1, s.container().EndOffset-1
	at := d.lastComment(open, end)
	blanks := d.src[at:end]
	ownLine := d.expandEmpty(s, m, wrappers)

	p := printer{style: d.styleAt(s)}
	outer := d.indentAt(s.container().StartOffset)
	colon := d.memberColon(s, p.colon)
	if !ownLine {
		f := form{flat: true}
		switch {
		case len(blanks) > 0: // the same blanks on the other side
			p.out = append(p.out, blanks...)
			p.member(m, colon, outer, f)
		case at > open: // a comment
			p.out = append(p.out, ' ')
			p.member(m, colon, outer, f)
		default:
			p.out = append(p.out, p.pad...)
			p.member(m, colon, outer, f)
			p.out = append(p.out, p.pad...)
		}
		return splice(d.src, at, at, p.out)
	}
	indent := outer + p.unit
	if start := d.lineStart(at); at > open && start > open {
		indent = d.indentAt(at) // of the comment
	}
	closing := outer
	switch {
	case hasBreak(blanks):
		closing = ""
	case strings.HasSuffix(outer, string(blanks)):
		closing = strings.TrimSuffix(outer, string(blanks))
	default:
		at = end // blanks that cannot become indentation end the line of the brace
	}
	p.line(indent)
	p.member(m, colon, indent, d.newForm(s, m, wrappers, true, &p, indent))
	if p.trailing {
		p.out = append(p.out, ',')
	}
	if !hasBreak(blanks) {
		p.line(closing)
	}
	return splice(d.src, at, at, p.out)
}

// expandEmpty decides whether the first member of an object gets a line of its own.
func (d *Document) expandEmpty(s spot, m *hujson.ObjectMember, wrappers int) bool {
	obj := s.container()
	if hasBreak(d.src[obj.StartOffset:obj.EndOffset]) || len(s.objects) == 1 {
		return true
	}
	parent := s.objects[len(s.objects)-2]
	if !isExpanded(parent) {
		return false
	}
	holdsObject := kindOf(&m.Value) == Object && !isEmpty(&m.Value)
	return wrappers > 0 || holdsObject || !d.flatSiblings(membersOf(parent), s.parents[len(s.parents)-1])
}

// lastComment returns the offset behind the last comment between from and to, without its line break; from if
// there is none.
func (d *Document) lastComment(from, to int) int {
	end := from
	for at := from; at < to; {
		if stop := commentEnd(d.src, at); stop > at {
			end = at + len(bytes.TrimRight(d.src[at:stop], "\r\n"))
			at = stop
			continue
		}
		at++
	}
	return end
}

// replace returns the text with the value of the member of s replaced.
func (d *Document) replace(s spot, want *hujson.Value) []byte {
	old, m := s.value(), &s.members()[s.member]
	wasFlat := !hasBreak(d.src[old.StartOffset:old.EndOffset])
	indent := d.indentAt(m.Name.StartOffset)
	if !wasFlat {
		indent = d.indentAt(old.EndOffset - 1)
	}
	p := printer{style: d.styleAt(s), lead: old.StartOffset - d.lineStart(old.StartOffset)}
	f := d.newForm(s, &hujson.ObjectMember{Value: *want}, 0, isExpanded(s.container()), &p, indent)
	if kindOf(old) == kindOf(want) && !isEmpty(old) {
		f.flat = wasFlat
	}
	p.value(want, indent, f)
	return splice(d.src, old.StartOffset, old.EndOffset, p.out)
}

// newForm returns the form of the value of m, a member of the last object of s.
func (d *Document) newForm(s spot, m *hujson.ObjectMember, wrappers int, ownLine bool, p *printer, indent string) form {
	switch {
	case !ownLine:
		return form{flat: true}
	case wrappers > 0:
		return form{wrappers: wrappers}
	case kindOf(&m.Value) == Array:
		return form{flat: p.isShort(&m.Value, indent)}
	default:
		return form{flat: d.flatSiblings(s.members(), s.member)}
	}
}

// flatSiblings reports whether there are objects among the values of members, except for the one at index skip,
// and all of them are written on one line.
func (d *Document) flatSiblings(members []hujson.ObjectMember, skip int) bool {
	found := false
	for i := range members {
		v := &members[i].Value
		if i == skip || kindOf(v) != Object || isEmpty(v) {
			continue
		}
		if hasBreak(d.src[v.StartOffset:v.EndOffset]) {
			return false
		}
		found = true
	}
	return found
}

// memberIndent returns the indentation of a new line in obj.
func (d *Document) memberIndent(obj *hujson.Value, unit string) string {
	if indent, ok := d.itemIndent(obj); ok {
		return indent
	}
	return d.indentAt(obj.StartOffset) + unit
}

// memberColon returns the colon for a new member: as its neighbours have it, or the object around.
func (d *Document) memberColon(s spot, fallback string) string {
	members := s.members()
	for i := len(members) - 1; i >= 0; i-- {
		if colon, ok := d.colonOf(&members[i]); ok {
			return colon
		}
	}
	for i := len(s.parents) - 1; i >= 0; i-- {
		if colon, ok := d.colonOf(&membersOf(s.objects[i])[s.parents[i]]); ok {
			return colon
		}
	}
	return fallback
}

// separator returns the comma, with its blank, between members on one line.
func (d *Document) separator(members []hujson.ObjectMember, fallback string) string {
	for i := len(members) - 1; i > 0; i-- {
		if before := members[i].Name.BeforeExtra; isBlank(before) && !hasBreak(before) {
			return "," + oneBlank(before)
		}
	}
	return fallback
}

// isSpaced reports whether there is an empty line between every two members.
func (d *Document) isSpaced(members []hujson.ObjectMember) bool {
	for i := 1; i < len(members); i++ {
		between := d.src[commaAt(&members[i-1].Value)+1 : members[i].Name.StartOffset]
		if !hasEmptyLine(between) {
			return false
		}
	}
	return len(members) > 1
}

// hasEmptyLine reports whether b has two line breaks with only blanks between them.
func hasEmptyLine(b []byte) bool {
	lines := bytes.Split(b, []byte("\n"))
	for i := 1; i < len(lines)-1; i++ {
		if isBlank(lines[i]) {
			return true
		}
	}
	return false
}
