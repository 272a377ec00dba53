package report

import (
	"bytes"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/mcpctl/mcpctl/internal/engine/wire"
	"github.com/mcpctl/mcpctl/internal/store/redact"
)

// CheckText writes what a check has found for people: a table, and below it every
// difference, whole.
func CheckText(w *bytes.Buffer, doc wire.Check) error {
	var rows [][]string
	for _, sv := range doc.Servers {
		rows = append(rows, []string{sv.Name, string(sv.Result), checkDetail(sv)})
	}
	if len(rows) == 0 {
		return nil
	}
	if err := Table(w, []string{"NAME", "RESULT", "DETAIL"}, rows); err != nil {
		return err
	}
	for _, sv := range doc.Servers {
		for _, d := range sv.Differences {
			fmt.Fprintf(w, "\n%s\n%s", redact.Line("server '"+sv.Name+"': "+differenceLine(d)), redact.Visible(d.Diff))
		}
	}
	return nil
}

func checkDetail(sv wire.CheckedEntry) string {
	var parts []string
	if n := len(sv.Differences); n > 0 {
		parts = append(parts, fmt.Sprintf("%d difference(s)", n))
	}
	switch sv.Result {
	case wire.CheckNotLocked:
		parts = append(parts, "the lock file does not have it")
	case wire.CheckGone:
		parts = append(parts, "the project does not have it any more")
	}
	if sv.Error != nil {
		parts = append(parts, string(sv.Error.Word))
	}
	if sv.Reason != "" {
		parts = append(parts, sv.Reason)
	}
	return strings.Join(parts, "; ")
}

// differenceLine is one difference without its diff.
func differenceLine(d wire.LockDifference) string {
	if d.What == "tool" {
		return "the tool '" + d.Tool + "' is " + d.Change
	}
	return fmt.Sprintf("the %s is %s, and was locked as %s", checkWords[d.What], orNone(d.To), orNone(d.From))
}

var checkWords = map[string]string{"fingerprint": "fingerprint of the entry", "package": "package", "protocolVersion": "protocol version", "server": "server"}

func orNone(text string) string {
	if text == "" {
		return "none"
	}
	return text
}

// CheckCases are the cases of a check for JUnit: a failure for a server that differs, an
// error for one that could not be asked. A case has one of the two at most: of a server that
// is both, the failure tells of the error.
func CheckCases(doc wire.Check) []JUnitCase {
	out := []JUnitCase{}
	for _, sv := range doc.Servers {
		c := JUnitCase{Name: sv.Name}
		switch sv.Result {
		case wire.CheckSame:
			c.Out = sv.Reason
		case wire.CheckFailed:
			c.Errored = sv.Error
		default:
			c.Failed = &wire.Error{Word: wire.Code(sv.Result), Text: checkDetail(sv)}
			for _, d := range sv.Differences {
				c.Failed.Text += "\n" + differenceLine(d)
				if d.Diff != "" {
					c.Failed.Text += "\n" + strings.TrimSuffix(d.Diff, "\n")
				}
			}
			if sv.Error != nil {
				c.Failed.Text += "\n" + sv.Error.Text
				c.Failed.Advice = sv.Error.Advice
			}
		}
		out = append(out, c)
	}
	return out
}

// checkRules are the kinds of findings of a check, for SARIF.
var checkRules = []SarifRule{
	{"lock-fingerprint", "LockFingerprint", "error", "The entry of a server is not the one that was locked.", relock},
	{"lock-package", "LockPackage", "error", "The command of a server fetches another package, or another version, than was locked.", relock},
	{"lock-protocol", "LockProtocol", "error", "A server speaks another version of the protocol than when it was locked.", relock},
	{"lock-server", "LockServer", "error", "A server tells another name or version of itself than when it was locked.", relock},
	{"lock-tool", "LockTool", "error", "The definition of a tool is not the one that was locked.", relock},
	{"lock-missing", "LockMissing", "error", "A server of the project is not in the lock file.", "Lock it with: mcpctl lock"},
	{"lock-gone", "LockGone", "error", "A server of the lock file is not in the project any more.", "Drop it with: mcpctl lock"},
	{"lock-failed", "LockFailed", "error", "A server could not be asked.", "See what is wrong with: mcpctl test"},
}

const relock = "Review the difference; then: mcpctl lock --update"

// checkRuleOf names the rule of a kind of difference, or of a result.
var checkRuleOf = map[string]string{"fingerprint": "lock-fingerprint", "package": "lock-package", "protocolVersion": "lock-protocol", "server": "lock-server", "tool": "lock-tool",
	string(wire.CheckNotLocked): "lock-missing", string(wire.CheckGone): "lock-gone", string(wire.CheckFailed): "lock-failed"}

// CheckSarif is what a check has found in the shape of SARIF. The places are those in the
// lock file; a result without a line is not shown by all services, so the first one stands
// for none.
func CheckSarif(doc wire.Check, version string) Sarif {
	workspace, file := filepath.Split(doc.Source)
	findings := []SarifFinding{}
	for _, sv := range doc.Servers {
		add := func(what, key, text string, line, column int) {
			findings = append(findings, SarifFinding{Rule: checkRuleOf[what], Severity: "error", Path: file, Key: sv.Name + "\x00" + key,
				Text: redact.Line("server '"+sv.Name+"': ") + text, Line: max(line, 1), Column: column})
		}
		if sv.Result == wire.CheckNotLocked || sv.Result == wire.CheckGone {
			add(string(sv.Result), "", checkDetail(sv), sv.Line, sv.Column)
		}
		for _, d := range sv.Differences {
			add(d.What, d.Tool, strings.TrimSuffix(differenceLine(d)+"\n"+d.Diff, "\n"), d.Line, d.Column)
		}
		if sv.Error != nil {
			add(string(wire.CheckFailed), "", redact.Line(Brief(sv.Error.Text)), sv.Line, sv.Column)
		}
	}
	return NewSarif(strings.TrimSuffix(workspace, "/"), version, checkRules, findings)
}
