package jsonc

import "testing"

func TestAround(t *testing.T) {
	for text, want := range map[string]string{
		"{}":                        `{"k": {}}`,
		"\ufeff// a\r\n{ }\r\n// b": "\ufeff// a\r\n{\"k\": { }}\r\n// b",
	} {
		doc, err := Parse([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		if got, err := doc.Around("k"); err != nil || string(got) != want {
			t.Errorf("%q: %q, %v; want %q", text, got, err, want)
		}
	}
	if doc, _ := Parse([]byte("// nothing")); doc != nil {
		if _, err := doc.Around("k"); err == nil {
			t.Error("there is no value")
		}
	}
}
