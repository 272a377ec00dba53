package commands

import (
	"bytes"
	"context"

	"github.com/spf13/cobra"

	"github.com/mcpctl/mcpctl/internal/commands/report"
	"github.com/mcpctl/mcpctl/internal/engine/wire"
	"github.com/mcpctl/mcpctl/internal/store"
)

const fingerprintHelp = `Print fingerprints, which say exactly which entry is meant: SHA-256 over the name
and the whole entry. Every value in it counts; layout, comments and the order of
keys do not, except inside toolExposure.

For a name it is the fingerprint of the definition in force, or of the only entry
there is, alone on a line. Otherwise, and with --all, each entry of that name is
listed with its origin.
Without a name that is done for every entry of every file. With "-" one entry is
read from stdin, as JSON with comments allowed, and --name says what it is called.`

const fingerprintExamples = `  mcpctl update docs --timeout 30s --expect-fingerprint "$(mcpctl fingerprint docs)"
  mcpctl fingerprint --json | jq -r '.fingerprints[] | "\(.name) \(.fingerprint)"'
  mcpctl fingerprint - --name docs <entry.json`

type fingerprintOptions struct {
	names []string
	all   bool
	name  string
}

func newFingerprintCmd(a *app) *cobra.Command {
	o := &fingerprintOptions{}
	cmd := &cobra.Command{
		Use: "fingerprint [NAME | -]", Short: "print what identifies an entry exactly", Long: fingerprintHelp, Example: fingerprintExamples,
		Args: names(0, 1, "a server"), ValidArgsFunction: a.completeOneServer,
		RunE: func(cmd *cobra.Command, args []string) error {
			o.names = args
			stdin := len(args) == 1 && args[0] == "-"
			if stdin != cmd.Flags().Changed("name") {
				return usageOf(cmd, "an entry from stdin is given by '-' and --name together")
			}
			if stdin {
				return a.printStdinFingerprint(cmd.Context(), o.name)
			}
			return runFingerprint(a, o)
		},
	}
	cmd.Flags().BoolVar(&o.all, "all", false, "list each entry of the name, not just the one in force")
	cmd.Flags().StringVar(&o.name, "name", "", "the `NAME` of the entry on stdin")
	return cmd
}

func (a *app) printStdinFingerprint(ctx context.Context, name string) error {
	text, err := a.readStdin(ctx, "the entry", entryLimit)
	if err != nil {
		return err
	}
	e, err := store.ReadEntry(name, text)
	if err != nil {
		return err
	}
	doc := report.Fingerprints{Schema: wire.Schema, Fingerprints: []report.FingerprintRow{{Name: name, Fingerprint: string(e.Fingerprint)}}}
	return a.print(doc, func(w *bytes.Buffer) error {
		w.WriteString(string(e.Fingerprint) + "\n")
		return nil
	})
}

func runFingerprint(a *app, o *fingerprintOptions) error {
	c, err := a.load()
	if err != nil {
		return err
	}
	doc := report.Fingerprints{Schema: wire.Schema, Fingerprints: []report.FingerprintRow{}}
	inForce := ""
	for _, src := range c.Sources {
		for _, e := range src.Entries {
			if len(o.names) > 0 && e.Name != o.names[0] {
				continue
			}
			row := report.FingerprintRow{Name: e.Name, Scope: string(src.Scope), Client: src.Client, Source: src.Path,
				Line: e.Line, Column: e.Column, Fingerprint: string(e.Fingerprint)}
			if r := c.InForce(e.Name); r != nil && r.Entry == e {
				row.InForce, inForce = true, row.Fingerprint
			}
			doc.Fingerprints = append(doc.Fingerprints, row)
		}
	}
	if len(o.names) > 0 && len(doc.Fingerprints) == 0 {
		return c.NotFoundAnywhere(o.names[0])
	}
	return a.print(doc, func(w *bytes.Buffer) error {
		if len(o.names) > 0 && inForce == "" && len(doc.Fingerprints) == 1 {
			inForce = doc.Fingerprints[0].Fingerprint
		}
		if len(o.names) > 0 && inForce != "" && !o.all {
			w.WriteString(inForce + "\n")
			return nil
		}
		var rows [][]string
		for _, r := range doc.Fingerprints {
			rows = append(rows, []string{r.Name, r.Fingerprint, r.Scope, place(r.Source, r.Line, r.Column)})
		}
		if len(rows) == 0 {
			return nil
		}
		return report.Table(w, []string{"NAME", "FINGERPRINT", "SCOPE", "ORIGIN"}, rows)
	})
}
