package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// hostileNames are names that mean something to a file system, an option parser,
// a terminal or a log.
var hostileNames = []string{
	"..", ".", "../../x", "/abs", "a/b", `a\b`, "-rf", "--help", strings.Repeat("n", 300), "trailing.\r", "blank ", "x\n[INFO] forged",
	"\x1b[2J", "a\u202eb", "a\u200b", "ſ", "$(touch PWNED)", "`touch PWNED`", "a;b", "",
}

// TestB1NamesAreNotPaths: no name reaches the file system or a terminal as it is.
func TestB1NamesAreNotPaths(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	members := map[string]any{"fine": map[string]any{"command": "echo-server"}}
	for _, name := range hostileNames {
		members[name] = json.RawMessage(p.pwn())
	}
	text, err := json.Marshal(map[string]any{"mcpServers": members})
	if err != nil {
		t.Fatal(err)
	}
	p.write(".mcp.json", string(text))
	before := p.tree()
	a := p.exits([]int{10}, "list", "--json")
	var doc struct {
		Servers []struct{ Name, State string }
	}
	p.decode(a.out, &doc)
	invalid := 0
	for _, sv := range doc.Servers {
		if sv.State == "invalid-config" {
			invalid++
		}
	}
	const onlyReserved = 1 // "." is a name like others: no file is called after it; ".." falls together with it
	if len(doc.Servers) != len(members) || invalid != len(hostileNames)-onlyReserved {
		t.Errorf("%d rows, %d invalid\n%s", len(doc.Servers), invalid, a.out)
	}
	harmless(t, p.exits([]int{10}, "list"))
	for _, name := range hostileNames {
		for _, verb := range []string{"show", "approve", "deny", "logs", "test", "tools", "share"} {
			if name == "" && verb == "tools" {
				continue // means all
			}
			a := p.mcpctl(verb, "--", name)
			if a.exit == 0 && verb != "deny" && verb != "show" && verb != "logs" { // there is nothing in the log
				t.Errorf("%s %q succeeded", verb, name)
			}
			harmless(t, a)
		}
		if name != "." && name != ".." {
			harmless(t, p.exits([]int{129, 15}, "add", "--entry", `{"command":"x"}`, "--", name))
		}
	}
	if after := p.tree(); after != before {
		t.Errorf("something was written outside the state directory:\n%s", after)
	}
	p.notPwned()
}

// harmless wants both streams to be text that a terminal only shows.
func harmless(t *testing.T, a answer) {
	t.Helper()
	for _, text := range []string{a.out, a.err} {
		if bad := raw(text); bad != "" {
			t.Errorf("raw %s in:\n%q", bad, text)
		}
	}
}

// raw names the first character that a terminal would act on or not show.
func raw(text string) string {
	for _, r := range text {
		switch {
		case r == '\n', r == '\t':
		case r < 0x20, r >= 0x7f && r < 0xa0, r == 0xfffd,
			r == 0x61c, r == 0xad, r >= 0x200b && r <= 0x200f, r >= 0x2028 && r <= 0x202e, r >= 0x2060 && r <= 0x206f, r == 0xfeff, r == 0x180e, r >= 0xe0000 && r <= 0xe0fff:
			return fmt.Sprintf("%U", r)
		}
	}
	return ""
}

