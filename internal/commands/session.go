package commands

import (
	"bytes"
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/mcpctl/mcpctl/internal/commands/report"
	"github.com/mcpctl/mcpctl/internal/engine/supervisor"
	"github.com/mcpctl/mcpctl/internal/engine/wire"
	"github.com/mcpctl/mcpctl/internal/store"
	"github.com/mcpctl/mcpctl/internal/store/redact"
)

const sessionHelp = `A session is one consumer of a workspace's servers: its processes and connections,
its environment, and what it says above the files. Commands share the workspace's
default session, which is made when it is first needed and whose servers run with the
variables of each caller. A program that wants servers of its own, such as a script
with another environment, opens a session and names it with --session=ID.

What a session says above the files is said with --session: "mcpctl disable NAME
--session" switches a server off in the default session alone, "mcpctl add NAME
--session -- COMMAND" gives it a server that stands in no file. It is forgotten when
the session ends, and takes effect as soon as the server has no call in flight.

A session ends with "mcpctl session close", or with the supervisor. The supervisor
does not leave while a session is kept by "session open", or while the default one
says something of its own, since that would be forgotten in silence. Close what is
not needed any more: its servers run until then.`

func newSessionCmd(a *app) *cobra.Command {
	return group(&cobra.Command{
		Use: "session COMMAND", Short: "open, list and close sessions", Long: sessionHelp,
		Example: "  id=$(mcpctl session open)\n  mcpctl call docs search query=limits --session=$id\n  mcpctl session close $id",
	}, newSessionOpenCmd(a), newSessionListCmd(a), newSessionCloseCmd(a))
}

const sessionOpenHelp = `Open a session of this workspace that is kept until it is closed, and write its id. The
supervisor is started when there is none.

Its servers are its own, started now, with the variables that are set now: other
callers' variables do not matter to it. At most 64 sessions are kept.`

func newSessionOpenCmd(a *app) *cobra.Command {
	return &cobra.Command{
		Use: "open", Short: "open a session and write its id", Long: sessionOpenHelp, Args: names(0, 0, ""),
		Example: "  id=$(mcpctl session open)\n  mcpctl tools --session=$id",
		RunE:    func(cmd *cobra.Command, _ []string) error { return runSessionOpen(cmd.Context(), a) },
	}
}

func runSessionOpen(ctx context.Context, a *app) error {
	s, err := a.open()
	if err != nil {
		return err
	}
	opts, err := a.supervisorOptions(s, true)
	if err != nil {
		return err
	}
	client, err := supervisor.Dial(ctx, opts)
	if err != nil {
		return err
	}
	defer client.Close()
	open := a.defaultOpen(s)
	open.ID, open.Keep = "new", true
	opened, err := client.Open(ctx, open)
	if err != nil {
		return err
	}
	doc := report.Session{Schema: wire.Schema, Session: opened.Session, Workspace: opened.Workspace, Epoch: opened.Epoch}
	return a.print(doc, func(w *bytes.Buffer) error { w.WriteString(doc.Session + "\n"); return nil })
}

const sessionListHelp = `List the sessions of the supervisor: id, kind, workspace, how many servers each has, how
many of them are connected, and how many it has registered and overrides itself. The
owner of a "connection" is the program that is connected, with its process, and of
"mcpctl serve" the editor or agent it serves, as that calls itself. It starts nothing;
without a supervisor there is none.

Kinds: "default" is the commands' own of a workspace; "kept" was opened with "mcpctl
session open" or by a program that wants it to last; "connection" belongs to a program
that is connected, ends with it, and cannot be named by others.`

func newSessionListCmd(a *app) *cobra.Command {
	return &cobra.Command{
		Use: "list", Aliases: []string{"ls"}, Short: "list the sessions", Long: sessionListHelp, Args: names(0, 0, ""),
		Example: "  mcpctl session list --json | jq -r '.sessions[] | select(.kind == \"kept\") | .session'",
		RunE: func(cmd *cobra.Command, _ []string) error {
			doc := wire.Sessions{Schema: wire.Schema, Sessions: []wire.SessionInfo{}}
			err := a.withRunning(cmd.Context(), func(ctx context.Context, c *supervisor.Client) error {
				return c.Call(ctx, wire.MethodSessionList, nil, &doc)
			})
			if err != nil {
				return err
			}
			return a.print(doc, func(w *bytes.Buffer) error { return sessionTable(w, doc) })
		},
	}
}

// withRunning does something with the supervisor if it runs, and nothing if not.
func (a *app) withRunning(ctx context.Context, do func(context.Context, *supervisor.Client) error) error {
	s, err := a.open()
	if err != nil {
		return err
	}
	client, err := supervisor.Dial(ctx, supervisor.DialOptions{Places: s.Places, Version: a.version})
	if notRunning(err) {
		return nil
	}
	if err != nil {
		return err
	}
	defer client.Close()
	return do(ctx, client)
}

func notRunning(err error) bool {
	return err != nil && wire.FromError(err).Word == wire.SupervisorUnreachable
}

func sessionTable(w *bytes.Buffer, doc wire.Sessions) error {
	var rows [][]string
	for _, s := range doc.Sessions {
		rows = append(rows, []string{s.Session, s.Kind, s.Workspace, s.Client, fmt.Sprint(s.Servers), fmt.Sprint(s.Running), fmt.Sprint(s.Registered), fmt.Sprint(s.Overridden), sessionOwner(s)})
	}
	if len(rows) == 0 {
		return nil
	}
	return report.Table(w, []string{"SESSION", "KIND", "WORKSPACE", "CLIENT", "SERVERS", "RUNNING", "REGISTERED", "OVERRIDDEN", "OWNER"}, rows)
}

