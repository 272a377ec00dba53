package redact

import (
	"fmt"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// VisibleJSON is Visible for a JSON text, which stays one with the same values: what is not to be seen, which can only stand
// in a string there, becomes \u202e, and bytes that are not UTF-8 become \ufffd. Source: design section 14.
func VisibleJSON(s string) string {
	var b strings.Builder
	done := 0
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		if escaped(r, s[i:i+n], false) != "" {
			b.WriteString(s[done:i])
			for _, unit := range utf16.Encode([]rune{r}) {
				fmt.Fprintf(&b, `\u%04x`, unit)
			}
			done = i + n
		}
		i += n
	}
	if done == 0 {
		return s
	}
	b.WriteString(s[done:])
	return b.String()
}
