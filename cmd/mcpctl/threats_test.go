package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/spf13/cobra"

	"github.com/mcpctl/mcpctl/internal/commands"
	"github.com/mcpctl/mcpctl/internal/store/client"
)

// The names of these tests are those of the published attacks they replay.

// verbs lists every command there is, from the command tree, so that a new one
// cannot be forgotten. Left out are those that run until they are stopped.
func verbs() [][]string {
	var out [][]string
	var walk func(*cobra.Command)
	walk = func(cmd *cobra.Command) {
		words := strings.Fields(cmd.CommandPath())[1:]
		switch strings.Join(words, " ") {
		case "supervisor run", "demo":
			return
		}
		if cmd.Runnable() && !cmd.Hidden && len(words) > 0 {
			out = append(out, words)
		}
		for _, sub := range cmd.Commands() {
			walk(sub)
		}
	}
	walk(commands.Root())
	return out
}

// TestA1NoTrustInNames: an approval is for what was shown, not for a name; the
// process that ran under the name is stopped, and the new one is not started.
func TestA1NoTrustInNames(t *testing.T) {
	p := newPlace(t)
	mark := filepath.Join(p.work, "mark")
	p.write(".mcp.json", `{"mcpServers":{"x":{"command":"stub-server","args":["-mark","`+mark+`"]}}}`)
	p.approve("x")
	p.exits([]int{0}, "tools", "x")
	p.write(".mcp.json", `{"mcpServers":{"x":`+p.pwn()+`}}`)
	err := until(func() error {
		var doc struct {
			Servers []struct{ State, Approval string }
		}
		p.decode(p.mcpctl("list", "--json").out, &doc)
		if sv := doc.Servers[0]; sv.State != "pending-approval" || sv.Approval != "changed" {
			return fmt.Errorf("%+v", sv)
		}
		if left := leftovers(p.work); len(left) > 1 { // the supervisor itself
			return fmt.Errorf("processes %v still run", left)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
	for _, verb := range []string{"test", "reconnect", "tools"} {
		p.exits([]int{16, 1}, verb, "x")
	}
	p.notPwned()
}

// TestA5NothingRunsUnasked: no verb, with no options, wrong ones or the server's
// name, with and without a supervisor, and where no state can be written, starts
// what nobody approved.
func TestA5NothingRunsUnasked(t *testing.T) {
	for _, home := range []string{"", "/dev/null/home"} {
		p := newPlace(t)
		p.write(".mcp.json", `{"mcpServers":{"evil":`+p.pwn()+`,"off":{"enabled":false}}}`)
		if home != "" {
			p.env = []string{"HOME=" + home}
		}
		ways := [][]string{nil, {"evil"}, {"--help"}, {"--nosuch"}}
		if home != "" {
			ways = ways[1:2]
		}
		for _, verb := range verbs() {
			for _, more := range ways {
				p.mcpctl(append(slices.Clone(verb), more...)...)
			}
		}
		p.mcpctl("__complete", "approve", "")
		p.mcpctl("--version")
		p.notPwned()
		p.env = nil
	}
}

// sink is an HTTP server of an attacker: it counts, and keeps what it was sent.
type sink struct {
	*httptest.Server
	mu   sync.Mutex
	sent []string
}

func newSink(t *testing.T) *sink {
	s := &sink{}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.sent = append(s.sent, fmt.Sprint(r.URL, r.Header))
		w.WriteHeader(http.StatusNotFound)
	}))
	t.Cleanup(s.Close)
	return s
}

func (s *sink) all() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.sent)
}

const canary = "cnry-3f9a1c0d7b2e4a68"

