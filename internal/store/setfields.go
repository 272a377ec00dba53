package store

import (
	"bytes"
	"errors"
	"slices"

	"github.com/mcpctl/mcpctl/internal/store/jsonc"
)

// setFields returns the text doc with fields taken away from, and then given to,
// the object at the path at. Every other byte stays; a field to take away that is
// not there is no error. Errors are those of jsonc.
func setFields(doc []byte, at []string, set []Assignment, unset [][]string) ([]byte, error) {
	for _, path := range unset {
		d, err := jsonc.Parse(doc)
		if err != nil {
			return nil, err
		}
		out, err := d.Remove(slices.Concat(at, path))
		if errors.Is(err, jsonc.ErrNoMember) {
			continue
		}
		if err != nil {
			return nil, err
		}
		doc = out
	}
	for _, field := range set {
		d, err := jsonc.Parse(doc)
		if err != nil {
			return nil, err
		}
		if doc, err = d.Set(slices.Concat(at, field.Path), field.Value); err != nil {
			return nil, err
		}
	}
	return doc, nil
}

// renameMember returns the text doc with the key at the path at, two keys long,
// spelled as to. Only the bytes of the key differ; the member keeps its place.
func renameMember(doc []byte, at []string, to string) ([]byte, error) {
	d, err := jsonc.Parse(doc)
	if err != nil {
		return nil, err
	}
	start := -1
	for _, m := range d.Root().Get(at[0]).Members() {
		switch {
		case m.Key != at[1]:
		case start >= 0:
			return nil, &Error{Code_: CodeInvalid, Server_: at[1], Line: m.KeyPosition.Line, Column: m.KeyPosition.Column,
				Message: "the name stands in the file twice", Hint_: "remove one of them with an editor"}
		default:
			start = m.KeyPosition.Offset
		}
	}
	if start < 0 {
		return nil, jsonc.ErrNoMember
	}
	end := start + 1
	for ; doc[end] != '"'; end++ {
		if doc[end] == '\\' {
			end++ // what is escaped does not end the string
		}
	}
	return bytes.Join([][]byte{doc[:start], plainJSON(to), doc[end+1:]}, nil), nil
}
