package jsonc

import (
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
	members := n.Members()
	var clashes []Clash
	exact := make(map[string]int, len(members))
	folded := make(map[string]int, len(members))
	for i, m := range members {
		first, same := exact[m.Key]
		if !same {
			exact[m.Key] = i
		}
		like, known := folded[fold(m.Key)]
		if !known {
			folded[fold(m.Key)] = i
		}
		if same {
			like = first
		}
		if same || known {
			clashes = append(clashes, Clash{
				Key1: members[like].Key, Pos1: members[like].KeyPosition,
				Key2: m.Key, Pos2: m.KeyPosition, Exact: same,
			})
		}
	}
	return clashes
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