// TestA6NothingIsInherited: a project entry with the name of a user's server gets
// neither its approval nor its headers.
func TestA6NothingIsInherited(t *testing.T) {
	p := newPlace(t)
	mine, theirs := newSink(t), newSink(t)
	p.env = []string{"KEY=" + canary}
	p.write(p.userFile(), `{"mcpServers":{"svc":{"url":"`+mine.URL+`","headers":{"Authorization":"Bearer ${KEY}"}}}}`)
	p.write(".mcp.json", `{"mcpServers":{"svc":{"url":"`+theirs.URL+`/{}"}}}`)
	for _, args := range [][]string{{"list"}, {"show", "svc"}, {"status"}, {"approve", "--list"}, {"test", "svc"}, {"tools", "svc"}} {
		p.mcpctl(args...)
	}
	if sent := theirs.all(); len(sent) > 0 {
		t.Errorf("sent before the approval: %v", sent)
	}
	if len(mine.all()) == 0 {
		t.Error("the user's own server was not asked; the test proves nothing")
	}
	p.approve("svc")
	p.mcpctl("test", "svc")
	sent := theirs.all()
	if len(sent) == 0 || strings.Contains(strings.Join(sent, "\n"), canary) {
		t.Errorf("sent after the approval: %v", sent)
	}
}

// TestA7NoVoteOnItsOwnTrust: nothing a repository writes about its own approval
// counts.
func TestA7NoVoteOnItsOwnTrust(t *testing.T) {
	p := newPlace(t)
	p.write(".mcp.json", `{"mcpServers":{"evil":`+p.pwn()+`}}`)
	fp := p.listed("evil")["fingerprint"].(string)
	entry := strings.TrimSuffix(p.pwn(), "}") + `,"approved":true,"trust":true,"autoApprove":["*"],"alwaysAllow":["*"],"fingerprint":"` + fp + `"}`
	p.write(".mcp.json", `{"enableAllProjectMcpServers":true,"approved":["evil"],"mcpServers":{"evil":`+entry+`}}`)
	fp = p.listed("evil")["fingerprint"].(string)
	record := `{"version":1,"approvals":[{"source":"` + p.repo + `/.mcp.json","name":"evil","fingerprint":"` + fp + `","time":"2026-01-01T00:00:00Z"}]}`
	for _, path := range []string{".claude/settings.json", ".mcpctl/state/approvals.json", ".mcpctl/config.json", ".config/mcpctl/config.json", "approvals.json", ".local/state/mcpctl/approvals.json"} {
		p.write(path, record)
	}
	if got := p.listed("evil")["approval"]; got != "pending" {
		t.Errorf("the repository approved itself: %v", got)
	}
	p.exits([]int{16}, "test", "evil")
	p.notPwned()
}

// TestA8GitIsNotAsked: an approval does not follow what `.git` says.
func TestA8GitIsNotAsked(t *testing.T) {
	p := newPlace(t)
	good := filepath.Join(p.work, "good")
	text := `{"mcpServers":{"x":` + p.pwn() + `}}`
	p.write(filepath.Join(good, ".git/HEAD"), "ref: refs/heads/main\n")
	p.write(filepath.Join(good, ".mcp.json"), text)
	var doc struct {
		Servers []struct{ Fingerprint, Approval string }
	}
	p.decode(p.mcpctl("-C", good, "approve", "--list", "--json").out, &doc)
	p.exits([]int{0}, "-C", good, "approve", "x", "--fingerprint", doc.Servers[0].Fingerprint)
	p.write(".mcp.json", text)
	git := filepath.Join(p.repo, ".git")
	for name, set := range map[string]func() error{
		"file": func() error { p.write(git, "gitdir: "+good+"/.git\n"); return nil },
		"link": func() error { return os.Symlink(good+"/.git", git) },
		"commondir": func() error {
			p.write(".git/commondir", good+"/.git\n")
			p.write(".git/worktrees/x/gitdir", good+"/.git\n")
			p.write(".git/config", "[core]\n\tfsmonitor = touch "+p.work+"/PWNED\n")
			return nil
		},
	} {
		_ = os.RemoveAll(git)
		if err := set(); err != nil {
			t.Fatal(err)
		}
		if got := p.listed("x")["approval"]; got != "pending" {
			t.Errorf(".git as %s: %v", name, got)
		}
		p.exits([]int{16}, "test", "x")
	}
	p.notPwned()
}

