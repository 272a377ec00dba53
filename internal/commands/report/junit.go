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

// JUnit writes the results of tests as JUnit XML: one case for each server, a failure
// for one that is not well, an error for one that was not let run. began is when the
// tests did, and took is how long all of them lasted.
func JUnit(w *bytes.Buffer, doc wire.Test, began time.Time, took time.Duration) error {
	s := junitSuite{Name: "mcpctl test", Tests: len(doc.Results), Time: seconds(took), Timestamp: began.UTC().Format("2006-01-02T15:04:05")}
	for _, r := range doc.Results {
		c := junitCase{Class: "mcpctl.test", Name: redact.Line(r.Name), Time: seconds(time.Duration(r.MS) * time.Millisecond)}
		switch {
		case r.Error == nil:
			c.Out = fmt.Sprintf("%d tools, protocol %s", len(r.Tools), redact.Line(r.ProtocolVersion))
		case strings.HasPrefix(string(r.Error.Word), "MCP_"):
			c.Error, s.Errors = junitFaultOf(r.Error), s.Errors+1
		default:
			c.Failure, s.Failures = junitFaultOf(r.Error), s.Failures+1
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
	return &junitFault{Type: string(e.Word), Message: redact.Line(Brief(e.Text)), Text: text}
}

func seconds(d time.Duration) string { return fmt.Sprintf("%.3f", d.Seconds()) }
