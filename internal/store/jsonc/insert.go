package jsonc

import (
	"bytes"
	"strings"

	"github.com/tailscale/hujson"
)

// addition is a member that is to be added to the last object of a spot.
type addition struct {
	spot
	added    *hujson.ObjectMember
	wrappers int // so many objects are added on the way to the value
}

// insert returns the text with the member added behind the last one.
func (d *Document) insert(a addition) []byte {
	members := a.members()
	if len(members) == 0 {
		return d.insertFirst(a)
	}
	last := &members[len(members)-1].Value
	trailing := last.AfterExtra != nil
	at := last.EndOffset
	if trailing {
		at = commaAt(last) + 1
	}
	// A comment behind the last member on its line is about that member and stays with it.
	behind, toLineEnd := d.remark(at, true)
	ownLine := isExpanded(a.container()) || toLineEnd

	p := printer{style: d.styleAt(a.spot)}
	indent := d.memberIndent(a.container(), p.unit)
	f := form{flat: true}
	switch {
	case ownLine:
		if d.isSpaced(members) {
			p.out = append(p.out, p.eol...)
		}
		p.line(indent)
		f = d.newForm(a, &p, indent)
	case trailing:
		p.out = append(p.out, strings.TrimPrefix(p.comma, ",")...)
	default:
		p.out = append(p.out, d.separator(members, p.comma)...)
	}
	p.member(a.added, d.memberColon(a.spot, p.colon), indent, f)
	if trailing {
		p.out = append(p.out, ',')
	} else if ownLine {
		// The comma belongs behind the value, not behind the comment, where // would swallow it.
		block := append([]byte(","), d.src[at:behind]...)
		return splice(d.src, at, behind, append(block, p.out...))
	}
	return splice(d.src, behind, behind, p.out)
}

// insertFirst is insert for an object without members. What blanks and comments it holds stay.
func (d *Document) insertFirst(a addition) []byte {
	open, end := a.container().StartOffset+1, a.container().EndOffset-1
	at := d.lastComment(open, end)
	blanks := d.src[at:end]
	p := printer{style: d.styleAt(a.spot)}
	colon := d.memberColon(a.spot, p.colon)
	outer := d.indentAt(a.container().StartOffset)

	if !d.expandEmpty(a) {
		before, after := p.pad, p.pad
		switch {
		case len(blanks) > 0: // the same blanks on the other side
			before, after = string(blanks), ""
		case at > open: // a comment
			before, after = " ", ""
		}
		p.out = append(p.out, before...)
		p.member(a.added, colon, outer, form{flat: true})
		return splice(d.src, at, at, append(p.out, after...))
	}
	indent, closing := outer+p.unit, outer
	if at > open && d.lineStart(at) > open {
		indent = d.indentAt(at) // of the comment
	}
	switch {
	case hasBreak(blanks): // the brace has its line already
	case strings.HasSuffix(outer, string(blanks)):
		closing = strings.TrimSuffix(outer, string(blanks))
	default:
		at = end // blanks that cannot become indentation end the line of the brace
	}
	p.line(indent)
	p.member(a.added, colon, indent, d.newForm(a, &p, indent))
	if p.trailing {
		p.out = append(p.out, ',')
	}
	if !hasBreak(blanks) {
		p.line(closing)
	}
	return splice(d.src, at, at, p.out)
}

// expandEmpty decides whether the first member of an object gets a line of its own.
func (d *Document) expandEmpty(a addition) bool {
	obj := a.container()
	if hasBreak(d.src[obj.StartOffset:obj.EndOffset]) || len(a.objects) == 1 {
		return true
	}
	parent := a.objects[len(a.objects)-2]
	if !isExpanded(parent) {
		return false
	}
	holdsObject := kindOf(&a.added.Value) == Object && !isEmpty(&a.added.Value)
	return holdsObject || !d.flatSiblings(membersOf(parent), a.parents[len(a.parents)-1])
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
	f := form{flat: true}
	switch {
	case kindOf(old) == kindOf(want) && !isEmpty(old):
		f.flat = wasFlat
	case isExpanded(s.container()):
		f = d.newForm(addition{spot: s, added: &hujson.ObjectMember{Value: *want}}, &p, indent)
	}
	p.value(want, indent, f)
	return splice(d.src, old.StartOffset, old.EndOffset, p.out)
}

// newForm returns the form of a new value whose key starts a line indented by indent.
func (d *Document) newForm(a addition, p *printer, indent string) form {
	value := &a.added.Value
	switch {
	case a.wrappers > 0:
		return form{wrappers: a.wrappers}
	case kindOf(value) == Array:
		return form{flat: p.isShort(value, indent)}
	default:
		return form{flat: d.flatSiblings(a.members(), a.member)}
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
