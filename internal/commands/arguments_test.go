package commands

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/internal/engine/wire"
)

// made puts words together by a schema.
func made(t *testing.T, schema string, check bool, words ...string) (string, error) {
	t.Helper()
	in, err := readArguments(t.Context(), &app{}, words, "")
	if err != nil {
		return "", err
	}
	out, err := in.object("t", json.RawMessage(`{"inputSchema":`+schema+`}`), check)
	if err == nil && !json.Valid(out) {
		t.Errorf("%s %q: not JSON: %s", schema, words, out)
	}
	return string(out), err
}

// of is the schema of one argument named x.
func of(schema string) string { return `{"type":"object","properties":{"x":` + schema + `}}` }

func TestTypedArguments(t *testing.T) {
	for _, c := range []struct{ schema, typed, want string }{
		{of(`{"type":"string"}`), `x=5`, `{"x":"5"}`},
		{of(`{"type":"string"}`), `x=`, `{"x":""}`},
		{of(`{"type":"string"}`), `x=a=b "c" <&>`, `{"x":"a=b \"c\" <&>"}`},
		{of(`{"type":"string"}`), `x=["a"]`, `{"x":"[\"a\"]"}`},
		{of(`{"type":"integer"}`), `x=5`, `{"x":5}`},
		{of(`{"type":"integer"}`), `x=9007199254740993`, `{"x":9007199254740993}`},
		{of(`{"type":"integer"}`), `x=123456789012345678901234567890`, `{"x":123456789012345678901234567890}`},
		{of(`{"type":"integer"}`), `x=1e3`, `{"x":1e3}`},
		{of(`{"type":"integer"}`), `x=2.0`, `{"x":2.0}`},
		{of(`{"type":"integer"}`), `x=-0`, `{"x":-0}`},
		{of(`{"type":"number"}`), `x=0.10`, `{"x":0.10}`},
		{of(`{"type":"number"}`), `x=1e400`, `{"x":1e400}`},
		{of(`{"type":"number"}`), `x=3`, `{"x":3}`},
		{of(`{"type":"boolean"}`), `x=true`, `{"x":true}`},
		{of(`{"type":["integer","null"]}`), `x=null`, `{"x":null}`},
		{of(`{"type":["string","null"]}`), `x=null`, `{"x":"null"}`},
		{of(`{"type":["string","integer"]}`), `x=5`, `{"x":"5"}`},
		{of(`{"type":"integer","nullable":true}`), `x=null`, `{"x":null}`},
		{of(`{"anyOf":[{"type":"integer"},{"type":"null"}]}`), `x=7`, `{"x":7}`},
		{of(`{"oneOf":[{"type":"boolean"},{"type":"array","items":{"type":"integer"}}]}`), `x=7`, `{"x":[7]}`},
		{of(`{"type":"array","items":{"type":"string"}}`), `x=a`, `{"x":["a"]}`},
		{of(`{"type":"array","items":{"type":"integer"}}`), `x=[1, 2]`, `{"x":[1, 2]}`},
		{of(`{"type":"array"}`), `x=a b`, `{"x":["a b"]}`},
		{of(`{"type":"object"}`), `x={"a":1.0}`, `{"x":{"a":1.0}}`},
		{of(`{"enum":[1,"two",null,true]}`), `x=1`, `{"x":1}`},
		{of(`{"enum":[1,"two",null,true]}`), `x=two`, `{"x":"two"}`},
		{of(`{"enum":[1,"1"]}`), `x=1`, `{"x":"1"}`},
		{of(`{"const":3}`), `x=3`, `{"x":3}`},
		{of(`{"anyOf":[{"enum":["auto"]},{"type":"integer"}]}`), `x=8`, `{"x":8}`},
		{of(`{"anyOf":[{"enum":["auto"]},{"type":"integer"}]}`), `x=auto`, `{"x":"auto"}`},
		{of(`{"allOf":[{"type":["integer","string"]},{"type":"integer"}]}`), `x=8`, `{"x":8}`},
		{`{"properties":{"x":{"$ref":"#/$defs/N"}},"$defs":{"N":{"type":"integer"}}}`, `x=8`, `{"x":8}`},
		{`{"properties":{"x":{"$ref":"#/$defs/a~1b%20c"}},"$defs":{"a/b c":{"type":"integer"}}}`, `x=8`, `{"x":8}`},
		{`{"properties":{"x":{"$ref":"#here"}},"$defs":{"N":{"$anchor":"here","type":"integer"}}}`, `x=8`, `{"x":8}`},
		{`{"properties":{"x":{"$ref":"#/list/1/a"}},"list":[0,{"a":{"type":"integer"}}]}`, `x=8`, `{"x":8}`},
		{`{"$ref":"#/$defs/T","$defs":{"T":{"properties":{"x":{"type":"boolean"}}}}}`, `x=false`, `{"x":false}`},
		{`{"allOf":[{"properties":{"x":{"type":"number"}}},{"properties":{"y":{}}}]}`, `x=8`, `{"x":8}`},
		{`{"anyOf":[{"properties":{"x":{"type":"number"}}},{"properties":{"x":{"type":"null"}}}]}`, `x=null`, `{"x":null}`},
		// What is not understood says nothing.
		{of(`{"$ref":"#/$defs/none"}`), `x=8`, `{"x":"8"}`},
		{of(`{"$ref":"#/properties/x"}`), `x=8`, `{"x":"8"}`},
		{of(`{"$ref":"#/%zz"}`), `x=8`, `{"x":"8"}`},
		{of(`{"$ref":"http://127.0.0.1:9/schema.json"}`), `x=8`, `{"x":"8"}`},
		{of(`{"type":"strin"}`), `x=8`, `{"x":"8"}`},
		{of(`{"type":7}`), `x=8`, `{"x":"8"}`},
		{of(`true`), `x=8`, `{"x":"8"}`},
		{of(`false`), `x=8`, `{"x":"8"}`},
		{of(`{"allOf":[{"type":"string"},{"type":"integer"}]}`), `x=8`, `{"x":"8"}`},
		{`{"required":null,"properties":[]}`, `x=8`, `{"x":"8"}`},
		{`null`, `x=8`, `{"x":"8"}`},
		{`{"properties":{"y":{}},"additionalProperties":true}`, `x=8`, `{"x":"8"}`},
		{of(`{"enum":[]}`), `x=8`, `{"x":"8"}`},
		{of(`{"type":"integer","enum":["1","2"]}`), `x=8`, `{"x":"8"}`},
		{of(`{"type":"integer","enum":["1",2]}`), `x=2`, `{"x":2}`},
		// As it stands.
		{of(`{"type":"string"}`), `x:="8"`, `{"x":"8"}`},
		{of(`{"type":"string"}`), `x:=null`, `{"x":null}`},
		{of(`{}`), `x:= [ 1,{"b":2,"a":1e1}]`, `{"x":[1,{"b":2,"a":1e1}]}`},
	} {
		got, err := made(t, c.schema, true, c.typed)
		if err != nil || compact(got) != compact(c.want) {
			t.Errorf("%s %s: %s %v, want %s", c.schema, c.typed, got, err, c.want)
		}
	}
}

