package jsonc

import (
	"bytes"

	"github.com/tailscale/hujson"
)

// Plain tells whether neither the value nor anything in it has a comment.
func (n *Node) Plain() bool {
	tree, err := hujson.Parse(n.doc.src[n.val.StartOffset:n.val.EndOffset])
	if err != nil {
		return false
	}
	return !hasComment(&tree)
}

// PlainAround tells whether no comment stands in the value around one inside it. A key
// that looks like a comment counts as one.
func (n *Node) PlainAround(inner *Node) bool {
	before, after := n.doc.src[n.val.StartOffset:inner.val.StartOffset], n.doc.src[inner.val.EndOffset:n.val.EndOffset]
	for _, part := range [][]byte{before, after} {
		if bytes.Contains(part, []byte("//")) || bytes.Contains(part, []byte("/*")) {
			return false
		}
	}
	return true
}

func hasComment(v *hujson.Value) bool {
	for part := range v.All() {
		if !onlyBlanks(part.BeforeExtra) || !onlyBlanks(part.AfterExtra) {
			return true
		}
		switch t := part.Value.(type) {
		case *hujson.Object:
			if !onlyBlanks(t.AfterExtra) {
				return true
			}
		case *hujson.Array:
			if !onlyBlanks(t.AfterExtra) {
				return true
			}
		}
	}
	return false
}

func onlyBlanks(e hujson.Extra) bool {
	for _, c := range e {
		if c != ' ' && c != '\t' && c != '\n' && c != '\r' {
			return false
		}
	}
	return true
}
