package commands

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/mcpctl/mcpctl/internal/engine"
	"github.com/mcpctl/mcpctl/internal/engine/gateway"
	"github.com/mcpctl/mcpctl/internal/store"
	"github.com/mcpctl/mcpctl/internal/store/redact"
)

const serveHelp = `Be one MCP server that offers the servers of this workspace: those that are approved
and enabled, warm and with the user's sign-ins. One entry in an editor or agent then
gives it all of them; --print-config writes that entry.

Without options it speaks on stdin and stdout, for the program that has started it,
and ends when that closes stdin. With --http it listens on a loopback address at
/mcp, for any number of clients, and writes its address to stderr; other addresses
are refused. Clients show the bearer token that stands in the file which is named on
stderr, or in --token-file; only the user may be able to read that. With --no-token
every program of this machine may use the servers, other users' too. Requests of web
pages are refused, unless --allow-origin names their origin, and so are those for
another host name. A session that nothing is asked of for ten minutes ends
(--idle-timeout), and its servers with it. Clients are told the URL and a header, which
--print-config writes when it is given --http, too: the token is then that of the
variable MCPCTL_TOKEN, spelled as the client does; for a client that reads none the
token itself is written, and a warning. For example:

  claude mcp add --transport http mcpctl http://127.0.0.1:8765/mcp \
    --header "Authorization: Bearer $(cat FILE)"
  {"mcpServers": {"mcpctl": {"url": "http://127.0.0.1:8765/mcp",
    "headers": {"Authorization": "Bearer TOKEN"}}}}       (Cursor: mcp.json)
  {"servers": {"mcpctl": {"type": "http", "url": "http://127.0.0.1:8765/mcp",
    "headers": {"Authorization": "Bearer TOKEN"}}}}       (VS Code: mcp.json)

The entry of --print-config starts this program by its name where PATH leads to it. A
client that was started from a desktop may have another PATH, and starts it in a folder
of its own: give -C, and the path of this program where it is not found.

Tools are called SERVER__TOOL, with "_" for what is no letter, digit, "-" or "_"; 64
characters at most. Names that are longer, or that two tools would share, end in eight
hex digits instead. --naming pi and omp give the names of those clients; none, for
exactly one server, leaves all names alone. Prompts are named like tools. Resources
keep their URIs; one that several servers list is mcp://SERVER/URI, which can be read
for every server. The arguments, definitions and results of tools pass unchanged, but
for a text over 20 KiB: its middle is cut, and a line there says under which id the
whole is kept (see mcpctl-output(1)), and as which resource, mcpctl://output/ID, the
same client can read it without a shell: in pages of 20 KiB, each of which names the
next, for as long as its session lasts. structuredContent over 20 KiB becomes such a
text, where no text says the same. That of a tool with an outputSchema passes whole,
however long it is: a client is right to refuse a result that lacks it or does not fit
the schema. --whole leaves all of this out.

What an entry's exposure and toolExposure say holds: "deferred" tools are not listed
but found with the tool search_tools, shown by describe_tool and run by call_tool,
which are there when something is deferred; "hidden" ones do not exist. A server that
needs a sign-in has a tool that tells so. The instructions name the servers that wait
for approval, need a sign-in, or have failed, the tools that pinTools withholds, and the
servers whose tools are deferred. A call of a tool whose server is not there says why.

A client waits at its start for servers that are starting: two seconds of initialize,
and five in all until its first list (--wait). What comes later is told as a change. Some
clients never ask again; for these, and servers that take long, give a longer --wait.

Each client has a session of its own at the supervisor, which is started when there is
none: its servers are started for it, with the environment of this command, with the
client's roots, and end with it; mcpctl list and status tell of the session of the
command line, and mcpctl session list of all. A server whose entry says "shared": true
runs in the session of the command line, which goes on when the client leaves, with its
other servers. Questions of servers for the user or the model (elicitation,
sampling), progress and log messages go to the client whose request caused them.
Changes of the configuration, of approvals and of what servers list are told at once.

Both eras of the protocol are spoken, on stdio and at one URL: 2024-11-05 to
2025-11-25, and 2026-07-28, whose requests stand alone. Clients of the latter at one
URL share one session, as they cannot be told apart. Where a server asks one of them
something, its request is held for ten minutes until the client comes back with the
answer; log messages reach it while no other request is under way at that server. What a
server asks in one answer the client is asked in one, its own roots included. For a client
of an older version a server that speaks both eras is spoken to in the older: most ask
their client nothing in the new one. One that is shared keeps the era it is in; an entry's
protocolVersion pins one (see mcpctl-entries(5)).

SIGTERM and SIGINT end it with status 0. When the supervisor goes away, calls in flight
fail with CALL_OUTCOME_UNKNOWN, since they may have run, and what is asked next opens the
session again.`

const serveExamples = `  mcpctl serve --print-config claude
  mcpctl serve --servers 'docs,git*' --naming pi
  mcpctl serve --http 127.0.0.1:8765`

