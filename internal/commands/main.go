// Package commands turns argv into one call and its result or error into output
// and an exit number. One file per verb; each opens with the verb's manual.
package commands

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/mcpctl/mcpctl/internal/commands/report"
	"github.com/mcpctl/mcpctl/internal/engine/wire"
	"github.com/mcpctl/mcpctl/internal/store"
	"github.com/mcpctl/mcpctl/internal/store/redact"
)

// Version is the program's version, set by cmd/mcpctl.
var Version = "devel"

// Main runs one command and returns its exit number (design §8.3). args are
// without the program's name; environ is KEY=VALUE as os.Environ gives it.
func Main(args []string, streams Streams, environ []string) int {
	ctx, stop := withSignals()
	defer stop()
	return run(ctx, args, streams, store.NewEnviron(environ))
}

// signalError is why the context of an interrupted command ended.
type signalError struct{ code wire.Code }

func (e signalError) Error() string { return strings.ToLower(string(e.code)) }
func (e signalError) Code() string  { return string(e.code) }

// withSignals ends the context on SIGINT and SIGTERM; a second signal kills.
func withSignals() (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(context.Background())
	c := make(chan os.Signal, 1)
	signal.Notify(c, syscall.SIGINT, syscall.SIGTERM)
	done := make(chan struct{})
	go func() {
		select {
		case sig := <-c:
			signal.Stop(c) // from here on a signal has its default effect
			code := wire.Interrupted
			if sig == syscall.SIGTERM {
				code = wire.Terminated
			}
			cancel(signalError{code})
		case <-done:
		}
	}()
	return ctx, func() { signal.Stop(c); close(done); cancel(nil) }
}

// run is Main below the process: the demo enters here for each of its commands.
func run(ctx context.Context, args []string, streams Streams, env store.Environ) int {
	a := &app{streams: streams, env: env, version: Version}
	root := newRoot(a)
	root.SetArgs(args)
	root.SetIn(streams.In)
	root.SetOut(&a.out)
	root.SetErr(streams.Err)
	strictCompletion(root)
	if wantsJSON(args) {
		root.SetVersionTemplate(versionDocument(a.version)) // cobra prints it before any command runs
	}
	err := root.ExecuteContext(ctx)
	a.tellSupervisor(ctx)
	if cause := context.Cause(ctx); err != nil && errors.As(cause, new(signalError)) && errors.Is(err, context.Canceled) {
		if errors.As(err, new(wholeAnswer)) {
			cause = wholeAnswer{cause}
		}
		err = cause
	}
	if a.json == "" && wantsJSON(args) {
		a.json = "1" // the options did not parse; the error is still for a program
	}
	return a.finish(err)
}

// versionDocument is the document of --version, as a template without actions.
func versionDocument(version string) string {
	var b bytes.Buffer
	_ = report.JSON(&b, report.Version{Schema: wire.Schema, Version: version}) // cannot fail: a buffer, and text
	return b.String()
}

// finish is the one place where an error becomes words and a number.
func (a *app) finish(err error) int {
	var answer exit
	if err == nil || errors.As(err, &answer) {
		if flushed := a.flush(); flushed == nil {
			return int(answer)
		} else {
			err = flushed
		}
	}
	var partial wholeAnswer
	if errors.As(err, &partial) {
		err = partial.error
		if flushed := a.flush(); flushed != nil {
			err = flushed
		}
	}
	e := wire.FromError(err)
	if e.Word == wire.Usage { // it repeats what was typed, which may be a token in a wrong place
		hidden := *e
		hidden.Text, hidden.Advice = redact.Text(e.Text), redact.Text(e.Advice)
		e = &hidden
	}
	e = a.hintHere(e)
	if a.json != "" {
		_ = report.JSON(a.streams.Err, report.ErrorDocument{Schema: wire.Schema, Error: e})
		return e.Exit
	}
	a.tellError(e, "mcpctl logs ")
	return e.Exit
}

// tellError words an error for people. all is the command that shows the whole of
// what the server wrote, where the message has only the end of it.
func (a *app) tellError(e *wire.Error, all string) {
	where := ""
	if e.Path != "" && (e.Line > 0 || !strings.Contains(e.Text, "'"+e.Path+"'")) {
		where = place(e.Path, e.Line, e.Column) // unless the message names it already
	}
	text, hint := bare(e, where), e.Advice
	if hint == "" && e.Name != "" && report.Brief(text) != text {
		hint = "see all it wrote with: " + all + e.Name
	}
	report.Tell(a.streams.Err, report.Message{Where: where, Text: text, Hint: hint})
}

