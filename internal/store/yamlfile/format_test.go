package yamlfile

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpctl/mcpctl/internal/store/edittest"
	"github.com/mcpctl/mcpctl/internal/store/jsonc"
)

func read(t *testing.T, text string) *jsonc.Document { return edittest.Read(t, Format{}, text) }

func TestTranslate(t *testing.T) {
	tests := []struct{ text, want string }{
		{"a: 1", `{"a":1}`},
		{"\xef\xbb\xbfa: 1", `{"a":1}`},
		{"# c\na:\n  b: [x, \"y\", 'z''']\n  c: {d: e, f: }\r\n", `{"a":{"b":["x","y","z'"],"c":{"d":"e","f":null}}}`},
		{"a:\n- b\n- c: 1\n  d: 2\n-\n", `{"a":["b",{"c":1,"d":2},null]}`},
		{"a: |\n  x\n  y\nb: >-\n  x\n  y\nc: x\n  y # c\nd: 1", `{"a":"x\ny\n","b":"x y","c":"x y","d":1}`},
		{"a: yes\nb: Off\nc: TRUE\nd: ~\ne: 010\nf: 0o10\ng: 0x1F\nh: +1.50\ni: .5\nj: 1e3\nk: 1_000\nl: 2024-01-02", `{"a":"yes","b":"Off","c":true,"d":null,"e":10,"f":8,"g":31,"h":1.50,"i":0.5,"j":1e3,"k":"1_000","l":"2024-01-02"}`},
		{"x: &x {a: 1}\ny: *x\nz:\n  <<: *x\n  b: 2", `{"x":{"a":1},"y":{"a":1},"z":{"<<":{"a":1},"b":2}}`},
		{"a: !!str 1\nb: !!int 2\n1: c\n\"d e\": f", `{"a":"1","b":2,"1":"c","d e":"f"}`},
		{"---\na: 1\n...\n", `{"a":1}`},
		{`{"a": {"b": [1, "x"]}}`, `{"a":{"b":[1,"x"]}}`},
	}
	for _, tt := range tests {
		if got := string(read(t, tt.text).Root().Raw()); got != tt.want {
			t.Errorf("%s\n got %s\nwant %s", tt.text, got, tt.want)
		}
	}
	for _, empty := range []string{"", "# nothing\n", "\n\n", "---\n"} {
		if read(t, empty).Root() != nil {
			t.Errorf("%q has a value", empty)
		}
	}
}

func TestPlaces(t *testing.T) {
	doc := read(t, "# é\nextensions:\n  é: {type: on, timeout: .nan} # c\n")
	m := doc.Root().Get("extensions").Members()[0]
	if got := m.KeyPosition.String(); got != "line 3, column 3" {
		t.Error(got)
	}
	if got := m.Value.Get("timeout").Position().String(); got != "line 3, column 26" {
		t.Error(got)
	}
	r := m.Value.Remarks()
	if len(r) != 2 || r[0].Fatal || !r[1].Fatal || r[1].Position.Column != 26 {
		t.Error(r)
	}
}

func TestFaults(t *testing.T) {
	bomb := "a: &a [x, x, x, x, x, x, x, x, x]\n"
	for c := 'b'; c < 'l'; c++ {
		prev := string(c - 1)
		bomb += string(c) + ": &" + string(c) + " [" + strings.Repeat("*"+prev+", ", 9) + "*" + prev + "]\n"
	}
	tests := []struct{ text, want string }{
		{"a: 1\nb: [\n", "line 2, column 1: "},
		{"a:\n  b: 1\n c: 2\n", "line 3, column 2: did not find expected key"},
		{"a: [\n 1,\n 2\n]\nb: \"x\n y\"\nc: *d\ne: 1\nf: [2,\n3]\n", "line 7, column 1: unknown anchor"},
		{"a: 1\n  b: 2\n", "line 2, column 3: mapping values are not allowed"},
		{"a: *x\n", "unknown anchor"},
		{"a: 1\n---\nb: 1\n", "second document"},
		{"a: 1\nb: \"\xff\"", "line 2, column 5: byte 0xff is not UTF-8"},
		{strings.Repeat("[", 70) + strings.Repeat("]", 70), "nested deeper than 64 levels"},
		{"a: &x\n  b: *x\n", ""},
		{bomb, "aliases of this file"},
	}
	for _, tt := range tests {
		_, err := jsonc.ParseAs(Format{}, []byte(tt.text))
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%.40q: %v, want %s", tt.text, err, tt.want)
		}
	}
}

