package commands

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/mcpctl/mcpctl/internal/commands/report"
	"github.com/mcpctl/mcpctl/internal/engine/supervisor"
	"github.com/mcpctl/mcpctl/internal/engine/wire"
	"github.com/mcpctl/mcpctl/internal/store"
	"github.com/mcpctl/mcpctl/internal/store/redact"
)

const callHelp = `Call one tool of a server, through the supervisor, which is started when there is
none. A call is sent once and never repeated.

Arguments: k=v is converted to the type the tool's schema gives for k, k:=JSON is
JSON as it stands, k=@FILE is the text of a file, and --args gives the whole object
as JSON, from @FILE, or from stdin with "-".

The tool's text goes to stdout; with --json the whole result goes there, as the
server sent it. When the tool reports an error (isError) its result is on stdout all
the same and the exit status is 40. When the connection is lost after the request
was sent, the exit status is 41: the tool may have run.`

const callExamples = `  mcpctl call docs search query='rate limits' limit=5
  mcpctl call docs.search query=limits --json | jq .result
  jq -n '{path: "notes.md"}' | mcpctl call files read_file --args -`

type callOptions struct {
	server, tool string
	words        []string // k=v, k:=json, k=@file
	args         string
	timeout      time.Duration
	raw          bool
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
			o.server, o.words = args[0], args[1:]
			if len(args) > 1 && !strings.ContainsAny(args[1], "=") {
				o.tool, o.words = args[1], args[2:]
			}
			return runCall(cmd.Context(), a, o)
		},
	}
	cmd.Flags().StringVar(&o.args, "args", "", "all arguments as a `JSON` object, @FILE, or - for stdin")
	cmd.Flags().DurationVar(&o.timeout, "timeout", 0, "limit without progress, `D` such as 20s (default: the entry's timeout)")
	cmd.Flags().BoolVar(&o.raw, "raw", false, "write text unchanged; refused when stdout is a terminal")
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
// unchanged to a pipe; on a terminal control characters are made visible.
func (a *app) printCall(o *callOptions, doc wire.CallResult) error {
	var result struct {
		Content           []json.RawMessage `json:"content"`
		StructuredContent json.RawMessage   `json:"structuredContent"`
		IsError           bool              `json:"isError"`
	}
	if err := json.Unmarshal(doc.Result, &result); err != nil {
		return wire.NewError(wire.ConnectFailed, "the answer of '"+o.server+"' is not a tool result: "+err.Error(), "").On(o.server)
	}
	if a.json != "" {
		if err := report.JSON(&a.out, doc); err != nil {
			return err
		}
	} else {
		for _, block := range result.Content {
			a.writeText(contentText(block))
		}
		if len(result.Content) == 0 && len(result.StructuredContent) > 0 {
			a.writeText(report.Indented(result.StructuredContent))
		}
	}
	if result.IsError {
		return wholeAnswer{wire.NewError(wire.ToolError, "the tool '"+o.tool+"' of '"+o.server+"' reported an error", "").On(o.server)}
	}
	return nil
}

func (a *app) writeText(text string) {
	if terminal(a.streams.Out) {
		text = redact.Visible(text)
	}
	a.out.WriteString(text)
	if !bytes.HasSuffix(a.out.Bytes(), []byte("\n")) {
		a.out.WriteByte('\n')
	}
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
