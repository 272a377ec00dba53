package jsonc

import (
	"encoding/json"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
)

var seeds = []string{
	"", "\n", "//", "// x", byteOrderMark, "{}", "{ }", "[]", "null", `{"a":1,}`, "{\"a\":1 // c\r\n}", "{\"a\":1, // c\n}",
	"{\"a\": {\"b\": 1} /* x */, /* y */ \"c\": [1, 2,],\n\n\t\"d\": {/**/}, // e\n}\n",
	`{"mcpServers":null,"mcpServers":{"a":{}}}`, `{"\u006d":{"\ud800":1,"\udfff":2}}`,
	"{ \"a\": 1\n, \"b\": 2\n}", "{\"a\":{\"b\":{\"c\":{\n}}}}", "{\"a\":1,/*\n*/\"b\":2}", "{\"x\":30.0,\"y\":1e400,\"z\":-0}",
	"{\r\"a\":1\r}", "{\"a\":1//\r\r\n}", "/**/{/**/\"a\"/**/:/**/1/**/,/**/}/**/",
}

func FuzzEdit(f *testing.F) {
	for i, src := range seeds {
		f.Add([]byte(src), uint64(i), "new", `{"command":"x","args":["y"]}`)
	}
	for _, e := range additions {
		f.Add([]byte(e.old), uint64(0), "b", e.set)
	}
	for _, e := range removals {
		f.Add([]byte(e.old), uint64(1), "b", `{}`)
	}
	f.Fuzz(func(t *testing.T, src []byte, seed uint64, key, value string) {
		d, err := Parse(src)
		if err != nil {
			return
		}
		if !json.Valid([]byte(value)) || !sameJSON([]byte(value), []byte(value)) || key != strings.ToValidUTF8(key, "") {
			return
		}
		r := rand.New(rand.NewPCG(seed, 1))
		checkEdits(t, d, randomPath(r, d, key), value)
	})
}

func FuzzParse(f *testing.F) {
	for _, src := range seeds {
		f.Add([]byte(src))
	}
	f.Add([]byte(`{"a":[1,2.50,-1E+7,"\u00e9\ud83d\ude00\ud800",true,null,{}],"b":{"":""}}`))
	f.Add([]byte(strings.Repeat("[", 65)))
	f.Add([]byte("{\"a\":\"\xff\"}"))
	f.Fuzz(func(t *testing.T, src []byte) {
		d, err := Parse(src)
		if err != nil {
			return
		}
		if d.Root() == nil {
			if json.Valid(src) {
				t.Fatalf("no value found in %q", src)
			}
			return
		}
		for _, n := range everyNode(d.Root()) {
			start, end := n.Span()
			if p := n.Position(); p.Offset != start || p.Line < 1 || p.Column < 1 || end > len(src) {
				t.Fatalf("%q: position %v of %d", src, p, start)
			}
		}
		if hasTwins(d.Root()) {
			return
		}
		if want, ok := decode(src); ok {
			if got, ok := decode(d.Root().Raw()); !ok || !reflect.DeepEqual(got, want) {
				t.Fatalf("%q reads as %v, want %v", src, got, want)
			}
			if got := plain(d.Root()); !reflect.DeepEqual(got, want) {
				t.Fatalf("%q: nodes read as %v, want %v", src, got, want)
			}
		}
	})
}

func decode(src []byte) (v any, ok bool) {
	if !json.Valid(src) {
		return nil, false
	}
	dec := json.NewDecoder(strings.NewReader(string(src)))
	dec.UseNumber()
	err := dec.Decode(&v)
	return v, err == nil
}

func everyNode(n *Node) []*Node {
	all := []*Node{n}
	for _, e := range n.Elements() {
		all = append(all, everyNode(e)...)
	}
	for _, m := range n.Members() {
		all = append(all, everyNode(m.Value)...)
	}
	return all
}

func hasTwins(root *Node) bool {
	for _, n := range everyNode(root) {
		for _, c := range n.Clashes() {
			if c.Exact {
				return true
			}
		}
	}
	return false
}

// plain turns nodes into what encoding/json makes of the same text.
func plain(n *Node) any {
	switch n.Kind() {
	case Object:
		m := map[string]any{}
		for _, member := range n.Members() {
			m[member.Key] = plain(member.Value)
		}
		return m
	case Array:
		list := []any{}
		for _, e := range n.Elements() {
			list = append(list, plain(e))
		}
		return list
	case String:
		text, _ := n.Text()
		return text
	case Number:
		return json.Number(n.Raw())
	case Bool:
		return string(n.Raw()) == "true"
	default:
		return nil
	}
}
