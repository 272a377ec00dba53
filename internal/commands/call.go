package commands

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/mcpctl/mcpctl/internal/commands/report"
	"github.com/mcpctl/mcpctl/internal/engine/record"
	"github.com/mcpctl/mcpctl/internal/engine/wire"
	"github.com/mcpctl/mcpctl/internal/store"
	"github.com/mcpctl/mcpctl/internal/store/redact"
)

const callHelp = `Call one tool of a server, through the supervisor, which is started when there is
none. A call is sent once and never repeated.

Arguments: k=v is converted to the type that the tool's schema gives for k; where it
allows a string, v is one. Numbers are sent as they are typed. A list is k=v given
several times, or JSON text; an object is JSON text, or k.member=v, unless the tool
has an argument of just that dotted name. k:=JSON is JSON as it stands, k=@FILE and
k:=@FILE are the same with the contents of a file, and --args gives the whole object
as JSON, from @FILE, or from stdin with "-". k=@- is what stands on stdin.

Arguments that are missing, that the tool does not have, or that do not fit its schema
are an error before anything is sent; "mcpctl tools SERVER TOOL" shows them. A schema
that lists properties means those alone, unless its additionalProperties or
patternProperties say that there may be others. What is not understood of a schema is
left to the server, and --no-check leaves all of it.

Values are sent as the shell gives them: mcpctl expands neither ~ nor $NAME in them.
Write path=$HOME/notes; most shells leave the ~ of path=~/notes alone.

The tool's text goes to stdout, and structured content where there is no text; with
--json the whole result goes there, as the server sent it. Images, audio and other
binaries are named, or with --save written to new files of a directory, and their
paths printed instead. --raw adds no line end to the text. When the tool reports an
error (isError) its result is on stdout all the same and the exit status is 40. When
the connection is lost after the request was sent, the exit status is 41: the tool
may have run.

At a terminal progress is shown on stderr, and when the server asks something, such
as for a value that it lacks, the question is put there. Elsewhere, and with -q or
--json, it is declined, unless --elicit says otherwise: "defaults" answers with the
defaults of its form. A server never gets a page opened: its address is shown.

What a tool answered is recorded, and its id is outputId in the JSON. On a terminal
only the first and the last 10 KiB of a text over 20 KiB are shown, and between them
how much is missing and the command that prints all of it: see mcpctl-output(1). A
pipe and --json get everything, always ("truncated" is false), unless --cut=always
asks for the same on a pipe. A result that could not be recorded is not cut.`

const callExamples = `  mcpctl call docs search query='rate limits' limit=5
  mcpctl call docs.search query=limits tag=http tag=api --json | jq .result
  jq -n '{path: "notes.md"}' | mcpctl call files read_file --args -
  mcpctl call browser screenshot --save shots`

type callOptions struct {
	server, tool string
	words        []string // k=v, k:=json, k=@file
	args         string
	timeout      time.Duration
	raw          bool
	save         string
	elicit       string
	noCheck      bool
	direct       bool
	cut          string // one of cutWords
}

func newCallCmd(a *app) *cobra.Command {
	o := &callOptions{}
	cmd := &cobra.Command{
		Use: "call {SERVER TOOL | SERVER.TOOL} [ARG...]", Short: "call a tool", Long: callHelp, Example: callExamples,
		Args: names(1, -1, "a server and a tool"), ValidArgsFunction: a.completeCall,
		RunE: func(cmd *cobra.Command, args []string) error {
			if o.timeout < 0 || cmd.Flags().Changed("timeout") && o.timeout == 0 {
				return usageOf(cmd, "--timeout takes a duration above 0, such as 20s")
			}
			if o.save == "" && cmd.Flags().Changed("save") {
				return usageOf(cmd, "--save takes a directory")
			}
			if !slices.Contains(cutWords, o.cut) {
				return usageOf(cmd, "--cut takes auto, always or never")
			}
			o.server, o.words = args[0], args[1:]
			if len(args) > 1 && !strings.ContainsAny(args[1], "=") {
				o.tool, o.words = args[1], args[2:]
			}
			return runCall(cmd.Context(), a, o)
		},
	}
	cmd.Flags().StringVar(&o.args, "args", "", "all arguments as a `JSON` object, @FILE, or - for stdin")
	cmd.Flags().DurationVar(&o.timeout, "timeout", 0, "limit without progress, `D` such as 20s (default: the entry's timeout)")
	cmd.Flags().BoolVar(&o.raw, "raw", false, "write text unchanged, without a line end of our own; refused when stdout is a terminal")
	cmd.Flags().StringVar(&o.cut, "cut", "auto", "cut the middle of a text over 20 KiB: `WHEN` is auto (on a terminal), always or never")
	cmd.Flags().StringVar(&o.save, "save", "", "write images, audio and binaries to new files in `DIR`")
	cmd.Flags().StringVar(&o.elicit, "elicit", "", "answer the server's questions: `HOW` is ask, defaults or decline (default: ask at a terminal, or decline)")
	cmd.Flags().BoolVar(&o.noCheck, "no-check", false, "do not hold the arguments against the tool's schema")
	directFlag(cmd, &o.direct)
	_ = cmd.MarkFlagDirname("save")
	return cmd
}

func runCall(ctx context.Context, a *app, o *callOptions) error {
	if o.raw && terminal(a.streams.Out) {
		return usagef("--raw does not write to a terminal: a server's text could control it")
	}
	answers, err := a.answers(o.elicit)
	if err != nil {
		return err
	}
	s, err := a.open()
	if err != nil {
		return err
	}
	if err := o.split(ctx, a, s); err != nil {
		return err
	}
	in, err := readArguments(ctx, a, o.words, o.args)
	if err != nil {
		return err
	}
	r, err := a.reach(ctx, s, o.direct)
	if err != nil {
		return err
	}
	defer r.Close()
	return a.call(ctx, r, o, in, answers)
}

