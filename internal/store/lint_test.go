package store

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/internal/store/client"
)

// ruleCase is one file that breaks a rule and one that almost does.
type ruleCase struct {
	rule      string
	at        string // "line:column" of the finding
	bad, good string
	client    string // whose project file it is; "" is native
	user      bool   // it is the user's file
	name      string // of another file below the workspace
	also      func(w *world, good bool)
}

// servers is a native file with entries, each from line 2 on.
func servers(entries ...string) string {
	return "{\"mcpServers\": {\n" + strings.Join(entries, ",\n") + "\n}}\n"
}

// vsServers is servers in VS Code's shape.
func vsServers(entries ...string) string {
	return "{\"servers\": {\n" + strings.Join(entries, ",\n") + "\n}}\n"
}

var ruleCases = []ruleCase{
	{rule: ruleSyntax, at: "2:8", bad: "{\n  \"a\": x}", good: "{\n  \"a\": 1}"},
	{rule: ruleUnreadable, at: "0:0", bad: "{}", good: "{}", also: func(w *world, good bool) {
		if !good {
			w.link("/etc/hostname", ".mcp.json")
		}
	}},
	{rule: ruleLinked, at: "0:0", bad: "{}", good: "{}", also: func(w *world, good bool) {
		if !good {
			w.write(filepath.Join(w.repo, "real.json"), "{}")
			w.link("real.json", ".mcp.json")
		}
	}},
	{rule: ruleDuplicateKey, at: "2:25", bad: servers(`"a": {"command": "sh",  "command": "sh"}`), good: servers(`"a": {"command": "sh",  "args": ["x"]}`)},
	{rule: ruleDuplicateKey, at: "3:1", bad: servers(`"a": {"command": "sh"}`, `"a": {"command": "sh"}`), good: servers(`"a": {"command": "sh"}`, `"b": {"command": "cat"}`)},
	{rule: ruleFoldedKey, at: "2:7", bad: servers(`"a": {"Command": "sh"}`), good: servers(`"a": {"command": "sh"}`)},
	{rule: ruleFoldedKey, at: "1:2", bad: `{"MCPServers": {}}`, good: `{"mcpServers": {}}`},
	{rule: ruleTopKey, at: "1:2", bad: `{"servers": {"a": {"command": "sh"}}}`, good: `{"mcpServers": {"a": {"command": "sh"}}, "servers": {}}`},
	{rule: ruleShape, at: "1:16", bad: `{"mcpServers": []}`, good: `{"mcpServers": {}}`},
	{rule: ruleStrict, at: "1:2", client: "pi", bad: "{// c\n\"mcpServers\": {}}", good: "{\"mcpServers\": {}}"},
	{rule: ruleUnread, at: "1:1", name: "mcp.json", bad: servers(`"a": {"command": "sh"}`), good: `{"other": {}}`},
	{rule: ruleSettings, at: "1:11", bad: "{}", good: "{}", also: func(w *world, good bool) {
		text := `{"client":12}`
		if good {
			text = `{"client":"native"}`
		}
		w.write(filepath.Join(w.home, ".config/mcpctl/config.json"), text)
	}},
	{rule: ruleInputsMeet, at: "3:1", client: "vscode", bad: vsServers(`"a": {"command": "sh", "env": {"K": "${input:my-key}"}}`, `"b": {"command": "cat", "env": {"K": "${input:my_key}"}}`),
		good: vsServers(`"a": {"command": "sh", "env": {"K": "${input:my-key}"}}`, `"b": {"command": "cat", "env": {"K": "${input:my-key}"}}`)},
	{rule: ruleBadName, at: "2:1", bad: servers(`"a b": {"command": "sh"}`), good: servers(`"a-b": {"command": "sh"}`)},
	{rule: ruleNameClash, at: "3:1", bad: servers(`"a-b": {"command": "sh"}`, `"a.b": {"command": "cat"}`), good: servers(`"a-b": {"command": "sh"}`, `"a.c": {"command": "cat"}`)},
	{rule: ruleJoinedNames, at: "3:1", bad: servers(`"a": {"command": "sh"}`, `"a__b": {"command": "cat"}`), good: servers(`"c": {"command": "sh"}`, `"a__b": {"command": "cat"}`)},
	{rule: ruleJoinedNames, at: "2:1", user: true, bad: servers(`"a.b": {"command": "sh"}`), good: servers(`"a.c": {"command": "sh"}`),
		also: func(w *world, _ bool) { w.project(servers(`"A_B": {"command": "cat"}`)) }},
	{rule: ruleNoObject, at: "2:6", bad: servers(`"a": "sh"`), good: servers(`"a": {"command": "sh"}`)},
	{rule: ruleNesting, at: "2:7", bad: servers(`"a": {"x": {"command": "sh"}}`), good: servers(`"a": {"command": "sh", "env": {"A": "1"}}`)},
	{rule: ruleNesting, at: "2:1", bad: servers(`"mcpServers": {"a": {"command": "sh"}}`), good: servers(`"mcpServers": {"command": "sh"}`)},
	{rule: ruleNesting, at: "2:12", bad: servers(`"command": "sh"`), good: servers(`"command": {"command": "sh"}`)},
	{rule: ruleUnknownField, at: "2:24", bad: servers(`"a": {"command": "sh", "transport": "stdio"}`), good: servers(`"a": {"command": "sh", "description": "x", "$comment": "y"}`)},
	{rule: ruleMisspelt, at: "2:24", bad: servers(`"a": {"command": "sh", "evn": {}}`), good: servers(`"a": {"command": "sh", "env": {}}`)},
	{rule: ruleMisspelt, at: "2:42", bad: servers(`"a": {"url": "https://h/x", "oauth": {   "clientid2": "x"}}`), good: servers(`"a": {"url": "https://h/x", "oauth": {   "clientId": "x"}}`)},
	{rule: ruleValue, at: "2:32", bad: servers(`"a": {"command": "sh", "args": "x"}`), good: servers(`"a": {"command": "sh", "args": ["x"]}`)},
	{rule: ruleValue, at: "2:47", bad: servers(`"a": {"url": "https://h/", "headers": {       "A B:": "x"}}`), good: servers(`"a": {"url": "https://h/", "headers": {"A-B": "x"}}`)},
	{rule: ruleNoTransport, at: "2:6", user: true, bad: servers(`"a": {"args": ["x"]}`), good: servers(`"a": {"command": "sh"}`)},
	{rule: ruleTwoTransports, at: "2:6", bad: servers(`"a": {"command": "sh", "url": "https://h/"}`), good: servers(`"a": {"type": "stdio", "command": "sh", "url": "https://h/"}`)},
	{rule: ruleUnknownType, at: "2:15", bad: servers(`"a": {"type": "ws", "url": "https://h/"}`), good: servers(`"a": {"type": "http", "url": "https://h/"}`)},
	{rule: ruleIgnored, at: "2:35", bad: servers(`"a": {"command": "sh", "headers": {"A": "b"}}`), good: servers(`"a": {"url": "https://h/", "headers": {"A": "b"}}`)},
	{rule: ruleIgnored, at: "2:36", bad: servers(`"a": {"url": "https://h/", "args": ["x"]}`), good: servers(`"a": {"url": "https://h/", "args": []}`)},
	{rule: ruleAmbiguousType, at: "2:14", bad: servers(`"a": {"url": "https://h/sse?x=1"}`), good: servers(`"a": {"url": "https://h/mcp"}`)},
	{rule: ruleSSE, at: "2:15", bad: servers(`"a": {"type": "sse", "url": "https://h/sse"}`), good: servers(`"a": {"type": "http", "url": "https://h/mcp"}`)},
	{rule: ruleURL, at: "2:14", bad: servers(`"a": {"url": "h.example/mcp"}`), good: servers(`"a": {"url": "https://h.example/mcp"}`)},
	{rule: rulePlainHTTP, at: "2:14", bad: servers(`"a": {"url": "http://h.example/mcp"}`), good: servers(`"a": {"url": "http://127.0.0.1:80/mcp"}`, `"b": {"url": "http://localhost/x"}`, `"c": {"url": "http://[::1]:8/x"}`, `"d": {"url": "http://${H:-x}/"}`)},
	{rule: ruleShellLine, at: "2:18", bad: servers(`"a": {"command": "npx -y x@1.2.3"}`), good: servers(`"a": {"command": "npx", "args": ["-y", "x@1.2.3"]}`, `"b": {"command": "/Applications/My Tool/bin/x"}`)},
	{rule: ruleShellLine, at: "2:18", bad: servers(`"a": {"command": "cd /x && ./y"}`), good: servers(`"a": {"command": "sh", "args": ["-c", "cd /x && ./y"]}`)},
	{rule: ruleRelative, at: "2:18", bad: servers(`"a": {"command": "./x"}`), good: servers(`"a": {"command": "./x", "cwd": "."}`, `"b": {"command": "/bin/sh"}`, `"c": {"command": "cat"}`)},
	{rule: ruleUnpinned, at: "2:40", bad: servers(`"a": {"command": "npx", "args": ["-y", "x"]}`), good: servers(`"a": {"command": "npx", "args": ["-y", "x@1.2.3"]}`, `"b": {"command": "node", "args": ["x.js"]}`)},
	{rule: ruleUnpinned, at: "2:59", bad: servers(`"a": {"command": "docker", "args": ["run", "-e", "TOKEN", "r.example:5000/x"]}`), good: servers(`"a": {"command": "docker", "args": ["run", "-e", "TOKEN", "r.example:5000/x:1.2"]}`)},
	{rule: ruleLikePackage, at: "2:34", bad: servers(`"a": {"command": "npx", "args": ["@modelcontextprotoco1/server-git@1.2.3"]}`), good: servers(`"a": {"command": "npx", "args": ["@modelcontextprotocol/server-memory@1.2.3"]}`)},
	{rule: ruleSecret, at: "2:43", bad: servers(`"a": {"command": "sh", "env": {"API_KEY": "0123456789abcdef0123"}}`), good: servers(`"a": {"command": "sh", "env": {"API_KEY": "${API_KEY:-}", "LEVEL": "info"}}`)},
	{rule: ruleCommandValue, at: "2:31", bad: servers(`"a": {"command": "sh", "env": {"A": "!pass x"}}`), good: servers(`"a": {"command": "sh", "env": {"A": "${HOME}"}}`)},
	{rule: ruleUnset, at: "2:37", bad: servers(`"a": {"command": "sh", "env": {"A": "${NOT_THERE}"}}`), good: servers(`"a": {"command": "sh", "env": {"A": "${HOME}", "B": "${NOT_THERE:-x}", "C": "$$NOT_THERE"}}`)},
	{rule: rulePlaceholder, at: "2:37", bad: servers(`"a": {"command": "sh", "env": {"A": "${env:HOME}"}}`), good: servers(`"a": {"command": "sh", "env": {"A": "${HOME}"}}`)},
	{rule: ruleTimeoutUnit, at: "2:35", bad: servers(`"a": {"command": "sh", "timeout": 30}`), good: servers(`"a": {"command": "sh", "timeout": "30s"}`)},
	{rule: ruleTwoSwitches, at: "2:53", bad: servers(`"a": {"command": "sh", "enabled": true, "disabled": false}`), good: servers(`"a": {"command": "sh", "disabled": true}`)},
	{rule: ruleOutside, at: "2:1", bad: servers(`"a": {"command": "sh", "cwd": "../x"}`), good: servers(`"a": {"command": "sh", "cwd": "x"}`)},
	{rule: ruleOutside, at: "2:34", bad: servers(`"a": {"command": "cat", "args": ["/home/me/x"]}`), good: servers(`"a": {"command": "cat", "args": ["x/../y", "/etc/hosts", "--x=./y"]}`)},
	{rule: ruleNotHonoured, at: "2:32", bad: servers(`"a": {"command": "sh", "auth": {"type": "oauth", "credentialId": "x"}}`), good: servers(`"a": {"command": "sh"}`)},
	{rule: ruleSameConnection, at: "3:1", bad: servers(`"a": {"command": "sh"}`, `"b": {"command": "sh"}`), good: servers(`"a": {"command": "sh"}`, `"b": {"command": "sh", "enabled": false}`)},
	{rule: ruleIdleOverride, at: "2:1", bad: servers(`"a": {"enabled": false}`), good: servers(`"b": {"enabled": false}`), also: func(w *world, _ bool) { w.user(servers(`"b": {"command": "sh"}`)) }},
	{rule: ruleNotApproved, at: "2:1", bad: servers(`"a": {"command": "sh"}`), good: servers()},
	{rule: ruleChanged, at: "2:1", bad: servers(`"a": {"command": "sh", "args": ["new"]}`), good: servers(`"a": {"command": "sh"}`), also: func(w *world, _ bool) {
		text, err := os.ReadFile(filepath.Join(w.repo, ".mcp.json"))
		if err != nil {
			w.t.Fatal(err)
		}
		w.project(servers(`"a": {"command": "sh"}`))
		s := w.open()
		if err := s.Approve(context.Background(), s.Load().Sources[1].Entries[0], true); err != nil {
			w.t.Fatal(err)
		}
		w.project(string(text))
	}},
	{rule: ruleDialect, at: "2:37", client: "omp", bad: servers(`"a": {"command": "sh", "env": {"X": "API_KEY"}}`), good: servers(`"a": {"command": "sh", "env": {"X": "${API_KEY}"}}`)},
	{rule: ruleDialectRefused, at: "2:75", client: "opencode", bad: "{\"mcp\": {\n\"a\": {\"type\": \"remote\", \"url\": \"https://h/\", \"headers\": {\"Authorization\": \"Bearer {file:x}\"}}}}", good: "{\"mcp\": {\n\"a\": {\"type\": \"remote\", \"url\": \"https://h/\", \"headers\": {\"Authorization\": \"Bearer {env:HOME}\"}}}}"},
	{rule: ruleGap, at: "2:35", client: "vscode", bad: "{\"servers\": {\n\"a\": {\"command\": \"sh\", \"envFile\": \".env\"}}}", good: "{\"servers\": {\n\"a\": {\"command\": \"sh\"}}}"},
	{rule: ruleHidden, at: "2:1", bad: servers("\"a\": {\"command\": \"s\u200bh\"}"), good: servers(`"a": {"command": "sh"}`)},
	{rule: ruleLikeLetters, at: "2:14", bad: servers(`"a": {"url": "https://gіthub.com/x"}`), good: servers(`"a": {"url": "https://github.com/x"}`)},
	{rule: ruleApprovalsRecord, at: "0:0", bad: "{}", good: "{}", also: func(w *world, good bool) {
		if !good {
			w.write(filepath.Join(w.home, ".local/state/mcpctl/approvals.json"), "damaged")
		}
	}},
}