// bare is the message without the place, where an error prints its own, and with
// the server, where it does not say which one.
func bare(e *wire.Error, where string) string {
	text := e.Text
	if where != "" {
		text = strings.TrimPrefix(text, where+": ")
		text = strings.TrimPrefix(text, e.Path+": ")
	}
	if e.Name != "" && !strings.Contains(text, "'"+e.Name+"'") {
		text = "server '" + e.Name + "': " + text
	}
	return text
}

// exit is an answer that is a number and needs no words.
type exit int

func (e exit) Error() string { return "exit" }

// wholeAnswer is an error beside which the result on stdout is complete, such
// as a tool's isError.
type wholeAnswer struct{ error }

func (w wholeAnswer) Unwrap() error { return w.error }

// wantsJSON tells whether the arguments before "--" ask for JSON.
func wantsJSON(args []string) bool {
	if i := slices.Index(args, "--"); i >= 0 {
		args = args[:i]
	}
	return slices.ContainsFunc(args, func(s string) bool { return s == "--json" || strings.HasPrefix(s, "--json=") })
}

func newRoot(a *app) *cobra.Command {
	root := &cobra.Command{
		Use:     "mcpctl [-C DIR] [--json] COMMAND",
		Short:   "manage MCP server configuration and keep the servers running",
		Long:    rootHelp,
		Example: rootExamples,
		Version: a.version,
		Args:    cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return unknownCommand(cmd, args[0])
			}
			return cmd.Help()
		},
		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error { return a.checkSession(cmd) },

		SilenceErrors: true,
		SilenceUsage:  true,
	}
	root.SetVersionTemplate("mcpctl {{.Version}}\n")
	root.SetHelpTemplate(helpTemplate)
	cobra.AddTemplateFunc("plainFlags", plainFlags)
	root.SetUsageTemplate(strings.ReplaceAll(root.UsageTemplate(), ".FlagUsages |", ".FlagUsages | plainFlags |"))
	cobra.EnableCommandSorting = false // addCommands has the order
	root.SetFlagErrorFunc(flagError)
	root.SetHelpCommand(newHelpCmd(a))
	root.CompletionOptions.HiddenDefaultCmd = false
	flags := root.PersistentFlags()
	flags.StringVarP(&a.dir, "directory", "C", "", "work as if started in `DIR`")
	flags.StringVar(&a.client, "client", "", "use the files of client `NAME`")
	flags.StringVar(&a.session, "session", "", "work in session `ID`; alone: in the workspace's default one")
	flags.Lookup("session").NoOptDefVal = wire.DefaultSession
	flags.StringVar(&a.json, "json", "", "write one JSON document, of the schema given or 1")
	flags.Lookup("json").NoOptDefVal = "1"
	flags.BoolVar(&a.noColor, "no-color", false, "no colour (nor is there any on a pipe)")
	flags.BoolVarP(&a.quiet, "quiet", "q", false, "no warnings and no messages of success")
	flags.BoolVarP(&a.verbose, "verbose", "v", false, "tell on stderr which files and which session are used, and what a server that is tested says")
	_ = root.RegisterFlagCompletionFunc("session", a.completeSessions)
	_ = root.RegisterFlagCompletionFunc("client", cobra.FixedCompletions(store.Clients(), cobra.ShellCompDirectiveNoFileComp))
	addCommands(root, a)
	return root
}

