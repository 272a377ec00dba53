package commands

import (
	"bytes"
	"context"
	"fmt"
	"os"

	"github.com/mcpctl/mcpctl/internal/commands/report"
	"github.com/mcpctl/mcpctl/internal/engine"
	"github.com/mcpctl/mcpctl/internal/engine/supervisor"
	"github.com/mcpctl/mcpctl/internal/engine/wire"
	"github.com/mcpctl/mcpctl/internal/store"
	"github.com/mcpctl/mcpctl/internal/store/redact"
)

// app is what every command is given: the streams, the environment, the global
// options, and the late-built things behind them.
type app struct {
	streams Streams
	env     store.Environ
	version string
	out     bytes.Buffer // stdout until the answer is whole

	dir     string // -C
	client  string // --client
	session string // --session[=ID]; "" when it is not given
	json    string // --json[=1]; "" for people
	noColor bool   // --no-color
	quiet   bool   // -q
	verbose bool   // -v

	warnings []wire.Warning // with --json, for the document

	edited   []string     // files that this command has changed
	editedAt store.Places // whose they are
	toldMore bool         // -v has said its part

	told map[string]bool // warnings that were shown; none is shown twice
}

// open finds the configuration for -C and --client, and warns of settings that
// cannot be used; the defaults hold in their place.
func (a *app) open() (*store.Store, error) {
	s, err := a.openQuietly()
	if err == nil {
		a.problems(engine.Problems(s.LastSettings().Warnings()))
		a.tellMore(s)
	}
	return s, err
}

// tellMore says with -v which files this command goes by, once.
func (a *app) tellMore(s *store.Store) {
	if !a.verbose || a.json != "" || a.toldMore {
		return
	}
	a.toldMore = true
	fmt.Fprintf(a.streams.Err, "mcpctl: workspace %s, client %s\n", redact.Line(s.Workspace.Dir), s.Client.Name)
	for _, scope := range []store.Scope{store.Local, store.Project, store.User} {
		if path := s.Path(scope); path != "" {
			fmt.Fprintf(a.streams.Err, "mcpctl: %s file %s\n", scope, redact.Line(path))
		}
	}
}

// openQuietly is open for commands that tell of the settings themselves.
func (a *app) openQuietly() (*store.Store, error) {
	if a.json != "" && a.json != "1" {
		return nil, usagef("--json=%s: this mcpctl writes schema 1", a.json)
	}
	dir := a.dir
	if dir == "" {
		dir = "."
	}
	client := a.client
	if client == "" {
		client = a.env["MCPCTL_CLIENT"]
	}
	s, err := store.Open(a.env, dir, client)
	if err == nil {
		s.Edited = func(path string) { a.edited, a.editedAt = append(a.edited, path), s.Places }
	}
	return s, err
}

// load opens the configuration and reads it once.
func (a *app) load() (*store.Config, error) {
	s, err := a.open()
	if err != nil {
		return nil, err
	}
	return s.Load(), nil
}

// supervisorOptions are how a command reaches the supervisor of these places.
func (a *app) supervisorOptions(s *store.Store, start bool) (supervisor.DialOptions, error) {
	exe, err := os.Executable()
	if err != nil {
		return supervisor.DialOptions{}, wire.NewError(wire.SupervisorUnreachable, "cannot find this program's own file: "+err.Error(), "")
	}
	return supervisor.DialOptions{Places: s.Places, Version: a.version, Start: start, Executable: exe, Env: a.env.List()}, nil
}

// connect is connectFor with the configuration that a.open finds.
func (a *app) connect(ctx context.Context) (*supervisor.Client, error) {
	s, err := a.open()
	if err != nil {
		return nil, err
	}
	return a.connectFor(ctx, s)
}

// connectOnly reaches the supervisor, starting it when there is none, and opens no
// session.
func (a *app) connectOnly(ctx context.Context) (*supervisor.Client, error) {
	s, err := a.open()
	if err != nil {
		return nil, err
	}
	opts, err := a.supervisorOptions(s, true)
	if err != nil {
		return nil, err
	}
	return supervisor.Dial(ctx, opts)
}

