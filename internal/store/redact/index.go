package redact

import (
	"encoding/base64"
	"encoding/hex"
	"slices"
	"strings"
)

// form is one way a known value may be written.
type form struct {
	text string
	// A base64 text shares characters with its neighbours unless value and text begin and end together: the character
	// before, after, or both, hold some bits of the value.
	base64, before, after bool
}

// index finds many forms in one pass: by their first two bytes in a bit set, then by their first four in a map.
// It is built without cost worth naming, which an automaton over all forms would not be, and start-up time counts.
type index struct {
	starts [1 << 16 / 64]uint64
	forms  map[uint32][]form
	spaced bool // a value has a blank
}

// newIndex returns the index over all forms of values, nil if there are none.
func newIndex(values []string) *index {
	if len(values) == 0 {
		return nil
	}
	x := &index{forms: map[uint32][]form{}}
	seen := map[string]bool{}
	for _, v := range values {
		x.spaced = x.spaced || strings.Contains(v, " ")
		for _, f := range formsOf(v) {
			if seen[f.text] {
				continue
			}
			seen[f.text] = true
			two := twoBytes(f.text)
			x.starts[two/64] |= 1 << (two % 64)
			four := fourBytes(f.text)
			x.forms[four] = append(x.forms[four], f)
		}
	}
	for _, forms := range x.forms {
		// The longest first: of two values that begin alike, the longer one must not leave its tail behind.
		slices.SortStableFunc(forms, func(a, b form) int { return len(b.text) - len(a.text) })
	}
	return x
}

func twoBytes(s string) uint { return uint(s[0])<<8 | uint(s[1]) }

func fourBytes(s string) uint32 {
	return uint32(s[0])<<24 | uint32(s[1])<<16 | uint32(s[2])<<8 | uint32(s[3])
}

// find adds every place where a form stands. Every start is looked at, not only those after the last find: values may
// overlap.
func (x *index) find(s string, out *spans) {
	for i := 0; i+minSecret <= len(s); i++ {
		two := twoBytes(s[i:])
		if x.starts[two/64]&(1<<(two%64)) == 0 {
			continue
		}
		for _, f := range x.forms[fourBytes(s[i:])] {
			if strings.HasPrefix(s[i:], f.text) {
				out.add(f.place(s, i))
				break
			}
		}
	}
}

// place returns what to hide for f at byte i.
func (f form) place(s string, i int) (start, end int) {
	start, end = i, i+len(f.text)
	if !f.base64 {
		return start, end
	}
	if f.before && start > 0 && isBase64(s[start-1]) {
		start--
	}
	if f.after && end < len(s) && isBase64(s[end]) {
		end++
	}
	for n := 0; n < 2 && end < len(s) && s[end] == '='; n++ {
		end++
	}
	return start, end
}

// formsOf returns the ways of writing v that are not escapes, which the views take off.
func formsOf(v string) []form {
	h := hex.EncodeToString([]byte(v))
	return append(base64Forms(v), form{text: v}, form{text: h}, form{text: strings.ToUpper(h)})
}

// base64Forms returns the characters that v alone decides, for each of the three ways it can lie on the four-character
// grid (`user:` before a password moves it), in both alphabets.
func base64Forms(v string) []form {
	var forms []form
	firstWhole := [3]int{0, 2, 3}
	for shift, first := range firstWhole {
		padded := append(make([]byte, shift), v...)
		text := base64.RawStdEncoding.EncodeToString(padded)[first : len(padded)*8/6]
		f := form{text: text, base64: true, before: shift > 0, after: len(padded)%3 != 0}
		forms = append(forms, f)
		f.text = strings.NewReplacer("+", "-", "/", "_").Replace(text)
		forms = append(forms, f)
	}
	return forms
}

func isBase64(c byte) bool {
	return isAlnum(c) || c == '+' || c == '/' || c == '-' || c == '_'
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }
func isLower(c byte) bool { return c >= 'a' && c <= 'z' }
func isUpper(c byte) bool { return c >= 'A' && c <= 'Z' }
func isAlpha(c byte) bool { return isLower(c) || isUpper(c) }
func isAlnum(c byte) bool { return isAlpha(c) || isDigit(c) }
