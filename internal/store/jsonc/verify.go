package jsonc

import (
	"bytes"
	"fmt"

	"github.com/tailscale/hujson"
)

// verify parses the result of an edit again and compares: the path reads back as want, or is absent if want is
// nil, and every other member on the way has the bytes it had. It is the last guard against a bug in this
// package writing a file that means something else. Only the objects on the way are opened.
func (d *Document) verify(out []byte, path []string, want *hujson.Value) error {
	after, err := parseWith(out, d.wholeLimit)
	if err != nil {
		return fmt.Errorf("result of the edit: %w", err)
	}
	if after.tree == nil || kindOf(after.tree) != Object {
		return errBadEdit(path)
	}
	c := comparison{old: d.src, new: out, want: want}
	if !c.same(d.tree, after.tree, path) {
		return errBadEdit(path)
	}
	d.result.Store(after)
	return nil
}

func errBadEdit(path []string) error {
	return fmt.Errorf("edit of %q would not read back as meant; nothing was changed", path)
}

type comparison struct {
	old, new []byte
	want     *hujson.Value
}

// same compares two objects at which path starts. before is nil if the edit made the object.
func (c comparison) same(before, after *hujson.Value, path []string) bool {
	var olds []hujson.ObjectMember
	if before != nil {
		olds = membersOf(before)
	}
	var edited, was *hujson.Value
	news := membersOf(after)
	for i := range news {
		if keyIs(&news[i], path[0]) {
			if edited != nil {
				return false
			}
			edited = &news[i].Value
		}
	}
	o := 0
	for i := range news {
		if o < len(olds) && keyIs(&olds[o], path[0]) {
			was = &olds[o].Value
			o++
		}
		if &news[i].Value == edited {
			continue
		}
		if o == len(olds) || !c.sameBytes(&olds[o].Name, &news[i].Name) || !c.sameBytes(&olds[o].Value, &news[i].Value) {
			return false
		}
		o++
	}
	if o < len(olds) && keyIs(&olds[o], path[0]) {
		was = &olds[o].Value
		o++
	}
	return o == len(olds) && c.sameEdited(was, edited, path)
}

// sameEdited compares the member path[0] itself.
func (c comparison) sameEdited(was, edited *hujson.Value, path []string) bool {
	switch {
	case len(path) == 1 && c.want == nil:
		return edited == nil
	case edited == nil:
		return false
	case len(path) == 1:
		return equal(c.want, edited)
	default:
		return kindOf(edited) == Object && c.same(was, edited, path[1:])
	}
}

func (c comparison) sameBytes(a, b *hujson.Value) bool {
	return bytes.Equal(c.old[a.StartOffset:a.EndOffset], c.new[b.StartOffset:b.EndOffset])
}

// equal reports whether two values read the same: strings by what they mean, numbers by spelling, keys in the
// same order, for order has a meaning in some objects (design §5.1).
func equal(a, b *hujson.Value) bool {
	if kindOf(a) != kindOf(b) {
		return false
	}
	switch x := open(a).(type) {
	case *hujson.Object:
		xs, ys := x.Members, membersOf(b)
		if len(xs) != len(ys) {
			return false
		}
		for i := range xs {
			if text(&xs[i].Name) != text(&ys[i].Name) || !equal(&xs[i].Value, &ys[i].Value) {
				return false
			}
		}
		return true
	case *hujson.Array:
		y, ok := open(b).(*hujson.Array)
		if !ok || len(x.Elements) != len(y.Elements) {
			return false
		}
		for i := range x.Elements {
			if !equal(&x.Elements[i], &y.Elements[i]) {
				return false
			}
		}
		return true
	case hujson.Literal:
		y, ok := b.Value.(hujson.Literal)
		return ok && (bytes.Equal(x, y) || kindOf(a) == String && text(a) == text(b))
	default:
		return false
	}
}
