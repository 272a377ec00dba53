package commands

import (
	"bytes"
	"context"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/mcpctl/mcpctl/internal/commands/report"
	"github.com/mcpctl/mcpctl/internal/engine/supervisor"
	"github.com/mcpctl/mcpctl/internal/engine/wire"
	"github.com/mcpctl/mcpctl/internal/store"
	"github.com/mcpctl/mcpctl/internal/store/redact"
)

const statusHelp = `Show the live state of servers. Without --watch nothing is started: when the
supervisor does not run, or has no session for this workspace, the states are those
the files tell.

With --watch the supervisor is started when there is none, the workspace's session
is opened, and each change is written until the command is interrupted or nobody
reads it any more: with --json one whole snapshot per line, otherwise one line per
server that changed. On a terminal it is a table instead, drawn again in its place
and cut to the width of the terminal, with the states in colour unless --no-color or
NO_COLOR is given; where TERM is dumb or not set there are lines.

A server in the state needs-sign-in is no failure and is left alone: its detail names
the command that signs in, and the scope where the server asks for more. It connects by
itself when somebody has signed in, by whichever process, and is in that state again
when the sign-in has ended. Tokens are renewed when they are used, and no browser is
ever opened for a server that runs.

With names only those servers are shown. The exit status says whether the files can
be read, and not how the servers are: of that, see their states, and "test".`

type statusOptions struct {
	names []string
	watch bool
}

func newStatusCmd(a *app) *cobra.Command {
	o := &statusOptions{}
	cmd := &cobra.Command{
		Use: "status [NAME...]", Short: "show live state, once or as it changes", Long: statusHelp,
		Example:           "  mcpctl status\n  mcpctl status --watch --json | jq -c '.servers[] | {name, state}'",
		ValidArgsFunction: a.completeServers,
		RunE: func(cmd *cobra.Command, args []string) error {
			o.names = args
			return runStatus(cmd.Context(), a, o)
		},
	}
	cmd.Flags().BoolVarP(&o.watch, "watch", "w", false, "write every change until interrupted")
	return cmd
}

func runStatus(ctx context.Context, a *app, o *statusOptions) error {
	c, err := a.load()
	if err != nil {
		return err
	}
	if o.watch {
		if err := o.known(c, nil); err != nil && a.session == "" {
			return err
		}
		collectGarbage()
		client, err := a.connectFor(ctx, c.Store)
		if err != nil {
			return err
		}
		defer client.Close()
		return a.whileRead(ctx, func(ctx context.Context) error { return a.watchStatus(ctx, client, o.names) })
	}
	found, err := a.look(ctx, c, false)
	if err != nil {
		return err
	}
	status := found.status
	if err := o.known(c, status.Servers); err != nil {
		return err
	}
	status.Servers = only(status.Servers, o.names)
	if err := a.print(status, func(w *bytes.Buffer) error { return statusTable(w, status) }); err != nil {
		return err
	}
	if a.problems(status.Problems) {
		return exit(wire.ConfigInvalid.Exit())
	}
	a.sayNone(len(status.Servers))
	return nil
}

// known refuses names that neither a file has nor the session.
func (o *statusOptions) known(c *store.Config, servers []wire.ServerStatus) error {
	for _, name := range o.names {
		if len(c.Named(name)) == 0 && !slices.ContainsFunc(servers, func(s wire.ServerStatus) bool { return s.Name == name }) {
			return c.NotFound(name)
		}
	}
	return nil
}

// watchStatus shows a person a table, and a pipe or a file one line per change.
func (a *app) watchStatus(ctx context.Context, client *supervisor.Client, names []string) error {
	watch := func(ctx context.Context, f func(wire.Status) error) error {
		return client.Watch(ctx, wire.DefaultSession, f)
	}
	if screen := newStatusScreen(a, names); screen != nil {
		return screen.show(ctx, watch)
	}
	w := statusWriter{app: a, names: names}
	return watch(ctx, w.write)
}

func only(servers []wire.ServerStatus, names []string) []wire.ServerStatus {
	if len(names) == 0 {
		return servers
	}
	return slices.DeleteFunc(servers, func(s wire.ServerStatus) bool { return !slices.Contains(names, s.Name) })
}

func statusTable(w *bytes.Buffer, status wire.Status) error {
	if len(status.Servers) == 0 {
		return nil
	}
	var rows [][]string
	for _, s := range status.Servers {
		since := "-"
		if s.UpdatedAt != nil {
			since = s.UpdatedAt.Local().Format(time.TimeOnly)
		}
		rows = append(rows, []string{s.Name, string(s.State), count(s.Tools), since, s.Detail})
	}
	return report.Table(w, []string{"NAME", "STATE", "TOOLS", "SINCE", "DETAIL"}, rows)
}

// statusWriter writes snapshots as they come.
type statusWriter struct {
	app   *app
	names []string
	last  map[string]wire.ServerStatus

	problems []string // of files, as they were written last
}

func (w *statusWriter) write(status wire.Status) error {
	status.Servers = only(status.Servers, w.names)
	if w.app.json != "" {
		if err := report.JSON(&w.app.out, status); err != nil {
			return err
		}
		return w.app.flush()
	}
	for _, p := range status.Problems {
		if line := place(p.Source, p.Line, p.Column) + ": " + p.Message; !slices.Contains(w.problems, line) {
			w.app.out.WriteString(redact.Line(time.Now().Format(time.TimeOnly)+" "+line) + "\n")
		}
	}
	w.problems = nil
	for _, p := range status.Problems {
		w.problems = append(w.problems, place(p.Source, p.Line, p.Column)+": "+p.Message)
	}
	next := make(map[string]wire.ServerStatus, len(status.Servers))
	for _, s := range status.Servers {
		next[s.Name] = s
		if before, ok := w.last[s.Name]; ok && before.State == s.State && before.Detail == s.Detail && count(before.Tools) == count(s.Tools) {
			continue
		}
		w.app.out.WriteString(redact.Line(watchLine(s)) + "\n")
	}
	for name := range w.last {
		if _, ok := next[name]; !ok {
			w.app.out.WriteString(redact.Line(time.Now().Format(time.TimeOnly)+" "+name+" removed") + "\n")
		}
	}
	w.last = next
	return w.app.flush()
}

func watchLine(s wire.ServerStatus) string {
	at := time.Now()
	if s.UpdatedAt != nil {
		at = *s.UpdatedAt
	}
	line := at.Local().Format(time.TimeOnly) + " " + s.Name + " " + string(s.State)
	if s.Tools != nil {
		line += " (" + count(s.Tools) + " tools)"
	}
	if s.Detail != "" {
		line += ": " + s.Detail
	}
	return line
}