// TestA9OtherFilesAreNotRead, and A13: of the repository only the project file is
// opened, once, and then what was read is what counts.
func TestA9OtherFilesAreNotRead(t *testing.T) {
	strace, err := exec.LookPath("strace")
	if err != nil {
		t.Skip("strace is not installed, so system calls cannot be recorded")
	}
	p := newPlace(t)
	p.write(".mcp.json", `{"mcpServers":{"evil":`+p.pwn()+`}}`)
	for _, name := range []string{".env", ".envrc", ".npmrc", "mise.toml", "package.json", ".git/config", ".git/HEAD", ".mcpctl/config.json", "x/mcp/mcp.json"} {
		p.write(name, "HOME="+p.repo+"\nMCPCTL_STATE_HOME="+p.repo+"\nXDG_CONFIG_HOME=./x\n")
	}
	bin, err := exec.LookPath("mcpctl")
	if err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"list"}, {"show", "evil"}, {"approve", "--list"}, {"test", "evil"}, {"status"}} {
		trace := filepath.Join(p.work, "trace")
		cmd := p.command(t.Context(), args...)
		cmd.Path, cmd.Args = strace, append([]string{"strace", "-f", "-qq", "-y", "-e", "trace=openat,open,openat2", "-o", trace, bin}, args...)
		_, _ = cmd.CombinedOutput() // it may say no; the record is what counts
		record, err := os.ReadFile(trace)
		if err != nil {
			t.Fatal(err)
		}
		opened := map[string]int{}
		for line := range strings.Lines(string(record)) {
			if i := strings.LastIndex(line, "<"+p.repo+"/"); i >= 0 && strings.Contains(line, "= ") {
				path, _, _ := strings.Cut(line[i+len(p.repo)+2:], ">")
				opened[path]++
			}
		}
		if len(opened) != 1 || opened[".mcp.json"] != 1 {
			t.Errorf("mcpctl %v opened of the repository: %v\n%s", args, opened, record)
		}
	}
}

// TestA10NoTrustInCI: being run by a machine is no approval.
func TestA10NoTrustInCI(t *testing.T) {
	p := newPlace(t)
	p.env = []string{"CI=true", "GITHUB_ACTIONS=true", "MCPCTL_TRUST=1", "DEBIAN_FRONTEND=noninteractive"}
	p.write(".mcp.json", `{"mcpServers":{"evil":`+p.pwn()+`}}`)
	p.exits([]int{16}, "test", "evil")
	for _, args := range [][]string{{"approve", "evil"}, {"approve", "evil", "--yes"}, {"approve", "evil", "-y"}, {"approve", "--all"}, {"test", "evil", "--trust"}} {
		p.exits([]int{129}, args...)
	}
	if got := p.listed("evil")["approval"]; got != "pending" {
		t.Errorf("approved: %v", got)
	}
	p.notPwned()
	a := p.mcpctl("approve", "evil", "--fingerprint", p.listed("evil")["fingerprint"].(string))
	if a.exit != 0 || a.out != "" || a.err != "" {
		t.Errorf("with the fingerprint: %+v", a)
	}
}

// TestA12EveryFileIsGated: whatever project file a client has, what it defines is
// not started unasked.
func TestA12EveryFileIsGated(t *testing.T) {
	p := newPlace(t)
	for _, path := range client.ProjectFiles() {
		p.write(path, `{"mcpServers":{"evil":`+p.pwn()+`},"servers":{"evil":`+p.pwn()+`}}`)
	}
	for _, name := range client.Names() {
		for _, args := range [][]string{{"__complete", "approve", ""}, {"list"}, {"logs"}, {"status"}, {"test", "evil"}, {"approve", "--list"}} {
			p.mcpctl(append([]string{"--client", name}, args...)...)
		}
	}
	p.notPwned()
}

