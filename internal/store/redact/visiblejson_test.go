package redact

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestVisibleJSON(t *testing.T) {
	text := "\u009b31m\u202e\u200b\x7f\U000e0041 plain é \" \\ end"
	raw := `{"` + "\u200b" + `":"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(text) + "\"}\n"
	shown := VisibleJSON(raw)
	if want := `{"\u200b":"\u009b31m\u202e\u200b\u007f\udb40\udc41 plain é \" \\ end"}` + "\n"; shown != want {
		t.Errorf("%q, want %q", shown, want)
	}
	var got map[string]string
	if err := json.Unmarshal([]byte(shown), &got); err != nil || got["\u200b"] != text {
		t.Errorf("%q %v", got, err)
	}
	if got := VisibleJSON("\"a\xffb\""); got != `"a\ufffdb"` {
		t.Errorf("%q", got)
	}
}