type serveOptions struct {
	stdio     bool
	http      string
	tokenFile string
	noToken   bool
	servers   []string
	exclude   []string
	naming    string
	whole     bool
	wait      time.Duration
	idle      time.Duration
	origins   []string
	print     string
}

// namingWords are the values of --naming.
var namingWords = []string{string(engine.NamingShort), string(engine.NamingPi), string(engine.NamingOmp), namingNone}

const namingNone = "none"

func newServeCmd(a *app) *cobra.Command {
	o := &serveOptions{}
	cmd := &cobra.Command{
		Use: "serve", Short: "be one MCP server that offers the servers", Long: serveHelp, Example: serveExamples, Args: names(0, 0, ""),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := o.check(cmd, a); err != nil {
				return err
			}
			if o.print != "" {
				return a.printGateway(cmd, o)
			}
			return runServe(cmd.Context(), a, o)
		},
	}
	f := cmd.Flags()
	f.BoolVar(&o.stdio, "stdio", false, "speak on stdin and stdout (the default)")
	f.StringVar(&o.http, "http", "", "listen on `ADDR`, 127.0.0.1:PORT or [::1]:PORT; port 0 takes a free one")
	f.StringVar(&o.tokenFile, "token-file", "", "with --http: the token is in `FILE` (default: one made in the state directory)")
	f.BoolVar(&o.noToken, "no-token", false, "with --http: let in every program of this machine")
	f.StringSliceVar(&o.servers, "servers", nil, "offer these only, `NAMES` or patterns with '*', separated by commas")
	f.StringSliceVar(&o.exclude, "exclude", nil, "do not offer these, `NAMES` or patterns with '*'")
	f.StringVar(&o.naming, "naming", string(engine.NamingShort), "how tools and prompts are called: `HOW` is short, pi, omp or none")
	f.BoolVar(&o.whole, "whole", false, "do not cut long texts")
	f.DurationVar(&o.wait, "wait", gateway.DefaultWait, "wait at a client's start for servers that are starting, at most `D` such as 10s")
	f.DurationVar(&o.idle, "idle-timeout", gateway.DefaultIdle, "with --http: end a session that nothing is asked of for `D` such as 30m")
	f.StringSliceVar(&o.origins, "allow-origin", nil, "with --http: serve pages of these `ORIGINS`, such as http://localhost:6274")
	f.StringVar(&o.print, "print-config", "", "write the entry for the configuration of `CLIENT` and do nothing else")
	_ = cmd.RegisterFlagCompletionFunc("servers", a.completeServerList)
	_ = cmd.RegisterFlagCompletionFunc("exclude", a.completeServerList)
	return cmd
}

// check refuses options that do not go together.
func (o *serveOptions) check(cmd *cobra.Command, a *app) error {
	switch {
	case a.session != "":
		return usageOf(cmd, "each client of serve has a session of its own: --session has no meaning here")
	case cmd.Flags().Changed("stdio") && !o.stdio:
		return usageOf(cmd, "--stdio=false has no meaning; give --http")
	case cmd.Flags().Changed("servers") && !slices.ContainsFunc(o.servers, func(s string) bool { return s != "" }):
		return usageOf(cmd, "--servers names none; leave it out for all")
	case slices.Contains(slices.Concat(o.servers, o.exclude), ""):
		return usageOf(cmd, "an empty name stands in --servers or --exclude")
	case o.wait < 0 || o.idle <= 0:
		return usageOf(cmd, "--wait is 0 or more, --idle-timeout more than 0")
	case o.http == "" && (cmd.Flags().Changed("idle-timeout") || len(o.origins) > 0):
		return usageOf(cmd, "--idle-timeout and --allow-origin are for --http")
	case a.json != "":
		return usageOf(cmd, "serve writes no document")
	case o.stdio && o.http != "":
		return usageOf(cmd, "give --stdio or --http, not both")
	case o.http == "" && cmd.Flags().Changed("http"):
		return usageOf(cmd, "--http takes an address, such as 127.0.0.1:8765")
	case o.http == "" && (o.tokenFile != "" || o.noToken):
		return usageOf(cmd, "tokens are for --http")
	case o.tokenFile != "" && o.noToken:
		return usageOf(cmd, "give --token-file or --no-token, not both")
	case !slices.Contains(namingWords, o.naming):
		return usageOf(cmd, "--naming takes short, pi, omp or none")
	}
	for _, origin := range o.origins {
		if u, err := url.Parse(origin); err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.Scheme+"://"+u.Host != origin {
			return usageOf(cmd, "--allow-origin takes origins, such as http://localhost:6274")
		}
	}
	return nil
}

