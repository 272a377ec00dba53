package jsonc

import (
	"errors"
	"fmt"
	"unicode/utf8"

	"github.com/tailscale/hujson"
)

// ErrMemberExists is returned by Rename if the object has a member of the new name already.
var ErrMemberExists = errors.New("there is a member of that name already")

// Rename returns the text with the member at path called key instead. Only the bytes of its key change: value,
// place and comments stay. A key that reads the same already keeps its spelling.
//
// Errors: ErrNoMember, ErrMemberExists, a *PathError if the path cannot be followed, and a plain error for an
// empty path or a key that is not UTF-8.
func (d *Document) Rename(path []string, key string) ([]byte, error) {
	if len(path) == 0 {
		return nil, errEmptyPath
	}
	if !utf8.ValidString(key) {
		return nil, fmt.Errorf("key %q is not UTF-8", key)
	}
	s, err := d.find(path)
	switch {
	case err != nil:
		return nil, err
	case s.member < 0:
		return nil, ErrNoMember
	}
	m := &s.members()[s.member]
	if keyIs(m, key) {
		return d.Bytes(), nil
	}
	for i := range s.members() {
		if keyIs(&s.members()[i], key) {
			return nil, ErrMemberExists
		}
	}
	literal := hujson.String(key)
	out := splice(d.src, m.Name.StartOffset, m.Name.EndOffset, literal)
	if d.of != nil {
		return d.editOriginal(out, path, func(f Format, src []byte) ([]byte, error) { return f.Rename(src, path, key) })
	}
	if err := d.verifyRename(out, s, key); err != nil {
		return nil, err
	}
	return out, nil
}

// verifyRename parses the result again and walks it beside the old text: every value has the bytes it had, every
// key too but the one renamed.
func (d *Document) verifyRename(out []byte, s spot, key string) error {
	after, err := parseWith(out, d.wholeLimit)
	if err != nil {
		return fmt.Errorf("result of the edit: %w", err)
	}
	if after.tree == nil {
		return errBadEdit([]string{key})
	}
	c := comparison{old: d.src, new: out}
	at := after.tree
	for level, obj := range s.objects {
		chosen := s.member
		if level < len(s.parents) {
			chosen = s.parents[level]
		}
		olds, news := membersOf(obj), membersOf(at)
		if len(olds) != len(news) {
			return errBadEdit([]string{key})
		}
		for i := range olds {
			last := level == len(s.objects)-1
			sameKey := c.sameBytes(&olds[i].Name, &news[i].Name) || i == chosen && last && keyIs(&news[i], key)
			if !sameKey || (i != chosen || last) && !c.sameBytes(&olds[i].Value, &news[i].Value) {
				return errBadEdit([]string{key})
			}
		}
		at = &news[chosen].Value
	}
	d.result.Store(after)
	return nil
}
