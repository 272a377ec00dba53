package yamlfile

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/mcpctl/mcpctl/internal/store/jsonc"
)

// insert adds a member that is not there behind its neighbours and laid out like them.
func (f *file) insert(steps []step, path []string, want *jsonc.Node) ([]byte, error) {
	if len(steps) == 0 { // an empty file
		text := f.memberText(path, want, 0)
		if end := len(f.src); end > f.body && f.src[end-1] != '\n' {
			text = slices.Concat(f.eol(), text)
		}
		return slices.Concat(f.src, text), nil
	}
	in := steps[len(steps)-1].in
	rest := path[len(steps)-1:]
	switch {
	case in.flow && len(in.members) > 0:
		end := in.members[len(in.members)-1].endOf()
		return splice(f.src, end, end, slices.Concat([]byte(", "), f.inlineMember(rest, want))), nil
	case in.flow && in.colon > 0 && len(steps) > 1 && !steps[len(steps)-2].in.flow && in.props == in.start:
		outer := steps[len(steps)-2]
		indent := f.column(outer.in.members[outer.index].key.start) + f.unit()
		text := bytes.TrimSuffix(f.memberText(rest, want, indent), f.eol())
		behind := bytes.TrimRight(f.src[in.end:f.lineEnd(in.end)], "\r") // a comment stays on the line of the key
		return slices.Concat(f.src[:in.colon], behind, f.eol(), text, f.src[in.end+len(behind):]), nil
	case in.flow:
		return splice(f.src, in.start, in.end, slices.Concat([]byte("{ "), f.inlineMember(rest, want), []byte(" }"))), nil
	}
	return f.insertLines(in, rest, want), nil
}

// insertLines adds a member to a mapping by indentation, with an empty line in front where its neighbours have one.
func (f *file) insertLines(in *node, rest []string, want *jsonc.Node) []byte {
	last := in.members[len(in.members)-1]
	to := f.nextLine(last.endOf())
	text := f.memberText(rest, want, f.column(in.start))
	if len(in.members) > 1 && f.apart(last.key.props) {
		text = slices.Concat(f.eol(), text)
	}
	if to == len(f.src) && f.src[to-1] != '\n' {
		text = slices.Concat(f.eol(), bytes.TrimSuffix(text, f.eol()))
	}
	return splice(f.src, to, to, text)
}

// apart tells whether an empty line stands in front of the line of an offset and the comments above it.
func (f *file) apart(at int) bool {
	for start := f.lineStart(at); start > f.body; {
		start = f.lineStart(start - 1)
		if f.isBlankLine(start) || f.src[f.skip(start, " \t")] != '#' {
			return f.isBlankLine(start)
		}
	}
	return false
}

// memberText is a member as lines.
func (f *file) memberText(path []string, want *jsonc.Node, indent int) []byte {
	out := slices.Concat(blanks(indent), text(path[0]), []byte(":"))
	if len(path) > 1 {
		return slices.Concat(out, f.eol(), f.memberText(path[1:], want, indent+f.unit()))
	}
	return slices.Concat(out, f.valueText(want, indent), f.eol())
}

// valueText is what stands behind the colon of a key at an indentation, without the last line end.
func (f *file) valueText(want *jsonc.Node, indent int) []byte {
	switch {
	case want.Kind() == jsonc.Object && len(want.Members()) > 0:
		var out []byte
		for key, v := range want.All() {
			out = slices.Concat(out, f.eol(), bytes.TrimSuffix(f.memberText([]string{key}, v, indent+f.unit()), f.eol()))
		}
		return out
	case want.Kind() == jsonc.Array && len(want.Elements()) > 0 && !f.flowLists():
		column := indent + f.dash()
		return slices.Concat(f.eol(), blanks(column), f.items(want, column))
	}
	return slices.Concat([]byte(" "), f.inline(want))
}

// items are the items of a list with dashes at a column; the first is not indented.
func (f *file) items(list *jsonc.Node, column int) []byte {
	var lines [][]byte
	for _, el := range list.Elements() {
		lines = append(lines, slices.Concat([]byte("- "), f.inline(el)))
	}
	return bytes.Join(lines, slices.Concat(f.eol(), blanks(column)))
}