const sample = `# mine
GOOSE_PROVIDER: openai # the provider

extensions:
  # first
  one: # header
    type: stdio
    cmd: npx # runs it
    args:
      - -y # yes
      - "one"
    envs: {A: 'x'} # flow
    enabled: true

  # second
  two.2:
    type: streamable_http
    uri: https://mcp.example/mcp
    headers:
      X-Key: |
        abc
        def
    description: plain
      over lines

other: &anchor
  x: 1
again: *anchor
`

func TestEdits(t *testing.T) {
	type edit struct{ op, path, value string }
	tests := []struct {
		name, text string
		edit       edit
		want       string // the lines that go (-) and come (+)
	}{
		{"scalar", sample, edit{"set", "extensions/one/cmd", `"uvx"`}, "-    cmd: npx # runs it\n+    cmd: uvx # runs it"},
		{"same", sample, edit{"set", "extensions/one/cmd", `"npx"`}, ""},
		{"list", sample, edit{"set", "extensions/one/args", `["a b","-c"]`}, "-      - -y # yes\n-      - \"one\"\n+      - a b\n+      - \"-c\""},
		{"list to word", sample, edit{"set", "extensions/one/args", `"x"`}, "-    args:\n-      - -y # yes\n-      - \"one\"\n+    args: x"},
		{"new key", sample, edit{"set", "extensions/one/timeout", `30`}, "+    timeout: 30"},
		{"new key behind text over lines", sample, edit{"set", "extensions/two.2/timeout", `30`}, "+    timeout: 30"},
		{"text over lines", sample, edit{"set", "extensions/two.2/description", `"yes"`}, "-    description: plain\n-      over lines\n+    description: \"yes\""},
		{"block text", sample, edit{"set", "extensions/two.2/headers/X-Key", `"z"`}, "-      X-Key: |\n-        abc\n-        def\n+      X-Key: z"},
		{"in braces", sample, edit{"set", "extensions/one/envs/B", `"1"`}, "-    envs: {A: 'x'} # flow\n+    envs: {A: 'x', B: \"1\"} # flow"},
		{"out of braces", sample, edit{"remove", "extensions/one/envs/A", ""}, "-    envs: {A: 'x'} # flow\n+    envs: {} # flow"},
		{"new below", sample, edit{"set", "extensions/two.2/envs/X", `"y"`}, "+    envs:\n+      X: \"y\""},
		{"new entry", sample, edit{"set", "extensions/three", `{"type":"stdio","cmd":"c","args":["a",1],"envs":{"K":"C:\\x"}}`},
			"+\n+  three:\n+    type: stdio\n+    cmd: c\n+    args:\n+      - a\n+      - 1\n+    envs:\n+      K: \"C:\\\\x\""},
		{"remove entry", sample, edit{"remove", "extensions/two.2", ""}, "-  two.2:\n-    type: streamable_http\n-    uri: https://mcp.example/mcp\n-    headers:\n-      X-Key: |\n-        abc\n-        def\n-    description: plain\n-      over lines"},
		{"remove key", sample, edit{"remove", "extensions/one/args", ""}, "-    args:\n-      - -y # yes\n-      - \"one\""},
		{"rename", sample, edit{"rename", "extensions/one", "n: w"}, "-  one: # header\n+  \"n: w\": # header"},
		{"nothing yet", "", edit{"set", "extensions/a", `{"uri":"u"}`}, "+extensions:\n+  a:\n+    uri: u\n"},
		{"comment only", "# c", edit{"set", "e/a", `{"uri":"u"}`}, "-# c\n+# c\n+e:\n+  a:\n+    uri: u\n"},
		{"other keys", "a: 1\n", edit{"set", "e/a", `{"uri":"u"}`}, "+e:\n+  a:\n+    uri: u"},
		{"empty braces", "e: {} # c\nz: 1\n", edit{"set", "e/a", `{"uri":"u"}`}, "-e: {} # c\n+e: # c\n+  a:\n+    uri: u"},
		{"last one", "e:\n  a: 1 # c\nz: 1\n", edit{"remove", "e/a", ""}, "-e:\n-  a: 1 # c\n+e: {}"},
		{"json", "{\"e\": {\"a\": 1}}", edit{"set", "e/b", `{"c":"d"}`}, "-{\"e\": {\"a\": 1}}\n+{\"e\": {\"a\": 1, b: { c: d }}}"},
		{"windows", "e:\r\n    a:\r\n        b: 1\r\n", edit{"set", "e/a/c", `2`}, "+        c: 2\r"},
		{"value nobody wrote", "e:\n  a:\n    b: # c\n    d: 1\n", edit{"set", "e/a/b", `"x"`}, "-    b: # c\n+    b: x # c"},
		{"whole entry", "e:\n  a: # c\n    b: 1 # d\n    f: 2\n", edit{"set", "e/a", `{"b":1,"g":[]}`}, "-    f: 2\n+    g: []"},
		{"no line end", "e:\n  a: 1", edit{"set", "e/b", `2`}, "-  a: 1\n+  a: 1\n+  b: 2"},
		{"object for a word", "e:\n  a: 1 # c\n", edit{"set", "e/a", `{"b":2}`}, "-  a: 1 # c\n+  a: # c\n+    b: 2"},
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
			if diff := cmp.Diff(strings.TrimSuffix(tt.want, "\n"), edittest.Changed(tt.text, string(out))); diff != "" {
				t.Errorf("%s\n%s", out, diff)
			}
		})
	}
}

