package client

import (
	"cmp"
	"strings"
	"time"

	"github.com/mcpctl/mcpctl/internal/store/jsonc"
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
	words:    ownWords,
	hide:     "disabled_tools",
	reads:    (*shapeReader).crushCommands,
}).dialect()

var crushSpelling = spelling{
	bare: true, dollar: true,
	forms: "$(echo WORDS)",
	own: func(text string) (ref, rest string) {
		if words, ok := echoed(text); ok {
			return cmp.Or(spelling{bare: true, dollar: true}.read(words).text, "${:-}"), ""
		}
		if rest, runs := strings.CutPrefix(text, "$("); runs {
			return "${:-}", rest // see crushCommands
		}
		return "", text
	},
}

// echoed takes $(echo WORDS) for WORDS, where no shell would do more with them.
func echoed(text string) (words string, ok bool) {
	text, opens := strings.CutPrefix(text, "$(echo ")
	words, closes := strings.CutSuffix(text, ")")
	if !opens || !closes || strings.ContainsAny(words, "()`'\"\\;|&<>*?[]~#!\n\t") {
		return "", false
	}
	return strings.Join(strings.Fields(words), " "), true
}

// crushCommands refuses values that run a command.
func (r *shapeReader) crushCommands() {
	for _, key := range r.of.resolved {
		n := r.get(key)
		if n == nil {
			continue
		}
		texts(n, key, func(_ string, at *jsonc.Node, text string) {
			if _, ok := echoed(text); !ok && strings.Contains(text, "$(") {
				r.refuse(at, key, "a value in '"+key+"' runs a command in Crush, which mcpctl does not", "use a variable, ${NAME}")
			}
		})
	}
}
