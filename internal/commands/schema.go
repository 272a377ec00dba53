package commands

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mcpctl/mcpctl/internal/commands/report"
	"github.com/mcpctl/mcpctl/internal/engine/wire"
	"github.com/mcpctl/mcpctl/internal/store"
)

const schemaHelp = `Print the JSON Schema (2020-12) of the files that hold servers, for editors: which keys
there are, what they take and what they do. Keys that are not in it are allowed. With
--file it is that of another kind of file.

With --output the schema of the document that a command writes with --json; a command of
two words is written with '-', as in config-get, and "error" is the document on stderr.
Documents may get more fields within schema 1, and the schemas allow for that.

With --list all of them, by the options that print them.

An editor that knows JSON Schema uses one that is kept beside the file, or anywhere:
"$schema": "./mcp.schema.json". mcpctl keeps that key and does not look at it.`

func newSchemaCmd(a *app) *cobra.Command {
	var output, file string
	var list bool
	cmd := &cobra.Command{
		Use: "schema [--file KIND | --output VERB | --list]", Short: "print the JSON Schema of a file or of a command's document", Long: schemaHelp,
		Example: "  mcpctl schema >mcp.schema.json\n  mcpctl schema --file config >config.schema.json\n  mcpctl schema --output list | jq '.properties.servers.items.properties | keys'",
		Args:    names(0, 0, ""),
		RunE: func(cmd *cobra.Command, _ []string) error {
			f := cmd.Flags()
			switch {
			case f.Changed("file") && f.Changed("output"), list && (f.Changed("file") || f.Changed("output")):
				return usagef("give one of --file, --output and --list")
			case list:
				return a.listSchemas()
			case f.Changed("output"):
				return a.printSchema(output)
			}
			return a.printFileSchema(file)
		},
	}
	f := cmd.Flags()
	f.StringVar(&file, "file", fileSchemas[0].name, "the schema of files of `KIND`")
	f.StringVar(&output, "output", "", "the schema of what `VERB` writes with --json")
	f.BoolVar(&list, "list", false, "list the schemas")
	_ = cmd.RegisterFlagCompletionFunc("output", completeDocuments)
	_ = cmd.RegisterFlagCompletionFunc("file", completeFileKinds)
	return cmd
}

// schemaRows is the table of all schemas.
func schemaRows() []report.SchemaRow {
	var rows []report.SchemaRow
	for _, f := range fileSchemas {
		rows = append(rows, report.SchemaRow{Option: "--file", Name: f.name, Description: f.says})
	}
	for _, d := range documents {
		rows = append(rows, report.SchemaRow{Option: "--output", Name: d.name, Description: d.says})
	}
	return rows
}

func (a *app) listSchemas() error {
	doc := report.SchemaList{Schema: wire.Schema, Schemas: schemaRows()}
	return a.print(doc, func(w *bytes.Buffer) error {
		var rows [][]string
		for _, r := range doc.Schemas {
			rows = append(rows, []string{r.Option + " " + r.Name, r.Description})
		}
		return report.Table(w, []string{"SCHEMA", "DESCRIPTION"}, rows)
	})
}

func (a *app) printFileSchema(kind string) error {
	var kinds []string
	for _, f := range fileSchemas {
		if f.name == kind {
			text, err := f.text()
			a.out.WriteString(text)
			return err
		}
		kinds = append(kinds, f.name)
	}
	err := usagef("no kind of file is called '%s'", kind)
	err.Advice = "one of: " + strings.Join(kinds, ", ")
	return err
}

func (a *app) printSchema(verb string) error {
	name := strings.ReplaceAll(verb, " ", "-")
	i := slices.IndexFunc(documents, func(d document) bool { return d.name == name })
	if i < 0 {
		err := usagef("'%s' writes no JSON document that has a schema", verb)
		err.Advice = "one of: " + strings.Join(Documents(), ", ")
		if near := store.Closest(name, Documents()); near != "" {
			err.Advice = "did you mean '" + near + "'?"
		}
		return err
	}
	s, err := documents[i].schema()
	if err != nil {
		return err
	}
	raw, err := json.Marshal(s)
	if err != nil {
		return err
	}
	a.out.WriteString(report.Indented(raw) + "\n")
	return nil
}

func completeDocuments(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	var out []string
	for _, d := range documents {
		out = append(out, cobra.CompletionWithDesc(d.name, d.says))
	}
	return out, cobra.ShellCompDirectiveNoFileComp
}

func completeFileKinds(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	var out []string
	for _, f := range fileSchemas {
		out = append(out, cobra.CompletionWithDesc(f.name, f.says))
	}
	return out, cobra.ShellCompDirectiveNoFileComp
}
