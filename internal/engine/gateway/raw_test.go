package gateway

import (
	"encoding/json"
	"testing"
)

func TestBytesOfOthersStay(t *testing.T) {
	for _, row := range []struct{ object, value, want string }{
		{`{"name": "a",  "n": 1.50}`, `"b"`, `{"name": "b",  "n": 1.50}`},
		{`{ "n":1.50 , "name" : "a" }`, `"b"`, `{ "n":1.50 , "name" : "b" }`},
		{`{"x":{"name":"in"}}`, `"b"`, `{"name":"b","x":{"name":"in"}}`},
		{` {} `, `"b"`, `{"name":"b"} `},
		{`{"name":"a","name":"c"}`, `"b"`, `{"name":"a","name":"b"}`},
	} {
		if got := put(json.RawMessage(row.object), "name", json.RawMessage(row.value)); string(got) != row.want {
			t.Errorf("%s: %s, want %s", row.object, got, row.want)
		}
	}
}

func TestWithout(t *testing.T) {
	for _, row := range []struct{ object, want string }{
		{`{"x":1.50,"n":1, "y":{"x":2}}`, `{"n":1,"y":{"x":2}}`}, {`{"x":1,"n":"<&>","x":2}`, `{"n":"<&>"}`}, {`{"x":1}`, `{}`}, {`{}`, `{}`}, {`[1]`, `[1]`},
	} {
		if got := without(json.RawMessage(row.object), "x"); string(got) != row.want {
			t.Errorf("%s: %s, want %s", row.object, got, row.want)
		}
	}
}

func TestModernResults(t *testing.T) {
	for _, row := range []struct {
		raw   string
		lists bool
		want  string
	}{
		{`{"content":[],"n":1.50}`, false, `{"resultType":"complete","_meta":{"k":1},"content":[],"n":1.50}`},
		{`{"resultType":"complete","_meta":{}}`, false, `{"resultType":"complete","_meta":{}}`},
		{`{"ttlMs":5,"_meta":{}}`, true, `{"resultType":"complete","cacheScope":"private","ttlMs":5,"_meta":{}}`},
	} {
		r := &rawResult{raw: json.RawMessage(row.raw), modern: true, lists: row.lists}
		r.SetMeta(map[string]any{"k": 1})
		got, err := r.MarshalJSON()
		if err != nil || string(got) != row.want {
			t.Errorf("%s: %s %v, want %s", row.raw, got, err, row.want)
		}
	}
}
