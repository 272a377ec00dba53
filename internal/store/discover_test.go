package store

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func (w *world) openAs(client string) *Store {
	w.t.Helper()
	s, err := Open(w.env, w.repo, client)
	if err != nil {
		w.t.Fatal(err)
	}
	return s
}

func (w *world) at(rel, text string) string { return w.write(filepath.Join(w.home, rel), text) }

func (w *world) in(rel, text string) string { return w.write(filepath.Join(w.repo, rel), text) }

// approveOf gives the user's word on a project entry.
func (w *world) approveOf(s *Store, client, name string) {
	w.t.Helper()
	for _, src := range s.ReadSources() {
		for _, e := range src.Entries {
			if src.Client == client && src.Scope == Project && e.Name == name {
				if err := s.Approve(w.t.Context(), e, false); err != nil {
					w.t.Fatal(err)
				}
				return
			}
		}
	}
	w.t.Fatalf("no %s in a project file of %s", name, client)
}

// TestPrecedenceOfClients: user of the chosen client, then project files of others
// in the order of the table, then user files of those that discovery names.
func TestPrecedenceOfClients(t *testing.T) {
	w := newWorld(t)
	w.user(`{"mcpServers":{"s":{"command":"native"}}}`)
	w.at(".pi/agent/mcp.json", `{"mcpServers":{"s":{"command":"pi-user"},"only":{"command":"pi-user"}}}`)
	w.at(".omp/agent/mcp.json", `{"mcpServers":{"only":{"command":"omp-user"}}}`)
	w.in(".pi/mcp.json", `{"mcpServers":{"s":{"command":"pi-project"},"q":{"command":"pi-project"}}}`)
	w.in(".omp/mcp.json", `{"mcpServers":{"q":{"command":"omp-project"}}}`)
	s := w.open()
	command := func(c *Config, name string) string {
		if row := c.InForce(name); row != nil {
			return row.Entry.Definition.Command
		}
		return ""
	}
	c := s.Load()
	if got := command(c, "q"); got != "" {
		t.Errorf("q is in force without a word: %s", got)
	}
	if c.InForce("only") != nil || len(c.Named("only")) > 0 {
		t.Error("a user file of another client counts without being asked for")
	}
	w.approveOf(s, "omp", "q")
	if got := command(s.Load(), "q"); got != "omp-project" {
		t.Errorf("an entry that waits hides one that is approved: %q", got)
	}
	w.approveOf(s, "pi", "q")
	w.approveOf(s, "pi", "s")
	c = s.Load()
	if q, x := command(c, "q"), command(c, "s"); q != "pi-project" || x != "native" {
		t.Errorf("q is %s and s is %s", q, x)
	}
	for _, tt := range []struct{ name, want string }{{"omp", "omp-user"}, {"pi", "pi-user"}, {"all", "pi-user"}} {
		setting := `["` + tt.name + `"]`
		if tt.name == "all" {
			setting = `"all"`
		}
		w.at(".config/mcpctl/config.json", `{"discovery":{"user":`+setting+`}}`)
		if got := command(s.Load(), "only"); got != tt.want {
			t.Errorf("discovery of %s: only is %q, want %q", tt.name, got, tt.want)
		}
	}
	if got := command(w.openAs("pi").Load(), "s"); got != "pi-project" {
		t.Errorf("for pi s is %q: its own project file is stronger than its user file", got)
	}
}

// TestForeignOverrides: an override in another client's file is about that
// client's server and no other.
func TestForeignOverrides(t *testing.T) {
	w := newWorld(t)
	w.user(`{"mcpServers":{"s":{"command":"native"}}}`)
	w.at(".pi/agent/mcp.json", `{"mcpServers":{"s":{"command":"pi-user"},"t":{"command":"pi-user"}}}`)
	w.in(".pi/mcp.json", `{"mcpServers":{"s":{"enabled":false},"t":{"enabled":false},"u":{"enabled":false}}}`)
	s := w.open()
	for _, name := range []string{"s", "t", "u"} {
		w.approveOf(s, "pi", name)
	}
	c := s.Load()
	if row := c.InForce("s"); !row.Enabled || len(row.Overrides) > 0 {
		t.Errorf("pi's override reaches mcpctl's server: %+v", row)
	}
	if len(c.Named("u")) > 0 {
		t.Error("an override of nothing in another client's file is a row")
	}
	w.at(".config/mcpctl/config.json", `{"discovery":{"user":["pi"]}}`)
	if row := s.Load().InForce("t"); row == nil || row.Enabled {
		t.Errorf("pi's override does not reach pi's own server: %+v", row)
	}
}

