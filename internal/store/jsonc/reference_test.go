package jsonc

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/tailscale/hujson"
)

// reference is hujson as Parse once used it: one look for what hujson does not check, then its tree of the whole
// text. The scanner has to accept the same texts, refuse them with the same words at the same places, and find
// the same values there.
func reference(src []byte) (*hujson.Value, error) {
	d := &Document{src: src}
	if err := d.checkEncoding(); err != nil {
		return nil, err
	}
	s, err := d.survey()
	if err != nil {
		return nil, err
	}
	tree, err := hujson.Parse(d.parseable(s))
	switch {
	case err != nil:
		return nil, d.explain(err, s)
	case s.blank:
		return nil, nil
	default:
		return &tree, nil
	}
}

// survey is what one look at the text says before it is parsed.
type survey struct {
	blank         bool  // there are only blanks and comments
	inLineComment bool  // the text ends in a // comment
	stringAt      int   // where the string starts in which the text ends, or -1
	open          []int // the brackets not closed at the end
}

func (d *Document) survey() (survey, error) {
	s := survey{blank: true, stringAt: -1}
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
				s.stringAt, end = i, len(src)
			}
			i = end - 1
		case '{', '[':
			if len(s.open) == MaxDepth {
				return s, d.syntaxError(i, "nested deeper than %d levels", MaxDepth)
			}
			s.open = append(s.open, i)
		case '}', ']':
			if len(s.open) > 0 {
				s.open = s.open[:len(s.open)-1]
			}
		}
		s.blank = false
	}
	return s, nil
}

// parseable returns a text that hujson takes, with every token at its offset.
func (d *Document) parseable(s survey) []byte {
	text := bytes.Clone(d.src)
	copy(text[:d.body()], "   ")
	switch {
	case s.blank:
		text = append(text, "\nnull"...)
	case s.inLineComment:
		text = append(text, '\n')
	}
	return text
}

