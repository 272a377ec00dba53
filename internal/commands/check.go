package commands

import (
	"bytes"
	"context"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/mcpctl/mcpctl/internal/commands/report"
	"github.com/mcpctl/mcpctl/internal/engine"
	"github.com/mcpctl/mcpctl/internal/engine/wire"
)

const checkHelp = `Compare the servers of the project's files with mcp.lock.json, which "mcpctl lock" has
written, and show what differs: the entry, the package, the protocol version, what the
server says of itself, and each tool whose definition is another, came or went, with the
difference of the definitions in lines. A server that is in only one of the two is a
difference as well. Nothing is written. What differs and is right as it is now, is locked
anew by "mcpctl lock --update": without --update a server is not asked again.

Each server is connected to once, as "mcpctl lock" does. Only approved ones are.

--offline starts nothing and connects to nothing: it compares the entries, the packages
that their commands name, and which servers there are. It needs no approval.

--format says what goes to stdout: text, json (as --json), junit or sarif (2.1.0, its
places are in the lock file). --junit and --sarif write such a file beside that: a server
that differs is a failure, one that could not be asked an error. The rules of sarif are
lock-fingerprint, lock-package, lock-protocol, lock-server, lock-tool, lock-missing,
lock-gone and lock-failed.

The exit status is 1 when anything differs. When the one server that was named could not
be asked, it is the code of that; of several, 1. Without a lock file it is that of
MCP_NOT_FOUND, and with one that does not parse, or a newer mcpctl has written, that of
MCP_CONFIG_INVALID.`

const checkExamples = `  mcpctl check
  mcpctl check --offline
  mcpctl check --junit mcp.xml --sarif mcp.sarif`

type checkOptions struct {
	names         []string
	offline       bool
	format        string
	junit, sarif  string
	timeout       time.Duration
	toJUnit, toSA *reportFile
}

// checkFormats are the words of --format.
var checkFormats = []string{"text", "json", "junit", "sarif"}

func newCheckCmd(a *app) *cobra.Command {
	o := &checkOptions{}
	cmd := &cobra.Command{
		Use: "check [NAME...]", Short: "compare the project's servers with mcp.lock.json", Long: checkHelp, Example: checkExamples,
		ValidArgsFunction: a.completeProject,
		RunE: func(cmd *cobra.Command, args []string) error {
			o.names = args
			if err := o.checked(cmd, a); err != nil {
				return err
			}
			return runCheck(cmd.Context(), a, o)
		},
	}
	f := cmd.Flags()
	f.BoolVar(&o.offline, "offline", false, "compare what is written alone, and ask no server")
	f.StringVar(&o.format, "format", "text", "write the result as `FORMAT`: text, json, junit or sarif")
	f.StringVar(&o.junit, "junit", "", "write the result to `FILE` as JUnit XML, too")
	f.StringVar(&o.sarif, "sarif", "", "write the result to `FILE` as SARIF, too")
	f.DurationVar(&o.timeout, "timeout", 0, "limit for one server, `D` such as 20s (default: the entry's timeout)")
	_ = cmd.RegisterFlagCompletionFunc("format", cobra.FixedCompletions(checkFormats, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

// checked refuses options that make no sense together.
func (o *checkOptions) checked(cmd *cobra.Command, a *app) error {
	for name, path := range map[string]string{"junit": o.junit, "sarif": o.sarif} {
		if path == "" && cmd.Flags().Changed(name) {
			return usageOf(cmd, "--"+name+" takes the path of a file")
		}
	}
	switch o.format {
	case "text":
		if a.json != "" && cmd.Flags().Changed("format") {
			return usageOf(cmd, "--json and --format text do not go together")
		}
	case "json":
		if a.json == "" {
			a.json = "1"
		}
	case "junit", "sarif":
		if a.json != "" {
			return usageOf(cmd, "--json and --format "+o.format+" do not go together")
		}
	default:
		return usageOf(cmd, "--format is text, json, junit or sarif, not '"+o.format+"'")
	}
	return positive(cmd, "timeout", o.timeout)
}

func runCheck(ctx context.Context, a *app, o *checkOptions) error {
	c, err := a.load()
	if err != nil {
		return err
	}
	if o.toJUnit, err = openReport(o.junit); err != nil {
		return err
	}
	defer o.toJUnit.close()
	if o.toSA, err = openReport(o.sarif); err != nil {
		return err
	}
	defer o.toSA.close()
	began := time.Now()
	doc, err := engine.Check(ctx, c, o.names, engine.LockOptions{Version: a.version, Timeout: o.timeout, Offline: o.offline, Log: a.verboseLog})
	if err == nil {
		err = ctx.Err() // what was found until then says nothing
	}
	if err != nil {
		return err
	}
	if err := o.write(a, doc, began); err != nil {
		return err
	}
	return a.checkVerdict(doc, o)
}

// write writes the result, and the files beside it.
func (o *checkOptions) write(a *app, doc wire.Check, began time.Time) error {
	junit := func(w *bytes.Buffer, began time.Time) error {
		return report.JUnit(w, report.JUnitRun{Command: "check", Cases: report.CheckCases(doc), Began: began, Took: time.Since(began)})
	}
	sarif := func(w *bytes.Buffer, _ time.Time) error { return report.JSON(w, report.CheckSarif(doc, a.version)) }
	if err := o.toJUnit.write(junit); err != nil {
		return err
	}
	if err := o.toSA.write(sarif); err != nil {
		return err
	}
	return a.print(doc, func(w *bytes.Buffer) error {
		switch o.format {
		case "junit":
			return junit(w, began)
		case "sarif":
			return sarif(w, began)
		}
		return report.CheckText(w, doc)
	})
}

// checkVerdict: a difference is a no; one server's failure is the command's.
func (a *app) checkVerdict(doc wire.Check, o *checkOptions) error {
	if doc.OK {
		return nil
	}
	if len(o.names) == 1 && len(doc.Servers) == 1 && doc.Servers[0].Result == wire.CheckFailed {
		return wholeAnswer{doc.Servers[0].Error.On(doc.Servers[0].Name)}
	}
	if a.json == "" {
		for _, sv := range doc.Servers {
			if sv.Error != nil {
				a.tellError(sv.Error.On(sv.Name), "mcpctl test -v ")
			}
		}
	}
	if a.json == "" && !a.quiet && slices.ContainsFunc(doc.Servers, func(sv wire.CheckedEntry) bool { return sv.Result == wire.CheckDiffers }) {
		report.Tell(a.streams.Err, report.Message{Text: "not what was locked", Hint: "if it is right as it is now, lock it anew with: mcpctl lock --update"})
	}
	return exit(1)
}
