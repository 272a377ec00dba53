package jsonc

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// oneBlock returns the block that has to be added to old to get new, an error if they differ in more than that.
// One separate comma in front of the block is allowed. It is the rule the outside tests hold every edit to.
func oneBlock(old, new string) (string, error) {
	p, block, ok := insertion(old, new)
	if !ok && p < len(new) && new[p] == ',' {
		_, block, ok = insertion(old[:p]+","+old[p:], new)
	}
	if !ok {
		return "", fmt.Errorf("not one block: bytes differ from offset %d", p)
	}
	return block, nil
}

func insertion(old, new string) (prefix int, block string, ok bool) {
	p, s := 0, 0
	for p < len(old) && p < len(new) && old[p] == new[p] {
		p++
	}
	for s < len(old)-p && s < len(new)-p && old[len(old)-1-s] == new[len(new)-1-s] {
		s++
	}
	return p, new[p : len(new)-s], p+s == len(old)
}

type edit struct {
	name string
	old  string
	path []string
	set  string // empty: remove
	want string
}

func (e edit) run(t *testing.T) {
	t.Helper()
	d, err := Parse([]byte(e.old))
	if err != nil {
		t.Fatal(err)
	}
	var got []byte
	if e.set == "" {
		got, err = d.Remove(e.path)
	} else {
		got, err = d.Set(e.path, json.RawMessage(e.set))
	}
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(e.want, string(got)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// lines joins lines with newlines, the last one included.
func lines(l ...string) string { return strings.Join(l, "\n") + "\n" }

// crlf turns newlines into CRLF.
func crlf(s string) string { return strings.ReplaceAll(s, "\n", "\r\n") }

var changes = []edit{
	{
		name: "one field",
		old: lines(`{`, `  "pw": {`, `    "command": "npx", // runner`, `    "alwaysAllow": [`, `      "snapshot"`, `    ],`,
			`    "args": ["playwright", "mcp"],`, `    "lifecycle": "lazy", "directTools": true`, `  }`, `}`),
		path: []string{"pw", "command"},
		set:  `"bunx"`,
		want: lines(`{`, `  "pw": {`, `    "command": "bunx", // runner`, `    "alwaysAllow": [`, `      "snapshot"`, `    ],`,
			`    "args": ["playwright", "mcp"],`, `    "lifecycle": "lazy", "directTools": true`, `  }`, `}`),
	},
	{
		name: "flat array stays flat, expanded array expanded",
		old:  lines(`{`, `  "args": ["a"],`, `  "more": [`, `    "b"`, `  ]`, `}`),
		path: []string{"more"},
		set:  `["c","d"]`,
		want: lines(`{`, `  "args": ["a"],`, `  "more": [`, `    "c",`, `    "d"`, `  ]`, `}`),
	},
	{
		name: "expanded object",
		old:  lines(`{`, `	"a": {`, `		"x": 1, // lost with the value`, `		"y": [2]`, `	} // kept`, `}`),
		path: []string{"a"},
		set:  `{"y":[3],"z":{"k":null}}`,
		want: lines(`{`, `	"a": {`, `		"y": [3],`, `		"z": {`, `			"k": null`, `		}`, `	} // kept`, `}`),
	},
	{
		name: "flat object",
		old:  lines(`{`, `  "a": { "x": 1, "y": 2 }`, `}`),
		path: []string{"a"},
		set:  `{"y":[3],"z":{"k":null}}`,
		want: lines(`{`, `  "a": { "y": [3], "z": { "k": null } }`, `}`),
	},
	{
		name: "null becomes an object",
		old:  lines(`{`, `  "a": null`, `}`),
		path: []string{"a"},
		set:  `{"k":1}`,
		want: lines(`{`, `  "a": {`, `    "k": 1`, `  }`, `}`),
	},
	{
		name: "new field in an entry on one line",
		old:  `{"a": {"enabled":false,"x":1}}`,
		path: []string{"a", "args"},
		set:  `["-m"]`,
		want: `{"a": {"enabled":false,"x":1,"args":["-m"]}}`,
	},
	{
		name: "new field in an expanded entry",
		old:  lines(`{`, `  "a": {`, `    "command": "x"`, `  }`, `}`),
		path: []string{"a", "env", "K"},
		set:  `"v"`,
		want: lines(`{`, `  "a": {`, `    "command": "x",`, `    "env": {`, `      "K": "v"`, `    }`, `  }`, `}`),
	},
	{
		name: "a field of an empty object in a flat entry",
		old:  lines(`{`, `  "a": { "command": "x", "env": {} }`, `}`),
		path: []string{"a", "env", "K"},
		set:  `"v"`,
		want: lines(`{`, `  "a": { "command": "x", "env": { "K": "v" } }`, `}`),
	},
	{
		name: "equal value, other spelling of a string",
		old:  `{"a" : {"s" : "caf\u00e9 \/", /* c */ "n" : 30.0}}`,
		path: []string{"a"},
		set:  `{"s":"café /","n":30.0}`,
		want: `{"a" : {"s" : "caf\u00e9 \/", /* c */ "n" : 30.0}}`,
	},
	{
		name: "escaped key",
		old:  `{"\u0061": 1}`,
		path: []string{"a"},
		set:  `2`,
		want: `{"\u0061": 2}`,
	},
	{
		name: "names with slash, tilde, blank, quote, other scripts",
		old:  `{"a/b": 1, "~1": 1, "": 1}`,
		path: []string{"日本\n\"\\"},
		set:  `{"":"<&>"}`,
		want: `{"a/b": 1, "~1": 1, "": 1, "日本\n\"\\": {"": "<&>"}}`,
	},
	{
		name: "empty name",
		old:  `{"a/b": 1, "~1": 1, "": {"": 1}}`,
		path: []string{"", ""},
		set:  `2`,
		want: `{"a/b": 1, "~1": 1, "": {"": 2}}`,
	},
}

func TestChange(t *testing.T) {
	for _, e := range changes {
		t.Run(e.name, e.run)
	}
}

func TestUnchangedIsTheSameText(t *testing.T) {
	src := []byte(`{"a": {"b": [1, 2]}}`)
	d, err := Parse(src)
	if err != nil {
		t.Fatal(err)
	}
	out, err := d.Set([]string{"a"}, json.RawMessage(` { "b" : [ 1,2 ] } `))
	if err != nil || &out[0] != &src[0] {
		t.Errorf("got %q, %v; want the text itself", out, err)
	}
}

func TestErrors(t *testing.T) {
	for _, tc := range []struct {
		name, old string
		path      []string
		value     string
		set, del  string // error texts
	}{
		{"null on the way", `{"m": null}`, []string{"m", "a"}, `1`,
			`line 1, column 7: "m" is null, not an object`, `line 1, column 7: "m" is null, not an object`},
		{"array on the way", "{\n \"m\": [1]}", []string{"m", "a"}, `1`,
			`line 2, column 7: "m" is an array, not an object`, `line 2, column 7: "m" is an array, not an object`},
		{"array at the top", `[]`, []string{"m", "a"}, `1`,
			`line 1, column 1: the top level is an array, not an object`,
			`line 1, column 1: the top level is an array, not an object`},
		{"string at the top", `"x"`, []string{"m"}, `1`,
			`line 1, column 1: the top level is a string, not an object`,
			`line 1, column 1: the top level is a string, not an object`},
		{"key twice", "{\"m\": {},\n\"\\u006d\": {}}", []string{"m", "a"}, `1`,
			`line 2, column 1: "m" stands twice, first on line 1`, `line 2, column 1: "m" stands twice, first on line 1`},
		{"target twice", `{"m": {"a": 1, "a": 2}}`, []string{"m", "a"}, `1`,
			`line 1, column 16: "a" stands twice, first on line 1`, `line 1, column 16: "a" stands twice, first on line 1`},
		{"value with comment", `{}`, []string{"a"}, `{/**/}`, `new value is not standard JSON`, `no such member`},
		{"value with trailing comma", `{}`, []string{"a"}, `[1,]`, `new value is not standard JSON`, `no such member`},
		{"no value", `{}`, []string{"a"}, ``, `new value is not standard JSON`, `no such member`},
		{"broken value", `{}`, []string{"a"}, `{"a"`, `new value: line 1, column 5: text ends before the '{' of line 1 is closed`,
			`no such member`},
		{"no path", `{}`, nil, `1`, `path is empty`, `path is empty`},
		{"key is not text", `{}`, []string{"a\xff"}, `1`, `key "a\xff" is not UTF-8`, `no such member`},
		{"nothing there", ``, []string{"a"}, `{"a"`, `new value: line 1, column 5: text ends before the '{' of line 1 is closed`,
			`no such member`},
		{"too deep", strings.Repeat(`{"a":`, 63) + `{}` + strings.Repeat(`}`, 63), slicesRepeat("a", 64), `{}`,
			`result of the edit: line 1, column 321: nested deeper than 64 levels`, `no such member`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			d, err := Parse([]byte(tc.old))
			if err != nil {
				t.Fatal(err)
			}
			if _, err := d.Set(tc.path, json.RawMessage(tc.value)); err == nil || err.Error() != tc.set {
				t.Errorf("Set: %v, want %s", err, tc.set)
			}
			if _, err := d.Remove(tc.path); err == nil || err.Error() != tc.del {
				t.Errorf("Remove: %v, want %s", err, tc.del)
			}
			if got := string(d.Bytes()); got != tc.old {
				t.Errorf("the document changed: %q", got)
			}
		})
	}
}

func slicesRepeat(s string, n int) []string { return strings.Split(strings.Repeat(s+" ", n-1)+s, " ") }

func TestErrorTypes(t *testing.T) {
	d, err := Parse([]byte(`{"m": 1}`))
	if err != nil {
		t.Fatal(err)
	}
	_, err = d.Set([]string{"m", "x"}, json.RawMessage(`1`))
	wrong, ok := errors.AsType[*PathError](err)
	if !ok || wrong.Found != Number || wrong.Offset != 6 || wrong.Code() != "MCP_CONFIG_INVALID" {
		t.Errorf("got %#v", err)
	}
	if _, err := d.Remove([]string{"x", "y"}); !errors.Is(err, ErrNoMember) {
		t.Errorf("got %v, want ErrNoMember", err)
	}
}
