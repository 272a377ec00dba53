package jsonc

import (
	"encoding/json"
	"errors"
	"slices"
)

// errNotJSON is for an edit that only a text of JSON can have.
var errNotJSON = errors.New("the text is not JSON")

// Around returns the text with its value as the only member, called key, of a new object.
// No byte of what was there changes. It fails for a text without a value, for one of
// another format, and with a *SyntaxError for a result that would break a limit of Parse.
func (d *Document) Around(key string) ([]byte, error) {
	if d.of != nil || d.tree == nil {
		return nil, errNotJSON
	}
	from, to := d.tree.StartOffset, d.tree.EndOffset
	name, err := json.Marshal(key)
	if err != nil {
		return nil, err
	}
	out := splice(d.src, from, to, slices.Concat([]byte("{"), name, []byte(": "), d.src[from:to], []byte("}")))
	_, err = Parse(out)
	return out, err
}