// link puts a symbolic link in the place of a file of the workspace.
func (w *world) link(to, name string) {
	path := filepath.Join(w.repo, name)
	_ = os.Remove(path) // it need not be there
	if err := os.Symlink(to, path); err != nil {
		w.t.Fatal(err)
	}
}

// found runs lint over one of the files of a case.
func (c ruleCase) found(t *testing.T, good bool) []Problem {
	t.Helper()
	w := newWorld(t)
	name := c.client
	if name == "" {
		name = client.Native
	}
	s, err := Open(w.env, w.repo, name)
	if err != nil {
		t.Fatal(err)
	}
	path := s.Path(Project)
	switch {
	case c.user:
		path = s.Path(User)
	case c.name != "":
		path = filepath.Join(w.repo, c.name)
	}
	text := c.bad
	if good {
		text = c.good
	}
	w.write(path, text)
	if c.also != nil {
		c.also(w, good)
	}
	s.Settings()
	linted, err := s.Lint(LintRequest{Approvals: true})
	if err != nil {
		t.Fatal(err)
	}
	return linted.Findings
}

// TestRules: each rule has a file that breaks it, at a place, and one that does not.
func TestRules(t *testing.T) {
	for i, c := range ruleCases {
		t.Run(fmt.Sprintf("%s_%d", c.rule, i), func(t *testing.T) {
			var got []string
			hit := false
			for _, p := range c.found(t, false) {
				at := fmt.Sprintf("%d:%d", p.Line, p.Column)
				hit = hit || p.Rule == c.rule && at == c.at
				got = append(got, p.Rule+" at "+at+": "+p.Message)
				if p.Source == "" || p.Message == "" || p.Code == "" || RuleOf(p.Rule).ID == "" {
					t.Errorf("the finding has no place, message, code or rule: %+v", p)
				}
			}
			if !hit {
				t.Errorf("not found at %s; found is:\n%s", c.at, strings.Join(got, "\n"))
			}
			for _, p := range c.found(t, true) {
				if p.Rule == c.rule {
					t.Errorf("found in a good file at %d:%d: %s", p.Line, p.Column, p.Message)
				}
			}
		})
	}
	for i, r := range Rules() {
		if want := fmt.Sprintf("MCP%03d", i+1); r.ID != want {
			t.Errorf("the rule %s stands in the place of %s", r.ID, want)
		}
		if !slices.ContainsFunc(ruleCases, func(c ruleCase) bool { return c.rule == r.ID }) {
			t.Errorf("%s %s has no case", r.ID, r.Name)
		}
		if r.Name == "" || !strings.HasSuffix(r.Why, ".") || !strings.HasSuffix(r.Mend, ".") {
			t.Errorf("%s is not told", r.ID)
		}
	}
}

// TestEveryProblemHasARule: what the reader finds carries a rule, so that list and lint
// tell of the same things.
func TestEveryProblemHasARule(t *testing.T) {
	for _, c := range ruleCases {
		w := newWorld(t)
		w.project(c.bad)
		config := w.open().Load()
		for _, src := range config.Sources {
			problems := slices.Clone(src.Problems)
			for _, e := range src.Entries {
				problems = append(problems, e.Problems...)
			}
			for _, p := range problems {
				if RuleOf(p.Rule).ID == "" {
					t.Errorf("without rule: %s", p.Message)
				}
			}
		}
	}
}
