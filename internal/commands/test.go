package commands

import (
	"bytes"
	"context"
	"errors"
	"strconv"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/mcpctl/mcpctl/internal/commands/report"
	"github.com/mcpctl/mcpctl/internal/engine"
	"github.com/mcpctl/mcpctl/internal/engine/wire"
	"github.com/mcpctl/mcpctl/internal/probe/dial"
	"github.com/mcpctl/mcpctl/internal/store/redact"
)

const testHelp = `Test servers: connect, list what they offer, disconnect, leave nothing behind. The
supervisor is not involved. Several servers are tested at the same time. A server is
well when it lists its tools; resources or prompts that it announces and does not list
within two seconds are a warning.

A server that needs a sign-in uses the stored one, and renews it when it has run out.
No browser is opened: without a sign-in it has failed with LOGIN_REQUIRED, and the
message tells the command that signs in.

Tools that are not as they were approved, or not known to be, are told as a warning, and
nothing is recorded of them: see "mcpctl approve --tools".

--junit writes the results as JUnit XML as well, for a CI service: a server that is
not well is a failure, one that may not run, or whose entry is not valid, an error.

The exit status is 0 when all are well. For one server it is the code of its
failure; for several it is 1 when any of them failed, and each has its own code in
the document of --json. When it is interrupted, the results that are there
already are written, and the exit status is 130.`

type testOptions struct {
	names   []string
	all     bool
	timeout time.Duration
	junit   string
}

func newTestCmd(a *app) *cobra.Command {
	o := &testOptions{}
	cmd := &cobra.Command{
		Use: "test {NAME... | --all}", Short: "connect to servers once and report what they offer", Long: testHelp,
		Example:           "  mcpctl test docs\n  mcpctl test --all --json --timeout 20s\n  mcpctl test --all --junit mcp.xml",
		ValidArgsFunction: a.completeServers,
		RunE: func(cmd *cobra.Command, args []string) error {
			o.names = args
			if o.all == (len(args) > 0) {
				return usageOf(cmd, "name servers, or give --all")
			}
			if o.timeout < 0 || cmd.Flags().Changed("timeout") && o.timeout == 0 {
				return usageOf(cmd, "--timeout takes a duration above 0, such as 20s")
			}
			if o.junit == "" && cmd.Flags().Changed("junit") {
				return usageOf(cmd, "--junit takes the path of a file")
			}
			return runTest(cmd.Context(), a, o)
		},
	}
	cmd.Flags().BoolVar(&o.all, "all", false, "test every server that is enabled and in force")
	cmd.Flags().DurationVar(&o.timeout, "timeout", 0, "limit of the whole test of one server, `D` such as 20s (default: the entry's timeout)")
	cmd.Flags().StringVar(&o.junit, "junit", "", "write the results to `FILE` as JUnit XML, too")
	return cmd
}

func runTest(ctx context.Context, a *app, o *testOptions) error {
	c, err := a.load()
	if err != nil {
		return err
	}
	names := o.names
	if o.all {
		if names, err = engine.ToTest(c); err != nil {
			return err
		}
	}
	xml, err := openReport(o.junit)
	if err != nil {
		return err
	}
	defer xml.close()
	told := a.testProgress(names)
	doc, errs := engine.Test(ctx, c, names, engine.TestOptions{Version: a.version, Timeout: o.timeout, Log: a.verboseLog, Done: told.done,
		Explain: func(err error) error { return withinFlag(err, o.timeout) }})
	told.clear()
	if a.json == "" {
		for _, r := range doc.Results {
			for _, w := range r.Warnings {
				a.warn(w.Message, w.Hint)
			}
		}
	}
	if ctx.Err() != nil {
		names, errs = finished(&doc, errs)
	}
	err = xml.write(func(w *bytes.Buffer, began time.Time) error {
		return report.JUnit(w, report.JUnitRun{Command: "test", Cases: report.TestCases(doc), Began: began, Took: time.Since(began)})
	})
	if err != nil {
		return err
	}
	if err := a.print(doc, func(w *bytes.Buffer) error { return testTable(w, doc) }); err != nil {
		return err
	}
	verdict := testVerdict(a, names, errs)
	if ctx.Err() != nil {
		return wholeAnswer{ctx.Err()}
	}
	return verdict
}

// finished leaves in the document what was found out before the interruption.
func finished(doc *wire.Test, errs []error) (names []string, left []error) {
	results := []wire.TestResult{}
	for i, r := range doc.Results {
		if r.Error == nil || r.Error.Word != wire.Interrupted {
			results, names, left = append(results, r), append(names, r.Name), append(left, errs[i])
		}
	}
	doc.Results = results
	return names, left
}

// testVerbosely shows all that a server writes during a test, which is not logged.
const testVerbosely = "mcpctl test -v "

// testVerdict: one server's failure is the command's; of several, the answer to
// "are all well" is no.
func testVerdict(a *app, names []string, errs []error) error {
	if len(names) == 1 && errs[0] != nil {
		e := wire.FromError(errs[0])
		if e.Advice == "" && a.json == "" && report.Brief(e.Text) != e.Text {
			e.Advice = "see all it wrote with: " + testVerbosely + e.Name // a test leaves nothing in the log
		}
		return wholeAnswer{e}
	}
	if errors.Join(errs...) == nil {
		return nil
	}
	if a.json == "" {
		for _, err := range errs {
			if err != nil {
				a.tellError(wire.FromError(err), testVerbosely)
			}
		}
	}
	return exit(1)
}

// verboseLog shows what a server says, with -v.
func (a *app) verboseLog(name string) func(dial.Event) {
	if !a.verbose {
		return nil
	}
	var mu sync.Mutex
	return func(e dial.Event) {
		mu.Lock()
		defer mu.Unlock()
		report.Tell(a.streams.Err, report.Message{Text: "[" + name + "] " + e.Level + " " + e.Logger + ": " + redact.Text(e.Text)})
	}
}

func testTable(w *bytes.Buffer, doc wire.Test) error {
	var rows [][]string
	for _, r := range doc.Results {
		verdict, detail := "ok", r.Server.Name+" "+r.Server.Version
		if !r.OK {
			verdict, detail = "FAILED", string(r.Error.Word)
		}
		rows = append(rows, []string{r.Name, verdict, strconv.Itoa(len(r.Tools)), r.ProtocolVersion, strconv.FormatInt(r.MS, 10) + " ms", detail})
	}
	return report.Table(w, []string{"NAME", "RESULT", "TOOLS", "PROTOCOL", "TIME", "DETAIL"}, rows)
}
