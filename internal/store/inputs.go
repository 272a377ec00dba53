package store

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/internal/store/client"
	"github.com/mcpctl/mcpctl/internal/store/jsonc"
)

// VS Code asks its user for what its files list as inputs, and entries refer to one by
// its ID. mcpctl asks nobody and takes a variable in its place, whose name is made from
// the ID: two inputs can come to be one variable, and their values would be one.

// readInputs keeps what a file lists beside its servers, by ID.
func (src *Source) readInputs(root *jsonc.Node) {
	if !src.clientRow().Dialect.Inputs {
		return
	}
	n := root
	for _, key := range src.keys[:len(src.keys)-1] {
		if n = n.Get(key); n == nil {
			return
		}
	}
	list := n.Get("inputs")
	if list == nil || list.Kind() != jsonc.Array {
		return
	}
	src.inputs = map[string]string{}
	for _, el := range list.Elements() {
		if id := el.Get("id"); id != nil {
			text, _ := id.Text()
			src.inputs[text] = string(el.Raw())
		}
	}
}

// asked are the IDs of the inputs that an entry refers to.
func (e *Entry) asked() []string {
	if !e.Source.clientRow().Dialect.Inputs {
		return nil
	}
	ids := map[string]bool{}
	for _, text := range leaves(e.Raw) {
		for {
			_, rest, found := strings.Cut(text, "${input:")
			id, after, closed := strings.Cut(rest, "}")
			if !found || !closed {
				break
			}
			ids[id], text = true, after
		}
	}
	return slices.Sorted(maps.Keys(ids))
}

// meeting finds the inputs of entries that become one variable and are not one input: of
// one ID in two files that say different things of it, or of two IDs.
type meeting struct {
	first map[string]askedInput // by variable
}

type askedInput struct {
	id    string
	entry *Entry
}

// of tells what the inputs of a further entry meet.
func (m *meeting) of(e *Entry) (out []Problem) {
	if m.first == nil {
		m.first = map[string]askedInput{}
	}
	for _, id := range e.asked() {
		name := client.InputVariable(id)
		was, known := m.first[name]
		if !known {
			m.first[name] = askedInput{id, e}
			continue
		}
		if was.id == id && was.entry.Source.inputs[id] == e.Source.inputs[id] {
			continue
		}
		out = append(out, Problem{Rule: ruleInputsMeet, Code: CodeInvalid, Severity: SeverityWarning, Source: e.Source.Path,
			Line: e.Line, Column: e.Column, Server: e.Name,
			Message: fmt.Sprintf("the input %s of '%s' and the input %s of '%s' at %s are two, and mcpctl takes the variable %s for both", quoted(id), e.Name, quoted(was.id), was.entry.Name, was.entry.where(), name),
			Hint:    "give one of the inputs another id, unless they have one value"})
	}
	return out
}

// noteMeetingInputs tells of inputs of the definitions in force that become one variable.
func (c *Config) noteMeetingInputs() {
	var m meeting
	for _, row := range c.Rows {
		if row.InForce {
			c.Problems = append(c.Problems, m.of(row.Entry)...)
		}
	}
}
