package commands

import (
	"context"
	"encoding/json"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/mcpctl/mcpctl/internal/commands/report"
	"github.com/mcpctl/mcpctl/internal/engine/wire"
	"github.com/mcpctl/mcpctl/internal/store/redact"
)

const readHelp = `Read one resource of a server by its URI, which is passed on as it stands: whatever
its scheme, the server is asked, and neither a file nor an address is opened here.

Text goes to stdout, and a binary too, byte for byte, unless stdout is a terminal; with -o
it goes into a file, in the place of one that is there. A resource of several parts is
shown with each under its URI and type, binaries named; --json has all of it as the server
sent it.`

const readExamples = `  mcpctl read docs file:///notes.md
  mcpctl read docs img://logo -o logo.png`

type readOptions struct {
	server, uri, out string
	timeout          time.Duration
	direct           bool
}

func newReadCmd(a *app) *cobra.Command {
	o := &readOptions{}
	cmd := &cobra.Command{
		Use: "read SERVER URI", Short: "read a resource", Long: readHelp, Example: readExamples,
		Args: names(2, 2, "a server and a URI"), ValidArgsFunction: a.completeResource,
		RunE: func(cmd *cobra.Command, args []string) error {
			if o.timeout < 0 || cmd.Flags().Changed("timeout") && o.timeout == 0 {
				return usageOf(cmd, "--timeout takes a duration above 0, such as 20s")
			}
			if o.out == "" && cmd.Flags().Changed("output") {
				return usageOf(cmd, "-o takes a file")
			}
			if o.out != "" && a.json != "" {
				return usageOf(cmd, "--json has the whole answer; -o takes the contents alone")
			}
			o.server, o.uri = args[0], args[1]
			return runRead(cmd.Context(), a, o)
		},
	}
	cmd.Flags().StringVarP(&o.out, "output", "o", "", "write the contents to `FILE`")
	cmd.Flags().DurationVar(&o.timeout, "timeout", 0, "wait at most `D` such as 20s (default: the entry's timeout)")
	directFlag(cmd, &o.direct)
	return cmd
}

func runRead(ctx context.Context, a *app, o *readOptions) error {
	r, err := a.reachHere(ctx, o.direct)
	if err != nil {
		return err
	}
	defer r.Close()
	in := wire.ReadResource{Session: wire.DefaultSession, Server: o.server, URI: o.uri, TimeoutMS: o.timeout.Milliseconds()}
	var doc wire.ResourceResult
	if err := r.Call(ctx, wire.MethodReadResource, in, &doc); err != nil {
		return withinFlag(err, o.timeout)
	}
	if a.json != "" {
		return report.JSON(&a.out, doc)
	}
	return a.printContents(o, doc.Result)
}

// printContents writes the contents of a resource: one as it is, several labelled.
func (a *app) printContents(o *readOptions, result json.RawMessage) error {
	var fields struct{ Contents json.RawMessage }
	_ = json.Unmarshal(result, &fields) // what makes no sense has no contents
	var parts []contents
	for _, raw := range jsonList(fields.Contents) {
		var c contents
		if json.Unmarshal(raw, &c) != nil || c.Text == nil && c.Blob == nil {
			return wire.NewError(wire.ConnectFailed, "the contents of '"+o.uri+"' make no sense", "see them with --json").On(o.server)
		}
		parts = append(parts, c)
	}
	switch {
	case fields.Contents == nil:
		return wire.NewError(wire.ConnectFailed, "the server answered without the contents of '"+o.uri+"'", "see the answer with --json").On(o.server)
	case len(parts) == 1:
		return a.printOne(o, parts[0])
	case o.out != "":
		return wire.NewError(wire.Usage, "'"+o.uri+"' has "+strconv.Itoa(len(parts))+" parts, and a file takes one", "read it with --json")
	case len(parts) == 0:
		a.say("'%s' is empty", o.uri)
	}
	for i, c := range parts {
		if i > 0 {
			a.out.WriteByte('\n')
		}
		a.writeText(strings.TrimRight("["+redact.Line(c.URI)+" "+redact.Line(c.MimeType), " ") + "]")
		if text, ok := c.words(); ok {
			a.writeText(text)
		} else {
			a.writeText(c.named("--json has them"))
		}
	}
	return nil
}

// printOne writes the one part of a resource, byte for byte but on a terminal.
func (a *app) printOne(o *readOptions, c contents) error {
	var data []byte
	if c.Text != nil {
		data = []byte(*c.Text)
	} else {
		var err error
		if data, err = decodeBase64(*c.Blob); err != nil {
			return wire.NewError(wire.ConnectFailed, "the contents of '"+o.uri+"' are not base64", "see them with --json").On(o.server)
		}
	}
	if o.out != "" {
		if err := os.WriteFile(o.out, data, 0o600); err != nil {
			return wire.NewError(wire.IO, "cannot write '"+o.out+"': "+reason(err), "")
		}
		return nil
	}
	if !terminal(a.streams.Out) {
		a.out.Write(data)
		return nil
	}
	text, ok := c.words()
	if !ok {
		return wire.NewError(wire.Usage, "'"+o.uri+"' is "+kindShown(c.MimeType)+" of "+strconv.Itoa(len(data))+" bytes and does not go to a terminal",
			"write it to a file with -o FILE")
	}
	a.writeText(text)
	return nil
}

func kindShown(mimeType string) string {
	if mimeType == "" {
		return "a binary"
	}
	return mimeType
}
