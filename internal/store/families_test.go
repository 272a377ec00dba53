package store

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// TestWhatMarksAWorkspace: a project file of any client does; the folder of an editor,
// and settings that hold much else, do not.
func TestWhatMarksAWorkspace(t *testing.T) {
	w := newWorld(t)
	below := filepath.Join(w.repo, "a", "b")
	if err := os.MkdirAll(below, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		file  string
		marks bool
	}{
		{".vscode/settings.json", false}, {".vscode/launch.json", false}, {".cursor/rules", false}, {".github/workflows/x.yml", false},
		{".vscode/mcp.json", true}, {".cursor/mcp.json", true}, {".roo/mcp.json", true}, {".kilocode/mcp.json", true},
		{".github/mcp.json", true}, {".vs/mcp.json", true}, {".mcp.json", true}, {".git", true},
	} {
		path := w.in(tt.file, "{}")
		ws, err := FindWorkspace(below, w.home)
		if err != nil {
			t.Fatal(err)
		}
		if (ws.Dir == w.repo) != tt.marks {
			t.Errorf("with %s the workspace is %s", tt.file, ws.Dir)
		}
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
	}
}

// TestMarkInAFullDirectory: a marker counts also where it is one name among very many.
func TestMarkInAFullDirectory(t *testing.T) {
	w := newWorld(t)
	below := filepath.Join(w.repo, "a")
	if err := os.MkdirAll(below, 0o700); err != nil {
		t.Fatal(err)
	}
	for i := range 600 {
		w.in(fmt.Sprintf("f%d", i), "")
	}
	for _, file := range []string{".vscode/mcp.json", ".git"} {
		path := w.in(file, "{}")
		if ws, err := FindWorkspace(below, w.home); err != nil || ws.Dir != w.repo {
			t.Errorf("with %s the workspace is %s, %v", file, ws.Dir, err)
		}
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
	}
}

// TestSwitchedOffElsewhere (CF-09, CF-10, CF-11): an entry that is off keeps its name, an
// override of a client's project file reaches that client's server, and neither hides a
// server of another name.
func TestSwitchedOffElsewhere(t *testing.T) {
	for _, client := range []string{"claude", "cursor", "windsurf", "vscode", "cline", "roo"} {
		w := newWorld(t)
		s := w.openAs(client)
		key := s.Client.Servers[0]
		w.write(s.Path(User), `{"`+key+`":{"off":{"command":"x","enabled":false},"no":{"command":"x","disabled":true},"on":{"command":"x"},"under":{"command":"y"}}}`)
		project := s.Path(Project)
		if project != "" {
			w.write(project, `{"`+key+`":{"under":{"enabled":false},"off":{"command":"z"}}}`)
			w.approveOf(s, client, "under")
		}
		c := s.Load()
		for name, want := range map[string]bool{"off": false, "no": false, "on": true, "under": project == ""} {
			if row := c.InForce(name); row == nil || row.Enabled != want {
				t.Errorf("%s: %s is %+v, want enabled %v", client, name, row, want)
			}
		}
	}
}

// TestClaudeManaged: where the administrator has a file of servers, Claude Code uses no
// others.
func TestClaudeManaged(t *testing.T) {
	w := newWorld(t)
	s := w.openAs("claude")
	s.Places.ClaudeManaged = filepath.Join(w.home, "managed-mcp.json")
	if got, _ := s.handledElsewhere(nil); got != nil {
		t.Errorf("without the file: %+v", got)
	}
	w.write(s.Places.ClaudeManaged, "{ not even JSON")
	got, files := s.handledElsewhere(nil)
	if got == nil || got.Source != s.Places.ClaudeManaged || files[len(files)-1] != got.Source {
		t.Errorf("with the file: %+v, %v", got, files)
	}
	if got, _ := w.open().handledElsewhere(nil); got != nil {
		t.Errorf("for native: %+v", got)
	}
}

// TestOneFileOnce: a file that several clients read is read for the strongest, and one
// that holds servers in two places is read for both; what is wrong with it is told once.
func TestOneFileOnce(t *testing.T) {
	w := newWorld(t)
	w.project(`{"mcpServers":{"a":{"command":"x"}},"servers":{"b":{"command":"y"}}}`)
	w.at(".claude.json", `{"mcpServers":{"u":{"command":"all"}},"projects":{"`+w.repo+`":{"mcpServers":{"u":{"command":"here"}}}}}`)
	of := map[string]string{}
	for _, src := range w.openAs("claude").ReadAll() {
		for _, e := range src.Entries {
			of[e.Name+":"+e.Definition.Command] = src.Client
		}
	}
	for entry, client := range map[string]string{"a:x": "claude", "b:y": "visual-studio", "u:all": "claude", "u:here": "claude"} {
		if of[entry] != client {
			t.Errorf("%s is of %q, want %s", entry, of[entry], client)
		}
	}
	c := w.openAs("claude").Load()
	if row := c.InForce("u"); row == nil || row.Entry.Definition.Command != "here" || len(row.Shadows) != 1 {
		t.Errorf("the folder's own is not stronger: %+v", row)
	}
	w.at(".claude.json", `{"mcpServers":`)
	w.project(`{`)
	c = w.openAs("claude").Load()
	if len(c.Problems) != 2 {
		t.Errorf("two broken files have %d problems: %v", len(c.Problems), c.Problems)
	}
}

// TestWorkspaceReference: ${workspaceFolder} is the workspace where the server starts,
// and what it leads to is part of what is approved (B040).
func TestWorkspaceReference(t *testing.T) {
	w := newWorld(t)
	w.in(".vscode/mcp.json", `{"servers":{"s":{"command":"node","args":["${workspaceFolder}/server.js"],"env":{"D":"${workspaceFolder}"},"cwd":"${workspaceFolder}/sub"},
		"out":{"command":"node","cwd":"${workspaceFolder}/../.."}}}`)
	script := w.in("server.js", "1")
	w.in("sub/keep", "")
	w.env["MCPCTL_WORKSPACE"] = "/from/the/environment"
	s := w.openAs("vscode")
	w.approveOf(s, "vscode", "s")
	a, err := s.Load().Admit("s")
	if err != nil {
		t.Fatal(err)
	}
	l, err := a.Resolve(w.env)
	if err != nil || l.Args[0] != script || l.Env["D"] != w.repo || l.Dir != filepath.Join(w.repo, "sub") {
		t.Errorf("resolved %+v, %v", l, err)
	}
	for _, row := range s.Load().Named("out") {
		if row.Entry.Valid() {
			t.Error("a folder outside the workspace is valid")
		}
	}
	w.write(script, "2")
	if rows := s.Load().Named("s"); len(rows) != 1 || rows[0].Approval != Changed {
		t.Errorf("the file behind the reference is not covered: %+v", rows)
	}
}
