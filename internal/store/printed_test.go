package store

import (
	"encoding/json"
	"strings"
	"testing"
)

// TestPrintForEveryClient: each client gets a file in its own format, with the server
// under the keys that it reads.
func TestPrintForEveryClient(t *testing.T) {
	entry := json.RawMessage(`{"command":"mcpctl","args":["serve"]}`)
	for _, name := range Clients() {
		printed, err := PrintFor(name, "mcpctl", entry)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if _, err := parseFile(printed.File, printed.Text); err != nil {
			t.Errorf("%s: %v\n%s", name, err, printed.Text)
		}
		if text := string(printed.Text); strings.Count(text, "serve") < 1 || printed.File == "" || printed.Client == "" || len(printed.Gaps) > 0 {
			t.Errorf("%s: %+v\n%s", name, printed, text)
		}
		t.Logf("%s: %s\n%s", name, printed.File, printed.Text)
	}
	if _, err := PrintFor("claud", "mcpctl", entry); err == nil || err.(*Error).Hint() != "did you mean 'claude'?" {
		t.Errorf("%v", err)
	}
}
