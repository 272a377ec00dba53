package jsonc

import "testing"

// TestPlain: comments in a value and around one in it, wherever they stand.
func TestPlain(t *testing.T) {
	for text, want := range map[string][2]bool{
		`{"a": {"b": 1}}`:               {true, true},
		`{"a": {"b": [1, /* x */ 2]}}`:  {false, true},
		`{"a": {"b": 1 /* x */}}`:       {false, true},
		"{// x\n\"a\": {\"b\": 1}}":     {false, false},
		`{"a": /* x */ {"b": 1}}`:       {false, false},
		`{"a": {"b": 1}, /* x */}`:      {false, false},
		`{"a": {"u": "http://h/*/x"}}`:  {true, true},
		"{\"a\": {\"b\": [1, // x\n]}}": {false, true},
	} {
		doc, err := Parse([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		root := doc.Root()
		if got := [2]bool{root.Plain(), root.PlainAround(root.Get("a"))}; got != want {
			t.Errorf("%s: %v, want %v", text, got, want)
		}
	}
}