func (d *Document) explain(err error, s survey) error {
	var line, column int
	if _, scanErr := fmt.Sscanf(err.Error(), "hujson: line %d, column %d:", &line, &column); scanErr != nil {
		return fmt.Errorf("no place in %w", err)
	}
	at := 0
	for ; line > 1; line-- {
		next := bytes.IndexByte(d.src[at:], '\n') + 1
		if next == 0 {
			at, column = len(d.src), 1 // in the newline added behind a last comment
		}
		at += next
	}
	at = min(at+column-1, len(d.src))
	switch msg := errors.Unwrap(err).Error(); {
	case strings.HasPrefix(msg, "invalid literal") && d.src[at] == '"':
		return d.explainString(at)
	case strings.HasPrefix(msg, "invalid literal"):
		return d.syntaxError(at, "not a JSON value; strings need double quotes")
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

// checkScanner compares the scanner with the reference on one text.
func checkScanner(t *testing.T, src []byte) {
	t.Helper()
	want, wantErr := reference(src)
	for _, limit := range []int{0, 20, wholeLimit} {
		d, err := parseWith(src, limit)
		switch {
		case wantErr != nil && strings.Contains(wantErr.Error(), "nested deeper"):
			if err == nil {
				t.Fatalf("%q is accepted", src) // another error may stand in front
			}
			continue
		case fmt.Sprint(err) != fmt.Sprint(wantErr):
			t.Fatalf("%q: got %v, want %v", src, err, wantErr)
		case err != nil:
			continue
		case (d.tree == nil) != (want == nil):
			t.Fatalf("%q: value %v, want %v", src, d.tree, want)
		case want == nil:
			continue
		}
		sameTree(t, src, d.tree, want)
		checkStandard(t, d)
	}
}

// sameTree compares all that this package uses of hujson's tree.
func sameTree(t *testing.T, src []byte, got, want *hujson.Value) {
	t.Helper()
	if got.StartOffset != want.StartOffset || got.EndOffset != want.EndOffset || kindOf(got) != kindOf(want) {
		t.Fatalf("%q: %s from %d to %d, want %s from %d to %d", src, kindOf(got), got.StartOffset, got.EndOffset,
			kindOf(want), want.StartOffset, want.EndOffset)
	}
	switch w := want.Value.(type) {
	case hujson.Literal:
		if !reflect.DeepEqual(open(got), want.Value) {
			t.Fatalf("%q: %s, want %s", src, open(got), w)
		}
	case *hujson.Object:
		members := membersOf(got)
		if len(members) != len(w.Members) {
			t.Fatalf("%q: %d members, want %d", src, len(members), len(w.Members))
		}
		for i := range members {
			sameExtra(t, src, &members[i].Name, &w.Members[i].Name)
			sameExtra(t, src, &members[i].Value, &w.Members[i].Value)
			sameTree(t, src, &members[i].Name, &w.Members[i].Name)
			sameTree(t, src, &members[i].Value, &w.Members[i].Value)
			if last := i == len(members)-1; last && trails(&members[i].Value) != trails(&w.Members[i].Value) {
				t.Fatalf("%q: trailing comma %v", src, trails(&members[i].Value))
			}
		}
	case *hujson.Array:
		elements := open(got).(*hujson.Array).Elements
		if len(elements) != len(w.Elements) {
			t.Fatalf("%q: %d elements, want %d", src, len(elements), len(w.Elements))
		}
		for i := range elements {
			sameExtra(t, src, &elements[i], &w.Elements[i])
			sameTree(t, src, &elements[i], &w.Elements[i])
			if last := i == len(elements)-1; last && trails(&elements[i]) != trails(&w.Elements[i]) {
				t.Fatalf("%q: trailing comma %v", src, trails(&elements[i]))
			}
		}
	}
}

func trails(v *hujson.Value) bool { return v.AfterExtra != nil }

func sameExtra(t *testing.T, src []byte, got, want *hujson.Value) {
	t.Helper()
	if !bytes.Equal(got.BeforeExtra, want.BeforeExtra) || !bytes.Equal(got.AfterExtra, want.AfterExtra) {
		t.Fatalf("%q: %q and %q around, want %q and %q", src, got.BeforeExtra, got.AfterExtra, want.BeforeExtra, want.AfterExtra)
	}
}

// checkStandard: a text is standard exactly if encoding/json takes it.
func checkStandard(t *testing.T, d *Document) {
	t.Helper()
	body := d.Bytes()[d.body():]
	standard, where := d.Standard()
	tree, err := hujson.Parse(body)
	if err != nil { // it ends in a // comment
		tree, err = hujson.Parse(append(bytes.Clone(body), '\n'))
	}
	if err != nil || standard != tree.IsStandard() {
		t.Fatalf("%q: standard %v, %v", d.Bytes(), standard, err)
	}
	if !standard && !strings.ContainsRune("/}]", rune(d.Bytes()[where.Offset])) {
		t.Fatalf("%q: not standard at %v", d.Bytes(), where)
	}
}

func FuzzScan(f *testing.F) {
	for _, src := range seeds {
		f.Add([]byte(src))
	}
	for _, src := range refused {
		f.Add([]byte(src.src))
	}
	f.Add([]byte(`{"a":[1,2.50,-1E+7,"\u00e9\ud83d\ude00\ud800",true,null,{}],"b":{"":""}}`))
	f.Fuzz(checkScanner)
}

// TestScannerAgrees spoils random texts at random places.
func TestScannerAgrees(t *testing.T) {
	pieces := []string{"", "{", "}", "[", "]", ",", ":", "\"", "\\", "/", "//", "/*", "*/", "\n", "'", "1", "-", "e", "0", ".", "tru", "\x01", "\u2028", "\ufeff", "é", "\xff"}
	for seed := range uint64(20_000) {
		r := rand.New(rand.NewPCG(seed, 7))
		src := randomText(r)
		for range r.IntN(3) {
			at := r.IntN(len(src) + 1)
			src = src[:at] + pieces[r.IntN(len(pieces))] + src[min(len(src), at+r.IntN(3)):]
		}
		checkScanner(t, []byte(src))
	}
}
