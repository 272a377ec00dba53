package yamlfile

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/mcpctl/mcpctl/internal/store/jsonc"
)

// AnchorError says that an edit would change what other places of the file repeat, or what stands elsewhere.
type AnchorError struct {
	jsonc.Position
	Why string
}

// Error returns, for example, "line 3, column 4: the value has an anchor (&x) …".
func (e *AnchorError) Error() string { return e.Position.String() + ": " + e.Why }

// Code is the word of the exit code table (design §8.3).
func (e *AnchorError) Code() string { return "MCP_CONFIG_INVALID" }

func (f *file) anchorError(n *node, why string) error {
	return &AnchorError{jsonc.ErrorAt(f.src, n.props, "").Position, why + ", which mcpctl does not edit; change the file by hand"}
}

// step is a mapping on the way of a path, and the member the path goes on with.
type step struct {
	in    *node
	index int // -1: there is no such member
}

// follow goes along a path as far as there are members. The path does not go on behind an alias; see written.
func (f *file) follow(path []string) (steps []step, err error) {
	at := f.root
	for _, key := range path {
		if at == nil {
			return steps, nil
		}
		switch {
		case at.repeated:
			return nil, f.anchorError(at, "the value around it has an anchor (&"+at.anchor+") that other places repeat")
		case at.kind != yaml.MappingNode:
			return nil, fmt.Errorf("%q stands below no mapping", key)
		}
		i := slices.IndexFunc(at.members, func(m member) bool { return m.key.kind == yaml.ScalarNode && m.key.text == key })
		steps = append(steps, step{at, i})
		if i < 0 {
			return steps, nil
		}
		at = at.members[i].value
	}
	return steps, nil
}

// written reads a text in which the aliases that a path leads through are replaced by what they stand for: an edit
// behind one is about this place alone.
func written(src []byte, path []string) (*file, []step, error) {
	for {
		f, err := parse(src)
		if err != nil {
			return nil, nil, err
		}
		depth, alias := f.firstAlias(path)
		if alias == nil {
			steps, err := f.follow(path)
			return f, steps, err
		}
		steps, err := f.follow(path[:depth])
		if err != nil {
			return nil, nil, err
		}
		want, err := f.meaning(alias)
		if err != nil {
			return nil, nil, err
		}
		last := steps[len(steps)-1]
		src = f.replace(last.in, last.in.members[last.index], want)
	}
}

// firstAlias is the alias that a path leads through first, and how many keys lead to it.
func (f *file) firstAlias(path []string) (depth int, alias *node) {
	at := f.root
	for i, key := range path {
		switch {
		case at == nil:
			return 0, nil
		case at.kind == yaml.AliasNode:
			return i, at
		}
		j := slices.IndexFunc(at.members, func(m member) bool { return m.key.kind == yaml.ScalarNode && m.key.text == key })
		if j < 0 {
			return 0, nil
		}
		at = at.members[j].value
	}
	return 0, nil
}

// meaning is what an alias stands for.
func (f *file) meaning(alias *node) (*jsonc.Node, error) {
	w := translator{file: f, limit: len(f.src)*16 + 1<<16}
	if err := w.node(alias, 0); err != nil {
		return nil, err
	}
	if len(w.Remarks) > 0 { // such as a merge key: it would mean something else when it is written out
		return nil, f.anchorError(alias, "the value stands elsewhere, behind the alias *"+alias.text+", and cannot be written out")
	}
	doc, err := jsonc.Parse(w.JSON)
	if err != nil {
		return nil, err
	}
	return doc.Root(), nil
}

// loose refuses a value that others repeat, or that holds one. A key that is an alias is not respelled either.
func (f *file) loose(n *node) error {
	if n.repeated {
		return f.anchorError(n, "the value has an anchor (&"+n.anchor+") that other places repeat")
	}
	for _, m := range n.members {
		if err := f.loose(m.key); err != nil {
			return err
		}
		if err := f.loose(m.value); err != nil {
			return err
		}
	}
	for _, item := range n.items {
		if err := f.loose(item); err != nil {
			return err
		}
	}
	return nil
}

// Set writes a value at a path. A mapping that is there is changed member by member, so that what stays keeps its
// bytes and comments.
func (Format) Set(src []byte, path []string, value json.RawMessage) ([]byte, error) {
	doc, err := jsonc.Parse(value)
	if err != nil {
		return nil, err
	}
	return set(src, path, doc.Root())
}

func set(src []byte, path []string, want *jsonc.Node) ([]byte, error) {
	f, steps, err := written(src, path)
	if err != nil {
		return nil, err
	}
	if len(steps) == 0 || len(steps) < len(path) || steps[len(steps)-1].index < 0 {
		return f.insert(steps, path, want)
	}
	last := steps[len(steps)-1]
	m := last.in.members[last.index]
	if m.value.kind == yaml.MappingNode && want.Kind() == jsonc.Object && !m.value.repeated {
		return f.setMembers(path, m.value, want)
	}
	if err := f.loose(m.value); err != nil {
		return nil, err
	}
	return f.replace(last.in, m, want), nil
}

