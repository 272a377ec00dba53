package main

import (
	"encoding/json"
	"encoding/xml"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/rogpeppe/go-internal/testscript"
)

// cmdSarif holds a file to the official schema of SARIF: sarif FILE.
func cmdSarif(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: sarif FILE")
	}
	schema, err := loadSarifSchema()
	ts.Check(err)
	var v any
	ts.Check(json.Unmarshal([]byte(ts.ReadFile(args[0])), &v))
	ts.Check(schema.Validate(v))
}

// loadSarifSchema reads the official schema. It is of draft 4, of which it uses nothing
// that draft 7 has otherwise but the name of its own address.
func loadSarifSchema() (*jsonschema.Resolved, error) {
	data, err := os.ReadFile("../../testdata/sarif/sarif-schema-2.1.0.json")
	if err != nil {
		return nil, err
	}
	text := strings.Replace(string(data), "http://json-schema.org/draft-04/schema#", "http://json-schema.org/draft-07/schema#", 1)
	text = strings.Replace(text, `"id": "https://`, `"$id": "https://`, 1)
	var s jsonschema.Schema
	if err := json.Unmarshal([]byte(text), &s); err != nil {
		return nil, err
	}
	return s.Resolve(nil)
}

// cmdJUnit reads a file as services for CI do: one suite, whose numbers are those of its
// cases, each with a name, and nothing that XML does not allow: junit FILE [NAME...], the
// names of the cases.
func cmdJUnit(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 1 {
		ts.Fatalf("usage: junit FILE [NAME...]")
	}
	names, err := readJUnit(ts.ReadFile(args[0]))
	ts.Check(err)
	if got, want := strings.Join(names, "\n"), strings.Join(args[1:], "\n"); len(args) > 1 && got != want {
		ts.Fatalf("the cases are %q, want %q", got, want)
	}
}

// readJUnit returns the names of the cases.
func readJUnit(text string) ([]string, error) {
	type fault struct {
		Type    string `xml:"type,attr"`
		Message string `xml:"message,attr"`
	}
	var doc struct {
		XMLName xml.Name `xml:"testsuites"`
		Suites  []struct {
			Attrs []xml.Attr `xml:",any,attr"`
			Cases []struct {
				Name    string   `xml:"name,attr"`
				Class   string   `xml:"classname,attr"`
				Time    *float64 `xml:"time,attr"`
				Failure []fault  `xml:"failure"`
				Error   []fault  `xml:"error"`
				Skipped []fault  `xml:"skipped"`
			} `xml:"testcase"`
		} `xml:"testsuite"`
	}
	dec := xml.NewDecoder(strings.NewReader(text))
	dec.Strict = true
	if err := dec.Decode(&doc); err != nil {
		return nil, err
	}
	if len(doc.Suites) != 1 || !strings.HasPrefix(text, "<?xml") {
		return nil, fmt.Errorf("%d suites", len(doc.Suites))
	}
	names, counts := []string{}, map[string]int{"tests": 0, "failures": 0, "errors": 0, "skipped": 0}
	for _, c := range doc.Suites[0].Cases {
		names = append(names, c.Name)
		counts["tests"]++
		counts["failures"] += len(c.Failure)
		counts["errors"] += len(c.Error)
		counts["skipped"] += len(c.Skipped)
		if c.Name == "" || c.Class == "" || c.Time == nil || len(c.Failure)+len(c.Error)+len(c.Skipped) > 1 {
			return nil, fmt.Errorf("the case is not whole: %+v", c)
		}
		for _, f := range append(c.Failure, c.Error...) {
			if f.Type == "" || f.Message == "" || strings.Contains(f.Message, "\n") {
				return nil, fmt.Errorf("the fault of %q is not told: %+v", c.Name, f)
			}
		}
	}
	for _, a := range doc.Suites[0].Attrs {
		if want, counted := counts[a.Name.Local]; counted {
			if a.Value != strconv.Itoa(want) {
				return nil, fmt.Errorf("%s is %s, and there are %d", a.Name.Local, a.Value, want)
			}
			delete(counts, a.Name.Local)
		}
	}
	if len(counts) > 0 {
		return nil, fmt.Errorf("the suite does not say %v", counts)
	}
	return names, nil
}

// TestReadJUnit: what is read is not read whatever it is.
func TestReadJUnit(t *testing.T) {
	const whole = `<?xml version="1.0"?><testsuites><testsuite tests="2" failures="1" errors="0" skipped="0"><testcase classname="c" name="a" time="0"><failure type="t" message="m">x</failure></testcase><testcase classname="c" name="b" time="0"/></testsuite></testsuites>`
	if names, err := readJUnit(whole); err != nil || len(names) != 2 {
		t.Fatal(names, err)
	}
	for old, instead := range map[string]string{`tests="2"`: `tests="3"`, `failures="1"`: ``, `name="a"`: ``, `message="m"`: ``, `</testcase>`: ``, `>x<`: ">\x01<", `testsuites`: `suites`, `<?xml version="1.0"?>`: ``} {
		if _, err := readJUnit(strings.ReplaceAll(whole, old, instead)); err == nil {
			t.Errorf("with %q in the place of %q it is read all the same", instead, old)
		}
	}
}
