package commands

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/mcpctl/mcpctl/internal/commands/report"
	"github.com/mcpctl/mcpctl/internal/engine/record"
	"github.com/mcpctl/mcpctl/internal/engine/supervisor"
	"github.com/mcpctl/mcpctl/internal/engine/wire"
	"github.com/mcpctl/mcpctl/internal/probe/dial"
	"github.com/mcpctl/mcpctl/internal/store"
)

const supervisorHelp = `The supervisor is the one background process of this user that keeps servers
running. Commands that need it start it; it leaves after ten minutes without a
client and without anything to keep alive; supervisor.idleTimeout sets another time.
Systemd or launchd can run it as well (mcpctl supervisor install).

After an update of mcpctl the one that runs is still the old one. list, status, logs
and what is told here work with any version; commands that need what the other side
lacks end with SUPERVISOR_PROTOCOL and say that a restart is due.

It watches the files of every session and brings the servers in line with what changed.
A server that is changed, switched off or removed while calls are in flight takes no
new ones, shows as pending-reload, and reloads or stops when they are done. One of a
project whose approval went, by deny, revoke, a change or the removal of its entry,
stops at once. A file that does not parse keeps what ran before; one that is empty or
blank for 100 milliseconds, or missing for a second, has no servers.

It takes about 16 MB of memory, and 130 KiB more for each connected server and 32 KiB
for each client. It has 13 descriptors open, five more for each stdio server, one or
two for each over HTTP, and one for each client; the hard limit (ulimit -Hn) counts.
Before the last ones are taken it refuses to start a server (CONNECT_FAILED, with the
numbers), so that it can still be asked and stopped; the server is tried again when it
is needed. A message has at most 16 MiB, the log 10 MiB. At most 256 clients are
served at a time, each with 64 sessions of its own and 1024 requests under way; where
more come, those that have not said hello go first.

How many processes, and how much memory, servers take is not for mcpctl to bound: a
shell's ulimit, or LimitNOFILE=, TasksMax= and MemoryMax= in a drop-in of the unit,
bound the supervisor and all its servers. Its memory, which holds secrets, goes into no
core file and is closed to other processes of the user.

When its own locks are not given for 25 seconds, it is stuck: it writes what each of
its parts was doing to the log, ends all servers, by force where it has to, and leaves;
the next command starts it anew.`

func newSupervisorCmd(a *app) *cobra.Command {
	return group(&cobra.Command{
		Use: "supervisor COMMAND", Short: "run, start, stop or look at the background process", Long: supervisorHelp,
		Example: "  mcpctl supervisor status --json\n  mcpctl supervisor run --idle-timeout 1h",
	}, newSupervisorRunCmd(a), newSupervisorStartCmd(a), newSupervisorStopCmd(a), newSupervisorRestartCmd(a), newSupervisorStatusCmd(a),
		newSupervisorInstallCmd(a), newSupervisorUninstallCmd(a))
}

const supervisorRunHelp = `Run the supervisor in the foreground until it is interrupted, told to stop, or idle
for long enough. Service managers use this form. Without --idle-timeout the setting
supervisor.idleTimeout holds when it starts.

A socket that systemd has bound is taken over (LISTEN_FDS, LISTEN_PID) if it listens at
the supervisor's own path, is the user's and has mode 0600; anything else is refused,
and nothing is removed. It stays systemd's when the supervisor ends. NOTIFY_SOCKET and
WATCHDOG_USEC are honoured: READY=1, STOPPING=1, and WATCHDOG=1 as long as every
session answers. None of these variables reaches a server.`

