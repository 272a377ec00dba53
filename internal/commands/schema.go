package commands

import (
	_ "embed"
	"encoding/json"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mcpctl/mcpctl/internal/commands/report"
	"github.com/mcpctl/mcpctl/internal/store"
)

const schemaHelp = `Print the JSON Schema (2020-12) of the files that hold servers, for editors: which keys
there are, what they take and what they do. Keys that are not in it are allowed.

With --lock the schema of mcp.lock.json; see mcpctl-lock-file(5).

With --output the schema of the document that a command writes with --json; a command of
two words is written with '-', as in config-get, and "error" is the document on stderr.
Documents may get more fields within schema 1, and the schemas allow for that.`

//go:embed mcp.schema.json
var mcpSchema string

//go:embed mcp.lock.schema.json
var lockSchema string

func newSchemaCmd(a *app) *cobra.Command {
	var output string
	var lock bool
	cmd := &cobra.Command{
		Use: "schema [--lock | --output VERB]", Short: "print the JSON Schema of mcp.json, of mcp.lock.json or of a command's document", Long: schemaHelp,
		Example: "  mcpctl schema >mcp.schema.json\n  mcpctl schema --output list | jq '.properties.servers.items.properties | keys'",
		Args:    names(0, 0, ""),
		RunE: func(cmd *cobra.Command, _ []string) error {
			switch wanted := cmd.Flags().Changed("output"); {
			case lock && wanted:
				return usageOf(cmd, "--lock and --output do not go together")
			case lock:
				a.out.WriteString(lockSchema)
				return nil
			case !wanted:
				a.out.WriteString(mcpSchema)
				return nil
			}
			return a.printSchema(output)
		},
	}
	cmd.Flags().BoolVar(&lock, "lock", false, "the schema of mcp.lock.json")
	cmd.Flags().StringVar(&output, "output", "", "the schema of what `VERB` writes with --json")
	_ = cmd.RegisterFlagCompletionFunc("output", completeDocuments)
	return cmd
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
