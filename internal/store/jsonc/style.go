package jsonc

import (
	"bytes"
	"strings"

	"github.com/tailscale/hujson"
)

// style is how a neighbourhood writes JSON.
type style struct {
	eol      string // line end
	unit     string // one step of indentation
	colon    string // between key and value, colon included
	comma    string // between items on one line, comma included
	pad      string // inside the braces of an object on one line
	arrayPad string // the same for arrays
	trailing bool   // expanded objects and arrays end in a comma

	flatObjects bool // objects inside an expanded value are written on one line
	flatArrays  bool // arrays of scalars inside an expanded value are, if they are short
}

// defaultStyle is used where a text shows none. Two spaces are what JSON.stringify, jq and most clients' own
// files have; arguments on one line are how people write them.
func defaultStyle() style {
	return style{eol: "\n", unit: "  ", colon: ": ", comma: ", ", flatArrays: true}
}

// observeLimit bounds how many values are looked at for each source of evidence. A style shows early or not at all.
const observeLimit = 1000

// observeBytes bounds how much text is opened only to see its style. What stands beside the servers may be large.
const observeBytes = 256 << 10

// styleAt finds the style for a value in the last object of s. The nearest evidence counts: the present value,
// its siblings from the last to the first, then the objects around from the inside out.
func (d *Document) styleAt(s spot) style {
	o := observer{doc: d, nested: true, bytes: observeBytes}
	members := s.members()
	around := isExpanded(s.container())
	if s.member >= 0 {
		o.observe(s.value(), around, observeLimit)
	}
	for i := len(members) - 1; i >= 0; i-- {
		o.observe(&members[i].Value, around, observeLimit/10)
	}
	o.nested = false
	o.keepArrays = o.flatArrays.known
	for i := len(s.objects) - 1; i >= 0; i-- {
		o.observe(s.objects[i], false, observeLimit)
	}
	st := o.style()
	st.eol = d.newlineBefore(s.container().EndOffset)
	return st
}

// first holds the first value it is shown.
type first[T any] struct {
	value T
	known bool
}

func (f *first[T]) see(value T) {
	if !f.known {
		f.value, f.known = value, true
	}
}

func (f *first[T]) or(fallback T) T {
	if f.known {
		return f.value
	}
	return fallback
}

// observer collects evidence of style.
type observer struct {
	doc   *Document
	left  int // values still to be looked at
	bytes int // of closed values still to be opened

	unit, colon, comma, pad, arrayPad first[string]

	trailing, flatObjects, flatArrays first[bool]

	nested     bool // siblings are being looked at: how their objects are written counts
	keepArrays bool // the siblings have shown how arrays are written
}

func (o *observer) style() style {
	st := defaultStyle()
	st.unit = o.unit.or(st.unit)
	st.colon = o.colon.or(st.colon)
	if strings.HasSuffix(st.colon, ":") {
		st.comma = "," // a minified text has neither blank
	}
	st.comma = o.comma.or(st.comma)
	st.pad = o.pad.or("")
	st.arrayPad = o.arrayPad.or("")
	st.trailing = o.trailing.or(false)
	st.flatObjects = o.flatObjects.or(false)
	st.flatArrays = o.flatArrays.or(st.flatArrays)
	return st
}

func (o *observer) observe(v *hujson.Value, inExpanded bool, limit int) {
	o.left = limit
	o.look(v, inExpanded, 0)
}

// look takes in one value and what it holds. inExpanded says that the object around it is written on several
// lines: only then is it a free choice to write v on one.
func (o *observer) look(v *hujson.Value, inExpanded bool, level int) {
	if o.left--; o.left < 0 {
		return
	}
	if c, ok := v.Value.(*closed); ok {
		if o.bytes -= c.end - c.start; o.bytes < 0 {
			return
		}
	}
	switch t := open(v).(type) {
	case *hujson.Object:
		o.lookObject(v, t, inExpanded && level > 0)
		expanded := isExpanded(v) // once: it may look at every member
		for i := range t.Members {
			o.look(&t.Members[i].Value, expanded, level+1)
		}
	case *hujson.Array:
		o.lookArray(v, t, inExpanded)
		for i := range t.Elements {
			o.look(&t.Elements[i], false, level+1)
		}
	}
}

func (o *observer) lookObject(v *hujson.Value, obj *hujson.Object, free bool) {
	n := len(obj.Members)
	if n == 0 {
		return
	}
	expanded := isExpanded(v)
	if o.nested && free {
		o.flatObjects.see(!expanded)
	}
	for i := n - 1; i >= 0 && !o.colon.known; i-- {
		if colon, ok := o.doc.colonOf(&obj.Members[i]); ok {
			o.colon.see(colon)
		}
	}
	if expanded {
		o.lookExpanded(v, obj.Members[n-1].Value.AfterExtra != nil)
		return
	}
	o.lookPad(&o.pad, obj.Members[0].Name.BeforeExtra)
	if n > 1 {
		o.lookComma(obj.Members[0].Value.AfterExtra, obj.Members[1].Name.BeforeExtra)
	}
}

func (o *observer) lookArray(v *hujson.Value, arr *hujson.Array, free bool) {
	n := len(arr.Elements)
	if n == 0 {
		return
	}
	expanded := isExpanded(v)
	if free && !o.keepArrays && isScalars(arr) {
		// One short array on one line is enough evidence; a long one next to it had no choice.
		if !expanded {
			o.flatArrays = first[bool]{value: true, known: true}
		} else if v.EndOffset-v.StartOffset <= lineWidth {
			o.flatArrays.see(false)
		}
	}
	if expanded {
		o.lookExpanded(v, arr.Elements[n-1].AfterExtra != nil)
		return
	}
	o.lookPad(&o.arrayPad, arr.Elements[0].BeforeExtra)
	if n > 1 {
		o.lookComma(arr.Elements[0].AfterExtra, arr.Elements[1].BeforeExtra)
	}
}

func (o *observer) lookExpanded(v *hujson.Value, trailing bool) {
	o.trailing.see(trailing)
	item, ok := o.doc.itemIndent(v)
	outer := o.doc.indentAt(v.StartOffset)
	if unit, deeper := strings.CutPrefix(item, outer); ok && deeper && unit != "" {
		o.unit.see(unit)
	}
}

func (o *observer) lookPad(pad *first[string], before hujson.Extra) {
	if isBlank(before) && !hasBreak(before) {
		pad.see(oneBlank(before))
	}
}

func (o *observer) lookComma(before, after hujson.Extra) {
	if len(before) == 0 && isBlank(after) && !hasBreak(after) {
		o.comma.see("," + oneBlank(after))
	}
}

// oneBlank returns a space for any run of blanks: a wider one lines things up, which a new line cannot know of.
func oneBlank(b []byte) string {
	if len(b) > 0 {
		return " "
	}
	return ""
}

// colonOf returns what stands between key and value of a member, if that is a colon and blanks on one line.
func (d *Document) colonOf(m *hujson.ObjectMember) (string, bool) {
	between := d.src[m.Name.EndOffset:m.Value.StartOffset]
	before, after, _ := bytes.Cut(between, []byte(":"))
	if !isBlank(before) || !isBlank(after) || hasBreak(between) {
		return "", false
	}
	return oneBlank(before) + ":" + oneBlank(after), true
}

func isScalars(arr *hujson.Array) bool {
	for i := range arr.Elements {
		if _, ok := arr.Elements[i].Value.(hujson.Literal); !ok {
			return false
		}
	}
	return true
}