// split splits SERVER.TOOL where it was given so. What was taken for a tool behind it
// is an argument, if no server has the joined name.
func (o *callOptions) split(ctx context.Context, a *app, s *store.Store) (err error) {
	if o.tool == "" {
		o.server, o.tool, err = a.splitLive(ctx, s, o.server)
		return err
	}
	if a.namesSession() || len(s.Load().Named(o.server)) > 0 { // a session may have servers that stand in no file
		return nil
	}
	if server, tool, err := splitName(s, o.server); err == nil {
		o.words = append([]string{o.tool}, o.words...)
		o.server, o.tool = server, tool
	}
	return nil
}

// call makes the arguments, calls, and shows what came of it.
func (a *app) call(ctx context.Context, r route, o *callOptions, in *arguments, answers *answers) error {
	definition, err := definitionOf(ctx, r, o)
	if err != nil {
		return withinFlag(err, o.timeout)
	}
	args, err := in.object(o.tool, definition, !o.noCheck)
	if err != nil {
		return aboutTool(err, o)
	}
	var keep *saver
	if o.save != "" {
		if keep, err = newSaver(o.save, o.tool); err != nil {
			return err
		}
		defer keep.close()
	}
	request := wire.CallTool{Session: wire.DefaultSession, Server: o.server, Tool: o.tool, Arguments: args, TimeoutMS: o.timeout.Milliseconds()}
	var doc wire.CallResult
	if err := a.attended(ctx, r, request, answers, &doc); err != nil {
		return withinFlag(err, o.timeout)
	}
	return a.printCall(o, report.Call{CallResult: doc}, keep)
}

// splitName splits SERVER.TOOL at the longest server name that the files have, since
// both names may hold dots.
func splitName(s *store.Store, joined string) (server, tool string, err error) {
	var names []string
	for _, row := range s.Load().Rows {
		names = append(names, row.Entry.Name)
	}
	return splitAmong(names, joined)
}

// splitLive is splitName that also knows the servers which only the session has.
func (a *app) splitLive(ctx context.Context, s *store.Store, joined string) (server, tool string, err error) {
	server, tool, err = splitName(s, joined)
	if err == nil && !a.namesSession() {
		return server, tool, nil
	}
	found, lookErr := a.look(ctx, s.Load(), false)
	if lookErr != nil {
		return "", "", lookErr
	}
	var names []string
	for _, st := range found.status.Servers {
		names = append(names, st.Name)
	}
	return splitAmong(names, joined)
}

func splitAmong(names []string, joined string) (server, tool string, err error) {
	best := ""
	for _, name := range names {
		if strings.HasPrefix(joined, name+".") && len(name) > len(best) {
			best = name
		}
	}
	if best == "" {
		return "", "", wire.NewError(wire.Usage, "name a server and a tool: '"+joined+"' is neither SERVER TOOL nor SERVER.TOOL", "see: mcpctl tools")
	}
	return best, joined[len(best)+1:], nil
}

// definitionOf asks for the tool's definition; nil when there is no such tool, which
// the call itself says.
func definitionOf(ctx context.Context, r route, o *callOptions) (json.RawMessage, error) {
	var doc wire.Tools
	in := wire.InServer{Session: wire.DefaultSession, Server: o.server, TimeoutMS: o.timeout.Milliseconds(), Tool: o.tool}
	if err := r.Call(ctx, wire.MethodListTools, in, &doc); err != nil {
		return nil, err
	}
	for _, sv := range doc.Servers {
		for _, t := range sv.Tools {
			if t.Name == o.tool && t.Unusable == "" {
				return t.Definition, nil
			}
		}
	}
	return nil, nil
}

// aboutTool adds to an error of arguments where they are told.
func aboutTool(err error, o *callOptions) error {
	e := wire.FromError(err)
	if e.Word != wire.Usage || e.Advice != "" {
		return err
	}
	told := *e
	told.Advice = "see: mcpctl tools " + redact.ShellWord(o.server) + " " + redact.ShellWord(o.tool)
	return &told
}

// printCall writes what the tool answered. It is the user's data and passes
// unchanged to a pipe; on a terminal control characters are made visible, and the
// middle of a long text is cut where it can be had again.
func (a *app) printCall(o *callOptions, doc report.Call, keep *saver) error {
	result := readToolResult(doc.Result)
	var unsaved error
	if keep != nil {
		doc.Saved, unsaved = a.saveAll(keep, result.Content)
	}
	if a.json != "" {
		if err := report.JSON(&a.out, doc); err != nil {
			return err
		}
	} else {
		if doc.Warning != "" {
			a.warn(doc.Warning, "see: mcpctl logs "+redact.ShellWord(o.server))
		}
		pieces := result.pieces(o.server, doc.Saved)
		if doc.OutputID != nil && (o.cut == "always" || o.cut == "auto" && terminal(a.streams.Out)) {
			pieces = record.CutMiddle(pieces, func(missing int) string {
				return fmt.Sprintf("[... %d characters are left out here; the whole text: mcpctl output %s]", missing, *doc.OutputID)
			})
		}
		if err := a.writePieces(pieces, o.raw); err != nil {
			return err
		}
	}
	switch {
	case unsaved != nil:
		return wholeAnswer{unsaved}
	case result.failed():
		return wholeAnswer{wire.NewError(wire.ToolError, "the tool '"+o.tool+"' of '"+o.server+"' reported an error", "").On(o.server)}
	}
	return nil
}
