package commands

import (
	"bytes"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/mcpctl/mcpctl/internal/commands/report"
	"github.com/mcpctl/mcpctl/internal/engine"
	"github.com/mcpctl/mcpctl/internal/engine/wire"
	"github.com/mcpctl/mcpctl/internal/store"
)

const sourcesHelp = `Show every place where servers are looked for, found or not, and what became of it:

  read      it was read; SERVERS counts its entries, of any kind
  empty     it is there, and blank or nothing but comments
  missing   there is no such file
  invalid   it does not parse, so nothing of it counts
  skipped   it was not read: it is not the user's, too large, not a regular file, a
            link that leads out of the workspace, or the text in a variable, such as
            $OPENCODE_CONFIG_CONTENT

The order is that of strength (a definition in an earlier file hides one of the same
name in a later one), and those whose servers never count here come last. Servers of a
project's files count once they are approved; those in the user files of other clients
when the setting discovery.user names the client. A file that two clients read is read
once, for the stronger one.

--found leaves out what is missing. The exit status says nothing of what was found; for
that there is mcpctl list, or mcpctl doctor. Sources starts no process, makes no network
connection and writes nothing.`

const sourcesExamples = `  mcpctl sources --found
  mcpctl sources --json | jq -r '.sources[] | select(.state == "skipped") | .path + ": " + .why'`

func newSourcesCmd(a *app) *cobra.Command {
	var found bool
	cmd := &cobra.Command{
		Use: "sources", Short: "show every file that servers are looked for in", Long: sourcesHelp, Example: sourcesExamples,
		Args: names(0, 0, ""), RunE: func(*cobra.Command, []string) error { return runSources(a, found) },
	}
	cmd.Flags().BoolVar(&found, "found", false, "leave out what is missing")
	return cmd
}

func runSources(a *app, found bool) error {
	s, err := a.open()
	if err != nil {
		return err
	}
	doc := report.Sources{Schema: wire.Schema, Workspace: s.Workspace.Dir, Client: s.Client.Name, Sources: []report.Source{}}
	for _, src := range s.ReadAll() {
		if row := sourceRow(s, src); !found || row.State != report.SourceMissing {
			doc.Sources = append(doc.Sources, row)
		}
	}
	if err := a.print(doc, func(w *bytes.Buffer) error { return sourcesTable(w, doc) }); err != nil {
		return err
	}
	for _, row := range doc.Sources {
		a.problems(row.Problems)
	}
	return nil
}

func sourceRow(s *store.Store, src *store.Source) report.Source {
	row := report.Source{
		Client: src.Client, Scope: string(src.Scope), Path: src.Path, LinkedTo: src.LinkedTo, Counts: !src.ShowOnly && !src.Broken && !src.Unread,
		State: sourceState(src), Written: s.Writes(src), AlsoReadBy: s.AlsoReadBy(src), Servers: len(src.Entries), Problems: engine.Problems(src.Problems),
	}
	for _, e := range src.Entries {
		row.Problems = append(row.Problems, engine.Problems(e.Problems)...)
	}
	switch {
	case (src.Broken || src.Unread) && len(row.Problems) > 0:
		row.Why, row.Fix = row.Problems[0].Message, row.Problems[0].Hint
	case src.ShowOnly:
		row.Why = "a user file of another client"
		row.Fix = "to let it count, add " + src.Client + " to the setting discovery.user; to take servers over: mcpctl import --from " + src.Client
	}
	return row
}

func sourceState(src *store.Source) report.SourceState {
	switch {
	case src.Unread:
		return report.SourceSkipped
	case src.Broken:
		for _, p := range src.Problems {
			if p.Severity == store.SeverityError && p.Line > 0 { // the text was read as far as there
				return report.SourceInvalid
			}
		}
		return report.SourceSkipped
	case !src.Exists:
		return report.SourceMissing
	case src.Empty:
		return report.SourceEmpty
	}
	return report.SourceRead
}

func sourcesTable(w *bytes.Buffer, doc report.Sources) error {
	var rows [][]string
	for _, src := range doc.Sources {
		servers := "-"
		if src.State == report.SourceRead {
			servers = strconv.Itoa(src.Servers)
		}
		rows = append(rows, []string{src.Client, src.Scope, string(src.State), servers, sourceUse(src), src.Path})
	}
	return report.Table(w, []string{"CLIENT", "SCOPE", "STATE", "SERVERS", "COUNTS", "PATH"}, rows)
}

func sourceUse(src report.Source) string {
	switch {
	case !src.Counts:
		return "no"
	case src.Scope == string(store.Project):
		return "once approved"
	}
	return "yes"
}