func newSupervisorRunCmd(a *app) *cobra.Command {
	var idle time.Duration
	var detached bool
	cmd := &cobra.Command{
		Use: "run", Short: "run in the foreground", Long: supervisorRunHelp, Args: names(0, 0, ""),
		Example: "  mcpctl supervisor run --idle-timeout 1h",
		RunE: func(cmd *cobra.Command, _ []string) error {
			o := runOptions{idle: idle, idleGiven: cmd.Flags().Changed("idle-timeout"), detached: detached}
			if o.idleGiven && o.idle <= 0 {
				err := usageOf(cmd, "--idle-timeout takes a duration above 0, such as 1h")
				if detached {
					supervisor.FailReady(supervisor.ReadyPipe(), err)
				}
				return err
			}
			return runSupervisor(cmd.Context(), a, o)
		},
	}
	cmd.Flags().DurationVar(&idle, "idle-timeout", 0, "leave after `D` without clients and without anything to keep alive (default: the setting supervisor.idleTimeout)")
	cmd.Flags().BoolVar(&detached, "detached", false, "tell the command that started this process when it is ready")
	_ = cmd.Flags().MarkHidden("detached")
	return cmd
}

type runOptions struct {
	idle      time.Duration
	idleGiven bool
	detached  bool
}

// runSupervisor is the supervisor's whole life. When it was started by another
// command, that one waits on a pipe and is told what went wrong before.
func runSupervisor(ctx context.Context, a *app, o runOptions) error {
	collectGarbage()
	var ready *os.File
	if o.detached {
		ready = supervisor.ReadyPipe()
	}
	manager, managerErr := supervisor.TakeManager(a.env)
	for _, name := range supervisor.ManagerVariables {
		_ = os.Unsetenv(name) // they are this process's and no other's
	}
	s, err := a.open()
	if err == nil {
		err = managerErr
	}
	var log *record.Log
	if err == nil {
		log, err = record.Open(s.Places.State())
	}
	if err != nil {
		supervisor.FailReady(ready, err)
		return err
	}
	defer log.Close()
	if !o.idleGiven {
		o.idle = s.LastSettings().IdleTimeout
	}
	err = supervisor.Run(ctx, supervisor.Options{Places: s.Places, Version: a.version, Log: log, IdleTimeout: o.idle,
		Sweep: dial.SweepOrphans, SweepOwn: dial.SweepOwn, Manager: manager, Ready: ready, Stderr: a.streams.Err})
	if errors.As(context.Cause(ctx), new(signalError)) {
		return nil // a supervisor that was told to stop has done its work
	}
	return err
}

const supervisorStartHelp = `Start the supervisor when it does not run, and open this workspace's session in it, so
that its servers connect. It is no error when it runs already.

With --no-session none is opened and no server started: for an editor that opens its
own over the socket, and would have every server twice.`

func newSupervisorStartCmd(a *app) *cobra.Command {
	var noSession bool
	cmd := &cobra.Command{
		Use: "start", Short: "start it in the background", Long: supervisorStartHelp, Args: names(0, 0, ""),
		Example: "  mcpctl supervisor start\n  mcpctl supervisor start --no-session --json | jq -r .socket",
		RunE:    func(cmd *cobra.Command, _ []string) error { return a.startSupervisor(cmd.Context(), noSession) },
	}
	noSessionFlag(cmd, &noSession)
	return cmd
}

func noSessionFlag(cmd *cobra.Command, noSession *bool) {
	cmd.Flags().BoolVar(noSession, "no-session", false, "open no session, so that no server starts")
}

func (a *app) startSupervisor(ctx context.Context, noSession bool) error {
	connect := a.connect
	if noSession {
		connect = a.connectOnly
	}
	client, err := connect(ctx)
	if err != nil {
		return err
	}
	defer client.Close()
	var info wire.Info
	if err := client.Call(ctx, wire.MethodInfo, struct{}{}, &info); err != nil {
		return err
	}
	a.say("the supervisor runs, process %d", info.PID)
	return a.print(info, func(*bytes.Buffer) error { return nil })
}

const supervisorStopHelp = `Stop the supervisor and all its servers, and return when they are gone. It is no error
when it does not run.`

func newSupervisorStopCmd(a *app) *cobra.Command {
	return &cobra.Command{
		Use: "stop", Short: "stop it and its servers", Long: supervisorStopHelp, Args: names(0, 0, ""),
		Example: "  mcpctl supervisor stop",
		RunE:    func(cmd *cobra.Command, _ []string) error { return a.stopSupervisor(cmd.Context()) },
	}
}

