package jsonc

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"sort"
	"strings"
	"sync"

	"github.com/tailscale/hujson"
)

// Format is another format of text, such as TOML, whose files say what JSON could say. A file of it is read through
// its translation to JSON, and edited by the format itself; the result is translated again and compared with the
// same edit of the translation.
type Format interface {
	// Translate reads a text. The error is a *SyntaxError; see ErrorAt.
	Translate(src []byte) (*Translation, error)
	// Set, Remove and Rename are those of Document, and are asked only for what is possible in the translation.
	Set(src []byte, path []string, value json.RawMessage) ([]byte, error)
	Remove(src []byte, path []string) ([]byte, error)
	Rename(src []byte, path []string, key string) ([]byte, error)
}

// Translation is a text of another format as JSON, without blanks and comments; empty if there is no value.
type Translation struct {
	JSON    []byte
	Spans   []Span   // of keys and values, in the order of JSON
	Remarks []Remark // likewise
}

// Span says where in the other text a key or value stands.
type Span struct {
	At         int // offset in the JSON at which it starts
	Start, End int // offsets in the other text
}

// Remark is what the other format says and JSON cannot, or what its readers take differently.
type Remark struct {
	At       int // offset in the JSON
	Position Position
	Fatal    bool // the value cannot be used
	Message  string
	Hint     string
}

// Mark notes that the key or value which the next byte of JSON starts stands between two offsets.
func (t *Translation) Mark(start, end int) { t.Spans = append(t.Spans, Span{len(t.JSON), start, end}) }

// Text appends a string.
func (t *Translation) Text(s string) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(s) // a string always encodes
	t.JSON = append(t.JSON, bytes.TrimSuffix(b.Bytes(), []byte("\n"))...)
}

// ErrorAt is the error of a Translate: what is wrong at an offset of src.
func ErrorAt(src []byte, offset int, format string, args ...any) *SyntaxError {
	return (&Document{src: src}).syntaxError(min(max(offset, 0), len(src)), format, args...)
}

// SkipMark returns a text without its byte order mark, and how many bytes that was.
func SkipMark(src []byte) ([]byte, int) {
	body := (&Document{src: src}).body()
	return src[body:], body
}

// original is the text that a document is a translation of.
type original struct {
	format  Format
	src     []byte
	spans   []Span
	remarks []Remark
	once    sync.Once
	places  *Document // of src, for its lines
}

// ParseAs reads a text of a format; nil is JSON, and then it is Parse.
//
// The document says what Parse's would say of the translation, with places in src; its edits are edits of src.
// Comments are no part of Excerpt and stay where they are; a member that is added or changed is laid out as the
// format does it. An edit whose result would not read back as meant fails and changes nothing.
func ParseAs(f Format, src []byte) (*Document, error) {
	if f == nil {
		return Parse(src)
	}
	if err := (&Document{src: src}).checkEncoding(); err != nil {
		return nil, err
	}
	t, err := f.Translate(src)
	if err != nil {
		return nil, err
	}
	d := &Document{src: t.JSON, wholeLimit: wholeLimit, of: &original{format: f, src: src, spans: t.Spans, remarks: t.Remarks}}
	s := d.scanner(0)
	if d.tree, err = s.document(); err != nil {
		return nil, err
	}
	d.foreign = -1
	return d, nil
}

// span is where the key or value stands that a byte of the translation belongs to.
func (o *original) span(offset int) Span {
	i := sort.Search(len(o.spans), func(i int) bool { return o.spans[i].At > offset })
	if i == 0 {
		return Span{}
	}
	return o.spans[i-1]
}

func (o *original) position(offset int) Position { return o.at(o.span(offset).Start) }

// at is an offset of the text itself as a Position.
func (o *original) at(offset int) Position {
	o.once.Do(func() { o.places = &Document{src: o.src} })
	return o.places.position(offset)
}

// Remarks are those on the value and what is in it; none in a JSON file.
func (n *Node) Remarks() []Remark {
	if n.doc.of == nil {
		return nil
	}
	var out []Remark
	all := n.doc.of.remarks
	for i := sort.Search(len(all), func(i int) bool { return all[i].At >= n.val.StartOffset }); i < len(all) && all[i].At < n.val.EndOffset; i++ {
		r := all[i]
		r.Position = n.doc.position(r.At)
		out = append(out, r)
	}
	return out
}

// editOriginal makes an edit of the other text; want is the translation with the same edit made.
func (d *Document) editOriginal(want []byte, path []string, edit func(Format, []byte) ([]byte, error)) ([]byte, error) {
	out, err := edit(d.of.format, d.of.src)
	if err != nil {
		return nil, err
	}
	after, err := ParseAs(d.of.format, out)
	if err != nil {
		return nil, fmt.Errorf("result of the edit: %w", err)
	}
	expected, err := Parse(want)
	if err != nil {
		return nil, fmt.Errorf("result of the edit: %w", err)
	}
	if !sameMeaning(expected.tree, after.tree, path) {
		return nil, errBadEdit(path)
	}
	d.result.Store(after)
	return out, nil
}

// sameMeaning compares two values but for the order of keys. Objects that only lead to the path and hold nothing
// any more may be missing: a table of TOML is there as long as something is in it.
func sameMeaning(want, got *hujson.Value, path []string) bool {
	if got == nil || want == nil {
		return isHollow(want, path) && isHollow(got, path)
	}
	if kindOf(want) != kindOf(got) {
		return false
	}
	switch x := open(want).(type) {
	case *hujson.Object:
		return sameMembers(x.Members, membersOf(got), path)
	case *hujson.Array:
		y, _ := open(got).(*hujson.Array)
		return slices.EqualFunc(x.Elements, y.Elements, func(a, b hujson.Value) bool { return sameMeaning(&a, &b, nil) })
	case hujson.Literal:
		y, _ := got.Value.(hujson.Literal)
		return bytes.Equal(x, y) || kindOf(want) == String && text(want) == text(got)
	}
	return false
}

func sameMembers(want, got []hujson.ObjectMember, path []string) bool {
	onPath := func(m hujson.ObjectMember) bool {
		return len(path) > 1 && keyIs(&m, path[0]) && isHollow(&m.Value, path[1:])
	}
	order := func(members []hujson.ObjectMember) []hujson.ObjectMember {
		members = slices.DeleteFunc(slices.Clone(members), onPath)
		slices.SortStableFunc(members, func(a, b hujson.ObjectMember) int { return strings.Compare(text(&a.Name), text(&b.Name)) })
		return members
	}
	return slices.EqualFunc(order(want), order(got), func(a, b hujson.ObjectMember) bool {
		if text(&a.Name) != text(&b.Name) {
			return false
		}
		var rest []string
		if len(path) > 0 && keyIs(&a, path[0]) {
			rest = path[1:]
		}
		return sameMeaning(&a.Value, &b.Value, rest)
	})
}

// isHollow tells whether a value is an object that holds nothing, or only a hollow one on the path.
func isHollow(v *hujson.Value, path []string) bool {
	if v == nil {
		return true
	}
	if kindOf(v) != Object {
		return false
	}
	for _, m := range membersOf(v) {
		if len(path) < 2 || !keyIs(&m, path[0]) || !isHollow(&m.Value, path[1:]) {
			return false
		}
	}
	return true
}
