// Package report writes results: a table for people, one versioned JSON document
// or JSON lines for programs, and the error document (design §8). Text that
// comes from outside is made harmless here before it reaches a terminal.
package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/mcpctl/mcpctl/internal/engine/wire"
	"github.com/mcpctl/mcpctl/internal/store/redact"
)

// JSON writes v and a newline: one document, or one line of a stream. An error
// is one of encoding or of w.
func JSON(w io.Writer, v any) error {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return fmt.Errorf("cannot encode the result: %w", err)
	}
	_, err := w.Write(b.Bytes())
	return err
}

// Indented is JSON laid out for reading, without a final newline. raw is valid
// JSON; its key order and number spelling are kept.
func Indented(raw json.RawMessage) string {
	var b bytes.Buffer
	if json.Indent(&b, raw, "", "  ") != nil {
		return string(raw)
	}
	return b.String()
}

// ErrorDocument is what --json puts on stderr for a failure (design §8.2).
type ErrorDocument struct {
	Schema int         `json:"schema"`
	Error  *wire.Error `json:"error"`
}

// Message is one thing to tell a person on stderr.
type Message struct {
	Where string // "path:line:column", or ""
	Text  string
	Hint  string
}

// Tell writes a message in the program's one voice: a prefix, lower case, no
// full stop, the hint on a line of its own.
func Tell(w io.Writer, m Message) {
	text := redact.Line(Brief(m.Text))
	if m.Where != "" {
		text = redact.Line(m.Where) + ": " + text
	}
	fmt.Fprintf(w, "mcpctl: %s\n", text)
	if m.Hint != "" {
		fmt.Fprintf(w, "hint: %s\n", redact.Line(m.Hint))
	}
}

// Brief is the text of a message in one line: of several lines that are quoted
// below a first one that ends with a colon, such as a server's stderr, only the
// last stays. A text that is not so built is returned as it is.
func Brief(text string) string {
	first, rest, ok := strings.Cut(text, ":\n")
	if !ok || strings.Contains(first, "\n") {
		return text
	}
	rest = strings.TrimSpace(rest)
	return first + ": " + strings.TrimSpace(rest[strings.LastIndexByte(rest, '\n')+1:])
}
