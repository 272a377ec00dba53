package commands

import (
	"bytes"
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/mcpctl/mcpctl/internal/commands/report"
	"github.com/mcpctl/mcpctl/internal/engine"
	"github.com/mcpctl/mcpctl/internal/engine/wire"
	"github.com/mcpctl/mcpctl/internal/store"
	"github.com/mcpctl/mcpctl/internal/store/redact"
)

const listHelp = `List the servers of this workspace and of the user: name, scope, transport,
state and what is remarkable about each.

A definition that waits for approval, or is invalid, has a row of its own beside
the one that is in force. What is wrong in a file is told on stderr with its
place, and the exit status is then 10; the list is complete all the same: of a file
that does not parse it has the rows that the session goes on with, from the last
reading that did, or none where no supervisor has such a session.

The files are those of mcpctl, or of the client that --client names. The project
files of other known clients are read too: their servers count, weaker than the
user's, once they are approved; SCOPE then names the client. With --all there is a
row for everything that is not in force as well: definitions that are hidden,
overrides, and what the user files of the other clients hold.

Where another program owns MCP (for client pi: its own support is off or replaced;
for any client: the setting handledBy), list says so on stderr, and nothing is
started.

List starts no process, makes no network connection and writes nothing. States
are live when the supervisor runs and has this workspace's session; otherwise
they say what the files say.

What the workspace's default session says above the files is shown as well: servers
that were given to it alone have the scope session. With --session=ID the list is that
of another session, with its own workspace.`

const listExamples = `  mcpctl list
  mcpctl list --json | jq -r '.servers[] | select(.approval | IN("pending", "changed")) | .name'
  mcpctl -C ~/src/app list --show-origin
  mcpctl --client pi list --all`

type listOptions struct {
	showOrigin bool
	nul        bool
	all        bool
}

func newListCmd(a *app) *cobra.Command {
	o := &listOptions{}
	cmd := &cobra.Command{
		Use: "list", Aliases: []string{"ls"}, Short: "list servers, where they come from and how they are",
		Long: listHelp, Example: listExamples, Args: oneOf,
		RunE: func(cmd *cobra.Command, _ []string) error { return runList(cmd.Context(), a, o) },
	}
	cmd.Flags().BoolVar(&o.showOrigin, "show-origin", false, "show the file, line and column of each definition")
	cmd.Flags().BoolVar(&o.all, "all", false, "show what is not in force as well: hidden, overriding, and in user files of other clients")
	cmd.Flags().BoolVarP(&o.nul, "null", "z", false, "write only the names, each ended by a NUL byte")
	return cmd
}

// oneOf refuses a name: other tools list one server so.
func oneOf(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	name := redact.ShellWord(args[0])
	return wire.NewError(wire.Usage, "unexpected '"+args[0]+"'", "one server is shown with: mcpctl show "+redact.ShellWord(name)+"; its tools with: mcpctl tools "+redact.ShellWord(name))
}

func runList(ctx context.Context, a *app, o *listOptions) error {
	s, err := a.open()
	if err != nil {
		return err
	}
	read, list := s.ReadSources, engine.List
	if o.all {
		read, list = s.ReadAll, engine.ListAll
	}
	c := s.Decide(read())
	found, err := a.look(ctx, c, o.all)
	if err != nil {
		return err
	}
	doc := list(c, found.status)
	if found.list != nil {
		doc = overlaid(doc, *found.list, unread(c), a.namesSession())
	}
	doc.Supervisor = found.supervisor
	if o.nul && a.json == "" {
		for _, sv := range doc.Servers {
			a.out.WriteString(sv.Name + "\x00")
		}
	} else if err := a.print(doc, func(w *bytes.Buffer) error { return listTable(w, doc, o) }); err != nil {
		return err
	}
	if e := doc.HandledElsewhere; e != nil && a.json == "" {
		a.warn("MCP is handled by "+e.Owner+" here: "+e.Reason+" ("+e.Source+")", "mcpctl starts no server here; files can be edited all the same")
	}
	invalid := a.problems(doc.Problems)
	for _, sv := range doc.Servers {
		invalid = a.problems(sv.Problems) || invalid
	}
	if invalid {
		return exit(wire.ConfigInvalid.Exit())
	}
	a.sayNone(len(doc.Servers))
	return nil
}

// sayNone tells a person at a terminal why there is no table.
func (a *app) sayNone(servers int) {
	if servers == 0 && terminal(a.streams.Out) {
		a.say("no servers; add one with: mcpctl add NAME -- COMMAND")
	}
}

func listTable(w *bytes.Buffer, doc wire.List, o *listOptions) error {
	if len(doc.Servers) == 0 {
		return nil
	}
	header := []string{"NAME", "SCOPE", "TRANSPORT", "STATE", "TOOLS", "DETAIL"}
	if o.showOrigin {
		header = append(header, "ORIGIN")
	}
	var rows [][]string
	for _, sv := range doc.Servers {
		row := []string{sv.Name, scopeWord(sv, doc.Client), transportWord(sv.Transport), string(sv.State), count(sv.Tools), listDetail(sv)}
		if o.showOrigin {
			row = append(row, place(sv.Source, sv.Line, sv.Column))
		}
		rows = append(rows, row)
	}
	return report.Table(w, header, rows)
}

// scopeWord names the client as well, where it is not the one that was asked for.
func scopeWord(sv wire.Server, client string) string {
	if sv.Client == client || sv.Scope == string(store.Local) || sv.Scope == string(store.Session) {
		return sv.Scope
	}
	return sv.Scope + ":" + sv.Client
}

func transportWord(t *wire.Transport) string {
	if t == nil {
		return "-"
	}
	return t.Type
}

func count(n *int) string {
	if n == nil {
		return "-"
	}
	return strconv.Itoa(*n)
}

// listDetail is the one remarkable thing about a row.
func listDetail(sv wire.Server) string {
	switch {
	case sv.Detail != "":
		return sv.Detail
	case sv.Covers > 0:
		return fmt.Sprintf("approval covers the entry and %d file(s)", sv.Covers)
	case len(sv.Shadows) > 0:
		return "hides the one in " + sv.Shadows[0].Source
	}
	return sv.Description
}

// lookTimeout bounds the look at a running supervisor: a list must not hang
// because a supervisor does.
const lookTimeout = 2 * time.Second
