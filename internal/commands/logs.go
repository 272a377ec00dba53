package commands

import (
	"context"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/mcpctl/mcpctl/internal/commands/report"
	"github.com/mcpctl/mcpctl/internal/engine/record"
	"github.com/mcpctl/mcpctl/internal/engine/wire"
)

const logsHelp = `Show the log: what servers write to stderr, what they log through the protocol,
and what the supervisor does with them. With a name, only the lines of exactly that
server. The log is a file and is read without the supervisor.

A server that logs without end is cut off after 256 KiB, and then has 4 KiB a second;
what is left out is told by a warning in its place. The log is the user's: servers of
the same name in several workspaces are one name here. The line in which each connects
tells its workspace, and so does a line before the first that is of another one.

With -f new lines follow until the command is interrupted or nobody reads them any
more. Each record is one line with --json; for people its further lines are indented.`

type logsOptions struct {
	server string
	last   int
	follow bool
	since  string
	level  string
}

func newLogsCmd(a *app) *cobra.Command {
	o := &logsOptions{}
	cmd := &cobra.Command{
		Use: "logs [NAME]", Short: "show what servers and the supervisor logged", Long: logsHelp,
		Example: "  mcpctl logs docs -n 20\n  mcpctl logs -f --since 10m",
		Args:    names(0, 1, "a server"), ValidArgsFunction: a.completeOneServer,
		RunE: func(cmd *cobra.Command, args []string) error {
			if o.last < 0 {
				return usageOf(cmd, "-n takes a number of records, 0 for all")
			}
			o.server = strings.Join(args, "")
			return runLogs(cmd.Context(), a, o, len(args) > 0)
		},
	}
	f := cmd.Flags()
	f.IntVarP(&o.last, "lines", "n", 0, "show only the last `N` records")
	f.BoolVarP(&o.follow, "follow", "f", false, "go on with new records until interrupted")
	f.StringVar(&o.level, "level", "", "only records at least as severe as `LEVEL`: "+record.LevelWords)
	f.StringVar(&o.since, "since", "", "only records since `T`: a time such as 2026-01-02T15:04:05Z, or a duration such as 10m")
	return cmd
}

func runLogs(ctx context.Context, a *app, o *logsOptions, named bool) error {
	s, err := a.open()
	if err != nil {
		return err
	}
	since, err := parseSince(o.since, time.Now())
	if err != nil {
		return err
	}
	if _, ok := record.Level(o.level); o.level != "" && !ok {
		return wire.NewError(wire.Usage, "--level "+o.level+": no level is called so", "levels are: "+record.LevelWords)
	}
	if named {
		if c := s.Load(); len(c.Named(o.server)) == 0 {
			records, err := record.Read(s.Places.State(), record.Filter{Server: o.server, Last: 1})
			if err != nil {
				return err
			}
			if len(records) == 0 { // a server that was removed may still have its lines
				return c.NotFound(o.server)
			}
		}
	}
	filter := record.Filter{Server: o.server, Since: since, Level: o.level, Last: o.last}
	emit := func(r record.Record) error { return a.printRecord(r) }
	if o.follow {
		collectGarbage()
		write := func(r record.Record) error {
			if err := emit(r); err != nil {
				return err
			}
			return a.flush()
		}
		return a.whileRead(ctx, func(ctx context.Context) error { return record.Follow(ctx, s.Places.State(), filter, write) })
	}
	records, err := record.Read(s.Places.State(), filter)
	if err != nil {
		return err
	}
	for _, r := range records {
		if err := emit(r); err != nil {
			return err
		}
	}
	return nil
}

func (a *app) printRecord(r record.Record) error {
	if a.json != "" {
		return report.JSON(&a.out, report.NewLogLine(r))
	}
	a.out.WriteString(strings.TrimSuffix(r.String(), "\n") + "\n")
	return nil
}

// parseSince reads a point in time or a duration before now; "" is the start.
func parseSince(text string, now time.Time) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	if d, err := time.ParseDuration(text); err == nil && d >= 0 {
		return now.Add(-d), nil
	}
	for _, layout := range []string{time.RFC3339, "2006-01-02T15:04:05", "2006-01-02 15:04:05", time.DateOnly} {
		if t, err := time.ParseInLocation(layout, text, time.Local); err == nil {
			return t, nil
		}
	}
	return time.Time{}, usagef("--since %s: give a time such as 2026-01-02T15:04:05Z or a duration such as 10m", text)
}
