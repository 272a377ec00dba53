package jsonc

import (
	"encoding/json"
	"strings"
	"testing"
)

// TestReshape: another shape of an object keeps the places of the text, and
// leaves the text's own tree alone.
func TestReshape(t *testing.T) {
	const src = "{\n  // c\n  \"a\": [\"x\", 1, {\"k\": \"x\"}],\n  \"b\": 2,\n  \"gone\": true\n}"
	doc, err := Parse([]byte(src))
	if err != nil {
		t.Fatal(err)
	}
	s := doc.Root().Reshape()
	s.Texts("a", strings.ToUpper)
	s.Set("b", []byte(`"2s"`))
	s.Set("new", []byte(`{"n":[1]}`))
	s.Set("bad", []byte(`{`))
	s.Drop("gone")
	s.Rename("a", "A")
	n := s.Node()
	if got, want := string(n.Raw()), `{"A":["X",1,{"k":"X"}],"b":"2s","new":{"n":[1]}}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	for key, want := range map[string]string{"A": "line 3, column 8", "b": "line 4, column 8", "new": "line 1, column 1"} {
		if got := n.Get(key).Position().String(); got != want {
			t.Errorf("%s is at %s, want %s", key, got, want)
		}
	}
	if got := n.Get("A").Elements()[2].Get("k").Position(); got.Line != 3 {
		t.Errorf("a value inside lost its place: %+v", got)
	}
	if got := string(doc.Root().Raw()); got != `{"a":["x",1,{"k":"x"}],"b":2,"gone":true}` {
		t.Errorf("the document changed: %s", got)
	}
	if n.Get("b").Reshape() != nil {
		t.Error("a string has a shape")
	}
}

// TestReshapeInside: an object that was put into another shape keeps the places of what it had.
func TestReshapeInside(t *testing.T) {
	doc, err := Parse([]byte("{\n\"o\": {\"a\": 1,\n\"b\": 2},\n\"x\": 3}"))
	if err != nil {
		t.Fatal(err)
	}
	s := doc.Root().Reshape()
	in := doc.Root().Get("o").Reshape()
	in.Drop("a")
	in.Set("c", []byte(`4`))
	s.SetShape("x", in)
	s.SetShape("new", in)
	s.SetShape("o", in)
	if got, want := string(s.Node().Raw()), `{"o":{"b":2,"c":4},"x":{"b":2,"c":4},"new":{"b":2,"c":4}}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if got := s.Node().Get("o").Get("b").Position(); got.Line != 3 {
		t.Errorf("a value inside lost its place: %+v", got)
	}
}

// TestShapeKeepsWhatWasTaken: a value that was looked at before a change is the same after it.
func TestShapeKeepsWhatWasTaken(t *testing.T) {
	changes := map[string]func(*Shape){
		"drop":   func(s *Shape) { s.Drop("a"); s.Drop("d") },
		"set":    func(s *Shape) { s.Set("b", json.RawMessage(`7`)); s.Set("new", json.RawMessage(`8`)) },
		"rename": func(s *Shape) { s.Rename("b", "z") },
		"texts":  func(s *Shape) { s.Texts("b", strings.ToUpper) },
	}
	for name, change := range changes {
		t.Run(name, func(t *testing.T) {
			doc, err := Parse([]byte(`{"a":1,"b":"two","c":3,"d":4}`))
			if err != nil {
				t.Fatal(err)
			}
			s := doc.Root().Reshape()
			whole := s.Node()
			b := whole.Get("b")
			change(s)
			if text, ok := b.Text(); !ok || text != "two" {
				t.Errorf("b became %s", b.Raw())
			}
			if got := string(whole.Raw()); got != `{"a":1,"b":"two","c":3,"d":4}` {
				t.Errorf("the whole became %s", got)
			}
		})
	}
}
