package dial

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
)

func TestMirrorsFault(t *testing.T) {
	t.Parallel()
	const definition = `{"name":"t","inputSchema":{"properties":{"s":{"type":"string","x-mcp-header":"S"},"in":{"properties":{"n":{"type":"integer","x-mcp-header":"N"}}},"free":{"type":"string"}}}}`
	for _, c := range []struct{ args, headers, fault string }{
		{`{"s":"Hello","in":{"n":42}}`, "S: Hello|N: 42", ""},
		{`{"s":"Hello"}`, "S: =?base64?SGVsbG8=?=", ""},
		{`{"s":"SGVsbG8="}`, "S: SGVsbG8=", ""},
		{`{"s":"=?base64?SGVsbG8="}`, "S: =?base64?SGVsbG8=", ""},
		{`{"s":"=?="}`, "S: =?=", ""},
		{`{"in":{"n":42}}`, "N: 42.0", ""},
		{`{"free":"x","s":null}`, "", ""},
		{``, "", ""},
		{`{"s":"Hello"}`, "", "is missing"},
		{`{"s":"Hello"}`, "S: Hello|S: Hello", "several times"},
		{`{"s":"Hello"}`, "S: hello", "differ"},
		{`{"s":"Hello"}`, "S: =?base64?SGVsbG8?=", "not valid base64"},
		{`{"s":"Hello"}`, "S: =?base64?SGVs!!!bG8=?=", "not valid base64"},
		{`{"in":{"n":42}}`, "N: 43", "differ"},
		{`{"s":"42"}`, "S: 42.0", "differ"},
		{`{"in":{"n":1.5}}`, "N: 1.5", "none that can stand in one"},
		{`{}`, "S: x", "no argument for it"},
		{`{"s":null}`, "S: null", "no argument for it"},
	} {
		header := http.Header{}
		for _, line := range strings.Split(c.headers, "|") {
			if name, value, ok := strings.Cut(line, ": "); ok {
				header.Add("Mcp-Param-"+name, value)
			}
		}
		got := MirrorsOf(json.RawMessage(definition)).Fault(json.RawMessage(c.args), header)
		if (got == "") != (c.fault == "") || !strings.Contains(got, c.fault) {
			t.Errorf("%s with %q: %q, want %q", c.args, c.headers, got, c.fault)
		}
	}
	for _, none := range []string{`{"name":"t"}`, `{"inputSchema":{"properties":{"s":{"type":"object","x-mcp-header":"S"}}}}`, `"x-mcp-header"`} {
		if got := MirrorsOf(json.RawMessage(none)); got != nil {
			t.Errorf("%s: %v", none, got)
		}
	}
}
