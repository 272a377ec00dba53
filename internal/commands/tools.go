package commands

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/mcpctl/mcpctl/internal/commands/report"
	"github.com/mcpctl/mcpctl/internal/engine/wire"
	"github.com/mcpctl/mcpctl/internal/store"
	"github.com/mcpctl/mcpctl/internal/store/redact"
)

const toolsHelp = `List the tools of one server, or of all. The supervisor is started when there is
none, and keeps the connections.

With a tool, and with --schema for every tool, its whole description and its
arguments are shown: name, type, whether it is required, default and description.
A member of an object stands under a dotted name, as "mcpctl call" takes it.

With --json each tool's definition is what the server sent. JOINED is the name by
which the tools of several servers can be told apart. A server that cannot be
asked does not hide the tools of the others; --timeout bounds the wait for each,
which is a minute otherwise.

A server may list other tools here than to "mcpctl test": a test tells it no roots and
answers no questions. A tool that can only be run as a task (execution.taskSupport is
"required") is listed and marked, but mcpctl does not run tasks: the server refuses the
call.

A tool whose definition is not the one that was approved, or that came later, is marked;
"mcpctl approve --tools" shows what has changed. With the setting pinTools it cannot be
used until then.`

const toolsExamples = `  mcpctl tools
  mcpctl tools docs search
  mcpctl tools docs --json | jq '.servers[0].tools[].definition.inputSchema'`

type toolsOptions struct {
	server, tool   string
	timeout        time.Duration
	schema, direct bool
}

func newToolsCmd(a *app) *cobra.Command {
	o := &toolsOptions{}
	cmd := &cobra.Command{
		Use: "tools [SERVER [TOOL]]", Short: "list the tools of servers", Long: toolsHelp, Example: toolsExamples,
		Args: names(0, 2, "a server and a tool"), ValidArgsFunction: a.completeTool,
		RunE: func(cmd *cobra.Command, args []string) error {
			if o.timeout < 0 || cmd.Flags().Changed("timeout") && o.timeout == 0 {
				return usageOf(cmd, "--timeout takes a duration above 0, such as 20s")
			}
			if len(args) > 0 {
				o.server = args[0]
			}
			if len(args) > 1 {
				o.tool = args[1]
			}
			return runTools(cmd.Context(), a, o)
		},
	}
	cmd.Flags().DurationVar(&o.timeout, "timeout", 0, "wait at most `D` such as 20s for each server (default 1m)")
	cmd.Flags().BoolVar(&o.schema, "schema", false, "show the arguments of each tool")
	directFlag(cmd, &o.direct)
	return cmd
}

func runTools(ctx context.Context, a *app, o *toolsOptions) error {
	r, err := a.reachHere(ctx, o.direct)
	if err != nil {
		return err
	}
	defer r.Close()
	var doc wire.Tools
	in := wire.InServer{Session: wire.DefaultSession, Server: o.server, TimeoutMS: o.timeout.Milliseconds()}
	if err := r.Call(ctx, wire.MethodListTools, in, &doc); err != nil {
		return err
	}
	if o.tool != "" {
		if err := oneTool(&doc, o); err != nil {
			return err
		}
	}
	err = a.print(doc, func(w *bytes.Buffer) error {
		if o.schema || o.tool != "" {
			return a.toolsWhole(doc)
		}
		return toolsTable(w, doc)
	})
	if err != nil {
		return err
	}
	a.sayNone(len(doc.Servers))
	var failed []*wire.Error
	for _, sv := range doc.Servers {
		if sv.Error != nil {
			failed = append(failed, sv.Error.On(sv.Name))
		}
	}
	return a.someFailed(failed)
}

// someFailed tells of servers that could not be asked beside those that could; then
// the answer is not whole, and the exit status 1.
func (a *app) someFailed(failed []*wire.Error) error {
	if len(failed) == 0 {
		return nil
	}
	for _, e := range failed {
		if e.Word == wire.Timeout && !strings.Contains(e.Advice, "--timeout") {
			named := *e
			named.Advice = strings.TrimPrefix(e.Advice+"; ", "; ") + "--timeout D sets the limit"
			e = &named
		}
		if a.json == "" {
			a.tellError(a.hintHere(e), "mcpctl logs ")
		}
	}
	return exit(1)
}

// oneTool leaves one tool in the document.
func oneTool(doc *wire.Tools, o *toolsOptions) error {
	var known []string
	for i, sv := range doc.Servers {
		for _, t := range sv.Tools {
			if t.Name == o.tool {
				doc.Servers[i].Tools = []wire.Tool{t}
				return nil
			}
			known = append(known, t.Name)
		}
	}
	hint := "see: mcpctl tools " + redact.ShellWord(o.server)
	if near := store.Closest(o.tool, known); near != "" {
		hint = "did you mean '" + near + "'?"
	}
	return wire.NewError(wire.NotFound, "server '"+o.server+"' has no tool '"+o.tool+"'", hint).On(o.server)
}

func toolsTable(w *bytes.Buffer, doc wire.Tools) error {
	var rows [][]string
	for _, sv := range doc.Servers {
		for _, t := range sv.Tools {
			detail := firstLine(t.Definition)
			if onlyAsTask(t.Definition) {
				detail = "only as a task: " + detail
			}
			if t.Changed != "" {
				detail = t.Changed + " since the tools were approved: " + detail
			}
			if t.Unusable != "" {
				detail = "unusable: " + t.Unusable
			}
			rows = append(rows, []string{sv.Name, t.Name, t.Joined, detail})
		}
	}
	if len(rows) == 0 {
		return nil
	}
	return report.Table(w, []string{"SERVER", "TOOL", "JOINED", "DESCRIPTION"}, rows)
}

// onlyAsTask tells whether a tool can be run as a task only.
func onlyAsTask(definition json.RawMessage) bool {
	var d struct {
		Execution struct {
			TaskSupport string `json:"taskSupport"`
		} `json:"execution"`
	}
	return json.Unmarshal(definition, &d) == nil && d.Execution.TaskSupport == "required"
}

// firstLine is the first line of a tool's description, or its title.
func firstLine(definition json.RawMessage) string {
	var d struct{ Description, Title string }
	if json.Unmarshal(definition, &d) != nil {
		return ""
	}
	if d.Description == "" {
		d.Description = d.Title
	}
	return firstLineOf(d.Description)
}
