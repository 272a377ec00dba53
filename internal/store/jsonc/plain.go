package jsonc

import (
	"bytes"

	"github.com/tailscale/hujson"
)

// Plain tells whether neither the value nor anything in it has a comment.
func (n *Node) Plain() bool {
	start, end := n.Span()
	tree, err := hujson.Parse(n.doc.src[start:end])
	if err != nil {
		return false
	}
	return !hasComment(&tree)
}

// PlainAround tells whether no comment stands in the value around one inside it. A key
// that looks like a comment counts as one.
func (n *Node) PlainAround(inner *Node) bool {
	start, end := n.Span()
	from, to := inner.Span()
	for _, part := range [][]byte{n.doc.src[start:from], n.doc.src[to:end]} {
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
