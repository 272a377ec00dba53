package jsonc

import (
	"bytes"

	"github.com/tailscale/hujson"
)

// lineWidth is how wide a line may get by writing an array on it.
const lineWidth = 100

// printer writes new values in a style.
type printer struct {
	style
	out  []byte
	lead int // bytes that stand in front of out on its first line
}

// form is how one value is to be written.
type form struct {
	flat     bool // on one line
	wrappers int  // so many objects, from the outside in, only lead to the value; they are expanded
}

func (p *printer) member(m *hujson.ObjectMember, colon, indent string, f form) {
	p.value(&m.Name, indent, form{})
	p.out = append(p.out, colon...)
	p.value(&m.Value, indent, f)
}

// value writes v. indent is the indentation of the line on which it starts.
func (p *printer) value(v *hujson.Value, indent string, f form) {
	switch t := open(v).(type) {
	case *hujson.Object:
		p.items('{', '}', len(t.Members), p.pad, indent, f, func(i int, inner string) {
			p.member(&t.Members[i], p.colon, inner, p.inside(&t.Members[i].Value, inner, f))
		})
	case *hujson.Array:
		p.items('[', ']', len(t.Elements), p.arrayPad, indent, f, func(i int, inner string) {
			p.value(&t.Elements[i], inner, p.inside(&t.Elements[i], inner, f))
		})
	case hujson.Literal:
		p.out = append(p.out, t...)
	}
}

func (p *printer) items(open, end byte, n int, pad, indent string, f form, item func(i int, inner string)) {
	p.out = append(p.out, open)
	inner := indent + p.unit
	for i := range n {
		switch {
		case !f.flat:
			p.line(inner)
		case i == 0:
			p.out = append(p.out, pad...)
		}
		item(i, inner)
		switch last := i == n-1; {
		case last && f.flat:
			p.out = append(p.out, pad...)
		case last && p.trailing, !last && !f.flat:
			p.out = append(p.out, ',')
		case !last:
			p.out = append(p.out, p.comma...)
		}
	}
	if n > 0 && !f.flat {
		p.line(indent)
	}
	p.out = append(p.out, end)
}

func (p *printer) line(indent string) {
	p.out = append(p.out, p.eol...)
	p.out = append(p.out, indent...)
}

// inside returns the form of a value inside one of form f.
func (p *printer) inside(v *hujson.Value, indent string, f form) form {
	switch {
	case f.flat:
		return f
	case f.wrappers > 1:
		return form{wrappers: f.wrappers - 1}
	case kindOf(v) == Array:
		return form{flat: p.isShort(v, indent)}
	case f.wrappers == 1:
		return form{}
	default:
		return form{flat: p.flatObjects}
	}
}

// isShort reports whether v is an array of scalars that fits on the line that out ends with.
func (p *printer) isShort(v *hujson.Value, indent string) bool {
	arr, ok := open(v).(*hujson.Array)
	if !ok || !p.flatArrays || !isScalars(arr) {
		return false
	}
	used := len(p.out) - 1 - bytes.LastIndexByte(p.out, '\n')
	if used == len(p.out) {
		used += p.lead
	}
	trial := printer{style: p.style}
	trial.value(v, indent, form{flat: true})
	return used+len(trial.out) <= lineWidth
}