// connectFor reaches the supervisor, starting it when there is none, and asks for
// the workspace's default session, or the one that --session names, which has to be
// there. The requests that follow travel with it; their "default" is this session.
func (a *app) connectFor(ctx context.Context, s *store.Store) (*supervisor.Client, error) {
	opts, err := a.supervisorOptions(s, !a.namesSession())
	if err != nil {
		return nil, err
	}
	c, err := supervisor.Dial(ctx, opts)
	if a.namesSession() && notRunning(err) {
		return nil, noSession(a.session)
	}
	if err != nil {
		return nil, err
	}
	open := a.sessionOpen(s)
	if err := c.SendOpen(ctx, open); err != nil {
		c.Close()
		return nil, err
	}
	if a.verbose && a.json == "" {
		fmt.Fprintf(a.streams.Err, "mcpctl: session %s of the supervisor\n", redact.Line(open.ID))
	}
	return c, nil
}

// sessionOpen asks for the session that this command works in.
func (a *app) sessionOpen(s *store.Store) wire.SessionOpen {
	if a.namesSession() {
		return wire.SessionOpen{ID: a.session, Existing: true, AsDefault: true}
	}
	return a.defaultOpen(s)
}

func (a *app) defaultOpen(s *store.Store) wire.SessionOpen {
	return wire.SessionOpen{ID: wire.DefaultSession, Workspace: s.Workspace.Dir, Client: s.Client.Name, Env: a.env.List()}
}

// print writes one result: the document with --json, otherwise what text says.
func (a *app) print(document any, text func(w *bytes.Buffer) error) error {
	if a.json != "" {
		return report.JSON(&a.out, document)
	}
	return text(&a.out)
}

// flush hands the whole answer to stdout. A failure is MCP_IO: a script must
// not take half an answer for a whole one.
func (a *app) flush() error {
	if a.out.Len() == 0 {
		return nil
	}
	defer a.out.Reset()
	answer := a.out.Bytes()
	if a.json != "" && terminal(a.streams.Out) {
		answer = []byte(redact.VisibleJSON(string(answer)))
	}
	_, err := a.streams.Out.Write(answer)
	return unwritten(err)
}

func unwritten(err error) error {
	if err != nil {
		return wire.NewError(wire.IO, "cannot write the result to stdout: "+err.Error(), "")
	}
	return nil
}

// say tells a person at a terminal that something was done; on a pipe, and with
// -q or --json, success is silent.
func (a *app) say(format string, args ...any) {
	if !a.quiet && a.json == "" && terminal(a.streams.Err) {
		fmt.Fprintf(a.streams.Err, format+"\n", args...)
	}
}

// warn tells what a person should know although the command goes on. With --json
// stderr is for an error's document alone: warnings go into the result, where it has
// a list of them.
func (a *app) warn(text, hint string) {
	switch {
	case a.json != "":
		a.warnings = append(a.warnings, wire.Warning{Message: text, Hint: hint})
	case !a.quiet:
		report.Tell(a.streams.Err, report.Message{Text: "warning: " + text, Hint: hint})
	}
}

// takeWarnings returns what was warned of since the last document.
func (a *app) takeWarnings() []wire.Warning {
	taken := append([]wire.Warning{}, a.warnings...)
	a.warnings = nil
	return taken
}

// problems shows what is wrong in files on stderr and reports whether any of it
// is an error. With --json they are in the document already.
func (a *app) problems(list []wire.Problem) (invalid bool) {
	for _, p := range list {
		invalid = invalid || p.Severity == store.SeverityError
		if a.json != "" {
			continue
		}
		text := p.Message
		if p.Severity != store.SeverityError {
			if a.quiet || a.told[p.Source+text] {
				continue
			}
			if a.told == nil {
				a.told = map[string]bool{}
			}
			a.told[p.Source+text] = true
			text = "warning: " + text
		}
		if p.Server != nil {
			text = "server '" + *p.Server + "': " + text
		}
		report.Tell(a.streams.Err, report.Message{Where: place(p.Source, p.Line, p.Column), Text: text, Hint: p.Hint})
	}
	return invalid
}

func place(path string, line, column int) string {
	if line == 0 {
		return path
	}
	return fmt.Sprintf("%s:%d:%d", path, line, column)
}

// writeText writes a text and the end of its last line. On a terminal nothing in it
// acts.
func (a *app) writeText(text string) {
	if terminal(a.streams.Out) {
		text = redact.Visible(text)
	}
	a.out.WriteString(text)
	if !bytes.HasSuffix(a.out.Bytes(), []byte("\n")) {
		a.out.WriteByte('\n')
	}
}
