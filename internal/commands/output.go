package commands

import (
	"bytes"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/mcpctl/mcpctl/internal/commands/report"
	"github.com/mcpctl/mcpctl/internal/engine/record"
	"github.com/mcpctl/mcpctl/internal/engine/wire"
	"github.com/mcpctl/mcpctl/internal/store"
)

const outputHelp = `Print what a tool answered once more, whole: the text that 'mcpctl call' printed, or
cut on a terminal. Without an id it is the newest of this workspace; an id is good
anywhere. With --json the record is printed: when, in which workspace, server, tool
and arguments, their secrets masked, and the result as the server sent it.

Every call through the supervisor is recorded, for 7 days and up to 200 MiB in all;
the oldest go first, when another one is recorded. An id that is not there any more,
or never was, ends with exit status 42: the two cannot be told apart. What cannot be an
id is wrong usage, 129. The records are
private to the user, below the state directory; they are read without the supervisor.

--list shows the records of this workspace, newest first, with the size of each, and
with --all those of every workspace.`

type outputOptions struct {
	id    string
	named bool
	list  bool
	all   bool
	last  int
	raw   bool
}

func newOutputCmd(a *app) *cobra.Command {
	o := &outputOptions{}
	cmd := &cobra.Command{
		Use: "output [ID]", Short: "print a recorded result of a tool once more", Long: outputHelp,
		Example: "  mcpctl output\n  mcpctl output --list -n 5\n  mcpctl output --json | jq .result",
		Args:    names(0, 1, "a record"), ValidArgsFunction: a.completeOutputs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if o.named = len(args) > 0; o.named {
				o.id = args[0]
			}
			switch {
			case o.list && o.named:
				return usageOf(cmd, "give an id or --list, not both")
			case !o.list && (o.all || cmd.Flags().Changed("lines")):
				return usageOf(cmd, "--all and -n go with --list")
			case o.last < 0:
				return usageOf(cmd, "-n takes a number of records, 0 for all")
			}
			if o.list {
				return runOutputList(a, o)
			}
			return runOutput(a, o)
		},
	}
	f := cmd.Flags()
	f.BoolVar(&o.list, "list", false, "list the records instead, newest first")
	f.BoolVar(&o.all, "all", false, "with --list: those of every workspace")
	f.IntVarP(&o.last, "lines", "n", 0, "with --list: only the newest `N`")
	f.BoolVar(&o.raw, "raw", false, "write text unchanged, without a line end of our own; refused when stdout is a terminal")
	return cmd
}

func runOutput(a *app, o *outputOptions) error {
	if o.raw && terminal(a.streams.Out) {
		return usagef("--raw does not write to a terminal: a server's text could control it")
	}
	s, err := a.open()
	if err != nil {
		return err
	}
	if !o.named {
		if o.id, err = newestOutput(s); err != nil {
			return err
		}
	}
	found, err := record.ReadOutput(s.Places.State(), o.id)
	if err != nil {
		return err
	}
	result := readToolResult(found.Result)
	if a.json == "" {
		return a.writePieces(result.pieces(found.Server, nil), o.raw)
	}
	_, err = found.WriteTo(a.streams.Out)
	return unwritten(err)
}

func newestOutput(s *store.Store) (id string, err error) {
	rows, err := record.ListOutputs(s.Places.State(), s.Workspace.Dir, 1)
	if err != nil {
		return "", err
	}
	if len(rows) == 0 {
		return "", wire.NewError(wire.NotFound, "no output is recorded in this workspace", "those of all: mcpctl output --list --all")
	}
	return rows[0].ID, nil
}

func runOutputList(a *app, o *outputOptions) error {
	s, err := a.open()
	if err != nil {
		return err
	}
	workspace := s.Workspace.Dir
	if o.all {
		workspace = ""
	}
	rows, err := record.ListOutputs(s.Places.State(), workspace, o.last)
	if err != nil {
		return err
	}
	if len(rows) == 0 && terminal(a.streams.Out) {
		a.say("no output is recorded here; those of every workspace: mcpctl output --list --all")
	}
	return a.print(report.NewOutputs(rows), func(w *bytes.Buffer) error { return outputTable(w, rows, o.all) })
}

func outputTable(w *bytes.Buffer, rows []record.OutputRow, all bool) error {
	if len(rows) == 0 {
		return nil
	}
	header := []string{"ID", "TIME", "SERVER", "TOOL", "SIZE"}
	if all {
		header = append(header, "WORKSPACE")
	}
	var table [][]string
	for _, r := range rows {
		line := []string{r.ID, r.Time.Local().Format(time.DateTime), r.Server, r.Tool, strconv.FormatInt(r.Size, 10)}
		if all {
			line = append(line, r.Workspace)
		}
		table = append(table, line)
	}
	return report.Table(w, header, table)
}

// completeOutputs completes the ids of this workspace's newest records, from their
// files alone.
func (a *app) completeOutputs(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	const most = 30
	directive := cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
	s, err := a.openQuietly()
	if err != nil || len(args) > 0 {
		return nil, directive
	}
	rows, _ := record.ListOutputs(s.Places.State(), s.Workspace.Dir, most)
	var out []string
	for _, r := range rows {
		out = append(out, cobra.CompletionWithDesc(r.ID, r.Time.Local().Format(time.DateTime)+" "+r.Server+" "+r.Tool))
	}
	return out, directive
}
