package jsonc

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/tailscale/hujson"
)

// This file hands one value to a text editor, comments and all, and takes it back.

// Excerpt returns the text of the value at path as an editor would want it: comments kept, the indentation that its
// lines share taken off, lines ended by "\n". ReplaceText takes such a text back.
//
// Errors: ErrNoMember, or a *PathError if the path cannot be followed.
func (d *Document) Excerpt(path []string) ([]byte, error) {
	s, err := d.spotOf(path)
	if err != nil {
		return nil, err
	}
	if d.of != nil {
		return indented(s.value())
	}
	text, _ := d.excerpt(s)
	return text, nil
}

// indented writes a value of another format, whose comments stay where they are, as JSON.
func indented(v *hujson.Value) ([]byte, error) {
	var b bytes.Buffer
	err := json.Indent(&b, appendRaw(nil, v), "", "  ")
	return b.Bytes(), err
}

// ReplaceText returns the text with the value at path replaced by text, which is JSON with comments: its layout
// and comments are taken over, indented as the old value was. Comments around the value in text are left out. A
// text equal to Excerpt leaves everything as it is.
//
// Every other byte stays. Errors: ErrNoMember, a *PathError, and a *SyntaxError for a text that does not parse or a
// result that would break a limit of Parse.
func (d *Document) ReplaceText(path []string, text []byte) ([]byte, error) {
	s, err := d.spotOf(path)
	if err != nil {
		return nil, err
	}
	given, err := Parse(text)
	if err != nil {
		return nil, err
	}
	if given.tree == nil {
		return nil, given.syntaxError(len(text), "there is no value")
	}
	if d.of != nil {
		return d.Set(path, (&Node{doc: given, val: given.tree}).Raw())
	}
	old := s.value()
	was, indent := d.excerpt(s)
	if bytes.Equal(bytes.TrimSuffix(text, []byte("\n")), was) {
		return d.src, nil
	}
	eol := d.newlineBefore(old.StartOffset)
	inner := unix(text[given.tree.StartOffset:given.tree.EndOffset])
	lines := strings.Split(string(inner), "\n")
	for i := 1; i < len(lines); i++ {
		if lines[i] != "" {
			lines[i] = indent + lines[i]
		}
	}
	out := splice(d.src, old.StartOffset, old.EndOffset, []byte(strings.Join(lines, eol)))
	if err := d.verify(out, path, given.tree); err != nil {
		return nil, err
	}
	return out, nil
}

// spotOf is find for a member that must be there.
func (d *Document) spotOf(path []string) (spot, error) {
	if len(path) == 0 {
		return spot{}, errEmptyPath
	}
	s, err := d.find(path)
	if err == nil && s.member < 0 {
		err = ErrNoMember
	}
	return s, err
}

// excerpt returns the text of a value and the indentation taken off its lines but the first.
func (d *Document) excerpt(s spot) (text []byte, indent string) {
	v := s.value()
	lines := strings.Split(string(unix(d.src[v.StartOffset:v.EndOffset])), "\n")
	shared := false
	for _, line := range lines[1:] {
		blanks := line[:len(line)-len(strings.TrimLeft(line, " \t"))]
		switch {
		case line == "":
		case !shared:
			indent, shared = blanks, true
		default:
			indent = commonPrefix(indent, blanks)
		}
	}
	for i := 1; i < len(lines); i++ {
		lines[i] = strings.TrimPrefix(lines[i], indent)
	}
	return []byte(strings.Join(lines, "\n")), indent
}

func commonPrefix(a, b string) string {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return a[:n]
}

func unix(b []byte) []byte { return bytes.ReplaceAll(b, []byte("\r\n"), []byte("\n")) }
