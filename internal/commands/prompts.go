package commands

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mcpctl/mcpctl/internal/commands/report"
	"github.com/mcpctl/mcpctl/internal/engine/wire"
)

const promptsHelp = `List the prompts of one server, or of all. The supervisor is started when there is
none, and keeps the connections.

Arguments in brackets may be left out. With --json each definition is what the
server sent. A server that cannot be asked does not hide the prompts of the others.`

func newPromptsCmd(a *app) *cobra.Command {
	return offerCmd(a, &cobra.Command{
		Use: "prompts [SERVER]", Short: "list the prompts of servers", Long: promptsHelp,
		Example: "  mcpctl prompts\n  mcpctl prompts docs --json | jq '.servers[0].prompts[].name'",
	}, runPrompts)
}

func runPrompts(ctx context.Context, a *app, o *offerOptions) error {
	var doc wire.Prompts
	if err := a.offered(ctx, o, wire.MethodListPrompts, &doc); err != nil {
		return err
	}
	if err := a.print(doc, func(w *bytes.Buffer) error { return promptsTable(w, doc) }); err != nil {
		return err
	}
	var failed []*wire.Error
	for _, sv := range doc.Servers {
		if sv.Error != nil {
			failed = append(failed, sv.Error.On(sv.Name))
		}
	}
	return a.someFailed(failed)
}

// promptShape is a prompt's definition as far as it is shown.
type promptShape struct {
	Name, Title, Description string
	Arguments                []struct {
		Name, Description string
		Required          bool
	}
}

func readPrompt(raw json.RawMessage) promptShape {
	var p promptShape
	_ = json.Unmarshal(raw, &p) // what makes no sense is empty
	return p
}

func promptsTable(w *bytes.Buffer, doc wire.Prompts) error {
	var rows [][]string
	for _, sv := range doc.Servers {
		for _, raw := range sv.Prompts {
			p := readPrompt(raw)
			var args []string
			for _, arg := range p.Arguments {
				if arg.Required {
					args = append(args, arg.Name)
				} else {
					args = append(args, "["+arg.Name+"]")
				}
			}
			if p.Description == "" {
				p.Description = p.Title
			}
			rows = append(rows, []string{sv.Name, p.Name, strings.Join(args, " "), firstLineOf(p.Description)})
		}
	}
	if len(rows) == 0 {
		return nil
	}
	return report.Table(w, []string{"SERVER", "PROMPT", "ARGUMENTS", "DESCRIPTION"}, rows)
}