// setMembers makes a mapping that is there have exactly the members wanted.
func (f *file) setMembers(path []string, is *node, want *jsonc.Node) ([]byte, error) {
	src, err := f.src, error(nil)
	for _, m := range is.members {
		if want.Get(m.key.text) == nil {
			if src, err = (Format{}).Remove(src, append(slices.Clone(path), m.key.text)); err != nil {
				return nil, err
			}
		}
	}
	for key, v := range want.All() {
		if i := slices.IndexFunc(is.members, func(m member) bool { return m.key.text == key }); i >= 0 {
			w := translator{file: f, limit: len(f.src)*16 + 1<<16}
			if err := w.node(is.members[i].value, 0); err != nil {
				return nil, err
			}
			if bytes.Equal(w.JSON, v.Raw()) {
				continue
			}
		}
		if src, err = set(src, append(slices.Clone(path), key), v); err != nil {
			return nil, err
		}
	}
	return src, nil
}

// replace puts a value in the place of another.
func (f *file) replace(in *node, m member, want *jsonc.Node) []byte {
	was := m.value
	if was.kind == yaml.SequenceNode && !was.flow && want.Kind() == jsonc.Array && len(want.Elements()) > 0 && was.props == was.start {
		return splice(f.src, was.start, was.end, f.items(want, f.column(was.start)))
	}
	if !in.flow && !was.isFlow() || was.isEmpty() || want.Kind() == jsonc.Object && !in.flow && len(want.Members()) > 0 {
		text := f.valueText(want, f.column(m.key.start))
		from := max(was.colon, m.key.end)
		if text[0] != ' ' && f.lineStart(from) == f.lineStart(was.end) { // a comment stays on the line of the key
			behind := bytes.TrimRight(f.src[was.end:f.lineEnd(was.end)], "\r")
			return slices.Concat(f.src[:from], behind, text, f.src[was.end+len(behind):])
		}
		return splice(f.src, from, was.end, text)
	}
	return splice(f.src, was.props, was.end, f.inline(want))
}

// isFlow tells whether a value may be replaced where it stands: it is in brackets or on the line of its key.
func (n *node) isFlow() bool { return n.flow }

// column is how far an offset is from the start of its line.
func (f *file) column(at int) int { return at - f.lineStart(at) }

// memberAt reads a text and finds the member that is there at the end of a path.
func memberAt(src []byte, path []string) (*file, step, error) {
	f, steps, err := written(src, path)
	if err != nil {
		return nil, step{}, err
	}
	if len(steps) < len(path) || steps[len(steps)-1].index < 0 {
		return nil, step{}, jsonc.ErrNoMember
	}
	return f, steps[len(steps)-1], nil
}

// Remove cuts the member at a path: its lines in a mapping by indentation, itself and a comma in brackets.
func (Format) Remove(src []byte, path []string) ([]byte, error) {
	f, last, err := memberAt(src, path)
	if err != nil {
		return nil, err
	}
	m := last.in.members[last.index]
	if err := f.loose(m.key); err != nil {
		return nil, err
	}
	if err := f.loose(m.value); err != nil {
		return nil, err
	}
	if last.in.flow {
		from, to := last.in.without(f, last.index)
		return splice(f.src, from, to, nil), nil
	}
	return f.removeLines(last.in, last.index), nil
}

// without is what goes with a member in braces.
func (n *node) without(f *file, i int) (from, to int) {
	switch {
	case i < len(n.members)-1:
		return n.members[i].key.props, n.members[i+1].key.props
	case i > 0:
		return n.members[i-1].endOf(), n.members[i].endOf()
	}
	return n.start + 1, placer{f}.between(n.members[i].endOf())
}

func (m member) endOf() int { return max(m.key.end, m.value.colon, m.value.end) }

// removeLines cuts the lines of a member. A mapping that would have none left becomes {}.
func (f *file) removeLines(in *node, i int) []byte {
	m := in.members[i]
	from, to := m.key.props, m.endOf()
	if f.skip(f.lineStart(from), " ") != from { // behind the dash of an item
		if i+1 < len(in.members) {
			return splice(f.src, from, in.members[i+1].key.props, nil)
		}
		return splice(f.src, from, to, []byte("{}"))
	}
	from, to = f.lineStart(from), f.nextLine(to)
	if len(in.members) > 1 {
		before := from == f.body || f.isBlankLine(f.lineStart(from-1))
		switch behind := to < len(f.src) && f.isBlankLine(to); {
		case before && behind:
			to = f.nextLine(to)
		case before && i > 0 && i == len(in.members)-1: // what set it apart from its neighbours
			from = f.lineStart(from - 1)
		}
		return splice(f.src, from, to, nil)
	}
	out := splice(f.src, from, to, nil)
	if in.colon > 0 {
		return splice(out, in.colon, in.colon, []byte(" {}"))
	}
	return splice(out, from, from, slices.Concat([]byte("{}"), f.eol()))
}

func (f *file) isBlankLine(start int) bool {
	return len(bytes.TrimSpace(f.src[start:f.lineEnd(start)])) == 0
}

// Rename respells the key at the end of a path.
func (Format) Rename(src []byte, path []string, key string) ([]byte, error) {
	f, last, err := memberAt(src, path)
	if err != nil {
		return nil, err
	}
	old := last.in.members[last.index].key
	if err := f.loose(old); err != nil {
		return nil, err
	}
	return splice(f.src, old.props, old.end, text(key)), nil
}

func splice(src []byte, start, end int, insert []byte) []byte {
	return slices.Concat(src[:start], insert, src[end:])
}
