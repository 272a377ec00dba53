package redact

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// invisible are the characters that cannot be seen or that reorder what can, so that a text shows something else than it
// says: bidirectional controls, zero-width and other default-ignorable characters, line separators, tags, variation
// selectors. Ascending. Source: Unicode's Default_Ignorable_Code_Point.
var invisible = [...]struct{ first, last rune }{
	{0x00AD, 0x00AD}, // soft hyphen
	{0x034F, 0x034F}, // combining grapheme joiner
	{0x061C, 0x061C}, // Arabic letter mark
	{0x115F, 0x1160}, // Hangul fillers
	{0x17B4, 0x17B5}, // Khmer inherent vowels
	{0x180B, 0x180F}, // Mongolian selectors and vowel separator
	{0x200B, 0x200F}, // zero-width space, joiners, marks
	{0x2028, 0x202E}, // line and paragraph separator, embeddings, overrides
	{0x2060, 0x206F}, // word joiner, invisible operators, isolates, deprecated controls
	{0x3164, 0x3164}, // Hangul filler
	{0xFE00, 0xFE0F}, // variation selectors
	{0xFEFF, 0xFEFF}, // byte order mark
	{0xFFA0, 0xFFA0}, // half-width Hangul filler
	{0xFFF0, 0xFFFB}, // reserved, interlinear annotation
	{0x1BCA0, 0x1BCA3},
	{0x1D173, 0x1D17A},
	{0xE0000, 0xE0FFF}, // tags, variation selectors supplement
}

// Visible returns s safe for a terminal: control characters other than newline and tab, and bytes that are not UTF-8, as
// `\x1b`; invisible and bidirectional characters as `\u{202e}`. They are shown, not dropped: what an attacker wrote is to be
// seen. The result is valid UTF-8, and Visible of it is itself. Source: design section 14.
func Visible(s string) string {
	return escape(s, false)
}

// Line is Visible for what must stay on one line: a newline becomes `\n`. Source: design section 14.
func Line(s string) string {
	return escape(s, true)
}

func escape(s string, line bool) string {
	var b strings.Builder
	done := 0
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		shown := escaped(r, s[i:i+n], line)
		if shown == "" {
			i += n
			continue
		}
		b.WriteString(s[done:i])
		b.WriteString(shown)
		i += n
		done = i
	}
	if done == 0 {
		return s
	}
	b.WriteString(s[done:])
	return b.String()
}

// escaped returns how r, written as raw, is shown; "" if it may stay.
func escaped(r rune, raw string, line bool) string {
	switch {
	case r == '\n' && line:
		return `\n`
	case r == '\n' || r == '\t':
		return ""
	case r == utf8.RuneError && len(raw) == 1:
		return fmt.Sprintf(`\x%02x`, raw[0])
	case r < 0x20 || r >= 0x7F && r < 0xA0:
		return fmt.Sprintf(`\x%02x`, r)
	case r < invisible[0].first:
		return ""
	}
	for _, set := range invisible {
		if r < set.first {
			return ""
		}
		if r <= set.last {
			return fmt.Sprintf(`\u{%x}`, r)
		}
	}
	return ""
}
