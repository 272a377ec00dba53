package jsonc

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"
)

var refused = []struct{ name, src, want string }{
	{"missing comma", "{\"mcpServers\": {\"a\": {\"command\": \"x\"}\n \"b\": {}}}\n",
		`line 2, column 2: invalid character '"' after object value (expecting ',' or '}')`},
	{"second document", "{\"mcpServers\":{}}\n{\"mcpServers\":{}}\n",
		`line 2, column 1: invalid character '{' after top-level value`},
	{"tail of an older one", "{\"mcpServers\":{}}\n\"}}}\n",
		`line 2, column 1: invalid character '"' after top-level value`},
	{"second document behind a byte order mark", byteOrderMark + `{} {}`,
		`line 1, column 4: invalid character '{' after top-level value`},
	{"text ends", "{\n \"a\": [1,\n", `line 3, column 1: text ends before the '[' of line 2 is closed`},
	{"text ends behind a key", `{"a"`, `line 1, column 5: text ends before the '{' of line 1 is closed`},
	{"string open at the end", "{\"a\":\n \"tok_EXAMPLE}", `line 2, column 2: string is not closed`},
	{"string open at the end of its line", "{\"a\": \"tok_EXAMPLE,\n \"b\": 1}",
		`line 1, column 7: string is not closed on its line`},
	{"comment open", "{}\n /* x", `line 2, column 2: comment is not closed`},
	{"only an open comment", "/* x", `line 1, column 1: comment is not closed`},
	{"slash", "/", `line 1, column 1: invalid character '/' at start of value`},
	{"bad escape", `{"p": "tok_EXAMPLE\q"}`, `line 1, column 19: invalid escape in a string; a backslash is written \\`},
	{"bad escape of a code point", `["\u12g4"]`, `line 1, column 3: invalid escape in a string; a backslash is written \\`},
	{"control character", "[\"a\tb\"]", `line 1, column 4: control character 0x09 in a string`},
	{"single quotes", `{'a': 1}`, `line 1, column 2: invalid character '\'' at start of value; strings need double quotes`},
	{"no quotes", `{"token": tok_EXAMPLE}`, `line 1, column 11: not a JSON value; strings need double quotes`},
	{"bare word", `{"token": tokEXAMPLE}`, `line 1, column 11: not a JSON value; strings need double quotes`},
	{"leading zero", `[01]`, `line 1, column 2: not a JSON value; strings need double quotes`},
	{"number as key", `{1: 1}`, `line 1, column 2: invalid character '1' at start of object name`},
	{"no value", `{"a": }`, `line 1, column 7: invalid character '}' at start of value`},
	{"two commas", `[1,,2]`, `line 1, column 4: invalid character ',' at start of value`},
	{"only a comma", `{,}`, `line 1, column 2: invalid character ',' at start of value`},
	{"bracket does not match", `{"a": [1}`, `line 1, column 9: invalid character '}' after array value (expecting ',' or ']')`},
	{"not UTF-8", "{\"ä\": 1,\n \"ä\": \"\xff\"}", `line 2, column 8: byte 0xff is not UTF-8`},
	{"UTF-16", "\xff\xfe{\x00}\x00", `line 1, column 1: text is UTF-16; save it as UTF-8`},
	{"line separator in a comment", "// a\u2028b\n{}", `line 1, column 5: invalid character '\u2028' in line comment`},
	{"column counts code points", "{\"日本𝄞\": x}", `line 1, column 9: not a JSON value; strings need double quotes`},
	{"65 levels", "\n" + strings.Repeat("[", 65) + strings.Repeat("]", 65), `line 2, column 65: nested deeper than 64 levels`},
}

func TestParseRefuses(t *testing.T) {
	for _, tc := range refused {
		t.Run(tc.name, func(t *testing.T) {
			_, err := Parse([]byte(tc.src))
			syntax, ok := errors.AsType[*SyntaxError](err)
			if !ok || syntax.Error() != tc.want {
				t.Fatalf("got  %v\nwant %s", err, tc.want)
			}
			if strings.Contains(syntax.Msg, "EXAMPLE") {
				t.Error("the message repeats a value")
			}
			if syntax.Offset < 0 || syntax.Offset > len(tc.src) || syntax.Code() != "MCP_CONFIG_INVALID" {
				t.Errorf("got offset %d of %d, code %s", syntax.Offset, len(tc.src), syntax.Code())
			}
		})
	}
}

func TestParseAccepts(t *testing.T) {
	for _, tc := range []struct{ name, src, want string }{
		{"empty", "", ""},
		{"blank", " \t\r\n\n ", ""},
		{"byte order mark only", byteOrderMark, ""},
		{"comment without line end", "// x", ""},
		{"empty line comment", "//", ""},
		{"comments only", "/* [ */ // {\n/**/", ""},
		{"value, comment without line end", "{} // \"x", "{}"},
		{"byte order mark, CRLF, comments, trailing commas",
			byteOrderMark + "{\r\n // a\r\n \"x\": [1, /* 2 */ 3,],\r\n}\r\n", `{"x":[1,3]}`},
		{"order, repeats, spelling", `{"b":1e400,"a":-0.0,"b":"\u00e9\/","\ud800":123456789012345678901}`,
			`{"b":1e400,"a":-0.0,"b":"\u00e9\/","\ud800":123456789012345678901}`},
		{"comments in strings", `{"a": "// no /* no", "b\"//": "\\"}`, `{"a":"// no /* no","b\"//":"\\"}`},
		{"brackets in strings and comments", `{"a": "` + strings.Repeat("[", 100) + `" /* ` + strings.Repeat("{", 100) + ` */}`,
			`{"a":"` + strings.Repeat("[", 100) + `"}`},
		{"64 levels", strings.Repeat("[", 64) + strings.Repeat("]", 64), strings.Repeat("[", 64) + strings.Repeat("]", 64)},
		{"scalar", "null", "null"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			d, err := Parse([]byte(tc.src))
			if err != nil {
				t.Fatal(err)
			}
			got := ""
			if d.Root() != nil {
				got = string(d.Root().Raw())
				if !json.Valid([]byte(got)) {
					t.Errorf("Raw is not standard JSON: %s", got)
				}
			}
			if got != tc.want || string(d.Bytes()) != tc.src {
				t.Errorf("got %q of %q, want %q", got, d.Bytes(), tc.want)
			}
		})
	}
}

// The parser underneath dies of a text like these.
func TestParseDepthBomb(t *testing.T) {
	for _, piece := range []string{"[", `{"a":`, "/**/[//\n", `{"":[`} {
		start := time.Now()
		_, err := Parse([]byte(strings.Repeat(piece, 1e6)))
		if _, ok := errors.AsType[*SyntaxError](err); !ok || !strings.Contains(err.Error(), "deeper than 64") {
			t.Errorf("%s: got %v", piece, err)
		}
		if took := time.Since(start); took > 30*time.Second {
			t.Errorf("%s: took %v", piece, took)
		}
	}
}
