package commands

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/mcpctl/mcpctl/internal/commands/report"
	"github.com/mcpctl/mcpctl/internal/engine/wire"
	"github.com/mcpctl/mcpctl/internal/store"
	"github.com/mcpctl/mcpctl/internal/store/redact"
)

const promptHelp = `Get one prompt of a server, its arguments filled in. Arguments are text: k=v, or
k=@FILE for the contents of a file. Those that the prompt needs, and names that it
does not have, are found out before the server is asked.

Each message is shown under its role. With --json the whole answer goes to stdout,
as the server sent it.`

type promptOptions struct {
	server, prompt string
	words          []string
	timeout        time.Duration
	direct         bool
}

func newPromptCmd(a *app) *cobra.Command {
	o := &promptOptions{}
	cmd := &cobra.Command{
		Use: "prompt SERVER NAME [ARG...]", Short: "get a prompt", Long: promptHelp,
		Example: "  mcpctl prompt docs review path=main.go style=@style.md",
		Args:    names(2, -1, "a server and a prompt"), ValidArgsFunction: a.completePrompt,
		RunE: func(cmd *cobra.Command, args []string) error {
			if o.timeout < 0 || cmd.Flags().Changed("timeout") && o.timeout == 0 {
				return usageOf(cmd, "--timeout takes a duration above 0, such as 20s")
			}
			o.server, o.prompt, o.words = args[0], args[1], args[2:]
			return runPrompt(cmd.Context(), a, o)
		},
	}
	cmd.Flags().DurationVar(&o.timeout, "timeout", 0, "wait at most `D` such as 20s (default: the entry's timeout)")
	directFlag(cmd, &o.direct)
	return cmd
}

func runPrompt(ctx context.Context, a *app, o *promptOptions) error {
	s, err := a.open()
	if err != nil {
		return err
	}
	args, err := readTexts(ctx, a, o.words)
	if err != nil {
		return err
	}
	r, err := a.reach(ctx, s, o.direct)
	if err != nil {
		return err
	}
	defer r.Close()
	if err := checkPrompt(ctx, r, o, args); err != nil {
		return withinFlag(err, o.timeout)
	}
	in := wire.GetPrompt{Session: wire.DefaultSession, Server: o.server, Prompt: o.prompt, Arguments: args, TimeoutMS: o.timeout.Milliseconds()}
	var doc wire.PromptResult
	if err := r.Call(ctx, wire.MethodGetPrompt, in, &doc); err != nil {
		return withinFlag(err, o.timeout)
	}
	if a.json != "" {
		return report.JSON(&a.out, doc)
	}
	a.printPrompt(o, doc.Result)
	return nil
}

// readTexts reads k=v and k=@FILE where values are text and nothing else.
func readTexts(ctx context.Context, a *app, words []string) (map[string]string, error) {
	in, err := readArguments(ctx, a, words, "")
	if err != nil {
		return nil, err
	}
	out := map[string]string{}
	for _, arg := range in.given {
		if _, again := out[arg.key]; again {
			return nil, usagef("the argument '%s' is given twice", arg.key)
		}
		if arg.json {
			return nil, usagef("the arguments of a prompt are text: write %s=VALUE", arg.key)
		}
		out[arg.key] = arg.text
	}
	return out, nil
}

// checkPrompt holds the arguments against the prompt's definition. A server that does
// not list its prompts judges them itself.
func checkPrompt(ctx context.Context, r route, o *promptOptions, args map[string]string) error {
	var doc wire.Prompts
	in := wire.InServer{Session: wire.DefaultSession, Server: o.server, TimeoutMS: o.timeout.Milliseconds()}
	if err := r.Call(ctx, wire.MethodListPrompts, in, &doc); err != nil || len(doc.Servers) == 0 {
		return err
	}
	var known []string
	for _, raw := range doc.Servers[0].Prompts {
		p := readPrompt(raw)
		if p.Name == o.prompt {
			return p.check(args)
		}
		known = append(known, p.Name)
	}
	hint := "see: mcpctl prompts " + redact.ShellWord(o.server)
	if near := store.Closest(o.prompt, known); near != "" {
		hint = "did you mean '" + near + "'?"
	}
	return wire.NewError(wire.NotFound, "server '"+o.server+"' has no prompt '"+o.prompt+"'", hint).On(o.server)
}

// check refuses what is missing, all of it, and what the prompt does not have.
func (p promptShape) check(args map[string]string) error {
	var known, missing []string
	for _, arg := range p.Arguments {
		known = append(known, arg.Name)
		if _, given := args[arg.Name]; arg.Required && !given {
			said := "'" + arg.Name + "'"
			if arg.Description != "" {
				said += ": " + firstLineOf(arg.Description)
			}
			missing = append(missing, said)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(args)) {
		if !slices.Contains(known, name) {
			err := usagef("the prompt '%s' has no argument '%s'", p.Name, name)
			if near := store.Closest(name, known); near != "" {
				err.Advice = "did you mean '" + near + "'?"
			}
			return err
		}
	}
	if len(missing) > 0 {
		return usagef("the prompt '%s' needs %s", p.Name, strings.Join(missing, "; "))
	}
	return nil
}

// printPrompt writes the messages of a prompt, each under its role.
func (a *app) printPrompt(o *promptOptions, result json.RawMessage) {
	var fields struct {
		Messages []struct {
			Role    string
			Content json.RawMessage
		}
	}
	if json.Unmarshal(result, &fields) != nil || fields.Messages == nil {
		a.writeText(report.Indented(result))
		return
	}
	for i, m := range fields.Messages {
		if i > 0 {
			a.out.WriteByte('\n')
		}
		a.writeText(redact.Line(m.Role) + ":")
		var several blocks // some servers send a list; by the specification it is one
		if json.Unmarshal(m.Content, &several) != nil {
			several = make(blocks, 1)
			_ = several[0].UnmarshalJSON(m.Content) // has no error
		}
		for _, b := range several {
			a.writeText(b.shown(o.server))
		}
	}
}
