package jsonc

import (
	"sync"

	"github.com/tailscale/hujson"
)

// wholeLimit is up to which size an object or array is handed to hujson as a whole when it is opened. Larger ones
// are opened level by level, so that asking for one key of a large object does not build a tree of the others:
// hujson makes about 25 bytes of tree of each byte of text.
const wholeLimit = 16 << 10

// closed is an object or array of which only the place is known so far. The scanner has checked it. It stands in
// hujson's tree in place of the *hujson.Object or *hujson.Array that open makes of it.
type closed struct {
	hujson.ValueTrimmed // nil; hujson's functions must not be handed a tree with one of these

	doc        *Document
	start, end int
	once       sync.Once
	opened     hujson.ValueTrimmed
}

// Kind returns '{' or '['.
func (c *closed) Kind() hujson.Kind { return hujson.Kind(c.doc.src[c.start]) }

// open returns what a value is: a *hujson.Object, a *hujson.Array or a hujson.Literal.
func open(v *hujson.Value) hujson.ValueTrimmed {
	c, ok := v.Value.(*closed)
	if !ok {
		return v.Value
	}
	c.once.Do(c.build)
	return c.opened
}

func (c *closed) build() {
	if c.end-c.start <= c.doc.wholeLimit {
		if v, err := hujson.Parse(c.doc.src[c.start:c.end:c.end]); err == nil {
			shift(&v, c.start)
			c.opened = v.Value
			return
		}
	}
	c.opened, _ = c.doc.scanner(c.start).opened() // it was accepted before
}

// shift moves the places of a tree by the offset of its text in the whole one.
func shift(tree *hujson.Value, by int) {
	for v := range tree.All() {
		v.StartOffset += by
		v.EndOffset += by
	}
}