// TestAnchors: what aliases stand for is not edited, what stands behind one is written out first; the rest of the file
// is edited as ever.
func TestAnchors(t *testing.T) {
	const text = "base: &b\n  x: 1 # c\n  l: [a]\nm: &m {<<: *b}\ne:\n  one: *b # o\n  two: &t {y: 1}\n  three: {z: 1, a: *t}\n  four: &lone\n    q: 1\n  five: *m\n"
	doc := read(t, text)
	for _, path := range []string{"e/two", "e/two/y", "base/x", "base", "e/five/n"} {
		out, err := doc.Set(strings.Split(path, "/"), json.RawMessage("7"))
		if err == nil || !strings.Contains(err.Error(), "by hand") || !strings.Contains(err.Error(), "line ") {
			t.Errorf("%s: %v\n%s", path, err, out)
		}
	}
	for _, path := range []string{"e/two", "base/x", "base"} {
		if out, err := doc.Remove(strings.Split(path, "/")); err == nil {
			t.Errorf("the anchor of %s is gone:\n%s", path, out)
		}
	}
	for _, tt := range []struct{ op, path, want string }{
		{"set", "e/one", "-  one: *b # o\n+  one: 7 # o"},
		{"set", "e/one/x", "-  one: *b # o\n+  one: # o\n+    x: 7\n+    l: [a]"},
		{"set", "e/one/n", "-  one: *b # o\n+  one: # o\n+    x: 1\n+    l: [a]\n+    \"n\": 7"},
		{"remove", "e/one/x", "-  one: *b # o\n+  one: # o\n+    l: [a]"},
		{"set", "e/three/a", "-  three: {z: 1, a: *t}\n+  three: {z: 1, a: 7}"},
		{"set", "e/three/a/y", "-  three: {z: 1, a: *t}\n+  three: {z: 1, a: { \"y\": 7 }}"},
		{"set", "e/three/z", "-  three: {z: 1, a: *t}\n+  three: {z: 7, a: *t}"},
		{"set", "e/four/q", "-    q: 1\n+    q: 7"},
		{"set", "m/y", ""},
		{"remove", "e/four", "-  four: &lone\n-    q: 1"},
		{"remove", "e/one", "-  one: *b # o"},
		{"remove", "e/three/a", "-  three: {z: 1, a: *t}\n+  three: {z: 1}"},
	} {
		path := strings.Split(tt.path, "/")
		out, err := doc.Remove(path)
		if tt.op == "set" {
			out, err = doc.Set(path, json.RawMessage("7"))
		}
		if tt.want == "" {
			if err == nil {
				t.Errorf("%s: done\n%s", tt.path, out)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", tt.path, err)
			continue
		}
		if diff := cmp.Diff(tt.want, edittest.Changed(text, string(out))); diff != "" {
			t.Errorf("%s %s\n%s", tt.op, tt.path, diff)
		}
	}
}
