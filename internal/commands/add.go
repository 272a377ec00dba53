package commands

import (
	"context"
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mcpctl/mcpctl/internal/engine/wire"
	"github.com/mcpctl/mcpctl/internal/store"
	"github.com/mcpctl/mcpctl/internal/store/redact"
)

const addHelp = `Add a server. Everything behind "--" is the server's command and its arguments,
"-h" and "--json" included. With --url, or a URL behind the name, the server is
spoken to over HTTP. With --entry the whole entry is given as JSON, or read from
stdin with "-".

With --client the server goes into that client's file, in the shape the client
reads; what it cannot express, and a name it does not accept, is refused. An
--entry is written as it stands.

Without a scope flag the server goes into the user's file. In a project file the
entry is approved at once: its author is the user.

With --session, or --scope session, the server is given to one session alone, above
every file, until the session ends: to the workspace's default one, or to that of
--session=ID. It stands in no file then and needs no approval; "!command" values are
refused there.

Only the new member is written; every other byte of the file stays. A name that
is taken is refused, and so is one that only differs in case or in '-' and '_';
--replace replaces the entry of exactly this name.

Values may hold ${NAME} or ${NAME:-default}; they are stored as written and
resolved when the server is started. --env-from and --header-from store such a
reference, and --header-stdin and --oauth-client-secret-stdin read a value from
stdin, or ask for it at a terminal, so that no secret stands in the list of
processes. "$$" in a value is a
dollar; a single one that no brace follows is one too. A whole value "!command" of a
user or local entry is run when the server is started (see: mcpctl help
environment).`

const addExamples = `  mcpctl add files -- npx -y @modelcontextprotocol/server-filesystem@2026.8.31 ~/notes
  mcpctl add docs https://mcp.example.com/mcp --header-from Authorization=DOCS_AUTH
  mcpctl add db --project --env-from DATABASE_URL -- ./tools/db-server --read-only`

type addOptions struct {
	entryFlags
	scope   scopeFlags
	replace bool
	dryRun  bool

	name    string
	command []string // behind "--"
}

func newAddCmd(a *app) *cobra.Command {
	return newAddCmdF(a, func(ctx context.Context, o *addOptions) error { return runAdd(ctx, a, o) })
}

// newAddCmdF lets a test stop after the arguments are read.
func newAddCmdF(a *app, runF func(context.Context, *addOptions) error) *cobra.Command {
	o := &addOptions{}
	cmd := &cobra.Command{
		Use:   "add NAME [flags] {-- COMMAND [ARG...] | --url URL | URL | --entry JSON}",
		Short: "add a server", Long: addHelp, Example: addExamples,
		Args: func(cmd *cobra.Command, args []string) error { return o.positional(cmd, args) },
		RunE: func(cmd *cobra.Command, _ []string) error { return runF(cmd.Context(), o) },
	}
	f := cmd.Flags()
	o.scope.registerWithSession(cmd)
	o.entryFlags.register(f)
	f.BoolVar(&o.replace, "replace", false, "replace the entry of this name")
	f.BoolVar(&o.dryRun, "dry-run", false, "write nothing; show the difference")
	return cmd
}

// positional sorts the words: the name, perhaps a URL, and behind "--" the
// command, which belongs to the server whatever it looks like.
func (o *addOptions) positional(cmd *cobra.Command, args []string) error {
	words := args
	if dash := cmd.ArgsLenAtDash(); dash >= 0 {
		words, o.command = args[:dash], args[dash:]
		if len(o.command) == 0 {
			return usageOf(cmd, "no command behind '--'")
		}
	}
	if len(words) == 0 {
		return usageOf(cmd, "name the server")
	}
	if err := strayVariable(words); err != nil {
		return err
	}
	o.name = words[0]
	switch rest := words[1:]; {
	case len(rest) == 1 && strings.Contains(rest[0], "://"):
		if o.url != "" {
			return usageOf(cmd, "the URL is given twice")
		}
		o.url = rest[0]
	case len(rest) == 1 && withoutScheme.MatchString(rest[0]):
		return wire.NewError(wire.Usage, "'"+rest[0]+"' has no http:// or https:// in front", "a URL is written as https://HOST/PATH, and a command behind --")
	case len(rest) > 0:
		return wire.NewError(wire.Usage, "unexpected '"+rest[0]+"'", "put -- in front of the server's command: mcpctl add "+o.name+" -- "+shellWords(redact.Args(append(slices.Clone(rest), o.command...))))
	}
	return o.oneSource(cmd)
}