// compact drops the blanks outside of strings; nothing else changes.
func compact(text string) string {
	return string(encode(json.RawMessage(text)))
}

func TestSeveralArguments(t *testing.T) {
	const tags = `{"additionalProperties":{},"properties":{"tag":{"type":"array","items":{"enum":["a","b",3]}},"n":{"type":"integer"},"f":{"type":"object","additionalProperties":true,"properties":{"s":{"type":"integer"},"deep":{"type":"object","properties":{"b":{"type":"boolean"}}}}},"f.x":{"type":"number"}}}`
	for _, c := range []struct{ words, want string }{
		{`tag=a n=1 tag=3`, `{"tag":["a",3],"n":1}`},
		{`f.s=1 n=2 f.deep.b=true`, `{"f":{"s":1,"deep":{"b":true}},"n":2}`},
		{`f.x=1`, `{"f.x":1}`},
		{`f.other=1 f.s=2`, `{"f":{"other":"1","s":2}}`},
		{`u.v=1`, `{"u.v":"1"}`},
		{`.=1 ..=2`, `{".":"1","..":"2"}`},
	} {
		got, err := made(t, tags, true, strings.Fields(c.words)...)
		if err != nil || got != c.want {
			t.Errorf("%s: %s %v, want %s", c.words, got, err, c.want)
		}
	}
	for _, words := range []string{`n=1 n=2`, `n=1 n:=2`, `n:=1 n=2`, `u=1 u=2`, `f:={} f.s=1`, `f.s=1 f:={}`, `f.s=1 f={}`, `tag=a tag:=[]`, `tag=c`, `tag=[`, `n=`, `n=1.5`, `n=1e-1`, `n=0x10`, `n=07`, `n=+1`, `n="1"`, `f=x`, `f.s=x`} {
		if got, err := made(t, tags, true, strings.Fields(words)...); err == nil {
			t.Errorf("%s: %s, want an error", words, got)
		}
	}
}

