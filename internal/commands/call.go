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
	"github.com/mcpctl/mcpctl/internal/engine/supervisor"
	"github.com/mcpctl/mcpctl/internal/engine/wire"
	"github.com/mcpctl/mcpctl/internal/store"
)

const callHelp = `Call one tool of a server, through the supervisor, which is started when there is
none. A call is sent once and never repeated.

Arguments: k=v is converted to the type the tool's schema gives for k, k:=JSON is
JSON as it stands, k=@FILE is the text of a file, and --args gives the whole object
as JSON, from @FILE, or from stdin with "-".

The tool's text goes to stdout; with --json the whole result goes there, as the
server sent it. When the tool reports an error (isError) its result is on stdout all
the same and the exit status is 40. When the connection is lost after the request
was sent, the exit status is 41: the tool may have run.

What a tool answered is recorded, and its id is outputId in the JSON. On a terminal
only the first and the last 10 KiB of a text over 20 KiB are shown, and between them
how much is missing and the command that prints all of it: see mcpctl-output(1). A
pipe and --json get everything, always ("truncated" is false), unless --cut=always
asks for the same on a pipe. A result that could not be recorded is not cut.`

const callExamples = `  mcpctl call docs search query='rate limits' limit=5
  mcpctl call docs.search query=limits --json | jq .result
  jq -n '{path: "notes.md"}' | mcpctl call files read_file --args -`

type callOptions struct {
	server, tool string
	words        []string // k=v, k:=json, k=@file
	args         string
	timeout      time.Duration
	raw          bool
	cut          string // one of cutWords
}

func newCallCmd(a *app) *cobra.Command {
	o := &callOptions{}
	cmd := &cobra.Command{
		Use: "call {SERVER TOOL | SERVER.TOOL} [ARG...]", Short: "call a tool", Long: callHelp, Example: callExamples,
		Args: names(1, -1, "a server and a tool"), ValidArgsFunction: a.completeOneServer,
		RunE: func(cmd *cobra.Command, args []string) error {
			if o.timeout < 0 || cmd.Flags().Changed("timeout") && o.timeout == 0 {
				return usageOf(cmd, "--timeout takes a duration above 0, such as 20s")
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
	return cmd
}

func runCall(ctx context.Context, a *app, o *callOptions) error {
	if o.raw && terminal(a.streams.Out) {
		return usagef("--raw does not write to a terminal: a server's text could control it")
	}
	s, err := a.open()
	if err != nil {
		return err
	}
	if o.tool == "" {
		if err := o.splitName(s); err != nil {
			return err
		}
	}
	in, err := readArguments(ctx, a, o)
	if err != nil {
		return err
	}
	client, err := a.connectFor(ctx, s)
	if err != nil {
		return err
	}
	defer client.Close()
	if in.needsSchema() {
		if err := convert(ctx, client, o, in); err != nil {
			return err
		}
	}
	request := wire.CallTool{Session: wire.DefaultSession, Server: o.server, Tool: o.tool, Arguments: in.object(), TimeoutMS: o.timeout.Milliseconds()}
	var doc wire.CallResult
	if err := client.Call(ctx, wire.MethodCallTool, request, &doc); err != nil {
		return withinFlag(err, o.timeout)
	}
	return a.printCall(o, doc)
}

// splitName splits SERVER.TOOL at the longest server name that is known, since
// both names may hold dots.
func (o *callOptions) splitName(s *store.Store) error {
	best := ""
	for _, row := range s.Load().Rows {
		name := row.Entry.Name
		if strings.HasPrefix(o.server, name+".") && len(name) > len(best) {
			best = name
		}
	}
	if best == "" {
		return wire.NewError(wire.Usage, "name a server and a tool: '"+o.server+"' is neither SERVER TOOL nor SERVER.TOOL", "see: mcpctl tools")
	}
	o.server, o.tool = best, o.server[len(best)+1:]
	return nil
}

// convert gives the k=v arguments the types of the tool's schema.
func convert(ctx context.Context, client *supervisor.Client, o *callOptions, in *arguments) error {
	var doc wire.Tools
	if err := client.Call(ctx, wire.MethodListTools, wire.InServer{Session: wire.DefaultSession, Server: o.server}, &doc); err != nil {
		return err
	}
	for _, sv := range doc.Servers {
		for _, t := range sv.Tools {
			if t.Name == o.tool {
				return in.convert(t.Definition)
			}
		}
	}
	return in.convert(nil) // the call itself says that there is no such tool
}

// printCall writes what the tool answered. It is the user's data and passes
// unchanged to a pipe; on a terminal control characters are made visible, and the
// middle of a long text is cut where it can be had again.
func (a *app) printCall(o *callOptions, doc wire.CallResult) error {
	result, err := parseResult(o.server, doc.Result)
	if err != nil {
		return err
	}
	if a.json != "" {
		if err := report.JSON(&a.out, doc); err != nil {
			return err
		}
	} else {
		if doc.Warning != "" {
			a.warn(doc.Warning, "see: mcpctl logs "+o.server)
		}
		pieces := result.text()
		if doc.OutputID != nil && (o.cut == "always" || o.cut == "auto" && terminal(a.streams.Out)) {
			pieces = cutMiddle(pieces, func(missing int) string {
				return fmt.Sprintf("[... %d characters are left out here; the whole text: mcpctl output %s]", missing, *doc.OutputID)
			})
		}
		if err := a.writePieces(pieces, o.raw); err != nil {
			return err
		}
	}
	if result.IsError {
		return wholeAnswer{wire.NewError(wire.ToolError, "the tool '"+o.tool+"' of '"+o.server+"' reported an error", "").On(o.server)}
	}
	return nil
}

// contentText is one content block for people; what is not text is named.
func contentText(block json.RawMessage) string {
	var c struct {
		Type, Text, MimeType, URI, Name, Data string
		Resource                              struct{ URI, Text, Blob, MimeType string }
	}
	if err := json.Unmarshal(block, &c); err != nil {
		return string(block)
	}
	switch c.Type {
	case "text":
		return c.Text
	case "image", "audio":
		return fmt.Sprintf("[%s %s, %d bytes in base64; --json has them]", c.Type, c.MimeType, len(c.Data))
	case "resource_link":
		return fmt.Sprintf("[resource %s %s]", c.URI, c.Name)
	case "resource":
		if c.Resource.Text != "" {
			return c.Resource.Text
		}
		return fmt.Sprintf("[resource %s %s, %d bytes in base64; --json has them]", c.Resource.URI, c.Resource.MimeType, len(c.Resource.Blob))
	}
	return string(block)
}