// inline is a value on one line.
func (f *file) inline(want *jsonc.Node) []byte {
	var items [][]byte
	switch want.Kind() {
	case jsonc.String:
		s, _ := want.Text()
		return text(s)
	case jsonc.Array:
		for _, el := range want.Elements() {
			items = append(items, f.inline(el))
		}
		return slices.Concat([]byte("["), bytes.Join(items, []byte(", ")), []byte("]"))
	case jsonc.Object:
		for key, v := range want.All() {
			items = append(items, f.inlineMember([]string{key}, v))
		}
		if len(items) == 0 {
			return []byte("{}")
		}
		return slices.Concat([]byte("{ "), bytes.Join(items, []byte(", ")), []byte(" }"))
	}
	return want.Raw()
}

func (f *file) inlineMember(path []string, want *jsonc.Node) []byte {
	if len(path) > 1 {
		return slices.Concat(text(path[0]), []byte(": { "), f.inlineMember(path[1:], want), []byte(" }"))
	}
	return slices.Concat(text(path[0]), []byte(": "), f.inline(want))
}

func blanks(n int) []byte { return bytes.Repeat([]byte(" "), n) }

// safe are texts that need no quotes, in brackets neither, and that no reader takes for anything but text.
var (
	safe   = pattern(`^[A-Za-z_/.][A-Za-z0-9_./@+=:-]*(?: [A-Za-z0-9_./@+=-]+)*$`)
	unsafe = pattern(`(?i)^(true|false|yes|no|on|off|null|y|n|\.inf|\.nan|\.[0-9].*|\.\.\.)$|:$|: `)
)

// text spells a string.
func text(s string) []byte {
	if safe().MatchString(s) && !unsafe().MatchString(s) {
		return []byte(s)
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(s) // a string always encodes
	var out strings.Builder
	for _, r := range strings.TrimSuffix(b.String(), "\n") {
		if r >= 0x7f && r <= 0x9f || r == '\ufeff' {
			fmt.Fprintf(&out, `\u%04x`, r)
			continue
		}
		out.WriteRune(r)
	}
	return []byte(out.String())
}

// unit is by how much the file indents: as its first mapping in a mapping does.
func (f *file) unit() int {
	unit := 2
	f.each(func(outer, inner *node) bool {
		deeper := f.column(inner.start) - f.column(outer.start)
		if inner.kind != yaml.MappingNode || inner.flow || deeper <= 0 {
			return false
		}
		unit = deeper
		return true
	})
	return unit
}

// dash is by how much the file indents the items of a list below their key.
func (f *file) dash() int {
	dash := f.unit()
	f.each(func(outer, inner *node) bool {
		if inner.kind != yaml.SequenceNode || inner.flow {
			return false
		}
		dash = max(0, f.column(inner.start)-f.column(outer.start))
		return true
	})
	return dash
}

// flowLists tells whether the file writes its lists in brackets.
func (f *file) flowLists() bool {
	flow := false
	f.each(func(_, inner *node) bool {
		if inner.kind != yaml.SequenceNode || len(inner.items) == 0 {
			return false
		}
		flow = inner.flow
		return true
	})
	return flow
}

// each calls found for the values of members in the order of the text, with the mapping they are in, until it
// returns true.
func (f *file) each(found func(outer, inner *node) bool) {
	var walk func(n *node) bool
	walk = func(n *node) bool {
		for _, m := range n.members {
			if found(n, m.value) || walk(m.value) {
				return true
			}
		}
		return slices.ContainsFunc(n.items, walk)
	}
	if f.root != nil {
		walk(f.root)
	}
}

// eol is how lines end in the text.
func (f *file) eol() []byte {
	if i := bytes.IndexByte(f.src, '\n'); i > 0 && f.src[i-1] == '\r' {
		return []byte("\r\n")
	}
	return []byte("\n")
}
