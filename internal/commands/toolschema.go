package commands

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/mcpctl/mcpctl/internal/commands/report"
	"github.com/mcpctl/mcpctl/internal/engine/wire"
	"github.com/mcpctl/mcpctl/internal/store/redact"
)

// toolsWhole shows tools with their whole descriptions and their arguments.
func (a *app) toolsWhole(doc wire.Tools) error {
	first := true
	for _, sv := range doc.Servers {
		for _, t := range sv.Tools {
			if !first {
				a.out.WriteByte('\n')
			}
			first = false
			if err := a.toolWhole(sv.Name, t); err != nil {
				return err
			}
		}
	}
	return nil
}

func (a *app) toolWhole(server string, t wire.Tool) error {
	var d map[string]json.RawMessage
	_ = json.Unmarshal(t.Definition, &d) // what makes no sense is told as unusable
	a.out.WriteString(redact.Line(server+" "+t.Name) + "\n")
	if t.Unusable != "" {
		a.out.WriteString("unusable: " + redact.Line(t.Unusable) + "\n")
	}
	if onlyAsTask(t.Definition) {
		a.out.WriteString("only as a task: mcpctl does not run tasks, and the server refuses the call\n")
	}
	said := jsonText(d["description"])
	if said == "" {
		said = jsonText(d["title"])
	}
	for line := range strings.Lines(redact.Visible(strings.TrimSpace(said))) {
		a.out.WriteString(strings.TrimRight("  "+strings.TrimRight(line, "\n"), " ") + "\n")
	}
	if hints := toolHints(d["annotations"]); hints != "" {
		a.out.WriteString("  (" + hints + ")\n")
	}
	return argumentsTable(&a.out, newInputSchema(d["inputSchema"]))
}

// toolHints are the server's own words on what a tool does; nothing vouches for them.
func toolHints(raw json.RawMessage) string {
	var h map[string]json.RawMessage
	_ = json.Unmarshal(raw, &h) // no annotations say nothing
	var out []string
	for _, row := range []struct{ key, value, words string }{
		{"readOnlyHint", "true", "says that it only reads"},
		{"destructiveHint", "true", "says that it may destroy"},
		{"idempotentHint", "true", "says that a second call changes nothing more"},
	} {
		if string(h[row.key]) == row.value {
			out = append(out, row.words)
		}
	}
	return strings.Join(out, ", ")
}

// The bounds of a table of arguments: how deep into objects, and how many.
const (
	argumentsDeep = 4
	argumentsMost = 500
)

func argumentsTable(w *bytes.Buffer, s inputSchema) error {
	var rows [][]string
	s.rows(&rows, s.alternatives(s.root), "", 0)
	if len(rows) == 0 {
		return nil
	}
	return report.Table(w, []string{"ARGUMENT", "TYPE", "REQUIRED", "DEFAULT", "DESCRIPTION"}, rows)
}

// rows collects the arguments of an object, each followed by its own members.
func (s inputSchema) rows(rows *[][]string, shape []alternative, above string, depth int) {
	needed := map[string]bool{}
	for _, name := range s.required(shape) {
		needed[name] = true
	}
	for _, name := range propertyNames(shape) {
		if len(*rows) == argumentsMost {
			return
		}
		inner, _ := s.property(shape, name)
		about := s.about(shape, name)
		said := about.Description
		if said == "" {
			said = about.Title
		}
		must := ""
		if needed[name] {
			must = "yes"
		}
		*rows = append(*rows, []string{above + name, s.typeShown(inner), must, string(about.Default), strings.Join(strings.Fields(said), " ")})
		if depth < argumentsDeep && says(inner, kindObject) {
			s.rows(rows, inner, above+name+".", depth+1)
		}
	}
}

// typeShown is a type as the table tells it: with the values that are allowed, and
// of an array with that of its elements.
func (s inputSchema) typeShown(shape []alternative) string {
	shown := strings.TrimPrefix(takes(shape), "of type ")
	for _, a := range shape {
		if a.kinds != kindAny && a.kinds&kindArray != 0 && a.items != nil {
			if of := strings.TrimPrefix(takes(s.alternatives(a.items)), "of type "); of != "any" {
				return strings.Replace(shown, "array", "array of "+of, 1)
			}
		}
	}
	return shown
}
