package tomlfile

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpctl/mcpctl/internal/store/edittest"
	"github.com/mcpctl/mcpctl/internal/store/jsonc"
)

func read(t *testing.T, text string) *jsonc.Document { return edittest.Read(t, Format{}, text) }

func TestTranslate(t *testing.T) {
	tests := []struct{ text, want string }{
		{"a = 1", `{"a":1}`},
		{"\xef\xbb\xbfa = 1", `{"a":1}`},
		{"a.b.\"c d\" = 'x\\y'\r\n", `{"a":{"b":{"c d":"x\\y"}}}`},
		{"[a.b]\nc = [1, 2, # x\n 3,\n]\n[a]\nd = true", `{"a":{"b":{"c":[1,2,3]},"d":true}}`},
		{"a = { b = 1, c.d = \"x\", e = [ [1], {} ] }", `{"a":{"b":1,"c":{"d":"x"},"e":[[1],{}]}}`},
		{"[[a]]\nn = 1\n[a.b]\nc = 2\n[[a]]\nn = 3", `{"a":[{"n":1,"b":{"c":2}},{"n":3}]}`},
		{"a = 0x1F\nb = 1_000\nc = +7\nd = 0o17\ne = 1_0.5e+3\nf = -0.5", `{"a":31,"b":1000,"c":7,"d":15,"e":10.5e+3,"f":-0.5}`},
		{"a = \"\"\"\nx\\\n  y\"\"\"", `{"a":"xy"}`},
		{"a = nan\nb = 2024-01-02", `{"a":"nan","b":"2024-01-02"}`},
		{"[\"a]b\"]\n'c=d' = 1", `{"a]b":{"c=d":1}}`},
	}
	for _, tt := range tests {
		if got := string(read(t, tt.text).Root().Raw()); got != tt.want {
			t.Errorf("%s\n got %s\nwant %s", tt.text, got, tt.want)
		}
	}
	for _, empty := range []string{"", "# nothing\n", "\n\n"} {
		if read(t, empty).Root() != nil {
			t.Errorf("%q has a value", empty)
		}
	}
}

func TestPlaces(t *testing.T) {
	doc := read(t, "# é\n[mcp_servers.x] # c\nurl = \"u\"\nenv = { A = \"1\" }\nwhen = 2024-01-02\n")
	x := doc.Root().Get("mcp_servers").Members()[0]
	if got := x.KeyPosition.String(); got != "line 2, column 14" {
		t.Error(got)
	}
	if got := x.Value.Get("env").Get("A").Position().String(); got != "line 4, column 13" {
		t.Error(got)
	}
	if r := x.Value.Remarks(); len(r) != 1 || !r[0].Fatal || r[0].Position.Line != 5 {
		t.Error(r)
	}
	if r := x.Value.Get("env").Remarks(); len(r) != 0 {
		t.Error(r)
	}
}

func TestFaults(t *testing.T) {
	tests := []struct{ text, want string }{
		{"a = 1\nb = \n", "line 2, column 5: "},
		{"a = 1\na = 2\n", "line 2, column 1: "},
		{"[a]\n[a]\n", "line 2, column 2: "},
		{"x = 'a", "line 1, column 6: unterminated"},
		{"a = 1\nb = \"\xff\"", "line 2, column 6: byte 0xff is not UTF-8"},
		{strings.Repeat("a.", 70) + "b = 1", "line 1, column 129: nested deeper than 64 levels"},
		{"x = { " + strings.Repeat("a.", 70) + "b = 1 }", "line 1, column 135: nested deeper than 64 levels"},
		{"x = " + strings.Repeat("[", 70) + strings.Repeat("]", 70), "nested deeper than 64 levels"},
	}
	for _, tt := range tests {
		_, err := jsonc.ParseAs(Format{}, []byte(tt.text))
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%.40q: %v, want %s", tt.text, err, tt.want)
		}
	}
}