func runServe(ctx context.Context, a *app, o *serveOptions) error {
	collectGarbage()
	s, err := a.open()
	if err != nil {
		return err
	}
	config := s.Load()
	if err := config.RefuseElsewhere(); err != nil {
		return err
	}
	options, err := a.gatewayOptions(s, o, config)
	if err != nil {
		return err
	}
	if o.http != "" {
		err = a.serveHTTP(ctx, s, o, gateway.New(options))
	} else {
		err = a.serveStdio(ctx, gateway.New(options))
	}
	if errors.As(context.Cause(ctx), new(signalError)) {
		return nil // it was told to stop, and has done its work
	}
	return err
}

// gatewayOptions are what the command's options mean for the workspace.
func (a *app) gatewayOptions(s *store.Store, o *serveOptions, config *store.Config) (gateway.Options, error) {
	dial, err := a.supervisorOptions(s, true)
	if err != nil {
		return gateway.Options{}, err
	}
	dial.Name = "mcpctl serve"
	if err := known(config, slices.Concat(o.servers, o.exclude)); err != nil {
		return gateway.Options{}, err
	}
	open := a.defaultOpen(s)
	open.Servers, open.Exclude = o.servers, o.exclude
	naming := engine.Naming(o.naming)
	if o.naming == namingNone {
		naming = ""
		chosen := o.chosen(config)
		if len(chosen) != 1 {
			return gateway.Options{}, usagef("--naming none is for exactly one server, and these are %d: choose one with --servers", len(chosen))
		}
		open.Servers = chosen
	}
	return gateway.Options{Dial: dial, Open: open, Version: a.version, Naming: naming, Whole: o.whole, Wait: o.wait, Idle: o.idle, Origins: o.origins,
		Tell: func(text string) { a.warn(redact.Line(text), "") }}, nil
}

// known refuses names that no server has; patterns may match what comes later.
func known(config *store.Config, names []string) error {
	for _, name := range names {
		if !strings.Contains(name, "*") && len(config.Named(name)) == 0 {
			return config.NotFound(name)
		}
	}
	return nil
}

// chosen are the servers that --servers and --exclude leave.
func (o *serveOptions) chosen(config *store.Config) []string {
	in := func(patterns []string, name string) bool {
		return slices.ContainsFunc(patterns, func(p string) bool { return store.Matches(p, name) })
	}
	var out []string
	for _, row := range config.Rows {
		name := row.Entry.Name
		if slices.Contains(out, name) || len(o.servers) > 0 && !in(o.servers, name) || in(o.exclude, name) {
			continue
		}
		out = append(out, name)
	}
	return out
}

func (a *app) serveStdio(ctx context.Context, g *gateway.Gateway) error {
	if terminal(a.streams.In) {
		a.warn("this speaks the protocol of MCP, for a program; Ctrl-C ends it", "to tell an editor of it: mcpctl serve --print-config CLIENT")
	}
	in, out, restore := unblocked(a.streams.In, a.streams.Out)
	defer restore()
	err := g.ServeStdio(ctx, io.NopCloser(in), keepOpen{out})
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

// keepOpen is an output that its user does not close.
type keepOpen struct{ io.Writer }

// Close does nothing.
func (keepOpen) Close() error { return nil }

// token is what clients have to show, and the file it stands in.
func (o *serveOptions) token(ctx context.Context, s *store.Store) (token, where string, err error) {
	if o.tokenFile == "" {
		return s.ServeToken(ctx)
	}
	token, err = store.ReadToken(o.tokenFile)
	return token, o.tokenFile, err
}

func (a *app) serveHTTP(ctx context.Context, s *store.Store, o *serveOptions, g *gateway.Gateway) error {
	if err := gateway.CheckAddress(o.http); err != nil {
		return err
	}
	token, where := "", ""
	var err error
	switch {
	case o.noToken:
		a.warn("every program of this machine may use these servers: there is no token", "")
	default:
		token, where, err = o.token(ctx, s)
	}
	if err != nil {
		return err
	}
	l, err := gateway.Listen(o.http)
	if err != nil {
		return err
	}
	fmt.Fprintf(a.streams.Err, "mcpctl: serving at http://%s%s\n", l.Addr(), gateway.Endpoint)
	if where != "" {
		fmt.Fprintf(a.streams.Err, "mcpctl: the bearer token is in %s\n", redact.Line(where))
	}
	return g.ServeHTTP(ctx, l, token)
}

// unblocked gives the streams of a process as files that the runtime polls. A read of
// os.Stdin is a system call that blocks a thread, and a program of Go whose collector
// waits for it may stand still for up to a minute. Restore undoes it: the description of
// a stream may be shared with others.
func unblocked(in io.Reader, out io.Writer) (io.Reader, io.Writer, func()) {
	file, ok := in.(*os.File)
	if !ok {
		return in, out, func() {}
	}
	polled, restore := pollable(file)
	if polled == nil {
		return in, out, func() {}
	}
	if o, ok := out.(*os.File); ok { // one socket may be both
		if p := alsoPollable(o); p != nil {
			return polled, p, restore
		}
	}
	return polled, out, restore
}
