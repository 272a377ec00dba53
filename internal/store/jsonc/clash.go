package jsonc

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Clash is a pair of keys of one object that a reader might take for the same.
type Clash struct {
	Key1 string
	Pos1 Position
	Key2 string // stands behind Key1
	Pos2 Position

	// Exact is true if both keys are equal, false if they differ by case or folding only.
	Exact bool
}

// Clashes returns the keys of an object that are equal to, or fold to the same as, one in front of them, in the
// order of the text (design §3.1). Folding is Unicode simple case folding, as encoding/json and
// strings.EqualFold have it: "COMMAND", "ſ" for "s" and the Kelvin sign for "k" count. Composed and decomposed
// accents are different keys. The result is nil if there are none or the value is no object.
func (n *Node) Clashes() []Clash {
	members := membersOf(n.val)
	keys := make([]string, len(members))
	for i := range members {
		keys[i] = text(&members[i].Name)
	}
	var clashes []Clash
	for i, like := range earlier(keys) {
		if like < 0 {
			continue
		}
		clashes = append(clashes, Clash{
			Key1: keys[like], Pos1: n.doc.position(members[like].Name.StartOffset),
			Key2: keys[i], Pos2: n.doc.position(members[i].Name.StartOffset), Exact: keys[like] == keys[i],
		})
	}
	return clashes
}

// fewKeys is how many keys are compared each with each rather than looked up.
const fewKeys = 12

// earlier gives for each key the index of the first one in front of it that is equal, else of the first one that
// folds to the same, else -1.
func earlier(keys []string) []int {
	out := make([]int, len(keys))
	if len(keys) <= fewKeys {
		for i, key := range keys {
			if out[i] = slices.Index(keys[:i], key); out[i] < 0 {
				out[i] = slices.IndexFunc(keys[:i], func(k string) bool { return strings.EqualFold(k, key) })
			}
		}
		return out
	}
	exact, folded := make(map[string]int, len(keys)), make(map[string]int, len(keys))
	for i, key := range keys {
		first, same := exact[key]
		like, known := folded[fold(key)]
		switch {
		case same:
			out[i] = first
		case known:
			out[i], exact[key] = like, i
		default:
			out[i], exact[key], folded[fold(key)] = -1, i, i
		}
	}
	return out
}

// fold maps keys that strings.EqualFold holds equal to one string: every code point becomes the smallest of
// those that fold together.
func fold(key string) string {
	ascii := true
	for i := 0; i < len(key); i++ {
		ascii = ascii && key[i] < utf8.RuneSelf
	}
	if ascii {
		return strings.ToUpper(key)
	}
	return strings.Map(func(r rune) rune {
		least := r
		for next := unicode.SimpleFold(r); next != r; next = unicode.SimpleFold(next) {
			least = min(least, next)
		}
		return least
	}, key)
}