func (a *app) stopSupervisor(ctx context.Context) error {
	s, err := a.open()
	if err != nil {
		return err
	}
	found, err := supervisor.Stop(ctx, s.Places)
	if err != nil {
		return err
	}
	if found {
		a.say("the supervisor has stopped")
	} else {
		a.say("the supervisor was not running")
	}
	if a.json != "" {
		return report.JSON(&a.out, wire.Info{Schema: wire.Schema, Sessions: []wire.SessionInfo{}})
	}
	return nil
}

const supervisorRestartHelp = `Stop the supervisor and start it again, as after an update of mcpctl. This workspace's
session is opened in the new one, unless --no-session is given.`

func newSupervisorRestartCmd(a *app) *cobra.Command {
	var noSession bool
	cmd := &cobra.Command{
		Use: "restart", Short: "stop it and start it again", Long: supervisorRestartHelp, Args: names(0, 0, ""),
		Example: "  mcpctl supervisor restart",
		RunE: func(cmd *cobra.Command, _ []string) error {
			s, err := a.open()
			if err != nil {
				return err
			}
			if _, err := supervisor.Stop(cmd.Context(), s.Places); err != nil {
				return err
			}
			return a.startSupervisor(cmd.Context(), noSession)
		},
	}
	noSessionFlag(cmd, &noSession)
	return cmd
}

const supervisorStatusHelp = `Show whether the supervisor runs, and its process, version and sessions. The exit
status is 1 when it does not run.`

func newSupervisorStatusCmd(a *app) *cobra.Command {
	return &cobra.Command{
		Use: "status", Short: "tell whether it runs", Long: supervisorStatusHelp, Args: names(0, 0, ""),
		Example: "  mcpctl supervisor status && echo running",
		RunE: func(cmd *cobra.Command, _ []string) error {
			s, err := a.open()
			if err != nil {
				return err
			}
			ctx, cancel := context.WithTimeout(cmd.Context(), lookTimeout)
			defer cancel()
			info, err := supervisor.Status(ctx, s.Places)
			if err != nil {
				return err
			}
			info.Schema = wire.Schema
			if info.Sessions == nil {
				info.Sessions = []wire.SessionInfo{}
			}
			if err := a.print(info, func(w *bytes.Buffer) error { return supervisorText(w, info) }); err != nil {
				return err
			}
			if !info.Running {
				return exit(1)
			}
			return nil
		},
	}
}

// otherVersion is what can be told of a supervisor with which there is no protocol
// in common, as err says; the zero value for any other error.
func (a *app) otherVersion(ctx context.Context, p store.Places, err error) wire.ListedSupervisor {
	if wire.FromError(err).Word != wire.SupervisorProtocol {
		return wire.ListedSupervisor{}
	}
	info, err := supervisor.Status(ctx, p)
	if err != nil || !info.Running {
		return wire.ListedSupervisor{}
	}
	a.warn("the running supervisor is another version ("+info.Version+"), so the states are those the files tell", "restart it with: mcpctl supervisor restart")
	return wire.ListedSupervisor{Running: true, PID: info.PID, Version: info.Version}
}

func supervisorText(w *bytes.Buffer, info wire.Info) error {
	if !info.Running {
		w.WriteString("not running\n")
		return nil
	}
	fmt.Fprintf(w, "running: process %d, version %s, since %s, %d client(s)\n", info.PID, info.Version, info.StartedAt.Local().Format(time.DateTime), info.Clients)
	var rows [][]string
	for _, s := range info.Sessions {
		rows = append(rows, []string{s.Session, s.Workspace, fmt.Sprint(s.Servers), s.Watching})
	}
	if len(rows) == 0 {
		return nil
	}
	return report.Table(w, []string{"SESSION", "WORKSPACE", "SERVERS", "WATCHING"}, rows)
}