func TestArgumentErrors(t *testing.T) {
	const schema = `{"type":"object","additionalProperties":false,"required":["q","when","mode","n"],
		"properties":{"q":{"type":"string","description":"What to look for.\nMore."},"when":{"type":["integer","null"]},"mode":{"enum":["fast","slow"]},"n":{"type":"integer","default":5}}}`
	for _, c := range []struct{ words, text, hint string }{
		{``, `the tool 't' needs 'q' (string): What to look for.; 'when' (integer or null); 'mode' (one of fast, slow)`, ``},
		{`q=1 when=1`, `the tool 't' needs 'mode' (one of fast, slow)`, ``},
		{`qq=1`, `the tool 't' has no argument 'qq'`, `did you mean 'q'?`},
		{`elsewhere=1`, `the tool 't' has no argument 'elsewhere'`, `it has: q, when, mode, n`},
		{`when=x`, `the argument 'when' is of type integer or null, which 'x' is not`, ``},
		{`mode=medium`, `the argument 'mode' is one of fast, slow, which 'medium' is not`, ``},
		{`mode:="medium"`, `the argument 'mode' is one of fast, slow, which '"medium"' is not`, ``},
		{`q:=5`, `the argument 'q' is of type string, which '5' is not`, ``},
		{`q`, `'q' is not k=v, k:=JSON or k=@FILE`, ``},
		{`q:hello`, `'q:hello' is not k=v, k:=JSON or k=@FILE`, `write: q=hello`},
		{`q:={`, `the value of 'q' is not JSON`, ``},
		{"q=\xff", `the argument 'q' is not UTF-8, which JSON cannot hold`, ``},
	} {
		got, err := made(t, schema, true, strings.Fields(c.words)...)
		var e *wire.Error
		if !errors.As(err, &e) || e.Word != wire.Usage || e.Text != c.text || e.Advice != c.hint {
			t.Errorf("%s: %s %+v", c.words, got, err)
		}
	}
	if got, err := made(t, schema, true, "q=1", "when=1", "mode=fast"); err != nil {
		t.Errorf("what has a default is not needed: %s %v", got, err)
	}
	if got, err := made(t, schema, false, "when=x", "other=1"); err != nil || got != `{"when":"x","other":"1"}` {
		t.Errorf("unchecked: %s %v", got, err)
	}
}

// TestWholeArguments: --args is checked and sent as it stands.
func TestWholeArguments(t *testing.T) {
	const schema = `{"inputSchema":{"additionalProperties":false,"required":["a"],"properties":{"a":{"type":"integer"},"b":{"type":"string"}}}}`
	for text, ok := range map[string]bool{
		`{"b": null , "a":1.0e0}`: true, `{"a":9007199254740993}`: true, `{}`: false, `{"a":1,"c":2}`: false, `{"a":"1"}`: false, `{"a":1.5}`: false,
	} {
		in, err := readArguments(t.Context(), &app{}, nil, text)
		if err != nil {
			t.Fatal(err)
		}
		got, err := in.object("t", json.RawMessage(schema), true)
		if (err == nil) != ok || ok && string(got) != text {
			t.Errorf("%s: %s %v", text, got, err)
		}
		if got, err := in.object("t", json.RawMessage(schema), false); err != nil || string(got) != text {
			t.Errorf("%s unchecked: %s %v", text, got, err)
		}
	}
	for _, text := range []string{`[]`, `null`, `{`, `{} {}`, "{\"a\":\"\xff\"}", ` 5`} {
		if _, err := readArguments(t.Context(), &app{}, nil, text); err == nil {
			t.Errorf("%q is taken for an object", text)
		}
	}
}

