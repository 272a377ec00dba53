package report

import (
	"fmt"
	"io"
	"strings"

	"github.com/mcpctl/mcpctl/internal/engine/wire"
	"github.com/mcpctl/mcpctl/internal/store/redact"
)

// Lint is the document of `lint`.
type Lint struct {
	Schema    int           `json:"schema"`
	Workspace string        `json:"workspace"`
	Files     []LintFile    `json:"files"` // that were read
	Errors    int           `json:"errorCount"`
	Others    int           `json:"warningCount"`
	Findings  []LintFinding `json:"findings"`
	Fixed     []LintFixed   `json:"fixed"` // with --fix; with --dry-run what would be
	DryRun    bool          `json:"dryRun,omitempty"`

	Warnings []wire.Warning `json:"warnings"` // of --fix: what was not mended, or has to be reviewed
}

// LintRules is the document of `lint --list` and `lint --explain`.
type LintRules struct {
	Schema int        `json:"schema"`
	Rules  []LintRule `json:"rules"`
}

// LintRule is one rule; mcpctl-lint(7) is made from the same table.
type LintRule struct {
	ID       string `json:"id"`
	Name     string `json:"name"`
	Severity string `json:"severity"`
	Why      string `json:"why"`
	Mend     string `json:"mend"`
	Fixable  bool   `json:"fixable"` // --fix may mend it
}

// LintFile is one file that was looked at.
type LintFile struct {
	Source string `json:"source"`
	Client string `json:"client"`
	Scope  string `json:"scope"`
}

// LintFinding is one thing that is wrong or remarkable.
type LintFinding struct {
	Rule     string  `json:"rule"` // its ID, which never changes
	Name     string  `json:"name"` // of the rule
	Severity string  `json:"severity"`
	Source   string  `json:"source"`
	Path     string  `json:"path"` // Source below the workspace, slash separated; Source where it lies elsewhere
	Line     int     `json:"line"` // 0 where it concerns the whole file
	Column   int     `json:"column"`
	Server   *string `json:"server"`
	Message  string  `json:"message"`
	Hint     string  `json:"hint"`
	Fixable  bool    `json:"fixable"`
}

// LintFixed is what became of one file.
type LintFixed struct {
	Source   string        `json:"source"`
	Findings []LintFinding `json:"findings"` // that are gone
	Review   []string      `json:"review"`   // servers that have to be approved again
	Diff     string        `json:"diff,omitempty"`
}

// LintText writes one line a finding, as compilers do.
func LintText(w io.Writer, findings []LintFinding) {
	for _, f := range findings {
		where := f.Source
		if f.Line > 0 {
			where = fmt.Sprintf("%s:%d:%d", f.Source, f.Line, f.Column)
		}
		fmt.Fprintf(w, "%s: %s %s: %s\n", redact.Line(where), f.Severity, f.Rule, redact.Line(f.sentence()))
	}
}

// sentence is the whole of a finding in one line.
func (f LintFinding) sentence() string {
	text := f.Message
	if f.Server != nil && !strings.Contains(text, "'"+*f.Server+"'") && !strings.Contains(text, `"`+*f.Server+`"`) {
		text = "server '" + *f.Server + "': " + text
	}
	if f.Hint != "" {
		text += "; " + f.Hint
	}
	return text
}

// LintSarif is the findings as NewSarif wants them.
func LintSarif(findings []LintFinding) []SarifFinding {
	var out []SarifFinding
	for _, f := range findings {
		key := f.Message
		if f.Server != nil {
			key = *f.Server + "\x00" + key
		}
		out = append(out, SarifFinding{Rule: f.Rule, Severity: f.Severity, Path: f.Path, Key: key, Text: f.sentence(), Line: f.Line, Column: f.Column})
	}
	return out
}

// githubData and githubProperty are the escapes of GitHub's workflow commands: of the
// message, and of the values in front of it.
var (
	githubData     = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	githubProperty = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
)

// LintGitHub writes the findings as annotations of a GitHub workflow.
func LintGitHub(w io.Writer, findings []LintFinding) {
	for _, f := range findings {
		place := "file=" + githubProperty.Replace(redact.Line(f.Path))
		if f.Line > 0 {
			place += fmt.Sprintf(",line=%d,col=%d", f.Line, f.Column)
		}
		fmt.Fprintf(w, "::%s %s,title=%s::%s\n", f.Severity, place, githubProperty.Replace(f.Rule+" "+f.Name), githubData.Replace(redact.Line(f.sentence())))
	}
}