// shellWords are words as a shell reads them.
func shellWords(words []string) string {
	quoted := make([]string, len(words))
	for i, w := range words {
		quoted[i] = redact.ShellWord(w)
	}
	return strings.Join(quoted, " ")
}

// withoutScheme is what looks like a URL that lacks its beginning: a host with a
// port, or one with a dot and a path.
var withoutScheme = regexp.MustCompile(`^(?:[\w.-]+:\d+|localhost|\[[0-9a-fA-F:]+\](?::\d+)?|[\w-]+(?:\.[\w-]+)+)(?:/.*)?$`)

// strayVariable is the error for a second variable behind one -e, as K=V where a
// name is expected. The value may be a secret, so it is not repeated.
func strayVariable(words []string) error {
	for _, word := range words {
		if key, _, ok := strings.Cut(word, "="); ok && store.IsVariable(key) {
			return wire.NewError(wire.Usage, "unexpected '"+key+"=...'", "each variable has an -e of its own, as in: -e A=1 -e B=2")
		}
	}
	return nil
}

func (o *addOptions) oneSource(cmd *cobra.Command) error {
	given := 0
	for _, is := range []bool{len(o.command) > 0, o.url != "" || cmd.Flags().Changed("url"), o.entry != ""} {
		if is {
			given++
		}
	}
	if given != 1 {
		return usageOf(cmd, "give exactly one of: a command behind --, a URL, or --entry")
	}
	return nil
}

func runAdd(ctx context.Context, a *app, o *addOptions) error {
	s, err := a.open()
	if err != nil {
		return err
	}
	session, err := a.inSession(&o.scope)
	if err != nil {
		return err
	}
	if session {
		return a.addToSession(ctx, s, o)
	}
	scope, err := o.scope.scope(store.User)
	if err != nil {
		return err
	}
	entry, err := o.build(ctx, a)
	if err != nil {
		return err
	}
	if o.entry == "" { // what the user wrote whole is in the client's shape already
		if entry, err = s.InClientShape(scope, entry); err != nil {
			return err
		}
	}
	change, err := s.Add(ctx, store.AddRequest{Scope: scope, Name: o.name, Entry: entry, Replace: o.replace, DryRun: o.dryRun})
	if err != nil {
		return err
	}
	o.hints(a, s, o.command)
	a.warnOf(change)
	return a.printEdit(s, change, "added")
}

// addToSession gives the server to a session alone.
func (a *app) addToSession(ctx context.Context, s *store.Store, o *addOptions) error {
	entry, err := o.build(ctx, a)
	if err != nil {
		return err
	}
	o.hints(a, s, o.command)
	return a.changeSession(ctx, o.dryRun, func(w *sessionChange) error { return w.register(ctx, o, entry) })
}

// build makes the entry from the flags, keys in the order people write them.
func (o *addOptions) build(ctx context.Context, a *app) (json.RawMessage, error) {
	fields, err := o.fields(ctx, a)
	if err != nil {
		return nil, err
	}
	if o.entry != "" {
		return o.wholeEntry(ctx, a, fields)
	}
	var l fieldList
	if len(o.command) == 0 {
		address, err := o.checkedURL()
		if err != nil {
			return nil, err
		}
		if o.forCommand() {
			return nil, usagef("variables, --cwd and --inherit-env go with a command, not with a URL")
		}
		if o.transport == "" {
			o.transport = "http"
		}
		l.set(o.transport, "type")
		l.set(address, "url")
	} else {
		if o.transport != "" && o.transport != "stdio" {
			return nil, usagef("--transport %s goes with a URL, not with a command", o.transport)
		}
		if o.forURL() {
			return nil, usagef("headers and sign-in go with a URL, not with a command")
		}
		l.set(o.command[0], "command")
		if len(o.command) > 1 {
			l.set(o.command[1:], "args")
		}
	}
	l = append(l, fields...)
	if o.disabled {
		l.set(false, "enabled")
	}
	return assemble(l), nil
}
