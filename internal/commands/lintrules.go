package commands

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mcpctl/mcpctl/internal/commands/report"
	"github.com/mcpctl/mcpctl/internal/engine/wire"
	"github.com/mcpctl/mcpctl/internal/store"
)

// rules lists the rules, or explains one.
func (o *lintOptions) rules(a *app) error {
	rules := store.Rules()
	if o.explain != "" {
		r, err := ruleNamed(o.explain)
		if err != nil {
			return err
		}
		rules = []store.Rule{r}
	}
	doc := report.LintRules{Schema: wire.Schema, Rules: []report.LintRule{}}
	for _, r := range rules {
		doc.Rules = append(doc.Rules, report.LintRule{ID: r.ID, Name: r.Name, Severity: r.Severity, Why: r.Why, Mend: r.Mend, Fixable: r.Fix})
	}
	return a.print(doc, func(w *bytes.Buffer) error {
		if o.explain != "" {
			w.WriteString(ruleText(rules[0]))
			return nil
		}
		var rows [][]string
		for _, r := range rules {
			rows = append(rows, []string{r.ID, r.Severity, r.Name, map[bool]string{true: "yes"}[r.Fix]})
		}
		return report.Table(w, []string{"RULE", "SEVERITY", "NAME", "--FIX"}, rows)
	})
}

// ruleNamed finds a rule by its ID, in any case, or its name. It fails with
// MCP_NOT_FOUND.
func ruleNamed(word string) (store.Rule, error) {
	var ids []string
	for _, r := range store.Rules() {
		if strings.EqualFold(r.ID, word) || r.Name == word {
			return r, nil
		}
		ids = append(ids, r.ID, r.Name)
	}
	hint := "see: mcpctl lint --list"
	if near := store.Closest(strings.ToUpper(word), ids); near != "" {
		hint = "did you mean '" + near + "'?"
	}
	return store.Rule{}, wire.NewError(wire.NotFound, fmt.Sprintf("no rule is called '%s'", word), hint)
}

// isRuleID tells whether a word looks like the ID of a rule.
func isRuleID(word string) bool {
	rest, found := strings.CutPrefix(strings.ToUpper(word), "MCP")
	return found && rest != "" && strings.Trim(rest, "0123456789") == ""
}

// ruleText is what help and --explain say of a rule.
func ruleText(r store.Rule) string {
	return r.ID + "  " + r.Name + " (" + ruleNotes(r) + ")\n    " + r.Why + "\n    " + r.Mend + "\n"
}

// completeRules completes the IDs of rules.
func completeRules(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	var out []string
	for _, r := range store.Rules() {
		out = append(out, cobra.CompletionWithDesc(r.ID, r.Name))
	}
	return out, cobra.ShellCompDirectiveNoFileComp
}
