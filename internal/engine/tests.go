package engine

import (
	"context"
	"strconv"
	"sync"
	"time"

	"github.com/mcpctl/mcpctl/internal/engine/wire"
	"github.com/mcpctl/mcpctl/internal/probe"
	"github.com/mcpctl/mcpctl/internal/probe/dial"
	"github.com/mcpctl/mcpctl/internal/store"
	"github.com/mcpctl/mcpctl/internal/store/redact"
)

// testsAtOnce: more at the same time gain nothing on a few cores and make slow
// starters time out.
const testsAtOnce = 8

// TestOptions are what Test needs beside the configuration and the names.
type TestOptions struct {
	Version string                               // of mcpctl, told to servers
	SignIns *SignIns                             // nil: they are opened for this
	Timeout time.Duration                        // of the whole test of one server; 0: the entry's
	Log     func(server string) func(dial.Event) // what a server says beside the protocol; nil: nobody listens
	Done    func(wire.TestResult)                // hears of each result, from any goroutine; may be nil
	Explain func(error) error                    // may word an error for its reader; nil: as it is
}

// Test connects to each server once, lists its tools and disconnects, several at the
// same time. The results are in the order of the names; a failure is in its result,
// and once more in errs. The values are those of the configuration's environment.
func Test(ctx context.Context, c *store.Config, names []string, o TestOptions) (doc wire.Test, errs []error) {
	doc = wire.Test{Schema: wire.Schema, Results: make([]wire.TestResult, len(names))}
	errs = make([]error, len(names))
	if o.SignIns == nil {
		o.SignIns = NewSignIns(c.Store, o.Version)
		defer o.SignIns.Close()
	}
	slots := make(chan struct{}, testsAtOnce)
	var wg sync.WaitGroup
	for i, name := range names {
		wg.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			doc.Results[i], errs[i] = testOne(ctx, c, name, o)
			if o.Done != nil {
				o.Done(doc.Results[i])
			}
		})
	}
	wg.Wait()
	return doc, errs
}

// ToTest are the names of the servers that are enabled and in force. It fails where
// another program owns MCP.
func ToTest(c *store.Config) (names []string, err error) {
	if err := c.RefuseElsewhere(); err != nil {
		return nil, err
	}
	for _, row := range c.Rows {
		if row.InForce && row.Enabled {
			names = append(names, row.Entry.Name)
		}
	}
	return names, nil
}

func testOne(ctx context.Context, c *store.Config, name string, o TestOptions) (wire.TestResult, error) {
	out := wire.TestResult{Name: name, State: wire.Failed, Tools: []string{}, Warnings: []wire.Warning{}}
	admitted, err := c.Admit(name)
	if err == nil {
		opts := probe.Options{Env: c.Store.Env, Client: o.Version, Timeout: o.Timeout, Auth: o.SignIns.Auth(c.Store.Env)}
		if o.Log != nil {
			opts.Log = o.Log(name)
		}
		r := probe.Test(ctx, admitted, opts)
		err = r.Err
		out.OK, out.ProtocolVersion, out.Resources, out.Prompts = r.OK, r.ProtocolVersion, r.Resources, r.Prompts
		out.Server = wire.Peer{Name: r.ServerName, Version: r.ServerVersion}
		out.Tools, out.MS = list(r.Tools), r.Duration.Milliseconds()
		out.ResourceCount, out.PromptCount = r.ResourceCount, r.PromptCount
		for _, why := range r.Unlisted {
			out.Warnings = append(out.Warnings, wire.Warning{Message: "server '" + name + "': " + why.Error(), Hint: "its tools are of use all the same"})
		}
		if r.OK {
			if told := KnownDrift(c.Store, admitted, r.Listed).String(); told != "" {
				out.Warnings = append(out.Warnings, wire.Warning{Message: "server '" + name + "': " + told, Hint: "see: mcpctl approve --tools " + redact.ShellWord(name)})
			}
		}
		if r.Noise > 0 {
			out.Warnings = append(out.Warnings, wire.Warning{
				Message: "server '" + name + "' wrote " + strconv.Itoa(r.Noise) + " line(s) to stdout that are not protocol messages; they were ignored",
				Hint:    "a stdio server writes its log to stderr"})
		}
	}
	if err == nil {
		out.State = wire.Connected
		return out, nil
	}
	if o.Explain != nil {
		err = o.Explain(err)
	}
	e := wire.FromError(err).On(name)
	out.Error, out.State = e, StateAfter(e)
	return out, e
}