// TestB4CommittedLocks: files a repository puts where others keep their locks are
// neither used nor touched.
func TestB4CommittedLocks(t *testing.T) {
	p := newPlace(t)
	p.write(".mcp.json", `{}`)
	for _, name := range []string{".mcp.json.lock", ".mcp.json.tmp", "mcp.json.lock", ".mcp.json~"} {
		p.write(name, "held for ever")
	}
	for _, dir := range []string{".mcp.json.new", ".mcp.json.bak"} {
		if err := os.Mkdir(filepath.Join(p.repo, dir), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	mkfifo(t, filepath.Join(p.repo, ".mcp.json.swp"))
	before := strings.Replace(p.tree(), "{}", "", 1)
	p.exits([]int{0}, "add", "a", "--project", "--", "echo-server")
	p.exits([]int{0}, "remove", "a")
	p.write(".mcp.json", "")
	if after := p.tree(); after != before {
		t.Errorf("before:\n%s\nafter:\n%s", before, after)
	}
}

// TestB6OddFilesDoNotHang: a project file that is no file, or is no document, is
// told of at once, in little memory, and hides nothing of the user's.
func TestB6OddFilesDoNotHang(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.exits([]int{0}, "add", "mine", "--", "echo-server")
	project := filepath.Join(p.repo, ".mcp.json")
	for name, set := range map[string]func() error{
		"pipe":      func() error { mkfifo(t, project); return nil },
		"directory": func() error { return os.Mkdir(project, 0o700) },
		"device":    func() error { return os.Symlink("/dev/zero", project) },
		"sparse":    func() error { p.write(project, "{"); return os.Truncate(project, 1<<30) },
		"deep":      func() error { p.write(project, strings.Repeat(`{"mcpServers":`, 100000)); return nil },
		"deep-list": func() error {
			p.write(project, `{"x":`+strings.Repeat("[", 100000)+strings.Repeat("]", 100000)+`}`)
			return nil
		},
		"hard-link": func() error { return os.Link(p.userFile(), project) },
		"wide":      func() error { p.write(project, `{"x":[`+strings.Repeat("0,", 500000)+`0]}`); return nil },
	} {
		if err := set(); err != nil {
			t.Fatal(err)
		}
		for _, args := range [][]string{{"list", "--json"}, {"show", "mine"}, {"approve", "--list"}, {"add", "x", "--project", "--", "y"}} {
			a := p.mcpctl(args...)
			const most = 64 << 10
			if a.rss > most && !raceDetector && name != "wide" { // a value for each two bytes takes what it takes
				t.Errorf("%s: mcpctl %v took %d KiB", name, args, a.rss)
			}
			if args[0] == "list" && !strings.Contains(a.out, `"name":"mine"`) {
				t.Errorf("%s hides the user's server: %+v", name, a)
			}
		}
		if err := os.RemoveAll(project); err != nil {
			t.Fatal(err)
		}
	}
}

// TestC5VariablesGoWhereTheyWereShown: nothing is read or sent before the
// approval, which names each variable and where it goes; afterwards only those.
func TestC5VariablesGoWhereTheyWereShown(t *testing.T) {
	p := newPlace(t)
	s := newSink(t)
	p.env = []string{"SECRET_A=" + canary + "-${SECRET_B}", "SECRET_B=never-" + canary}
	entry := `{"url":"` + s.URL + `/","headers":{"X-A":"${SECRET_A}","X-C":"${NOT_SET:-${SECRET_B}}"}}`
	p.write(".mcp.json", `{"mcpServers":{"x":`+entry+`}}`)
	for _, args := range [][]string{{"list"}, {"show", "x"}, {"test", "x"}, {"tools", "x"}} {
		if a := p.mcpctl(args...); strings.Contains(a.out+a.err, canary) {
			t.Errorf("mcpctl %v printed the variable: %+v", args, a)
		}
	}
	if sent := s.all(); len(sent) > 0 {
		t.Errorf("sent before the approval: %v", sent)
	}
	does := fmt.Sprint(p.listed("x")["does"])
	for _, want := range []string{"reads the variable SECRET_A for the header X-A to " + s.URL, "reads the variable NOT_SET for the header X-C"} {
		if !strings.Contains(does, want) {
			t.Errorf("the review says %s, and not %q", does, want)
		}
	}
	p.approve("x")
	p.mcpctl("test", "x")
	sent := strings.Join(s.all(), "\n")
	if !strings.Contains(sent, canary+"-${SECRET_B}") || strings.Contains(sent, "never-") {
		t.Errorf("sent: %s", sent)
	}
	p.write(".mcp.json", `{"mcpServers":{"x":`+strings.Replace(entry, `"X-A"`, `"X-B":"${SECRET_B}","X-A"`, 1)+`}}`)
	p.exits([]int{16}, "test", "x")
}