// TestA16LinksAreNoWayOut: the user's file may be a link, and stays one; a project
// file that is a link out is refused, and its target stays.
func TestA16LinksAreNoWayOut(t *testing.T) {
	p := newPlace(t)
	dotfile := p.write(filepath.Join(p.home, "dotfiles/mcp.json"), `{"mcpServers":{}}`)
	if err := os.MkdirAll(filepath.Dir(p.userFile()), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(dotfile, p.userFile()); err != nil {
		t.Fatal(err)
	}
	p.exits([]int{0}, "add", "a", "--", "echo-server")
	if to, err := os.Readlink(p.userFile()); err != nil || to != dotfile {
		t.Errorf("the link is %s, %v", to, err)
	}
	if data, _ := os.ReadFile(dotfile); !strings.Contains(string(data), `"a"`) {
		t.Errorf("the real file is %s", data)
	}
	before := p.tree()
	project := filepath.Join(p.repo, ".mcp.json")
	for _, target := range []string{dotfile, p.userFile(), "/etc/passwd", ".mcp.json", "../home/dotfiles/mcp.json", "/nowhere/at/all", "/dev/zero"} {
		if err := os.Symlink(target, project); err != nil {
			t.Fatal(err)
		}
		p.exits([]int{13}, "add", "b", "--project", "--", "echo-server")
		p.exits([]int{13}, "share", "a")
		p.exits([]int{10}, "list")
		p.exits([]int{0}, "test", "a")
		if err := os.Remove(project); err != nil {
			t.Fatal(err)
		}
	}
	if after := p.tree(); after != before {
		t.Errorf("something was written:\n%s\n---\n%s", before, after)
	}
}

// TestA17FilesThatAppear: what another program writes while the supervisor runs
// waits for the user.
func TestA17FilesThatAppear(t *testing.T) {
	p := newPlace(t)
	p.exits([]int{0}, "add", "mine", "--", "echo-server")
	p.exits([]int{0}, "tools", "mine")
	for _, text := range []string{`{"mcpServers":{"evil":` + p.pwn() + `}}`, `{"mcpServers":{"evil":` + p.pwn() + `,"more":` + p.pwn() + `}}`} {
		p.write(".mcp.json", text)
		if err := until(func() error {
			var doc struct {
				Servers []struct{ Name, State string }
			}
			p.decode(p.mcpctl("list", "--json").out, &doc)
			if len(doc.Servers) != 1+strings.Count(text, "/bin/sh") {
				return fmt.Errorf("%+v", doc)
			}
			for _, sv := range doc.Servers[1:] {
				if sv.State != "pending-approval" {
					return fmt.Errorf("%+v", sv)
				}
			}
			return nil
		}); err != nil {
			t.Error(err)
		}
		p.exits([]int{0}, "tools", "mine")
	}
	p.notPwned()
}

// TestA21NoShortFingerprints: a part of a fingerprint approves nothing.
func TestA21NoShortFingerprints(t *testing.T) {
	p := newPlace(t)
	p.write(".mcp.json", `{"mcpServers":{"x":{"command":"echo-server"}}}`)
	fp := p.listed("x")["fingerprint"].(string)
	for _, short := range []string{fp[:14], fp[:23], fp[:len(fp)-1], fp[7:], strings.ToUpper(fp), fp + " ", "sha256:", "*"} {
		p.exits([]int{129}, "approve", "x", "--fingerprint", short)
	}
	p.exits([]int{16}, "test", "x")
	p.exits([]int{0}, "approve", "x", "--fingerprint", fp)
	p.exits([]int{0}, "test", "x")
}

// hostileNames are names that mean something to a file system, an option parser,
// a terminal or a log.
var hostileNames = []string{
	"..", ".", "../../x", "/abs", "a/b", `a\b`, "-rf", "--help", strings.Repeat("n", 300), "trailing.\r", "blank ", "x\n[INFO] forged",
	"\x1b[2J", "a\u202eb", "a\u200b", "ſ", "$(touch PWNED)", "`touch PWNED`", "a;b", "",
}

// TestB1NamesAreNotPaths: no name reaches the file system or a terminal as it is.
func TestB1NamesAreNotPaths(t *testing.T) {
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
	const onlyReserved = 2 // "." and ".." are names like others: no file is called after them
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
