// Package yamlfile reads and edits YAML as the translation to JSON of jsonc.Format, without touching a byte it was
// not asked to touch.
//
// The library tells where each value begins; where it ends is found here, in the text. An edit puts in, cuts or
// respells one member of a mapping, in the style around it. What an alias stands for is not edited; what stands behind an
// alias is first written out in its place.
package yamlfile

import (
	"bytes"
	"errors"
	"io"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/mcpctl/mcpctl/internal/store/jsonc"
)

// Format is YAML 1.2 with its core schema: yes, no, on and off are text, and 010 is ten. Merge keys are keys like
// others. A file holds one document.
type Format struct{}

// Translate reads a text. Aliases are replaced by what they stand for; there is a limit to that.
func (Format) Translate(src []byte) (*jsonc.Translation, error) {
	f, err := parse(src)
	if err != nil {
		return nil, err
	}
	if f.root == nil {
		return &jsonc.Translation{}, nil
	}
	w := &translator{file: f, limit: 16*len(src) + 1<<16}
	if err := w.node(f.root, 0); err != nil {
		return nil, err
	}
	return &w.Translation, nil
}

// parse reads a text into a tree with places; root is nil if it holds no value.
func parse(src []byte) (*file, error) {
	text, skipped := jsonc.SkipMark(src)
	dec := yaml.NewDecoder(bytes.NewReader(text))
	var doc, next yaml.Node
	f := &file{src: src, body: skipped}
	f.findLines()
	err := dec.Decode(&doc)
	if errors.Is(err, io.EOF) {
		return f, nil
	}
	if err != nil {
		return nil, f.syntaxError(err)
	}
	if err := dec.Decode(&next); err == nil {
		return nil, jsonc.ErrorAt(src, f.offset(next.Line, next.Column), "the file holds a second document; mcpctl reads files with one")
	} else if !errors.Is(err, io.EOF) {
		return nil, f.syntaxError(err)
	}
	if len(doc.Content) == 0 {
		return f, nil
	}
	f.anchors, f.aliased = map[*yaml.Node]*node{}, map[*yaml.Node]bool{}
	p := placer{file: f}
	if f.root, err = p.node(doc.Content[0], spot{limit: len(src), indent: -1}, 0); err != nil {
		return nil, err
	}
	for y, n := range f.anchors {
		n.repeated = f.aliased[y]
	}
	if f.root.isEmpty() {
		f.root = nil
	}
	return f, nil
}

var lineOf = pattern(`^yaml: (?:line (\d+): )?`)

// syntaxError gives the library's error its place. The line that the library tells is often the one on which the
// mapping around it begins.
func (f *file) syntaxError(err error) error {
	message := err.Error()
	found := lineOf().FindStringSubmatch(message)
	line := 1
	if found != nil {
		message = strings.TrimPrefix(message, found[0])
		if n, convErr := strconv.Atoi(found[1]); convErr == nil {
			line = n
		}
	}
	if len(f.src) <= closeLook {
		line = f.faultyLine()
	}
	at := f.skip(f.offset(line, 1), " \t")
	return jsonc.ErrorAt(f.src, at, "%s", message)
}

// closeLook is up to which size of a text the line of a fault is looked for, by parsing the start of it some times.
const closeLook = 256 << 10

// faultyLine is the line behind the longest start of the text that parses. A start that ends within brackets or
// quotes does not, though nothing is wrong with it; so some further lines are looked at.
func (f *file) faultyLine() int {
	const further = 20
	good, bad := 0, len(f.lines)
	for {
		for bad-good > 1 {
			if half := (good + bad) / 2; f.parses(half) {
				good = half
			} else {
				bad = half
			}
		}
		next := good + 1
		for next <= good+further && next < len(f.lines) && !f.parses(next) {
			next++
		}
		if next > good+further || next >= len(f.lines) {
			return good + 1
		}
		good, bad = next, len(f.lines)
	}
}

// parses tells whether the first lines of a text do.
func (f *file) parses(lines int) bool {
	var doc yaml.Node
	return yaml.Unmarshal(f.src[f.body:f.lines[lines]], &doc) == nil
}
