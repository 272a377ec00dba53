package store

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestLocalPartFaults: what is wrong with the parts of a local file is told with its
// place, the rest of the file counts, and an edit of the part changes no byte.
func TestLocalPartFaults(t *testing.T) {
	for name, c := range map[string]struct {
		clients, says string
	}{
		"no object":  {`[]`, "'clients' is an object"},
		"twice":      {`{"claude": {}, "claude": {"mcpServers": {}}}`, "stands twice"},
		"no servers": {`{"claude": {"mcpServers": 1}}`, "'mcpServers' is an object"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			s := w.openAs("claude")
			text := `{"mcpServers": {"mine": {"command": "sh"}, "docs": {"enabled": false}}, "clients": ` + c.clients + `}`
			path := s.Path(Local)
			if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
				t.Fatal(err)
			}
			w.write(path, text)
			w.write(filepath.Join(w.home, ".claude.json"), `{"mcpServers": {"docs": {"command": "cat"}}}`)
			config := s.Load()
			said := ""
			for _, p := range config.Problems {
				said += p.Message
			}
			if !strings.Contains(said, c.says) {
				t.Errorf("said %q, not %q", said, c.says)
			}
			if row := config.InForce("mine"); row == nil {
				t.Error("the server of every client is lost")
			}
			if row := config.InForce("docs"); row == nil || row.Enabled {
				t.Error("the word for every client is lost")
			}
			on := SwitchRequest{Scope: Local, Name: "docs", On: true}
			if _, err := config.Switch(context.Background(), on); code(err) != CodeInvalid {
				t.Errorf("switched: %v", err)
			}
			if data, _ := os.ReadFile(path); string(data) != text {
				t.Errorf("the file is %s", data)
			}
		})
	}
}

// TestOldLocalFile: a file from before there were parts says the same for every client.
func TestOldLocalFile(t *testing.T) {
	w := newWorld(t)
	for _, client := range []string{"native", "claude", "cursor"} {
		s := w.openAs(client)
		path := s.Path(Local)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		w.write(path, `{"mcpServers": {"docs": {"enabled": false}}}`)
		w.write(s.Path(User), `{"mcpServers": {"docs": {"command": "cat"}}}`)
		if row := s.Load().InForce("docs"); row == nil || row.Enabled {
			t.Errorf("%s: not switched off", client)
		}
	}
}
