package jsonc

import (
	"errors"
	"testing"
)

func TestExcerpt(t *testing.T) {
	old := lines(`{`, `  "mcpServers": {`, `    "a": { // yours`, `      "command": "x", /* why */`, ``, `      "env": {`, `        "K": 30.0,`, `      },`, `    },`, `    "b": {}`, `  }`, `}`)
	want := lines(`{ // yours`, `  "command": "x", /* why */`, ``, `  "env": {`, `    "K": 30.0,`, `  },`, `}`)
	path := []string{"mcpServers", "a"}
	for name, src := range map[string]string{"LF": old, "CRLF and byte order mark": byteOrderMark + crlf(old)} {
		t.Run(name, func(t *testing.T) {
			d := parse(t, src)
			got, err := d.Excerpt(path)
			if err != nil || string(got)+"\n" != want {
				t.Fatalf("got %q, %v, want %q", got, err, want)
			}
			if out, err := d.ReplaceText(path, []byte(want)); err != nil || string(out) != src {
				t.Errorf("unchanged text gives %q, %v", out, err)
			}
			edited := lines(`// lost`, `{ // mine`, `  "command": "y",`, ``, `  // a new word`, `  "args": [`, `    1`, `  ]`, `} // lost too`)
			wantFile := lines(`{`, `  "mcpServers": {`, `    "a": { // mine`, `      "command": "y",`, ``, `      // a new word`, `      "args": [`, `        1`, `      ]`, `    },`, `    "b": {}`, `  }`, `}`)
			if name != "LF" {
				wantFile = byteOrderMark + crlf(wantFile)
			}
			if out, err := d.ReplaceText(path, []byte(edited)); err != nil || string(out) != wantFile {
				t.Errorf("got %q, %v\nwant %q", out, err, wantFile)
			}
		})
	}
}

func TestReplaceTextRefuses(t *testing.T) {
	d := parse(t, `{"a":{"b":1}}`)
	syntax := &SyntaxError{}
	for name, tt := range map[string]struct {
		path []string
		text string
	}{
		"not JSON": {[]string{"a"}, `{"b": }`}, "nothing": {[]string{"a"}, " // gone\n"}, "two values": {[]string{"a"}, `{} {}`},
	} {
		if out, err := d.ReplaceText(tt.path, []byte(tt.text)); out != nil || !errors.As(err, &syntax) {
			t.Errorf("%s: %q, %v", name, out, err)
		}
	}
	if _, err := d.ReplaceText([]string{"c"}, []byte("{}")); !errors.Is(err, ErrNoMember) {
		t.Error(err)
	}
	if _, err := d.Excerpt([]string{"c"}); !errors.Is(err, ErrNoMember) {
		t.Error(err)
	}
	if _, err := d.Excerpt(nil); !errors.Is(err, errEmptyPath) {
		t.Error(err)
	}
}
