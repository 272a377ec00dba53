package commands

import (
	"strings"

	"github.com/mcpctl/mcpctl/internal/store"
)

// LintPage is mcpctl-lint(7), in roff: prose, and the table of rules.
func LintPage() string {
	var b strings.Builder
	line := func(text string) { b.WriteString(text + "\n") }
	line(pageHead("mcpctl-lint - the rules of mcpctl lint", "7", lintPageText))
	line(".SH RULES")
	for _, r := range store.Rules() {
		line(".TP\n\\fB" + r.ID + "\\fP " + roff(r.Name+" ("+ruleNotes(r)+")"))
		line(roff(r.Why) + "\n" + roff(r.Mend))
	}
	line(".SH EXAMPLE\n.nf\n" + roff(lintPageExample) + "\n.fi")
	line(".SH SEE ALSO\n\\fBmcpctl-lint(1)\\fP, \\fBmcpctl-entries(5)\\fP, \\fBmcpctl(1)\\fP")
	return b.String()
}

func ruleNotes(r store.Rule) string {
	if r.Fix {
		return r.Severity + "; --fix may mend it"
	}
	return r.Severity
}

// ruleList is the table of rules for help.
func ruleList() string {
	var b strings.Builder
	b.WriteString("\nRules:\n")
	for _, r := range store.Rules() {
		b.WriteString("  " + r.ID + "  " + r.Name + " (" + ruleNotes(r) + ")\n      " + r.Why + "\n      " + r.Mend + "\n")
	}
	return b.String()
}

const lintPageText = `Each finding of "mcpctl lint" names the rule it goes by. The ID of a rule never changes and is never given to another one; messages may change. "mcpctl list" and the engines go by the same reader: an entry with an error is invalid there too, except for MCP031, MCP041, MCP042 and MCP046, which are errors of what is committed or approved and not of the entry, and for MCP034, which fails the server when it is started.

The severity given here is the usual one; a message that has another says why. A finding with a place names the line and the column, counted in Unicode characters, of the value or the key that it is about.

Rules about what a repository supplies, MCP031, MCP032, MCP037, MCP038, MCP041, MCP042 and MCP046, look at project files only. MCP033 goes by the environment that lint is called with. MCP030 compares names with a short list of well-known packages by their spelling, and says nothing about whether a package can be trusted. A version that is pinned (MCP029) may still be given other content by its registry; the digest of an image may not.

With --fix only what has one safe way to be mended is changed, and only in files of mcpctl's own shape: in the files of other clients it is for them to say what a field means.`

const lintPageExample = `# in a workflow of GitHub Actions; the exit status fails the job
mcpctl lint --format github

# upload to code scanning; findings fail nothing by themselves
mcpctl lint --format sarif >mcpctl.sarif || test $? -eq 10`
