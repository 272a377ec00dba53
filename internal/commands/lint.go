package commands

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"github.com/mcpctl/mcpctl/internal/commands/report"
	"github.com/mcpctl/mcpctl/internal/engine/wire"
	"github.com/mcpctl/mcpctl/internal/store"
	"github.com/mcpctl/mcpctl/internal/store/redact"
)

const lintHelp = `Check files that hold servers: whether they can be read, whether each entry means
what it seems to mean, and what is risky or will not work elsewhere. Each finding has
a rule with an ID such as MCP029, its place by line and column, and what to do.
mcpctl-lint(7) has all rules, --list lists them, and --explain MCP012, or mcpctl help
MCP012, shows one. What makes an entry invalid is the same as in list:
both go by what the reader finds.

Without FILE the files that count in this workspace are checked, which are those that list
goes by: the user's, the project's and the local one of mcpctl, or of the client that
--client names, the project files of all other clients, whether their servers are approved
or not, and users' files for which the setting discovery.user asks. With --all those come
in too that only "list --all" shows: the user's files of every client. A FILE may lie
anywhere. Whose it is goes by its path and name, or by --client; what fits none goes by
what it holds, or by --as. "-" is stdin, as JSON, TOML or YAML. In the workspace the rules
for what a repository supplies hold, elsewhere those of --scope. Of one FILE alone the
others are not known, so that nothing is said about overrides; one that is not there is
MCP_NOT_FOUND.

Lint starts no process, makes no network connection and, without --fix, writes
nothing. Secrets are hidden in what it says. --approvals also tells which entries of
the project are not approved on this machine, or are not what was approved.

The exit status is 10 (MCP_CONFIG_INVALID) when there are errors, with
"--severity warning" also when there are only warnings, and 0 otherwise. -q leaves
warnings out of the text. Columns count Unicode characters.

The formats are text, one line a finding; json, the document of --json; sarif, which
is SARIF 2.1.0; and github, annotations of a GitHub workflow. The last two name files
relative to the workspace.

With --fix what has only one safe way to be mended is mended: servers under the wrong top
key or under none, or one level too deep, misspelt fields, a timeout without unit, a
command of several words. A key under which another client reads that very file stays,
such as "servers" in .mcp.json, where Visual Studio has them. Only files that mcpctl
writes are changed, each in one commit that undo takes back, and every other byte stays.
An approved entry stays approved if it means what it meant; one that now does something
else has to be approved again. Findings that are left are told. A file that cannot be
mended keeps no other from it; the exit status is then its error's. With --dry-run nothing
is written; the difference goes to stdout, and what would be left to stderr.`

const lintExamples = `  mcpctl lint
  mcpctl lint --severity warning .mcp.json .vscode/mcp.json
  mcpctl lint --format sarif >mcpctl.sarif
  mcpctl lint --fix --dry-run
  mcpctl lint --explain MCP012
  mcpctl lint --as codex -s user backup/config.toml
  mcpctl lint --json | jq -r '.findings[] | select(.rule == "MCP029") | .server'`

type lintOptions struct {
	files     []string
	all       bool
	approvals bool
	format    string
	fix       bool
	dryRun    bool
	severity  string
	scope     string
	as        string
	list      bool
	explain   string
}

// The words of lint's options.
var (
	lintFormats    = []string{"text", "json", "sarif", "github"}
	lintSeverities = []string{store.SeverityError, store.SeverityWarning}
)

