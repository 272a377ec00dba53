package commands

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"mime"
	"strings"
	"unicode/utf8"

	"github.com/mcpctl/mcpctl/internal/commands/report"
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

	raw json.RawMessage
}

// contents are those of a resource: text, or a blob in base64.
type contents struct {
	URI, MimeType string
	Text, Blob    *string
}

// readBlock reads a content block; ok is false for what is none that is known.
func readBlock(raw json.RawMessage) (b block, ok bool) {
	if json.Unmarshal(raw, &b) != nil {
		return block{raw: raw}, false
	}
	b.raw = raw
	switch b.Type {
	case "text", "image", "audio", "resource_link", "resource":
		return b, true
	}
	return b, false
}

// shown is the block for people: its text, or what it is and how to get it. server
// is the one to read a linked resource from.
func (b block) shown(server string) string {
	switch b.Type {
	case "text":
		return b.Text
	case "image", "audio":
		return fmt.Sprintf("[%s %s, %d bytes in base64; --save DIR writes it to a file, --json has it]", b.Type, b.MimeType, len(b.Data))
	case "resource_link":
		return b.link(server)
	case "resource":
		if text, ok := b.Resource.words(); ok {
			return text
		}
		return b.Resource.named("--save DIR writes it to a file, --json has it")
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
	return strings.TrimRight(out, " ") + "; read it with: mcpctl read " + shellWord(server) + " " + shellWord(b.URI) + "]"
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

// toolResult is a CallToolResult as far as it is shown.
type toolResult struct {
	content    []block
	structured json.RawMessage
	isError    bool
	strange    json.RawMessage // the whole of what is no tool result
}

// readToolResult reads a result leniently: the call has happened, so whatever came
// of it is shown.
func readToolResult(raw json.RawMessage) toolResult {
	var fields struct {
		Content           json.RawMessage `json:"content"`
		StructuredContent json.RawMessage `json:"structuredContent"`
		IsError           json.RawMessage `json:"isError"`
	}
	if json.Unmarshal(raw, &fields) != nil {
		return toolResult{strange: raw}
	}
	r := toolResult{structured: fields.StructuredContent, isError: string(fields.IsError) == "true"}
	blocks := jsonList(fields.Content)
	if blocks == nil && fields.Content != nil && string(fields.Content) != "null" || fields.Content == nil && fields.StructuredContent == nil {
		r.strange = raw
	}
	for _, one := range blocks {
		b, _ := readBlock(one)
		r.content = append(r.content, b)
	}
	return r
}

// worded tells whether a result says anything in words.
func (r toolResult) worded() bool {
	for _, b := range r.content {
		text := b.Text
		if b.Type == "resource" {
			text, _ = b.Resource.words()
		}
		if text != "" {
			return true
		}
	}
	return false
}

// shellWord quotes a word for a shell where it has to be, so that a command that is
// proposed can be copied.
func shellWord(word string) string {
	const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:@%+,="
	if word != "" && strings.Trim(word, plain) == "" {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// structuredText is structured content for people.
func structuredText(raw json.RawMessage) string {
	return string(bytes.TrimSpace([]byte(report.Indented(raw))))
}