// sessionOwner is the program that has a session, and for whom: that of a gateway is an
// editor, and the gateway one of several.
func sessionOwner(s wire.SessionInfo) string {
	if s.Owner == "" {
		return "-"
	}
	text := s.Owner
	if s.OwnerPID > 0 {
		text += fmt.Sprintf(" (%d)", s.OwnerPID)
	}
	if s.For != "" {
		text += " for " + s.For
	}
	return redact.Line(text)
}

const sessionCloseHelp = `Close sessions: stop their servers, forget what they said above the files, and return
when the servers are gone. "default" is the default session of this workspace; it is
made again when it is next needed. With --all every kept session and the default one
of every workspace is closed; that there is none is no error then.

Sessions of other programs' connections end with those.`

func newSessionCloseCmd(a *app) *cobra.Command {
	var all bool
	cmd := &cobra.Command{
		Use: "close {ID... | --all}", Short: "close sessions and stop their servers", Long: sessionCloseHelp,
		Example: "  mcpctl session close $id\n  mcpctl session close default\n  mcpctl session close --all",
		Args: func(cmd *cobra.Command, args []string) error {
			if all == (len(args) > 0) {
				return usageOf(cmd, "name sessions, or say --all")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			return runSessionClose(cmd.Context(), a, unique(args), all)
		},
	}
	cmd.ValidArgsFunction = a.completeSessions
	cmd.Flags().BoolVar(&all, "all", false, "close every session that is kept, and every default one")
	return cmd
}

func runSessionClose(ctx context.Context, a *app, ids []string, all bool) error {
	s, err := a.open()
	if err != nil {
		return err
	}
	closer := sessionCloser{app: a, store: s, ids: ids, all: all}
	closer.doc = wire.Sessions{Schema: wire.Schema, Sessions: []wire.SessionInfo{}}
	ran := false
	err = a.withRunning(ctx, func(ctx context.Context, c *supervisor.Client) error {
		ran = true
		return closer.run(ctx, c)
	})
	if err == nil && !ran && !all {
		err = noSession(ids[0])
	}
	if err != nil {
		return err
	}
	a.say("closed %d session(s)", len(closer.doc.Sessions))
	return a.print(closer.doc, func(*bytes.Buffer) error { return nil })
}

// noSession is the error for an id while no supervisor runs.
func noSession(id string) error {
	return wire.NewError(wire.NotFound, "no session is called '"+id+"': the supervisor is not running", "open one with: mcpctl session open")
}

// sessionCloser is one session close under way.
type sessionCloser struct {
	app   *app
	store *store.Store
	ids   []string
	all   bool
	doc   wire.Sessions // those that were closed
}

func (o *sessionCloser) run(ctx context.Context, c *supervisor.Client) error {
	var known wire.Sessions
	if err := c.Call(ctx, wire.MethodSessionList, nil, &known); err != nil {
		return err
	}
	if !o.all {
		return o.named(ctx, c, known)
	}
	for _, info := range known.Sessions {
		var err error
		switch info.Kind {
		case wire.KindDefault:
			err = o.closeDefault(ctx, c, wire.SessionOpen{ID: wire.DefaultSession, Workspace: info.Workspace, Client: info.Client, Existing: true})
		case wire.KindKept:
			err = c.Call(ctx, wire.MethodSessionClose, wire.InSession{Session: info.Session}, nil)
		default:
			continue
		}
		if err != nil && wire.FromError(err).Word != wire.NotFound { // somebody else was faster
			return err
		}
		o.doc.Sessions = append(o.doc.Sessions, info)
	}
	return nil
}

// named closes the sessions that were named, all of them or, when one is not there,
// none.
func (o *sessionCloser) named(ctx context.Context, c *supervisor.Client, known wire.Sessions) error {
	var found []wire.SessionInfo
	for _, id := range o.ids {
		info, err := o.find(id, known)
		if err != nil {
			return err
		}
		found = append(found, info)
	}
	for _, info := range found {
		var err error
		if info.Session == wire.DefaultSession {
			look := o.app.defaultOpen(o.store)
			look.Existing = true
			err = o.closeDefault(ctx, c, look)
		} else {
			err = c.Call(ctx, wire.MethodSessionClose, wire.InSession{Session: info.Session}, nil)
		}
		if err != nil {
			return err
		}
		o.doc.Sessions = append(o.doc.Sessions, info)
	}
	return nil
}

func (o *sessionCloser) find(id string, known wire.Sessions) (wire.SessionInfo, error) {
	var kept []string
	for _, info := range known.Sessions {
		here := info.Session != wire.DefaultSession || info.Workspace == o.store.Workspace.Dir && info.Client == o.store.Client.Name
		switch {
		case info.Session == id && info.Kind == wire.KindConnection:
			return info, wire.NewError(wire.NotFound, "the session '"+id+"' belongs to a program that is connected, and ends with it", "")
		case info.Session == id && here:
			return info, nil
		case info.Kind == wire.KindKept:
			kept = append(kept, info.Session)
		}
	}
	hint := "see: mcpctl session list"
	if near := store.Closest(id, kept); near != "" {
		hint = "did you mean '" + near + "'?"
	}
	return wire.SessionInfo{}, wire.NewError(wire.NotFound, "no session is called '"+id+"'", hint)
}

// closeDefault closes a default session: it is looked for first, so that "default"
// means it.
func (o *sessionCloser) closeDefault(ctx context.Context, c *supervisor.Client, look wire.SessionOpen) error {
	if _, err := c.Open(ctx, look); err != nil {
		return err
	}
	return c.Call(ctx, wire.MethodSessionClose, wire.InSession{Session: wire.DefaultSession}, nil)
}