func newLintCmd(a *app) *cobra.Command {
	o := &lintOptions{}
	cmd := &cobra.Command{
		Use: "lint [FILE...]", Short: "check the files that hold servers", Long: lintHelp, Example: lintExamples,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			o.files = args
			return runLint(cmd.Context(), a, o)
		},
	}
	f := cmd.Flags()
	f.BoolVar(&o.all, "all", false, "check the files of every client")
	f.BoolVar(&o.approvals, "approvals", false, "tell as well which entries of the project are not approved")
	f.StringVar(&o.format, "format", "text", "write `FORMAT`: text, json, sarif or github")
	f.BoolVar(&o.fix, "fix", false, "mend what has only one safe way to be mended")
	f.BoolVar(&o.dryRun, "dry-run", false, "with --fix: write nothing and show what would change")
	f.StringVar(&o.severity, "severity", store.SeverityError, "exit with 10 from `LEVEL` on: error or warning")
	f.StringVar(&o.as, "as", "", "read each FILE as one of client `NAME`")
	f.BoolVar(&o.list, "list", false, "list the rules and check nothing")
	f.StringVar(&o.explain, "explain", "", "explain the rule `ID`, such as MCP012, and check nothing")
	f.StringVarP(&o.scope, "scope", "s", string(store.User), "take a FILE outside the workspace for one of `SCOPE`: user, project or local")
	_ = cmd.RegisterFlagCompletionFunc("format", cobra.FixedCompletions(lintFormats, cobra.ShellCompDirectiveNoFileComp))
	_ = cmd.RegisterFlagCompletionFunc("explain", completeRules)
	_ = cmd.RegisterFlagCompletionFunc("as", cobra.FixedCompletions(store.Clients(), cobra.ShellCompDirectiveNoFileComp))
	_ = cmd.RegisterFlagCompletionFunc("severity", cobra.FixedCompletions(lintSeverities, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

func (o *lintOptions) check(a *app) error {
	switch {
	case !slices.Contains(lintFormats, o.format):
		return usagef("unknown format '%s': use text, json, sarif or github", o.format)
	case !slices.Contains(lintSeverities, o.severity):
		return usagef("unknown severity '%s': use error or warning", o.severity)
	case !slices.Contains(scopeWords, o.scope):
		return usagef("unknown scope '%s': use user, project or local", o.scope)
	case o.dryRun && !o.fix:
		return usagef("--dry-run goes with --fix: without it nothing is written")
	case o.list && o.explain != "", (o.list || o.explain != "") && (len(o.files) > 0 || o.all || o.fix || o.approvals):
		return usagef("--list and --explain check nothing, and go alone")
	case (o.list || o.explain != "") && o.format != "text" && o.format != "json":
		return usagef("--list and --explain write text or json")
	case o.as != "" && len(o.files) == 0:
		return usagef("--as says how a FILE is to be read: name one")
	case len(o.files) > 1 && slices.Contains(o.files, "-"):
		return usagef("- is stdin, and goes without other files")
	case slices.Contains(o.files, "-") && o.fix:
		return usagef("--fix mends files, and stdin is none")
	case o.all && len(o.files) > 0:
		return usagef("give either --all or files")
	case a.json != "" && o.format != "text" && o.format != "json":
		return usagef("--json and --format %s exclude each other", o.format)
	}
	if o.format == "json" && a.json == "" {
		a.json = "1"
	}
	return nil
}

func (o *lintOptions) request(ctx context.Context, a *app) (store.LintRequest, error) {
	req := store.LintRequest{All: o.all, Approvals: o.approvals, Client: cmp.Or(o.as, a.client), Scope: store.Scope(o.scope)}
	if slices.Equal(o.files, []string{"-"}) {
		data, err := a.readStdin(ctx, "the servers", applyLimit+1)
		if err == nil && len(data) > applyLimit {
			err = wire.NewError(wire.ConfigInvalid, "what stands on stdin is larger than 64 MiB", "")
		}
		req.Where, req.Text = "stdin", data
		return req, err
	}
	for _, file := range o.files {
		if file == "" {
			return req, usagef("a FILE is empty")
		}
		if !filepath.IsAbs(file) {
			file = filepath.Join(a.dir, file) // as git -C: paths start there
		}
		abs, err := filepath.Abs(file)
		if err != nil {
			return req, wire.NewError(wire.IO, "cannot find the working directory: "+err.Error(), "")
		}
		req.Files = append(req.Files, abs)
	}
	return req, nil
}

func runLint(ctx context.Context, a *app, o *lintOptions) error {
	if err := o.check(a); err != nil {
		return err
	}
	if o.list || o.explain != "" {
		return o.rules(a)
	}
	s, err := a.openQuietly()
	if err != nil {
		return err
	}
	a.tellMore(s)
	req, err := o.request(ctx, a)
	if err != nil {
		return err
	}
	doc := report.Lint{Schema: wire.Schema, Workspace: s.Workspace.Dir, Files: []report.LintFile{}, Findings: []report.LintFinding{}, Fixed: []report.LintFixed{}, DryRun: o.dryRun}
	var unmended error // of some files; the others were mended, which is told all the same
	if o.fix {
		if doc.Fixed, unmended = a.lintFix(ctx, s, req, o); unmended != nil && len(doc.Fixed) == 0 {
			return unmended
		}
	}
	linted, err := s.Lint(req)
	if err != nil {
		return err
	}
	for _, src := range linted.Sources {
		doc.Files = append(doc.Files, report.LintFile{Source: src.Path, Client: src.Client, Scope: string(src.Scope)})
	}
	doc.Findings = lintFindings(s, linted.Findings)
	for _, f := range doc.Findings {
		if f.Severity == store.SeverityError {
			doc.Errors++
		} else {
			doc.Others++
		}
	}
	doc.Warnings = a.takeWarnings()
	if err := a.printLint(doc, o); err != nil {
		return err
	}
	if unmended != nil {
		return wholeAnswer{unmended}
	}
	if doc.Errors > 0 || doc.Others > 0 && o.severity == store.SeverityWarning {
		return exit(wire.ConfigInvalid.Exit())
	}
	return nil
}

// lintFix mends, and says what became of each file.
func (a *app) lintFix(ctx context.Context, s *store.Store, req store.LintRequest, o *lintOptions) ([]report.LintFixed, error) {
	done, kept, failed, err := s.LintFix(ctx, req, o.dryRun)
	if err == nil {
		err = joined(failed)
	}
	out := []report.LintFixed{}
	for _, m := range done {
		fixed := report.LintFixed{Source: m.Path, Findings: lintFindings(s, m.Problems), Review: emptyList(m.Reviews)}
		if o.dryRun {
			fixed.Diff = m.Diff(s)
		} else {
			a.say("mended %d finding(s) in %s", len(m.Problems), m.Path)
		}
		for _, name := range m.Reviews {
			a.warn("'"+name+"' was approved, and does something else when it is mended", "review it then with: mcpctl approve "+redact.ShellWord(name))
		}
		out = append(out, fixed)
	}
	for _, src := range kept {
		a.warn(src.Path+": not mended, since mcpctl does not write this file", "mend it in an editor")
	}
	return out, err
}

func (a *app) printLint(doc report.Lint, o *lintOptions) error {
	switch {
	case o.format == "sarif":
		return report.JSON(&a.out, report.NewSarif(doc.Workspace, a.version, sarifRules(), report.LintSarif(doc.Findings)))
	case o.format == "github":
		report.LintGitHub(&a.out, doc.Findings)
		return nil
	}
	return a.print(doc, func(w *bytes.Buffer) error {
		for _, f := range doc.Fixed {
			w.WriteString(f.Diff)
		}
		shown := doc.Findings
		if a.quiet {
			shown = slices.DeleteFunc(slices.Clone(shown), func(f report.LintFinding) bool { return f.Severity != store.SeverityError })
		}
		if o.dryRun { // stdout is the difference alone
			report.LintText(a.streams.Err, leftOver(shown, doc.Fixed))
		} else {
			report.LintText(w, shown)
		}
		a.say("%s", lintSummary(doc))
		return nil
	})
}

// leftOver are the findings that are not among those that would be mended.
func leftOver(all []report.LintFinding, fixed []report.LintFixed) []report.LintFinding {
	return slices.DeleteFunc(slices.Clone(all), func(f report.LintFinding) bool {
		return slices.ContainsFunc(fixed, func(m report.LintFixed) bool {
			return slices.ContainsFunc(m.Findings, func(g report.LintFinding) bool {
				return g.Source == f.Source && g.Rule == f.Rule && g.Line == f.Line && g.Column == f.Column
			})
		})
	})
}

func lintSummary(doc report.Lint) string {
	return fmt.Sprintf("%d error(s), %d warning(s) in %d file(s)", doc.Errors, doc.Others, len(doc.Files))
}

func sarifRules() []report.SarifRule {
	var out []report.SarifRule
	for _, r := range store.Rules() {
		out = append(out, report.SarifRule{ID: r.ID, Name: r.Name, Severity: r.Severity, Why: r.Why, Mend: r.Mend})
	}
	return out
}

// lintFindings is what was found as JSON has it, secrets hidden.
func lintFindings(s *store.Store, list []store.Problem) []report.LintFinding {
	out := []report.LintFinding{}
	for _, p := range list {
		f := report.LintFinding{Rule: p.Rule, Name: store.RuleOf(p.Rule).Name, Severity: p.Severity, Source: p.Source, Path: p.Source, Line: p.Line, Column: p.Column,
			Message: redact.Text(p.Message), Hint: redact.Text(p.Hint), Fixable: p.Fixable()}
		if rel, err := filepath.Rel(s.Workspace.Dir, p.Source); err == nil && filepath.IsLocal(rel) {
			f.Path = filepath.ToSlash(rel)
		}
		if p.Server != "" {
			f.Server = &p.Server
		}
		out = append(out, f)
	}
	return out
}
