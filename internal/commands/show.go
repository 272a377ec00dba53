package commands

import (
	"bytes"
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mcpctl/mcpctl/internal/commands/report"
	"github.com/mcpctl/mcpctl/internal/engine"
	"github.com/mcpctl/mcpctl/internal/engine/wire"
	"github.com/mcpctl/mcpctl/internal/store/redact"
)

const showHelp = `Show one server whole: the entry as its file has it, where it stands, whether
it is approved, what overrides it and what it hides. Secrets are hidden; references
such as ${NAME} are shown. --reveal shows the secrets too, on a terminal only.

Every entry of the name is shown, the one in force first.`

type showOptions struct {
	name   string
	reveal bool
}

func newShowCmd(a *app) *cobra.Command {
	o := &showOptions{}
	cmd := &cobra.Command{
		Use: "show NAME", Aliases: []string{"get"}, Short: "show one server, whole, with its origin",
		Long: showHelp, Example: "  mcpctl show docs\n  mcpctl show docs --json | jq -r '.servers[0].fingerprint'",
		Args: names(1, 1, "a server"), ValidArgsFunction: a.completeOneServer,
		RunE: func(cmd *cobra.Command, args []string) error {
			o.name = args[0]
			return runShow(cmd.Context(), a, o)
		},
	}
	cmd.Flags().BoolVar(&o.reveal, "reveal", false, "show secrets as they stand in the file; only on a terminal")
	return cmd
}

func runShow(ctx context.Context, a *app, o *showOptions) error {
	if o.reveal && (a.json != "" || !terminal(a.streams.Out)) {
		return wire.NewError(wire.Usage, "--reveal shows secrets on a terminal only, not on a pipe, in a file or as JSON", "read the file itself, where a program needs them")
	}
	name := o.name
	c, err := a.load()
	if err != nil {
		return err
	}
	rows := c.Named(name)
	if len(rows) == 0 {
		return c.NotFoundAnywhere(name)
	}
	status, _ := a.liveStatus(ctx, c)
	live := map[string]wire.ServerStatus{}
	for _, st := range status.Servers {
		live[st.Name] = st
	}
	doc := report.Show{Schema: wire.Schema, Name: name}
	for _, row := range rows {
		sv := engine.Describe(row)
		if st, ok := live[name]; ok && row.InForce {
			sv.State, sv.Detail, sv.Tools, sv.UpdatedAt = st.State, st.Detail, st.Tools, st.UpdatedAt
		}
		e := report.ShowEntry{Server: sv, Entry: row.Entry.Masked()}
		if o.reveal {
			e.Entry = row.Entry.Raw
		}
		if row.InForce {
			doc.Servers = append([]report.ShowEntry{e}, doc.Servers...)
		} else {
			doc.Servers = append(doc.Servers, e)
		}
	}
	if err := a.print(doc, func(w *bytes.Buffer) error { return showText(w, doc) }); err != nil {
		return err
	}
	invalid := false
	for _, sv := range doc.Servers {
		invalid = a.problems(sv.Problems) || invalid
	}
	if invalid {
		return exit(wire.ConfigInvalid.Exit())
	}
	return nil
}

func showText(w *bytes.Buffer, doc report.Show) error {
	for i, sv := range doc.Servers {
		if i > 0 {
			w.WriteByte('\n')
		}
		line := func(key, value string) {
			if value != "" {
				fmt.Fprintf(w, "%-12s %s\n", key+":", redact.Line(value))
			}
		}
		line("name", sv.Name)
		line("origin", place(sv.Source, sv.Line, sv.Column))
		line("scope", sv.Scope)
		line("client", sv.Client)
		line("state", strings.TrimSuffix(string(sv.State)+" ("+sv.Detail+")", " ()"))
		line("approval", sv.Approval)
		line("fingerprint", sv.Fingerprint)
		for _, o := range sv.Overrides {
			line("override", fmt.Sprintf("%v from %s", o.Fields, o.Source))
		}
		for _, s := range sv.Shadows {
			line("hides", place(s.Source, s.Line, 1))
		}
		w.WriteString(redact.Visible(report.Indented(sv.Entry)) + "\n")
	}
	return nil
}
