package report

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"strings"
	"time"

	"github.com/mcpctl/mcpctl/internal/engine/wire"
	"github.com/mcpctl/mcpctl/internal/store/redact"
)

// The elements of JUnit's XML, as CI services read it.
type (
	junitSuites struct {
		XMLName xml.Name   `xml:"testsuites"`
		Suite   junitSuite `xml:"testsuite"`
	}
	junitSuite struct {
		Name      string      `xml:"name,attr"`
		Tests     int         `xml:"tests,attr"`
		Failures  int         `xml:"failures,attr"`
		Errors    int         `xml:"errors,attr"`
		Skipped   int         `xml:"skipped,attr"`
		Time      string      `xml:"time,attr"`
		Timestamp string      `xml:"timestamp,attr"`
		Cases     []junitCase `xml:"testcase"`
	}
	junitCase struct {
		Class   string      `xml:"classname,attr"`
		Name    string      `xml:"name,attr"`
		Time    string      `xml:"time,attr"`
		Failure *junitFault `xml:"failure"`
		Error   *junitFault `xml:"error"`
		Out     string      `xml:"system-out,omitempty"`
	}
	junitFault struct {
		Type    string `xml:"type,attr"`
		Message string `xml:"message,attr"`
		Text    string `xml:",chardata"`
	}
)

// JUnitRun is one run of a command whose answer a CI service is to show.
type JUnitRun struct {
	Command string // "test" or "check"
	Cases   []JUnitCase
	Began   time.Time
	Took    time.Duration
}

// JUnitCase is one server. Failed says that it is not well, and Errored that it was not
// let run; both nil: all is well, and Out says what was found.
type JUnitCase struct {
	Name            string
	Took            time.Duration
	Out             string
	Failed, Errored *wire.Error
}

// TestCases are the cases of a test: a failure for a server that is not well, an error
// for one that was not let run.
func TestCases(doc wire.Test) []JUnitCase {
	out := []JUnitCase{}
	for _, r := range doc.Results {
		c := JUnitCase{Name: r.Name, Took: time.Duration(r.MS) * time.Millisecond}
		switch {
		case r.Error == nil:
			c.Out = fmt.Sprintf("%d tools, protocol %s", len(r.Tools), r.ProtocolVersion)
		case strings.HasPrefix(string(r.Error.Word), "MCP_"):
			c.Errored = r.Error
		default:
			c.Failed = r.Error
		}
		out = append(out, c)
	}
	return out
}

// JUnit writes a run as JUnit XML: one case for each server.
func JUnit(w *bytes.Buffer, run JUnitRun) error {
	s := junitSuite{Name: "mcpctl " + run.Command, Tests: len(run.Cases), Time: seconds(run.Took), Timestamp: run.Began.UTC().Format("2006-01-02T15:04:05")}
	for _, of := range run.Cases {
		c := junitCase{Class: "mcpctl." + run.Command, Name: redact.Line(of.Name), Time: seconds(of.Took), Out: redact.Visible(of.Out)}
		if of.Errored != nil {
			c.Error, s.Errors = junitFaultOf(of.Errored), s.Errors+1
		}
		if of.Failed != nil {
			c.Failure, s.Failures = junitFaultOf(of.Failed), s.Failures+1
		}
		s.Cases = append(s.Cases, c)
	}
	w.WriteString(xml.Header)
	e := xml.NewEncoder(w)
	e.Indent("", "  ")
	if err := e.Encode(junitSuites{Suite: s}); err != nil {
		return err
	}
	w.WriteByte('\n')
	return nil
}

func junitFaultOf(e *wire.Error) *junitFault {
	text := redact.Visible(e.Text)
	if e.Advice != "" {
		text += "\nhint: " + redact.Visible(e.Advice)
	}
	return &junitFault{Type: string(e.Word), Message: redact.Line(headOf(Brief(e.Text))), Text: text}
}

// headOf is the first line of a text.
func headOf(text string) string {
	head, _, _ := strings.Cut(text, "\n")
	return head
}

func seconds(d time.Duration) string { return fmt.Sprintf("%.3f", d.Seconds()) }