// addCommands lists the verbs in the order of help; it is the program's table
// of contents.
func addCommands(root *cobra.Command, a *app) {
	groups := []struct {
		title    string
		commands []*cobra.Command
	}{
		{"Configuration", []*cobra.Command{newListCmd(a), newShowCmd(a), newAddCmd(a), newUpdateCmd(a), newRemoveCmd(a), newRenameCmd(a), newEnableCmd(a), newDisableCmd(a), newFingerprintCmd(a),
			newApplyCmd(a), newDiffCmd(a), newHistoryCmd(a), newUndoCmd(a), newImportCmd(a), newExportCmd(a), newSyncCmd(a)}},
		{"Inspection", []*cobra.Command{newSourcesCmd(a), newLintCmd(a), newDoctorCmd(a)}},
		{"Trust", []*cobra.Command{newApproveCmd(a), newDenyCmd(a), newRevokeCmd(a), newShareCmd(a), newLockCmd(a), newCheckCmd(a)}},
		{"Use", []*cobra.Command{
			newStatusCmd(a),
			newTestCmd(a),
			newLoginCmd(a),
			newLogoutCmd(a),
			newCredentialsCmd(a),
			newToolsCmd(a),
			newCallCmd(a),
			newResourcesCmd(a),
			newReadCmd(a),
			newPromptsCmd(a),
			newPromptCmd(a),
			newCompleteCmd(a),
			newOutputCmd(a),
			newLogsCmd(a),
			newReconnectCmd(a),
			newReloadCmd(a),
			newServeCmd(a),
		}},
		{"Plumbing", []*cobra.Command{
			newSessionCmd(a),
			newSupervisorCmd(a),
			newRPCCmd(a),
			newDemoCmd(a),
			newDemoServerCmd(a),
		}},
		{"Settings", []*cobra.Command{newConfigCmd(a), newSchemaCmd(a)}},
	}
	root.SetHelpCommandGroupID("Settings")
	root.SetCompletionCommandGroupID("Settings")
	for _, g := range groups {
		root.AddGroup(&cobra.Group{ID: g.title, Title: g.title + ":"})
		for _, c := range g.commands {
			c.GroupID = g.title
			root.AddCommand(c)
		}
	}
	root.AddCommand(newTopics()...)
	completeFlags(root)
}

// plainFlags drops what pflag says of switches and of --json beside their names;
// the columns stay.
func plainFlags(usages string) string {
	const toggle, optional, session = "[=true|false]", ` string[="1"]`, ` ID[="default"]`
	return strings.NewReplacer(toggle, strings.Repeat(" ", len(toggle)),
		session, "[=ID]"+strings.Repeat(" ", len(session)-len("[=ID]")),
		optional, "[=1]"+strings.Repeat(" ", len(optional)-len("[=1]"))).Replace(usages)
}

func unknownCommand(cmd *cobra.Command, word string) error {
	err := usagef("'%s' is not a command", word)
	err.Advice = "see: mcpctl help"
	var names []string
	for _, c := range cmd.Commands() {
		if !c.Hidden {
			names = append(names, c.Name())
		}
	}
	near := store.Closest(word, names)
	if known := otherWord(word); known != "" && cmd.Parent() == nil {
		near = known
	}
	if near != "" {
		err.Advice = "did you mean '" + near + "'?"
	}
	return err
}

// flagError names the option that is closest to one that does not exist.
func flagError(cmd *cobra.Command, err error) error {
	out := usagef("%s", err.Error())
	out.Advice = "see: " + cmd.CommandPath() + " --help"
	var wrong *pflag.InvalidValueError
	if errors.As(err, &wrong) && wrong.GetFlag().Value.Type() == "duration" {
		out.Text = "--" + wrong.GetFlag().Name + " " + wrong.GetValue() + ": not a duration"
		out.Advice = durationHint(wrong.GetValue())
	}
	var missing *pflag.NotExistError
	if !errors.As(err, &missing) {
		return out
	}
	if words := cmd.Flags().Args(); cmd.Parent() == nil && len(words) > 0 { // of a command that is none
		return unknownCommand(cmd, words[0])
	}
	if hint := commandHint(cmd); hint != "" {
		out.Advice = hint
		return out
	}
	if hint := otherFlag(cmd, missing.GetSpecifiedName()); hint != "" {
		out.Advice = hint
		return out
	}
	var names []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
	if near := store.Closest(missing.GetSpecifiedName(), names); near != "" {
		out.Advice = "did you mean '--" + near + "'?"
	} else if cmd.Name() == "call" || cmd.Name() == "prompt" {
		out.Advice = "an argument is written without dashes: " + missing.GetSpecifiedName() + "=VALUE"
	}
	return out
}

// commandHint is for a server's command whose options mcpctl took for its own; ""
// where none is to be seen. What stands in front of the option tells.
func commandHint(cmd *cobra.Command) string {
	words := cmd.Flags().Args()
	if takes := cmd.Name() == "add" || cmd.Name() == "update"; !takes || len(words) < 2 || strings.Contains(words[1], "://") {
		return ""
	}
	return "put -- in front of the server's command: mcpctl " + cmd.Name() + " " + words[0] + " -- " + words[1] + " ..."
}

// names checks the number of names a command is given.
func names(low, high int, what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		switch {
		case len(args) < low:
			return usageOf(cmd, "name "+what)
		case high >= 0 && len(args) > high:
			return usageOf(cmd, "unexpected '"+args[high]+"'")
		}
		return nil
	}
}

func usageOf(cmd *cobra.Command, message string) error {
	return wire.NewError(wire.Usage, message, "usage: "+cmd.UseLine())
}
