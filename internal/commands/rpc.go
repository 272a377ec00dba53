package commands

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	"github.com/mcpctl/mcpctl/internal/engine/supervisor"
	"github.com/mcpctl/mcpctl/internal/engine/wire"
	"github.com/mcpctl/mcpctl/internal/store/redact"
)

const rpcHelp = `Send one request to the supervisor and print its result as JSON, in one line. The
methods and their parameters are described in: mcpctl help protocol.

PARAMS is a JSON object; @FILE reads it from a file, and "-" from stdin, so that a secret
in it does not stand in the list of processes. The supervisor is started when there is
none, unless --no-start is given. hello is said, and for a method that needs a session the
workspace's default session is opened, or the one that --session names is joined; so
"session" may be left out. With an id there the session of that id is joined.

With --follow the command stays and prints each notification that comes over the
connection in a line of its own, as {"method": ..., "params": ...}, until it is
interrupted or nobody reads it any more.

What a method refuses ends the command with the exit status of its code. A tool that
reports an error has answered: that is a result, and the exit status is 0.`

const rpcExamples = `  mcpctl rpc supervisor.info
  mcpctl rpc mcp.callTool '{"server": "docs", "tool": "search", "arguments": {"query": "limits"}}'
  mcpctl rpc mcp.watch --follow | jq -c '.params.servers // .servers | map({name, state})'`

type rpcOptions struct {
	method, params  string
	follow, noStart bool
}

func newRPCCmd(a *app) *cobra.Command {
	o := &rpcOptions{}
	cmd := &cobra.Command{
		Use: "rpc METHOD [PARAMS | @FILE | -]", Short: "send one request to the supervisor", Long: rpcHelp, Example: rpcExamples,
		Args: names(1, 2, "a method"), ValidArgsFunction: completeMethods,
		RunE: func(cmd *cobra.Command, args []string) error {
			o.method = args[0]
			if len(args) > 1 {
				o.params = args[1]
			}
			return runRPC(cmd.Context(), a, o)
		},
	}
	cmd.Flags().BoolVarP(&o.follow, "follow", "f", false, "print the notifications that follow, until interrupted")
	cmd.Flags().BoolVar(&o.noStart, "no-start", false, "fail when the supervisor does not run")
	return cmd
}

func completeMethods(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	var out []string
	for _, m := range wire.Methods() {
		if len(args) == 0 {
			out = append(out, m.Name)
		}
	}
	return out, cobra.ShellCompDirectiveNoFileComp
}

func runRPC(ctx context.Context, a *app, o *rpcOptions) error {
	params, err := o.read(ctx, a)
	if err != nil {
		return err
	}
	s, err := a.open()
	if err != nil {
		return err
	}
	opts, err := a.supervisorOptions(s, !o.noStart)
	if err != nil {
		return err
	}
	out := &rpcWriter{app: a, answered: make(chan struct{})}
	if o.follow {
		collectGarbage()
		opts.Notified = func(method string, params json.RawMessage) { out.notified(ctx, method, params) }
	}
	client, err := supervisor.Dial(ctx, opts)
	if err != nil {
		return err
	}
	defer client.Close()
	if m, _ := wire.MethodNamed(o.method); m.Session {
		open := a.sessionOpen(s)
		if params, err = o.join(ctx, client, open, params); err != nil {
			return err
		}
	}
	var result json.RawMessage
	if err := client.Call(ctx, o.method, params, &result); err != nil {
		return o.explain(err)
	}
	if err := out.write(result); err != nil || !o.follow {
		return err
	}
	close(out.answered)
	return a.whileRead(ctx, func(ctx context.Context) error {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-client.Done():
			return wire.NewError(wire.SupervisorUnreachable, "the supervisor went away", "see: mcpctl logs")
		}
	})
}

// read returns the parameters; nil when none were given.
func (o *rpcOptions) read(ctx context.Context, a *app) (json.RawMessage, error) {
	text := []byte(o.params)
	var err error
	switch path, isFile := strings.CutPrefix(o.params, "@"); {
	case o.params == "-":
		text, err = a.readStdin(ctx, "the parameters", wire.MaxLine)
	case isFile:
		text, err = readFile(ctx, path, wire.MaxLine)
	}
	if err != nil {
		return nil, err
	}
	if text = bytes.TrimSpace(text); o.params != "" && (len(text) == 0 || text[0] != '{' || !json.Valid(text)) {
		return nil, usagef("the parameters are not a JSON object") // and not repeated: they may hold a secret
	}
	return text, nil
}

// join opens the session that the parameters name, and names the default one where
// they name none.
func (o *rpcOptions) join(ctx context.Context, client *supervisor.Client, open wire.SessionOpen, params json.RawMessage) (json.RawMessage, error) {
	var in struct {
		Session *string `json:"session"`
	}
	if len(params) > 0 && json.Unmarshal(params, &in) != nil {
		return nil, usagef("'session' is a string")
	}
	switch {
	case in.Session == nil:
		rest := bytes.TrimSpace(bytes.TrimPrefix(params, []byte("{")))
		switch {
		case len(params) == 0:
			rest = []byte("}")
		case rest[0] != '}':
			rest = append([]byte(","), rest...)
		}
		params = append([]byte(`{"session":"`+wire.DefaultSession+`"`), rest...)
	case *in.Session != wire.DefaultSession:
		_, err := client.Open(ctx, wire.SessionOpen{ID: *in.Session, Existing: true})
		return params, err
	}
	return params, client.SendOpen(ctx, open)
}

// explain gives the error of a method that this program does not know either a hint
// that helps.
func (o *rpcOptions) explain(err error) error {
	var e *wire.Error
	if _, known := wire.MethodNamed(o.method); !known && errors.As(err, &e) && e.Word == wire.SupervisorProtocol {
		named := *e
		named.Advice = "the methods are told by: mcpctl help protocol"
		return &named
	}
	return err
}

// rpcWriter writes lines from two goroutines.
type rpcWriter struct {
	app      *app
	answered chan struct{} // closed when the result is written
	mu       sync.Mutex
}

// write writes one line. On a terminal what could control it is made visible.
func (w *rpcWriter) write(line json.RawMessage) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	text := string(line)
	if terminal(w.app.streams.Out) {
		text = redact.VisibleJSON(text)
	}
	w.app.writeText(text)
	return w.app.flush()
}

// notified writes a notification. What follows from the request's answer, such as a
// watch's, waits until the answer is written; what comes while it is under way does
// not. An error of stdout ends the command otherwise: its reader is gone.
func (w *rpcWriter) notified(ctx context.Context, method string, params json.RawMessage) {
	if method == wire.NotifyStatus || method == wire.NotifyLog {
		select {
		case <-w.answered:
		case <-ctx.Done():
			return
		}
	}
	_ = w.write(encode(struct {
		Method string          `json:"method"`
		Params json.RawMessage `json:"params"`
	}{method, params}))
}
