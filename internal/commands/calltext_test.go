package commands

import (
	"strings"
	"testing"
)

// TestResultText: which parts of a result people are shown (OU-03 to OU-06).
func TestResultText(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string]string{
		`{"content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]}`:                             "a\nb",
		`{"content":[{"type":"text","text":"a\n"},{"type":"text","text":""},{"type":"text","text":"b"}]}`: "a\nb",
		`{"content":[{"type":"text","text":""}]}`:                                                         "",
		`{"content":[]}`: "",
		`{}`:             "",
		`{"content":null,"structuredContent":null}`:                                                      "",
		`{"content":[],"structuredContent":{"n":1.50}}`:                                                  "{\n  \"n\": 1.50\n}",
		`{"content":[],"structuredContent":[1,2]}`:                                                       "[\n  1,\n  2\n]",
		`{"content":[],"structuredContent":"text"}`:                                                      `"text"`,
		`{"content":[],"structuredContent":7}`:                                                           "7",
		`{"content":[],"structuredContent":false}`:                                                       "false",
		`{"content":[{"type":"text","text":"{\"n\":1}"}],"structuredContent":{"n":1}}`:                   `{"n":1}`,
		`{"content":[{"type":"text","text":"t"}],"structuredContent":[1]}`:                               "t",
		`{"content":[{"type":"image","mimeType":"image/png","data":"AAAA"},{"type":"text","text":"x"}]}`: "[image image/png, 4 bytes in base64; --json has them]\nx",
		`{"content":[{"type":"new","x":1}]}`:                                                             `{"type":"new","x":1}`,
	} {
		if got := strings.Join(readToolResult([]byte(raw)).pieces("s", nil), ""); got != want {
			t.Errorf("%s: %q, want %q", raw, got, want)
		}
	}
	for _, raw := range []string{"[]", "{\n  \"content\": {}\n}", "7", "{\n  \"content\": null,\n  \"toolResult\": 1\n}"} { // shown as it came
		if got := strings.Join(readToolResult([]byte(raw)).pieces("s", nil), ""); got != raw {
			t.Errorf("%s: %q", raw, got)
		}
	}
}
