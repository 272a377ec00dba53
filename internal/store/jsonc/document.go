// Package jsonc reads and edits JSON with comments without touching a byte it was not asked to touch.
//
// A Document is a text and its syntax tree. Set, Remove, Rename and ReplaceText do not change it: they return a
// new text in which one run of bytes differs (plus, at most, one comma in front of it). Comments, order, unknown
// keys, the spelling of numbers and escapes, line ends, a byte order mark and the end of the file stay as they are.
//
// The syntax tree is hujson's, and grows where it is looked at: Parse checks the whole text without building one
// (scan.go), and objects and arrays are opened when they are asked for (closed.go). hujson's Patch, Format and
// Pack are not used: they lay members out without regard to their neighbours and drop trailing commas. Edits are
// spliced into the bytes instead, at offsets from the tree.
//
// The package is pure: it reads no file and writes none.
package jsonc

import (
	"bytes"
	"sync"
	"sync/atomic"

	"github.com/tailscale/hujson"
)

// MaxDepth is how many levels objects and arrays may be nested (design §3.1). Scanner and parser recurse, and a
// file of less than a megabyte could overflow the stack, which Go cannot recover from.
const MaxDepth = 64

// byteOrderMark is U+FEFF in UTF-8, which some editors put first. It is no part of the JSON text.
const byteOrderMark = "\xef\xbb\xbf"

// Document is one parsed text. It does not change after Parse and may be used by several goroutines.
type Document struct {
	src     []byte // as handed to Parse, byte order mark included; or the translation of another format
	tree    *hujson.Value
	foreign int // see Standard

	of         *original                // the file of another format that src is a translation of; nil for JSON
	wholeLimit int                      // the constant; smaller in tests
	result     atomic.Pointer[Document] // of the last edit

	once  sync.Once
	index lineIndex // built by the first question for a position
}

// Bytes returns the text the document was parsed from. The caller must not change it.
func (d *Document) Bytes() []byte {
	if d.of != nil {
		return d.of.src
	}
	return d.src
}

// Root returns the value of the document, or nil if the text holds none: it is empty, or only blanks and comments.
func (d *Document) Root() *Node {
	if d.tree == nil {
		return nil
	}
	return &Node{doc: d, val: d.tree}
}

// Reread is Parse for a text that an edit of d returned. The last one was parsed already, to check it, and is not
// parsed again; d then forgets it.
func (d *Document) Reread(text []byte) (*Document, error) {
	if isSame(text, d.Bytes()) {
		return d, nil
	}
	if result := d.result.Swap(nil); result != nil && isSame(text, result.Bytes()) {
		return result, nil
	}
	if d.of != nil {
		return ParseAs(d.of.format, text)
	}
	return parseWith(text, d.wholeLimit)
}

// isSame reports whether two texts are the same memory.
func isSame(a, b []byte) bool { return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0]) }

// Standard reports whether the text is JSON as it stands, but for a byte order mark: it has no comment and no
// trailing comma. If not, where is the first comment, or the bracket behind the first trailing comma.
func (d *Document) Standard() (standard bool, where Position) {
	if d.foreign < 0 {
		return true, Position{}
	}
	return false, d.position(d.foreign)
}

// body is the offset of the first byte behind a byte order mark.
func (d *Document) body() int {
	if bytes.HasPrefix(d.src, []byte(byteOrderMark)) {
		return len(byteOrderMark)
	}
	return 0
}
