// Package probe talks to one MCP server once and reports what it found. It knows
// nothing of sessions; what it starts is gone when it returns.
package probe

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/mcpctl/mcpctl/internal/probe/dial"
	"github.com/mcpctl/mcpctl/internal/store"
)

// Options are what Test needs beside the server.
type Options struct {
	Env     store.Environ // the session's environment
	Client  string        // version of mcpctl, told to the server
	Timeout time.Duration // bound for connecting and listing together; 0: the entry's timeout for each
	// Auth makes the sign-in of the connection, as dial.Options has it; nil: none.
	Auth func(store.Admitted, store.Launch) dial.Auth
	Log  func(dial.Event) // what the server says beside the protocol; may be nil; called from any goroutine
}

// Result is what one test found. What was learnt before an error is there beside
// it.
type Result struct {
	Name                      string
	OK                        bool
	ProtocolVersion           string // "" when the handshake failed
	ServerName, ServerVersion string
	Tools                     []string    // names in the server's order, unusable ones left out; never nil
	Listed                    []dial.Tool // the tools whole, unusable ones as well
	Resources, Prompts        bool        // what the server announced
	ResourceCount             *int        // nil when they were not announced, or no list came
	PromptCount               *int        // the same
	Unlisted                  []error     // of what was announced and not listed
	Duration                  time.Duration
	Noise                     int   // lines on stdout, or events, that were no message
	Err                       error // nil exactly when OK
}

// retries is how often a busy HTTP server is asked again: a test happens once,
// and a deploy in that moment should not fail it (B073).
const retries = 2

// listWait bounds the lists beside the tools.
const listWait = 2 * time.Second

// Test connects to server, lists its tools, resources and prompts as far as it
// announces them, and disconnects (design §9.2). Only the tools decide whether it is
// well: a server that hangs on its other lists, or does not know them, is still of use
// (B170).
func Test(ctx context.Context, server store.Admitted, opts Options) Result {
	began := time.Now()
	r := Result{Name: server.Name(), Tools: []string{}}
	if opts.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, opts.Timeout+leeway, dial.Limit(opts.Timeout))
		defer cancel()
	}
	r.Err = r.test(ctx, server, opts)
	if errors.Is(r.Err, dial.ErrSessionGone) { // the server has restarted meanwhile; once is bad luck
		r.Err = r.test(ctx, server, opts)
	}
	r.OK = r.Err == nil
	r.Duration = time.Since(began)
	return r
}

// Open connects to server for one use of it. A busy HTTP server is asked again, as in
// Test; errors are those of dial.Open. What is started ends with Close of the
// connection.
func Open(ctx context.Context, server store.Admitted, opts dial.Options) (*dial.Conn, error) {
	opts.Retries = retries
	return dial.Open(ctx, server, opts)
}

// leeway lets the handshake's own limit, which names itself in its error, pass
// before that of the whole test.
const leeway = 50 * time.Millisecond

func (r *Result) test(ctx context.Context, server store.Admitted, opts Options) error {
	conn, err := dial.Open(ctx, server, dial.Options{
		Env: opts.Env, Client: opts.Client, Log: opts.Log, StartTimeout: opts.Timeout, Retries: retries, Auth: opts.Auth,
	})
	if err != nil {
		return err
	}
	defer conn.Close()
	info := conn.Info()
	r.ProtocolVersion, r.ServerName, r.ServerVersion = info.ProtocolVersion, info.ServerName, info.ServerVersion
	r.Resources, r.Prompts = info.Resources, info.Prompts
	tools, err := conn.ListTools(ctx)
	r.Listed, r.Tools = tools, []string{}
	for _, tool := range tools {
		if tool.Unusable == "" {
			r.Tools = append(r.Tools, tool.Name)
		}
	}
	if err == nil {
		r.listRest(ctx, conn)
	}
	r.Noise = conn.Noise()
	return err
}

// listRest lists what is not tools, at the same time.
func (r *Result) listRest(ctx context.Context, conn *dial.Conn) {
	ctx, cancel := context.WithTimeoutCause(ctx, listWait, dial.Limit(listWait))
	defer cancel()
	var errs [2]error
	var both sync.WaitGroup
	count := func(announced bool, n **int, err *error, list func(context.Context) ([]json.RawMessage, error)) {
		if !announced {
			return
		}
		both.Go(func() {
			all, failed := list(ctx)
			if *err = failed; failed == nil {
				*n = new(len(all))
			}
		})
	}
	count(r.Resources, &r.ResourceCount, &errs[0], conn.ListResources)
	count(r.Prompts, &r.PromptCount, &errs[1], conn.ListPrompts)
	both.Wait()
	for i, what := range []string{"resources", "prompts"} {
		if errs[i] != nil {
			r.Unlisted = append(r.Unlisted, fmt.Errorf("it announces %s, but does not list them: %w", what, errs[i]))
		}
	}
}

// Listing is what a server calls itself and which tools it has.
type Listing struct {
	ProtocolVersion           string
	ServerName, ServerVersion string
	Tools                     []dial.Tool
}

// List connects to server, lists its tools and disconnects. The server is told what an
// engine tells it, the workspace and that questions are answered, because there are
// servers whose tools depend on that. Errors are those of Test.
func List(ctx context.Context, server store.Admitted, opts Options, workspace string) (Listing, error) {
	if opts.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, opts.Timeout+leeway, dial.Limit(opts.Timeout))
		defer cancel()
	}
	l, err := list(ctx, server, opts, workspace)
	if errors.Is(err, dial.ErrSessionGone) { // the server has restarted meanwhile; once is bad luck
		l, err = list(ctx, server, opts, workspace)
	}
	return l, err
}

func list(ctx context.Context, server store.Admitted, opts Options, workspace string) (Listing, error) {
	conn, err := dial.Open(ctx, server, dial.Options{
		Env: opts.Env, Client: opts.Client, Log: opts.Log, StartTimeout: opts.Timeout, Retries: retries, Auth: opts.Auth, Elicit: true, Workspace: workspace,
	})
	if err != nil {
		return Listing{}, err
	}
	defer conn.Close()
	info := conn.Info()
	tools, err := conn.ListTools(ctx)
	return Listing{info.ProtocolVersion, info.ServerName, info.ServerVersion, tools}, err
}
