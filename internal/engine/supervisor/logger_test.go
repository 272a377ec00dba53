package supervisor

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/internal/engine/record"
)

// TestLogTellsWorkspaces: servers of two workspaces that have one name are told apart by a
// line before the first that is of the other one; where only one has the name, there is
// no such line.
func TestLogTellsWorkspaces(t *testing.T) {
	dir := t.TempDir()
	to, err := record.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer to.Close()
	l := newLogger(to)
	a, b := l.of("/src/a"), l.of("/src/b")
	a.Log("docs", "info", "", "one", nil)
	a.Log("docs", "info", "", "two", nil)
	a.Log("only", "info", "", "alone", nil)
	b.Log("docs", "info", "", "three", nil)
	b.Log("docs", "info", "", "four", nil)
	a.Log("docs", "info", "", "five", nil)
	l.event("info", "ours")
	a.Log("docs", "info", "", "six", nil)
	data, err := os.ReadFile(filepath.Join(dir, "mcp.log"))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for line := range strings.Lines(string(data)) {
		_, text, _ := strings.Cut(line, " ")
		got = append(got, strings.TrimSpace(text))
	}
	want := []string{"[docs] info one", "[docs] info two", "[only] info alone", "[docs] info mcpctl: what follows is of workspace /src/b",
		"[docs] info three", "[docs] info four", "[docs] info mcpctl: what follows is of workspace /src/a", "[docs] info five", "ours", "[docs] info six"}
	if len(got) != len(want) {
		t.Fatalf("got %q", got)
	}
	for i := range want {
		if !strings.HasSuffix(got[i], want[i]) {
			t.Errorf("line %d: got %q, want %q", i, got[i], want[i])
		}
	}
}
