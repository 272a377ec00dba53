package client

import (
	"strings"
	"time"
)

// Crush: `mcp` among the other settings, plain JSON, seconds, and a `type` in every
// entry. Values are expanded as a shell would: $NAME, ${NAME} and $(command). Of commands
// mcpctl understands the one that its documentation shows, an echo of words and
// variables, which needs no shell; any other is refused, since it would have to run.
var crushDialect = (&shape{
	client:   "Crush",
	spelling: crushSpelling,
	resolved: []string{"command", "args", "env", "url", "headers"},
	unit:     time.Second,
	off:      "disabled",
	words:    map[string]string{"stdio": "stdio", "http": "http", "sse": "sse"},
	hide:     "disabled_tools",
	reads:    (*shapeReader).crushCommands,
}).dialect()

var crushSpelling = func() spelling {
	plain := dollars(false)
	return spelling{
		forms: plain.forms + ", $(echo WORDS)",
		read: func(text string) string {
			if words, ok := echoed(text); ok {
				text = words
			}
			before, after, runs := strings.Cut(text, "$(")
			if !runs {
				return plain.read(text)
			}
			return plain.read(before) + "${:-}" + plain.read(after) // see crushCommands
		},
		ref: plain.ref,
	}
}()

// echoed takes $(echo WORDS) for WORDS, where no shell would do more with them.
func echoed(text string) (words string, ok bool) {
	text, opens := strings.CutPrefix(text, "$(echo ")
	words, closes := strings.CutSuffix(text, ")")
	if !opens || !closes || strings.ContainsAny(words, "()`'\"\\;|&<>*?[]~#!\n\t") {
		return "", false
	}
	return strings.Join(strings.Fields(words), " "), true
}

func (r *shapeReader) crushCommands() {
	for _, key := range r.of.resolved {
		n := r.get(key)
		if n == nil {
			continue
		}
		at, text := holding(n, "$(")
		if at == nil {
			continue
		}
		if _, ok := echoed(text); !ok {
			r.refuse(at, key, "a value in '"+key+"' runs a command in Crush, which mcpctl does not", "use a variable, ${NAME}")
		}
	}
}