const sample = `# mine
model = "o" # the model

[mcp_servers]

# first
[mcp_servers.one] # header
command = "npx" # runs it
args = [
  "-y", # yes
  "one",
]

[mcp_servers.one.env]
A = 'x'

# second
[mcp_servers."two.2"]
url = "https://mcp.example/mcp"

[profiles.p]
model = "x"
`

func TestEdits(t *testing.T) {
	type edit struct{ op, path, value string }
	tests := []struct {
		name, text string
		edit       edit
		want       string // the lines that go (-) and come (+)
	}{
		{"scalar", sample, edit{"set", "mcp_servers/one/command", `"uvx"`}, "-command = \"npx\" # runs it\n+command = \"uvx\" # runs it"},
		{"same", sample, edit{"set", "mcp_servers/one/command", `"npx"`}, ""},
		{"array over lines", sample, edit{"set", "mcp_servers/one/args", `["a"]`}, "-  \"-y\", # yes\n-  \"one\",\n+  \"a\","},
		{"new key", sample, edit{"set", "mcp_servers/one/enabled", `false`}, "+enabled = false"},
		{"new key in a table below", sample, edit{"set", "mcp_servers/one/env/B.c", `"y"`}, "+\"B.c\" = \"y\""},
		{"new table below", sample, edit{"set", "mcp_servers/two.2/http_headers/X", `"y"`}, "+\n+[mcp_servers.\"two.2\".http_headers]\n+X = \"y\""},
		{"new entry", sample, edit{"set", "mcp_servers/three", `{"command":"c","args":["a",1],"env":{"K":"C:\\x"}}`},
			"+\n+[mcp_servers.three]\n+command = \"c\"\n+args = [\"a\", 1]\n+\n+[mcp_servers.three.env]\n+K = 'C:\\x'"},
		{"whole entry", sample, edit{"set", "mcp_servers/one", `{"command":"npx","env":{"A":"z"}}`},
			"-args = [\n-  \"-y\", # yes\n-  \"one\",\n-]\n-A = 'x'\n+A = \"z\""},
		{"remove entry", sample, edit{"remove", "mcp_servers/one", ""},
			"-[mcp_servers.one] # header\n-command = \"npx\" # runs it\n-args = [\n-  \"-y\", # yes\n-  \"one\",\n-]\n-\n-[mcp_servers.one.env]\n-A = 'x'"},
		{"remove key", sample, edit{"remove", "mcp_servers/one/args", ""}, "-args = [\n-  \"-y\", # yes\n-  \"one\",\n-]"},
		{"rename", sample, edit{"rename", "mcp_servers/one", "n w"},
			"-[mcp_servers.one] # header\n+[mcp_servers.\"n w\"] # header\n-[mcp_servers.one.env]\n+[mcp_servers.\"n w\".env]"},
		{"first of all", "# only this", edit{"set", "mcp_servers/a", `{"url":"u"}`}, "-# only this\n+# only this\n+\n+[mcp_servers.a]\n+url = \"u\""},
		{"nothing yet", "", edit{"set", "mcp_servers/a", `{"url":"u"}`}, "+[mcp_servers.a]\n+url = \"u\""},
		{"no line end", "[a]\nb = 1", edit{"set", "a/c", `2`}, "-b = 1\n+b = 1\n+c = 2"},
		{"dotted", "m.x.command = \"a\"\nz = 1\n", edit{"set", "m/x/cwd", `"/"`}, "+m.x.cwd = \"/\""},
		{"dotted entry", "m.x.command = \"a\"\nz = 1\n", edit{"set", "m/y", `{"command":"b"}`}, "+m.y = { command = \"b\" }"},
		{"dotted remove", "[m]\nx.command = \"a\" # c\nx.args = []\ny = {}\n", edit{"remove", "m/x", ""}, "-x.command = \"a\" # c\n-x.args = []"},
		{"dotted rename", "[m]\nx.command = \"a\" # c\nx.args = []\n", edit{"rename", "m/x", "y"}, "-x.command = \"a\" # c\n-x.args = []\n+y.command = \"a\" # c\n+y.args = []"},
		{"inline", "m = { x = { command = \"a\" }, y = {} } # c\n", edit{"set", "m/x/args", `["q"]`},
			"-m = { x = { command = \"a\" }, y = {} } # c\n+m = { x = { command = \"a\", args = [\"q\"] }, y = {} } # c"},
		{"inline remove", "m = { x = 1, y = 2 }\n", edit{"remove", "m/y", ""}, "-m = { x = 1, y = 2 }\n+m = { x = 1 }"},
		{"inline first", "m = { x = 1, y = 2 }\n", edit{"remove", "m/x", ""}, "-m = { x = 1, y = 2 }\n+m = { y = 2 }"},
		{"inline last", "m = { x = 1 }\n", edit{"remove", "m/x", ""}, "-m = { x = 1 }\n+m = {}"},
		{"inline rename", "m = { x.a = 1, x.b = 2 }\n", edit{"rename", "m/x", "z"}, "-m = { x.a = 1, x.b = 2 }\n+m = { z.a = 1, z.b = 2 }"},
		{"entries as keys", "[m]\na = { url = \"u\" }\n\n[n]\n", edit{"set", "m/b", `{"url":"v"}`}, "+b = { url = \"v\" }"},
		{"only tables below", "[m.x.env]\nA = \"1\"\n", edit{"set", "m/x/command", `"c"`}, "+[m.x]\n+command = \"c\"\n+"},
		{"windows", "[m.x]\r\na = 1\r\n", edit{"set", "m/x/b", `2`}, "+b = 2\r"},
		{"table for a value", "[m.x]\na = 1\n[m.x.b]\nc = 1\n", edit{"set", "m/x/b", `2`}, "-[m.x.b]\n-c = 1\n+b = 2"},
		{"last entry", "a = 1\n\n[m.x]\nb = 1\n", edit{"remove", "m/x", ""}, "-\n-[m.x]\n-b = 1"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			path := strings.Split(tt.edit.path, "/")
			doc := read(t, tt.text)
			var out []byte
			var err error
			switch tt.edit.op {
			case "set":
				out, err = doc.Set(path, json.RawMessage(tt.edit.value))
			case "remove":
				out, err = doc.Remove(path)
			case "rename":
				out, err = doc.Rename(path, tt.edit.value)
			}
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, edittest.Changed(tt.text, string(out))); diff != "" {
				t.Errorf("%s\n%s", out, diff)
			}
		})
	}
}

