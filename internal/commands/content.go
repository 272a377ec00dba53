package commands

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"mime"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/mcpctl/mcpctl/internal/commands/report"
	"github.com/mcpctl/mcpctl/internal/store/redact"
)

// block is one content block of a tool's result or of a prompt's message, as far as
// it is shown. What a server sends may be anything; what does not fit is shown as it
// came.
type block struct {
	Type        string
	Text        string
	MimeType    string
	Data        string // image and audio, in base64
	URI         string // resource_link
	Name, Title string
	Description string
	Size        *int64
	Resource    contents // resource

	raw json.RawMessage // of what is none of these
}

// contents are those of a resource: text, or a blob in base64.
type contents struct {
	URI, MimeType string
	Text, Blob    *string
}

// UnmarshalJSON implements json.Unmarshaler. It has no error: what is no block, or of
// a kind that is not known, is kept as it came.
func (b *block) UnmarshalJSON(raw []byte) error {
	type plain block
	if json.Unmarshal(raw, (*plain)(b)) == nil && slices.Contains(knownBlocks, b.Type) {
		return nil
	}
	*b = block{raw: slices.Clone(raw)}
	return nil
}

// knownBlocks are the types of content (MCP 2025-11-25, ContentBlock).
var knownBlocks = []string{"text", "image", "audio", "resource_link", "resource"}

// shown is the block for people: its text, or what it is and how to get it. server
// is the one to read a linked resource from.
func (b block) shown(server string) string {
	switch b.Type {
	case "text":
		return b.Text
	case "image", "audio":
		return fmt.Sprintf("[%s %s, %d bytes in base64; --json has them]", b.Type, b.MimeType, len(b.Data))
	case "resource_link":
		return b.link(server)
	case "resource":
		if text, ok := b.Resource.words(); ok {
			return text
		}
		return b.Resource.named("--json has them")
	}
	return string(b.raw)
}

// link names a linked resource and the command that reads it.
func (b block) link(server string) string {
	about := b.Name
	if b.Title != "" {
		about = b.Title
	}
	var kind []string
	if b.MimeType != "" {
		kind = append(kind, b.MimeType)
	}
	if b.Size != nil {
		kind = append(kind, fmt.Sprintf("%d bytes", *b.Size))
	}
	out := "[resource " + b.URI + " " + about
	if len(kind) > 0 {
		out += " (" + strings.Join(kind, ", ") + ")"
	}
	if b.Description != "" {
		out += ": " + firstLineOf(b.Description)
	}
	return strings.TrimRight(out, " ") + "; read it with: mcpctl read " + redact.ShellWord(server) + " " + redact.ShellWord(b.URI) + "]"
}

// words is the text of a resource: also that of a blob whose type says that it is
// text, and which is.
func (c contents) words() (string, bool) {
	if c.Text != nil {
		return *c.Text, true
	}
	if c.Blob == nil || !textual(c.MimeType) {
		return "", false
	}
	data, err := decodeBase64(*c.Blob)
	return string(data), err == nil && utf8.Valid(data)
}

// named says what a resource without text is.
func (c contents) named(how string) string {
	size := 0
	if c.Blob != nil {
		size = len(*c.Blob)
	}
	return fmt.Sprintf("[resource %s %s, %d bytes in base64; %s]", c.URI, c.MimeType, size, how)
}

// textual tells whether a MIME type is one of text.
func textual(mimeType string) bool {
	kind, _, err := mime.ParseMediaType(mimeType)
	return err == nil && (strings.HasPrefix(kind, "text/") || kind == "application/json" ||
		strings.HasSuffix(kind, "+json") || strings.HasSuffix(kind, "+xml") || kind == "application/xml")
}

// decodeBase64 reads base64 in the two alphabets, padded or not, with or without
// line ends: servers are not of one mind.
func decodeBase64(text string) ([]byte, error) {
	text = strings.NewReplacer("\r", "", "\n", "", "-", "+", "_", "/").Replace(text)
	return base64.RawStdEncoding.DecodeString(strings.TrimRight(text, "="))
}

// toolResult is a CallToolResult as far as people are shown it. It is read leniently:
// the call has happened, so whatever came of it is shown.
type toolResult struct {
	Content    blocks          `json:"content"`
	Structured json.RawMessage `json:"structuredContent"`
	IsError    json.RawMessage `json:"isError"`

	strange json.RawMessage // the whole of what is no tool result
}

// blocks are those of a result. It keeps no copy of them beside their text: some
// have many megabytes.
type blocks []block

// UnmarshalJSON implements json.Unmarshaler. What is no list is an error.
func (b *blocks) UnmarshalJSON(raw []byte) error {
	list := []block{}
	err := json.Unmarshal(raw, &list)
	*b = list
	return err
}

func readToolResult(raw json.RawMessage) toolResult {
	var r toolResult
	if json.Unmarshal(raw, &r) != nil || r.Content == nil && r.Structured == nil && saysMore(raw) {
		return toolResult{strange: raw, IsError: errorMark(raw)}
	}
	return r
}

// saysMore tells whether a result without content has members of its own.
func saysMore(raw json.RawMessage) bool {
	return slices.ContainsFunc(members(raw), func(m member) bool { return m.key != "_meta" && m.key != "isError" && m.key != "resultType" })
}

// errorMark is the isError of a result that makes no sense otherwise.
func errorMark(raw json.RawMessage) json.RawMessage {
	var fields struct{ IsError json.RawMessage }
	_ = json.Unmarshal(raw, &fields) // then there is none
	return fields.IsError
}

// failed tells whether the tool reported an error.
func (r toolResult) failed() bool { return string(r.IsError) == "true" }

// pieces are the result as text for people, one behind the other: each block begins a
// line, and one that was saved is the path of its file. Structured content is shown
// where no block says anything in words: otherwise it is the same again, for programs.
func (r toolResult) pieces(server string, saved []report.Saved) []string {
	if r.strange != nil {
		return []string{report.Indented(r.strange)}
	}
	var texts []string
	worded := false
	for i, b := range r.Content {
		text := b.shown(server)
		worded = worded || b.worded() && text != ""
		for _, f := range saved {
			if f.Block == i {
				text = f.Path
			}
		}
		if text != "" {
			texts = append(texts, text)
		}
	}
	if r.Structured != nil && string(r.Structured) != "null" && !worded {
		texts = append(texts, report.Indented(r.Structured))
	}
	var pieces []string
	for i, text := range texts {
		if pieces = append(pieces, text); i < len(texts)-1 && !strings.HasSuffix(text, "\n") {
			pieces = append(pieces, "\n")
		}
	}
	return pieces
}

// worded tells whether what is shown of a block is words of the server.
func (b block) worded() bool {
	if b.Type == "resource" {
		_, ok := b.Resource.words()
		return ok
	}
	return b.Type == "text"
}
