package report

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mcpctl/mcpctl/internal/engine/wire"
)

// everyCheck has each kind of result and of difference.
func everyCheck() wire.Check {
	doc := wire.Check{Source: "/w/mcp.lock.json"}
	for _, what := range []string{"fingerprint", "package", "protocolVersion", "server", "tool"} {
		doc.Servers = append(doc.Servers, wire.CheckedEntry{Name: what, Result: wire.CheckDiffers, Line: 3, Column: 5,
			Differences: []wire.LockDifference{{What: what, Tool: "t\x1b", Change: "changed", From: "a", Diff: "-x\n+y\n", Line: 4, Column: 7}}})
	}
	for _, result := range []wire.CheckResult{wire.CheckSame, wire.CheckNotLocked, wire.CheckGone} {
		doc.Servers = append(doc.Servers, wire.CheckedEntry{Name: string(result), Result: result})
	}
	doc.Servers = append(doc.Servers, wire.CheckedEntry{Name: "failed", Result: wire.CheckFailed, Error: wire.NewError(wire.ConnectFailed, "it left:\none\ntwo", "")})
	return doc
}

// TestCheckSarif: every kind of finding has a rule of its own, and a place.
func TestCheckSarif(t *testing.T) {
	run := CheckSarif(everyCheck(), "v1.2.3").Runs[0]
	var got []string
	for _, r := range run.Results {
		got = append(got, r.RuleID)
		if run.Tool.Driver.Rules[r.RuleIndex].ID != r.RuleID {
			t.Errorf("%s has the index of %s", r.RuleID, run.Tool.Driver.Rules[r.RuleIndex].ID)
		}
		if at := r.Locations[0].Physical; at.Region == nil || at.Region.Line < 1 || at.Region.Column < 1 || at.Artifact.URI != "mcp.lock.json" {
			t.Errorf("%s has no place: %+v", r.RuleID, at)
		}
		if strings.Contains(r.Message.Text, "\x1b") {
			t.Errorf("%s acts on a terminal: %q", r.RuleID, r.Message.Text)
		}
	}
	var rules []string
	for _, r := range run.Tool.Driver.Rules {
		rules = append(rules, r.ID)
	}
	slices.Sort(got)
	slices.Sort(rules)
	if !slices.Equal(got, rules) {
		t.Errorf("found %v, the rules are %v", got, rules)
	}
	if run.Tool.Driver.Version != "1.2.3" || CheckSarif(everyCheck(), "devel").Runs[0].Tool.Driver.Version != "" {
		t.Errorf("the version is %q", run.Tool.Driver.Version)
	}
}

// TestCheckCases: what differs is a failure, what could not be asked an error, and the
// text has all of it.
func TestCheckCases(t *testing.T) {
	var b bytes.Buffer
	if err := JUnit(&b, JUnitRun{Command: "check", Cases: CheckCases(everyCheck()), Began: time.Unix(0, 0)}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`tests="9" failures="7" errors="1"`, `<error type="CONNECT_FAILED" message="it left: two">`, "+y", "the fingerprint of the entry is none, and was locked as a"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("%s is not in:\n%s", want, b.String())
		}
	}
	if strings.Contains(b.String(), "\x1b") {
		t.Error("a control character is in the file")
	}
	var text bytes.Buffer
	if err := CheckText(&text, everyCheck()); err != nil || strings.Contains(text.String(), "\x1b") || !strings.Contains(text.String(), "+y") {
		t.Errorf("%v %s", err, text.String())
	}
}