// TestApprovedAsOneClient: one file that two clients read through a link means two
// things, so a word on one is none on the other.
func TestApprovedAsOneClient(t *testing.T) {
	w := newWorld(t)
	w.project(`{"mcpServers":{"s":{"url":"https://h/","headers":{"A":"$HOME"}}}}`)
	if err := os.Mkdir(filepath.Join(w.repo, ".pi"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("../.mcp.json", filepath.Join(w.repo, ".pi/mcp.json")); err != nil {
		t.Fatal(err)
	}
	s := w.open()
	w.approveOf(s, "native", "s")
	if row := s.Load().InForce("s"); row == nil || row.Entry.Source.Client != "native" {
		t.Fatalf("s is not in force: %+v", row)
	}
	if _, err := w.openAs("pi").Load().Admit("s"); err != nil {
		t.Errorf("as mcpctl's own it stays approved: %v", err)
	}
	for _, row := range w.openAs("pi").Load().Named("s") {
		if row.Entry.Source.Client == "pi" && row.Approval != Changed {
			t.Errorf("as pi's it is %s", row.Approval)
		}
	}
}

// TestPiMeaning: what pi's fields become, through the whole reader (CF-01).
func TestPiMeaning(t *testing.T) {
	w := newWorld(t)
	w.at(".pi/agent/mcp.json", "\xef\xbb\xbf"+`{"mcpServers":{
		"s":{"command":"c","args":["$A"],"env":{"K":"$V","L":"$$V","M":"$!x"},"timeout":1500},
		"my-s":{"args":[]},"my_s":{"command":"c"},
		"h":{"url":"https://h/","headers":{"A":"Bearer ${V}"}}}}`)
	w.env["V"] = "value"
	c := w.openAs("pi").Load()
	if got := faults(c, ""); len(got) > 0 {
		t.Errorf("the file has faults: %v", got)
	}
	a, err := c.Admit("s")
	if err != nil {
		t.Fatal(err)
	}
	l, err := a.Resolve(w.env)
	if err != nil {
		t.Fatal(err)
	}
	if l.Env["K"] != "value" || l.Env["L"] != "$V" || l.Env["M"] != "!x" || l.Args[0] != "$A" || l.Timeout.Seconds() != 1500 || a.Exposure() != Deferred {
		t.Errorf("resolved %+v, exposure %s", l, a.Exposure())
	}
	if c.InForce("my_s") == nil {
		t.Error("an invalid entry holds the name of a valid one")
	}
	a, err = c.Admit("h")
	if err != nil {
		t.Fatal(err)
	}
	if l, err = a.Resolve(w.env); err != nil || l.Headers.Get("A") != "Bearer value" {
		t.Errorf("headers %v, %v", l.Headers, err)
	}
	delete(w.env, "V")
	if _, err := a.Resolve(w.env); code(err) != CodeInvalid || !strings.Contains(err.Error(), "the variable V is not set") {
		t.Errorf("an unset variable: %v", err)
	}
}

// TestHandledBy: the setting is a parameter and is stronger than a client's files.
func TestHandledBy(t *testing.T) {
	w := newWorld(t)
	path := w.at(".pi/agent/settings.json", `{"extensions":["-builtin:mcp"]}`)
	s := w.openAs("pi")
	got, files := s.handledElsewhere(&Elsewhere{Owner: "desk", Source: "/etc/x"})
	if got == nil || got.Owner != "desk" || got.Source != "/etc/x" {
		t.Errorf("the setting: %+v", got)
	}
	got, files = s.handledElsewhere(nil)
	if got == nil || got.Source != path || !slices.Contains(files, path) {
		t.Errorf("pi's settings: %+v, files %v", got, files)
	}
	if got, _ := w.open().handledElsewhere(nil); got != nil {
		t.Errorf("for native: %+v", got)
	}
	for _, text := range []string{"", "[", `[]`, `{"extensions":7}`, `{"extensions":["-builtin:llama.cpp","a"]}`, `{"packages":{"a":1}}`,
		`{"extensions":["-builtin:mcp","+builtin:mcp"]}`, `{"packages":["npm:x-pi-mcp-adapter@1","git:github.com/a/b"]}`} {
		w.write(path, text)
		if got, _ := s.handledElsewhere(nil); got != nil {
			t.Errorf("%s: %+v", text, got)
		}
	}
	for _, text := range []string{`{"packages":["npm:pi-mcp-adapter"]}`, `{"packages":["git:github.com/a/pi-mcp-adapter.git@v1"]}`, `{"packages":[{"source":"npm:pi-mcp-adapter@2"}]}`} {
		w.write(path, text)
		if got, _ := s.handledElsewhere(nil); got == nil || got.Owner != "pi-mcp-adapter" {
			t.Errorf("%s: %+v", text, got)
		}
	}
}
