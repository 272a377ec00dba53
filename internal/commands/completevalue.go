package commands

import (
	"bytes"
	"context"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/mcpctl/mcpctl/internal/engine/wire"
	"github.com/mcpctl/mcpctl/internal/store/redact"
)

const completeVerbHelp = `Ask a server to complete the value of an argument: of a prompt, named as prompt:NAME,
or of a variable in a template of resources, named by the template. ARG=PREFIX is what
is to be completed; what is known of the other arguments follows as k=v.

Each proposal is printed on a line. With --json the document also says how many there
are in all, and whether there are more.`

const completeVerbExamples = `  mcpctl complete docs prompt:review language=py
  mcpctl complete docs 'repo://{owner}/{name}' name=mc owner=octo`

type completeOptions struct {
	server, of, argument string
	known                []string
	timeout              time.Duration
	direct               bool
}

func newCompleteCmd(a *app) *cobra.Command {
	o := &completeOptions{}
	cmd := &cobra.Command{
		Use: "complete SERVER {prompt:NAME | TEMPLATE} ARG=PREFIX [ARG=VALUE...]", Short: "let a server complete a value", Long: completeVerbHelp,
		Example: completeVerbExamples, Args: names(3, -1, "a server, a prompt or template, and ARG=PREFIX"), ValidArgsFunction: a.completeValue,
		RunE: func(cmd *cobra.Command, args []string) error {
			if o.timeout < 0 || cmd.Flags().Changed("timeout") && o.timeout == 0 {
				return usageOf(cmd, "--timeout takes a duration above 0, such as 20s")
			}
			o.server, o.of, o.argument, o.known = args[0], args[1], args[2], args[3:]
			return runComplete(cmd.Context(), a, o)
		},
	}
	cmd.Flags().DurationVar(&o.timeout, "timeout", 0, "wait at most `D` such as 20s (default: the entry's timeout)")
	directFlag(cmd, &o.direct)
	return cmd
}

func runComplete(ctx context.Context, a *app, o *completeOptions) error {
	in := wire.Complete{Session: wire.DefaultSession, Server: o.server, TimeoutMS: o.timeout.Milliseconds()}
	if name, isPrompt := strings.CutPrefix(o.of, "prompt:"); isPrompt && !strings.HasPrefix(name, "//") { // else a template of that scheme
		in.Prompt = name
	} else {
		in.Template = o.of
	}
	var ok bool
	if in.Argument, in.Value, ok = strings.Cut(o.argument, "="); !ok || in.Argument == "" || o.of == "" || o.of == "prompt:" {
		return usagef("say what to complete, as in: mcpctl complete SERVER prompt:NAME ARG=PREFIX")
	}
	s, err := a.open()
	if err != nil {
		return err
	}
	if in.Context, err = readTexts(ctx, a, o.known); err != nil {
		return err
	}
	r, err := a.reach(ctx, s, o.direct)
	if err != nil {
		return err
	}
	defer r.Close()
	var doc wire.Completions
	if err := r.Call(ctx, wire.MethodComplete, in, &doc); err != nil {
		return withinFlag(err, o.timeout)
	}
	return a.print(doc, func(w *bytes.Buffer) error {
		for _, value := range doc.Values {
			if terminal(a.streams.Out) {
				value = redact.Line(value)
			}
			w.WriteString(value + "\n")
		}
		if doc.HasMore {
			a.say("there are more")
		}
		return nil
	})
}