func TestRefused(t *testing.T) {
	for _, value := range []string{`null`, `{"a":[null]}`} {
		if out, err := read(t, "[a]\n").Set([]string{"a", "b"}, json.RawMessage(value)); err == nil {
			t.Errorf("%s was written: %s", value, out)
		}
	}
}

// TestTooManyKeys: a text full of keys is refused before the library compares each with all the others.
func TestTooManyKeys(t *testing.T) {
	for name, text := range map[string]string{
		"keys":   numbered("k%d = 1\n", mostKeys+1),
		"tables": numbered("[t%d]\n", mostKeys+1),
		"lists":  strings.Repeat("[[a]]\n", mostKeys+1),
		"dotted": numbered("a.b%d = 1\n", mostKeys/2+1),
		"inline": "x = { " + numbered("k%d = 1, ", mostKeys) + "last = 1 }\n",
		"deeper": "x = [ [ { " + numbered("k%d = 1, ", mostKeys) + "last = 1 } ] ]\n",
	} {
		_, err := jsonc.ParseAs(Format{}, []byte(text))
		if err == nil || !strings.Contains(err.Error(), "more than 20000 keys") {
			t.Errorf("%s: %v", name, err)
		}
	}
	read(t, numbered("k%d = 1\n", mostKeys))
}

func numbered(line string, count int) string {
	var b strings.Builder
	for i := range count {
		fmt.Fprintf(&b, line, i)
	}
	return b.String()
}
