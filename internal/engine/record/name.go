package record

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/mcpctl/mcpctl/internal/store/redact"
)

// escapeName writes a name so that it holds neither stop nor anything a terminal acts on, and unescapeName gives back
// exactly the name: filters compare names, and a file may call its server anything. Escapes are `\xNN`, one per byte.
func escapeName(name string, stop byte) string {
	var b strings.Builder
	for i := 0; i < len(name); {
		_, n := utf8.DecodeRuneInString(name[i:])
		raw := name[i : i+n]
		if raw == `\` || raw[0] == stop || !plain(raw) {
			for _, c := range []byte(raw) {
				fmt.Fprintf(&b, `\x%02x`, c)
			}
		} else {
			b.WriteString(raw)
		}
		i += n
	}
	return b.String()
}

// plain reports whether one character may stand on a terminal as it is.
func plain(char string) bool {
	return char[0] >= ' ' && char[0] <= '~' || redact.Line(char) == char
}

func unescapeName(text string) string {
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		if strings.HasPrefix(text[i:], `\x`) && len(text) >= i+4 {
			if c, err := strconv.ParseUint(text[i+2:i+4], 16, 8); err == nil {
				b.WriteByte(byte(c))
				i += 3
				continue
			}
		}
		b.WriteByte(text[i])
	}
	return b.String()
}