// TestTypedIsSent: whatever is typed for whatever schema, what is sent is valid JSON,
// and either the very text as a string or the very JSON that was typed.
func TestTypedIsSent(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	types := []string{`{"type":"string"}`, `{"type":"integer"}`, `{"type":"number"}`, `{"type":"boolean"}`, `{"type":"object"}`, `{}`,
		`{"anyOf":[{"type":"integer"},{"enum":["a",1.50]}]}`, `{"type":["null","number"]}`, `{"type":"array","items":{"type":"number"}}`}
	pieces := []string{"1", "0", "-", ".", "e", "+", "true", "null", `"`, "{", "}", "[", "]", ",", ":", " ", "a", "\\", "\u2028", "é", "\t", "1.50", "E5", "<"}
	sent := 0
	for range 60_000 {
		typed := ""
		for range random.IntN(6) {
			typed += pieces[random.IntN(len(pieces))]
		}
		if strings.HasPrefix(typed, "@") {
			continue
		}
		schema := types[random.IntN(len(types))]
		got, err := made(t, of(schema), true, "x="+typed)
		if err != nil {
			continue
		}
		sent++
		value := members(json.RawMessage(got))[0].value
		element := value
		if parts := jsonList(value); kindOf(value) == kindArray && len(parts) == 1 {
			element = parts[0]
		}
		literal := strings.TrimSpace(typed)
		same := func(v json.RawMessage) bool { return string(v) == compactOrNot(literal) }
		if !same(value) && !same(element) && !(kindOf(value) == kindString && jsonText(value) == typed) {
			t.Fatalf("%s: %q was sent as %s", schema, typed, got)
		}
	}
	if sent < 10_000 {
		t.Errorf("only %d were sent; the test proves little", sent)
	}
}

func compactOrNot(text string) string {
	if json.Valid([]byte(text)) {
		return compact(text)
	}
	return text
}

func TestWhole(t *testing.T) {
	for text, want := range map[string]bool{
		"0": true, "-0": true, "0.0": true, "0e-9": true, "7": true, "-7": true, "7.0": true, "7.10e1": true, "7.1e1": true, "7.15e1": false,
		"100e-2": true, "100e-3": false, "1e-1": false, "0.5": false, "5e999999999999": true, "5e-999999999999": false, "1.0E+2": true,
	} {
		if whole(text) != want {
			t.Errorf("%s: %v", text, !want)
		}
	}
}

// TestManyReferences: a schema of half a megabyte in which every argument is a
// reference is understood to the end.
func TestManyReferences(t *testing.T) {
	var props, defs []string
	for i := range 1000 {
		props = append(props, fmt.Sprintf(`"p%d":{"$ref":"#/$defs/d%d"}`, i, i))
		defs = append(defs, fmt.Sprintf(`"d%d":{"type":"integer","description":"%s"}`, i, strings.Repeat("x", 500)))
	}
	s := newInputSchema(json.RawMessage(`{"properties":{` + strings.Join(props, ",") + `},"$defs":{` + strings.Join(defs, ",") + `}}`))
	shape := s.alternatives(s.root)
	for _, name := range propertyNames(shape) {
		if inner, _ := s.property(shape, name); typeWords(inner) != "integer" || len(s.about(shape, name).Description) != 500 {
			t.Fatalf("%s is not understood", name)
		}
	}
}

// TestHugeSchemas: a schema that multiplies, refers to itself or is deep says nothing
// and takes no time.
func TestHugeSchemas(t *testing.T) {
	many := strings.Repeat(`{"type":"string"},`, 60) + `{"type":"integer"}`
	all := strings.Repeat(`{"anyOf":[`+many+`]},`, 20)
	deep := strings.Repeat(`{"anyOf":[`, 2000) + `{"type":"integer"}` + strings.Repeat(`]}`, 2000)
	wide := `{"anyOf":[` + strings.TrimSuffix(strings.Repeat(`{"$ref":"#/properties/x"},`, 50), ",") + `]}`
	loop := `{"anyOf":[{"$ref":"#/properties/x"},{"$ref":"#/properties/x"}]}`
	for _, count := range []int{100, 100_000} { // a great many properties, all required, and as many arguments
		var keys, props []string
		for i := range count {
			keys, props = append(keys, strconv.Quote(strconv.Itoa(i))), append(props, strconv.Quote(strconv.Itoa(i))+`:{"type":"integer"}`)
		}
		schema := `{"additionalProperties":false,"required":[` + strings.Join(keys, ",") + `],"properties":{` + strings.Join(props, ",") + `}}`
		in, err := readArguments(t.Context(), &app{}, nil, `{`+strings.ReplaceAll(strings.Join(props, ","), `{"type":"integer"}`, "1")+`}`)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := in.object("t", json.RawMessage(`{"inputSchema":`+schema+`}`), true); err != nil {
			t.Errorf("%d: %.200v", count, err)
		}
	}
	for i, s := range []string{`{"allOf":[` + strings.TrimSuffix(all, ",") + `]}`, deep, loop, wide} {
		if got, err := made(t, of(s), true, "x=8"); err != nil || got != `{"x":"8"}` {
			t.Errorf("%s: %.100s %v", strconv.Itoa(i), got, err)
		}
	}
}
