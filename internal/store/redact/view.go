package redact

import (
	"sort"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// view is a text with one layer of escapes taken off, and the way back. Looking for a secret in views finds it however
// each of its characters happens to be escaped: `%2B`, `%2b` and `+`, `\u0026` and `&`, `\/` and `/`.
type view struct {
	text  string
	cuts  []cut // ascending by out; none: the text is its parent's
	above *view // nil: this is the original
}

// cut says that from byte out of the view on, bytes stand for those of the parent from byte in on, until the next cut.
type cut struct{ out, in int }

// origin returns the place in the original text that byte i of the view stands for.
func (v *view) origin(i int) int {
	for w := v; w.above != nil; w = w.above {
		if n := sort.Search(len(w.cuts), func(k int) bool { return w.cuts[k].out > i }); n > 0 {
			c := w.cuts[n-1]
			i = c.in + i - c.out
		}
		i = min(i, len(w.above.text))
	}
	return i
}

// shallowViews are the views shapes are looked for in: the text, and the text without JSON and without percent escapes.
func shallowViews(s string) []view {
	raw := view{text: s}
	all := []view{raw}
	all = appendView(all, &raw, unescapeJSON)
	return appendView(all, &raw, unescapePercent)
}

// allViews are the views known values are looked for in: two layers, for JSON inside JSON, and a URL inside JSON or the
// reverse. plus: a value has a blank, which a query may write as a plus sign.
func allViews(s string, plus bool) []view {
	raw := view{text: s}
	all := []view{raw}
	layers := []decoder{unescapeJSON, unescapePercent}
	if plus {
		layers = append(layers, unescapeQuery)
	}
	for _, first := range layers {
		n := len(all)
		if all = appendView(all, &raw, first); len(all) == n {
			continue
		}
		once := all[n]
		for _, second := range layers {
			all = appendView(all, &once, second)
		}
	}
	return all
}

// decoder reads one escape at the start of s and returns how many bytes it takes and what they stand for; 0: no escape.
type decoder func(s string) (int, string)

// appendView adds the view of above that decode gives, unless it is the same text.
func appendView(all []view, above *view, decode decoder) []view {
	s := above.text
	if !strings.ContainsAny(s, `\%+`) {
		return all
	}
	v := view{above: above}
	var b strings.Builder
	done := 0
	for i := 0; i < len(s); {
		n, text := decode(s[i:])
		if n == 0 {
			i++
			continue
		}
		b.WriteString(s[done:i])
		b.WriteString(text)
		i += n
		done = i
		v.cuts = append(v.cuts, cut{b.Len(), i}) // up to the escape the old count holds, behind it the new one
	}
	if done == 0 {
		return all
	}
	b.WriteString(s[done:])
	v.text = b.String()
	return append(all, v)
}

// unescapePercent reads `%2b`.
func unescapePercent(s string) (int, string) {
	if len(s) < 3 || s[0] != '%' {
		return 0, ""
	}
	if c, ok := hexByte(s[1:3]); ok {
		return 3, string([]byte{c})
	}
	return 0, ""
}

// unescapeQuery reads `%2b`, and the plus sign that queries and forms write for a blank.
func unescapeQuery(s string) (int, string) {
	if s[0] == '+' {
		return 1, " "
	}
	return unescapePercent(s)
}

var jsonEscapes = map[byte]string{
	'"': `"`, '\'': "'", '\\': `\`, '/': "/", 'b': "\b", 'f': "\f", 'n': "\n", 'r': "\r", 't': "\t",
}

// unescapeJSON reads the escapes of a JSON string and the `\x1b` that Go, Python and C print.
func unescapeJSON(s string) (int, string) {
	if len(s) < 2 || s[0] != '\\' {
		return 0, ""
	}
	if text, ok := jsonEscapes[s[1]]; ok {
		return 2, text
	}
	if s[1] == 'x' && len(s) >= 4 {
		if c, ok := hexByte(s[2:4]); ok {
			return 4, string([]byte{c})
		}
	}
	r, ok := unicodeEscape(s)
	if !ok {
		return 0, ""
	}
	if utf16.IsSurrogate(r) {
		if low, ok := unicodeEscape(s[6:]); ok {
			if both := utf16.DecodeRune(r, low); both != utf8.RuneError {
				return 12, string(both)
			}
		}
	}
	return 6, string(r)
}

// unicodeEscape reads `\u0026` at the start of s.
func unicodeEscape(s string) (rune, bool) {
	if len(s) < 6 || s[0] != '\\' || s[1] != 'u' {
		return 0, false
	}
	high, ok := hexByte(s[2:4])
	low, also := hexByte(s[4:6])
	return rune(high)<<8 | rune(low), ok && also
}

// hexByte reads two hexadecimal digits of either case.
func hexByte(s string) (byte, bool) {
	high, low := hexDigit(s[0]), hexDigit(s[1])
	return byte(high<<4 | low), high >= 0 && low >= 0
}

func hexDigit(c byte) int {
	switch {
	case isDigit(c):
		return int(c - '0')
	case c >= 'a' && c <= 'f':
		return int(c-'a') + 10
	case c >= 'A' && c <= 'F':
		return int(c-'A') + 10
	}
	return -1
}
