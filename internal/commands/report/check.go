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
// error for one that could not be asked.
func CheckCases(doc wire.Check) []JUnitCase {
	out := []JUnitCase{}
	for _, sv := range doc.Servers {
		c := JUnitCase{Name: sv.Name, Errored: sv.Error}
		switch sv.Result {
		case wire.CheckSame:
			c.Out = sv.Reason
		case wire.CheckFailed:
		default:
			c.Failed = &wire.Error{Word: wire.Code(sv.Result), Text: checkDetail(sv)}
			for _, d := range sv.Differences {
				c.Failed.Text += "\n" + differenceLine(d)
				if d.Diff != "" {
					c.Failed.Text += "\n" + strings.TrimSuffix(d.Diff, "\n")
				}
			}
		}
		out = append(out, c)
	}
	return out
}

// checkRules are the kinds of findings of a check, for SARIF.
var checkRules = []SARIFRule{
	{"lock/fingerprint", "The entry of a server is not the one that was locked."},
	{"lock/package", "The command of a server fetches another package, or another version, than was locked."},
	{"lock/protocolVersion", "A server speaks another version of the protocol than when it was locked."},
	{"lock/server", "A server tells another name or version of itself than when it was locked."},
	{"lock/tool", "The definition of a tool is not the one that was locked."},
	{"lock/not-locked", "A server of the project is not in the lock file."},
	{"lock/gone", "A server of the lock file is not in the project any more."},
	{"lock/failed", "A server could not be asked."},
}

// CheckSARIF writes what a check has found as a SARIF log. The places are those in the
// lock file.
func CheckSARIF(w *bytes.Buffer, version string, doc wire.Check) error {
	uri := filepath.Base(doc.Source)
	results := []SARIFResult{}
	add := func(rule, text string, line, column int) { // a result without a line is not shown by all services
		results = append(results, SARIFResult{"lock/" + rule, "error", text, uri, max(line, 1), column})
	}
	for _, sv := range doc.Servers {
		about := "server '" + sv.Name + "': "
		if sv.Result == wire.CheckNotLocked || sv.Result == wire.CheckGone {
			add(string(sv.Result), about+checkDetail(sv), sv.Line, sv.Column)
		}
		for _, d := range sv.Differences {
			text := about + differenceLine(d)
			if d.Diff != "" {
				text += "\n" + d.Diff
			}
			add(d.What, text, d.Line, d.Column)
		}
		if sv.Error != nil {
			add(string(wire.CheckFailed), about+Brief(sv.Error.Text), sv.Line, sv.Column)
		}
	}
	return SARIF(w, version, checkRules, results)
}
