package store

import (
	"slices"
	"testing"
)

func TestFieldPath(t *testing.T) {
	for text, want := range map[string][]string{
		"timeout":          {"timeout"},
		"env.K":            {"env", "K"},
		`a\.b.c`:           {"a.b", "c"},
		`a\\.b`:            {`a\`, "b"},
		`a\=b=1`:           {"a=b", "=1"},
		`a\b`:              {`a\b`},
		`a.b=x.y=z`:        {"a", "b", "=x.y=z"},
		"日本.ü":             {"日本", "ü"},
		"a=":               {"a", "="},
		"":                 nil,
		".a":               nil,
		"a.":               nil,
		"a..b":             nil,
		"=1":               nil,
		`trailing\`:        {`trailing\`},
		"headers.X-Y=\"\"": {"headers", "X-Y", `=""`},
	} {
		path, value, assigned, ok := FieldAssignment(text)
		if assigned {
			path = append(path, "="+value)
		}
		if ok != (want != nil) || !slices.Equal(path, want) {
			t.Errorf("%q is %q, %v; want %q", text, path, ok, want)
		}
	}
	for text, want := range map[string][]string{`a\.b.c=d`: {"a.b", "c=d"}, `a\=b`: {`a\=b`}, "a.": nil, "": nil} {
		if path, ok := FieldPath(text); ok != (want != nil) || !slices.Equal(path, want) {
			t.Errorf("%q is %q, %v; want %q", text, path, ok, want)
		}
	}
}
