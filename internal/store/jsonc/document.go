// Package jsonc reads and edits JSON with comments without touching a byte it was not asked to touch.
//
// A Document is a text and its syntax tree. Set, Remove, Rename and ReplaceText do not change it: they return a
// new text in which one run of bytes differs (plus, at most, one comma in front of it). Comments, order, unknown
// keys, the spelling of numbers and escapes, line ends, a byte order mark and the end of the file stay as they are.
//
// The syntax tree is hujson's. Its Patch, Format and Pack are not used: they lay members out without regard to
// their neighbours and drop trailing commas. Edits are spliced into the bytes instead, at offsets from the tree.
//
// The package is pure: it reads no file and writes none.
package jsonc

import (
	"bytes"
	"sync"

	"github.com/tailscale/hujson"
)

// MaxDepth is how many levels objects and arrays may be nested (design §3.1). The parser underneath recurses,
// and a file of less than a megabyte can overflow its stack, which Go cannot recover from; so the limit is
// enforced before it sees the text.
const MaxDepth = 64

// byteOrderMark is U+FEFF in UTF-8, which some editors put first. It is no part of the JSON text.
const byteOrderMark = "\xef\xbb\xbf"

// Document is one parsed text. It does not change after Parse and may be used by several goroutines.
type Document struct {
	src   []byte // as handed to Parse, byte order mark included
	tree  *hujson.Value
	once  sync.Once
	index lineIndex // built by the first question for a position
}

// Bytes returns the text the document was parsed from. The caller must not change it.
func (d *Document) Bytes() []byte { return d.src }

// Root returns the value of the document, or nil if the text holds none: it is empty, or only blanks and comments.
func (d *Document) Root() *Node {
	if d.tree == nil {
		return nil
	}
	return &Node{doc: d, val: d.tree}
}

// body is the offset of the first byte behind a byte order mark.
func (d *Document) body() int {
	if bytes.HasPrefix(d.src, []byte(byteOrderMark)) {
		return len(byteOrderMark)
	}
	return 0
}
