package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// marked reads what the last process of a server noted about itself.
func marked(t *testing.T, path string) (m struct {
	Args []string
	Cwd  string
}) {
	t.Helper()
	lines := strings.Split(strings.TrimSpace(read(t, path)), "\n")
	if err := json.Unmarshal([]byte(lines[len(lines)-1]), &m); err != nil {
		t.Fatal(err)
	}
	return m
}

// TestC1ArgumentsAreVerbatim: a command and its arguments reach the program as they
// stand, and no shell sees them.
func TestC1ArgumentsAreVerbatim(t *testing.T) {
	p := newPlace(t)
	mark := filepath.Join(p.work, "mark")
	touch := "touch " + p.work + "/PWNED"
	args := []string{"-mark", mark, "--", "$(" + touch + ")", "`" + touch + "`", "; " + touch, "&& " + touch, "| " + touch, "a b", "", " ", "'", `"`, `\`, "*", "?", "~x", "{a,b}", "$HOME", "%s", "-c", "\n" + touch, "é\u202e"}
	entry, err := json.Marshal(map[string]any{"command": "stub-server", "args": args})
	if err != nil {
		t.Fatal(err)
	}
	servers := []string{`"plain":` + string(entry)}
	for i, command := range []string{"stub-server; " + touch, "$(" + touch + ")", "`" + touch + "`", "stub-server\n" + touch, "stub-server -tools x", "stub-server&&" + touch} {
		servers = append(servers, fmt.Sprintf(`"odd%d":{"command":%s}`, i, quote(t, command)))
	}
	p.write(p.userFile(), `{"mcpServers":{`+strings.Join(servers, ",")+`}}`)
	p.exits([]int{0}, "test", "plain")
	if diff := cmp.Diff(args, marked(t, mark).Args); diff != "" {
		t.Error(diff)
	}
	p.exits([]int{0}, "call", "plain", "echo", "a=1")
	if diff := cmp.Diff(args, marked(t, mark).Args); diff != "" {
		t.Errorf("by the supervisor: %s", diff)
	}
	for i := range servers[1:] {
		p.exits([]int{32}, "test", fmt.Sprintf("odd%d", i))
	}
	p.notPwned()
}

// environOf is the whole environment that a server was given, names and values.
func (p *place) environOf(name string) []string {
	p.t.Helper()
	var out []string
	for _, kv := range strings.Split(strings.TrimSuffix(read(p.t, filepath.Join(p.work, name)), "\x00"), "\x00") {
		if !strings.HasPrefix(kv, "MCPCTL_SERVER=") {
			out = append(out, kv)
		}
	}
	slices.Sort(out)
	return out
}

// dumping is an entry whose server first notes its environment. In an entry $$ is
// one dollar.
func (p *place) dumping(name, more string) string {
	return fmt.Sprintf(`%q:{"command":"sh","args":["-c","cat /proc/$$$$/environ >%s/%s; exec stub-server"]%s}`, name, p.work, name, more)
}

// TestC3OnlyTheBaseSet: a server gets the base set of the caller's environment and its
// own variables, exactly; over a test and in the supervisor.
func TestC3OnlyTheBaseSet(t *testing.T) {
	p := newPlace(t)
	base := []string{"LOGNAME=me", "USER=me", "SHELL=/bin/sh", "TERM=xterm", "LANG=C", "LC_ALL=C", "TZ=UTC", "XDG_DATA_HOME=/d",
		"HTTPS_PROXY=http://127.0.0.1:1", "no_proxy=x", "SSL_CERT_DIR=/etc/ssl/certs"}
	p.env = append([]string{"AWS_SECRET_ACCESS_KEY=" + canary, "SSH_AUTH_SOCK=/s", "GITHUB_TOKEN=" + canary, "MCPCTL_CLIENT=native",
		"LD_PRELOAD=", "DBUS_SESSION_BUS_ADDRESS=x", "EXTRA=e", "COLUMNS=80"}, base...)
	p.write(p.userFile(), `{"mcpServers":{`+p.dumping("plain", `,"env":{"OWN":"${GITHUB_TOKEN}","EMPTY":""}`)+","+p.dumping("more", `,"inheritEnv":["EXTRA","NOT_THERE"]`)+`}}`)
	want := append([]string{"HOME=" + p.home, "PATH=" + os.Getenv("PATH"), "TMPDIR=" + filepath.Join(p.work, "tmp"), "XDG_RUNTIME_DIR=" + p.run}, base...)
	check := func(how string) {
		t.Helper()
		for name, own := range map[string][]string{"plain": {"OWN=" + canary, "EMPTY="}, "more": {"EXTRA=e"}} {
			all := append(slices.Clone(want), own...)
			slices.Sort(all)
			if diff := cmp.Diff(all, p.environOf(name)); diff != "" {
				t.Errorf("%s, %s: %s", how, name, diff)
			}
		}
	}
	p.exits([]int{0}, "test", "--all")
	check("test")
	p.exits([]int{0}, "tools")
	check("supervisor")
}

// TestC4NothingOfTheStarter: the supervisor was started in one project's shell; what
// that had in its environment reaches no server of another, whether asked for or not.
func TestC4NothingOfTheStarter(t *testing.T) {
	p := newPlace(t)
	p.env = []string{"A_SECRET=" + canary}
	p.exits([]int{0}, "supervisor", "start")
	environ := read(t, fmt.Sprintf("/proc/%d/environ", p.supervisor()))
	if strings.Contains(environ, canary) {
		t.Errorf("the supervisor carries it: %q", environ)
	}
	p.env = nil
	other := filepath.Join(p.work, "other")
	p.write(filepath.Join(other, ".mcp.json"), `{"mcpServers":{`+p.dumping("b", ``)+","+p.dumping("asks", `,"env":{"X":"${A_SECRET}"}`)+`}}`)
	p.repo = other
	p.approve("b")
	p.approve("asks")
	p.exits([]int{0}, "call", "b", "echo", "a=1")
	if got := strings.Join(p.environOf("b"), "\n"); strings.Contains(got, canary) || strings.Contains(got, "A_SECRET") {
		t.Errorf("the server was given:\n%s", got)
	}
	if a := p.exits([]int{10}, "call", "asks", "echo", "a=1"); !strings.Contains(a.err, "A_SECRET is not set") {
		t.Errorf("%+v", a)
	}
	p.env = []string{"A_SECRET=mine"}
	p.exits([]int{0}, "call", "asks", "echo", "a=1")
	if !slices.Contains(p.environOf("asks"), "X=mine") {
		t.Errorf("the server was given %q", p.environOf("asks"))
	}
}

// TestC7PathTricks: what is shown is what a bare name resolves to; a program of the
// project is pointed out and covered; a PATH that leads into the project later is a
// change; a relative PATH leads nowhere.
func TestC7PathTricks(t *testing.T) {
	p := newPlace(t)
	outside, inside := filepath.Join(p.work, "bin"), filepath.Join(p.repo, "node_modules/.bin")
	for dir, text := range map[string]string{outside: "exec stub-server", inside: "echo x >>" + p.work + "/PWNED; exec stub-server"} {
		if err := os.Chmod(p.write(filepath.Join(dir, "prog"), "#!/bin/sh\n"+text+"\n"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	p.write(".mcp.json", `{"mcpServers":{"x":{"command":"prog"}}}`)
	path := os.Getenv("PATH")
	p.env = []string{"PATH=" + outside + ":" + path}
	if does := fmt.Sprint(p.listed("x")["does"]); !strings.Contains(does, "runs "+outside+"/prog, owned by ") {
		t.Errorf("the review says %s", does)
	}
	p.approve("x")
	p.exits([]int{0}, "test", "x")

	p.env = []string{"PATH=" + inside + ":" + outside + ":" + path}
	row := p.listed("x")
	if row["approval"] != "changed" || !strings.Contains(fmt.Sprint(row["risks"]), "the program is inside the project: "+inside+"/prog") {
		t.Errorf("listed as %v", row)
	}
	for _, verb := range []string{"test", "tools", "reconnect"} {
		p.exits([]int{16}, verb, "x")
	}
	p.notPwned()
	for _, relative := range []string{".", "node_modules/.bin", ""} {
		p.env = []string{"PATH=" + relative + ":" + outside + ":" + path}
		p.exits([]int{0}, "test", "x")
	}
	p.notPwned()

	// Another place outside the project is the user's own doing; it is what is shown.
	elsewhere := filepath.Join(p.work, "other")
	if err := os.Chmod(p.write(filepath.Join(elsewhere, "prog"), "#!/bin/sh\nexec stub-server\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	p.env = []string{"PATH=" + elsewhere + ":" + path}
	if does := fmt.Sprint(p.listed("x")["does"]); !strings.Contains(does, "runs "+elsewhere+"/prog") {
		t.Errorf("the review says %s", does)
	}
}

// TestC8FoldersStayInside: a project's server runs in the project, wherever it wants to.
func TestC8FoldersStayInside(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	mark := filepath.Join(p.work, "mark")
	p.write("sub/file", "x")
	if err := os.Symlink("..", filepath.Join(p.repo, "up")); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		cwd  string
		exit int
		says string
	}{
		{"/", 10, "is outside the workspace"}, {"..", 10, "is outside the workspace"}, {"../..", 10, "is outside the workspace"},
		{"sub/../..", 10, "is outside the workspace"}, {"up", 10, "is outside the workspace"}, {"up/home", 10, "is outside the workspace"},
		{"~", 10, "is outside the workspace"}, {"${HOME}", 10, "is outside the workspace"},
		{"nowhere", 32, "does not exist"}, {"sub/file", 32, "is not a folder"}, {"sub", 0, ""}, {".", 0, ""}, {"", 0, ""},
	} {
		p.write(".mcp.json", fmt.Sprintf(`{"mcpServers":{"x":{"command":"stub-server","args":["-mark",%q],"cwd":%q}}}`, mark, c.cwd))
		if c.exit == 10 { // what is plain from the entry is not even approved
			p.exits([]int{0, 10}, "approve", "x", "--fingerprint", p.listed("x")["fingerprint"].(string))
		} else {
			p.approve("x")
		}
		_ = os.Remove(mark)
		for _, args := range [][]string{{"test", "x"}, {"call", "x", "echo", "a=1"}} {
			if a := p.exits([]int{c.exit}, args...); !strings.Contains(a.err, c.says) {
				t.Errorf("cwd %q, %v: %s", c.cwd, args, a.err)
			}
		}
		if _, err := os.Stat(mark); err == nil != (c.exit == 0) {
			t.Errorf("cwd %q: started: %v", c.cwd, err == nil)
		} else if err == nil {
			if got := marked(t, mark).Cwd; got != filepath.Join(p.repo, c.cwd) {
				t.Errorf("cwd %q: it ran in %s", c.cwd, got)
			}
		}
	}

	// Removed, or turned into a way out, after the approval.
	p.write(".mcp.json", fmt.Sprintf(`{"mcpServers":{"x":{"command":"stub-server","args":["-mark",%q],"cwd":"sub"}}}`, mark))
	p.approve("x")
	if err := os.RemoveAll(filepath.Join(p.repo, "sub")); err != nil {
		t.Fatal(err)
	}
	p.exits([]int{32}, "test", "x")
	if err := os.Symlink(p.home, filepath.Join(p.repo, "sub")); err != nil {
		t.Fatal(err)
	}
	_ = os.Remove(mark)
	p.exits([]int{10}, "test", "x")
	p.exits([]int{10}, "reconnect", "x") // what ran in the folder before may go on
	p.exits([]int{10}, "tools", "x")
	if _, err := os.Stat(mark); err == nil {
		t.Error("it was started outside")
	}
}

// TestC9NoSecretOnArgv: while every way of using a secret is gone through, no command
// line on this machine holds it.
func TestC9NoSecretOnArgv(t *testing.T) {
	p := newPlace(t)
	s := newSink(t)
	p.env = []string{"KEY=" + canary}
	ctx, stop := context.WithCancel(t.Context())
	var found []string
	looks := 0
	var watching sync.WaitGroup
	watching.Go(func() { // ends with ctx
		for ; ctx.Err() == nil; looks++ {
			lines, _ := filepath.Glob("/proc/[0-9]*/cmdline")
			for _, file := range lines {
				if data, err := os.ReadFile(file); err == nil && strings.Contains(string(data), canary) {
					found = append(found, string(data))
				}
			}
		}
	})
	p.exits([]int{0}, "add", "web", s.URL+"/mcp", "--header-from", "Authorization=KEY")
	p.exits([]int{0}, "add", "env", "--env-from", "KEY", "--", "stub-server")
	p.exits([]int{0}, "add", "ref", "-e", "K=${KEY}", "--", "stub-server")
	for _, args := range [][]string{{"list"}, {"show", "env"}, {"test", "--all"}, {"tools"}, {"call", "env", "echo", "env=KEY"}, {"call", "ref", "echo", "env=K"},
		{"status"}, {"logs"}, {"reconnect", "env"}, {"share", "web", "--env-placeholders", "--dry-run"}, {"supervisor", "restart"}} {
		p.mcpctl(args...)
	}
	stop()
	watching.Wait()
	if len(found) > 0 || looks == 0 {
		t.Errorf("%d looks; command lines: %q", looks, found)
	}
	if len(s.all()) == 0 || !strings.Contains(strings.Join(s.all(), ""), canary) {
		t.Error("the secret was not used; the test proves nothing")
	}
	// Given as an argument it is there already; the user is told.
	if a := p.exits([]int{0}, "add", "bad", s.URL, "--header", "Authorization: Bearer x-"+canary); !strings.Contains(a.err, "warning: ") || strings.Contains(a.err, canary) {
		t.Errorf("a secret as an argument: %s", a.err)
	}
}

// TestC11GitIsNotRun: no verb runs git, whatever a repository's configuration says.
func TestC11GitIsNotRun(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	bin := filepath.Join(p.work, "bin")
	for _, name := range []string{"git", "ssh", "hg", "node", "npx"} {
		if err := os.Chmod(p.write(filepath.Join(bin, name), "#!/bin/sh\necho $0 \"$@\" >>"+p.work+"/PWNED\n"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	p.env = []string{"PATH=" + bin + ":" + os.Getenv("PATH")}
	p.write(".git/HEAD", "ref: refs/heads/main\n")
	p.write(".git/config", "[core]\n\tfsmonitor = touch "+p.work+"/PWNED\n\thooksPath = .\n\tsshCommand = touch "+p.work+"/PWNED\n[include]\n\tpath = ../evil\n")
	p.write("evil", "[alias]\n\tx = !touch "+p.work+"/PWNED\n")
	p.write(".mcp.json", `{"mcpServers":{"x":{"command":"stub-server"}}}`)
	p.approve("x")
	for _, verb := range verbs() {
		for _, more := range [][]string{nil, {"x"}} {
			p.mcpctl(append(slices.Clone(verb), more...)...)
		}
	}
	p.write(".mcp.json", `{"mcpServers":{"x":{"command":"stub-server"}}}`)
	p.approve("x")
	p.exits([]int{0}, "call", "x", "echo", "a=1")
	p.notPwned()
}

// TestF10NobodyIsAsked: where nobody sits at a terminal, a server is not told that
// somebody could be asked, what it asks for all the same is refused, and the pages and
// pictures it names are not fetched.
func TestF10NobodyIsAsked(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	s := newSink(t)
	p.write("served.json", `[{"name":"echo","icons":[{"src":"`+s.URL+`/icon.png","mimeType":"image/png"}],"inputSchema":{"type":"object"}}]`)
	entries, records := map[string]any{}, map[string]string{}
	for name, args := range map[string][]string{
		"form": {"-elicit", "form"}, "url": {"-elicit", "url", "-elicit-url", s.URL + "/visit"}, "required": {"-elicit", "required", "-elicit-url", s.URL + "/visit"},
		"modern": {"-modern", "-elicit", "url", "-elicit-url", s.URL + "/visit"}, "model": {"-ask", "sampling/createMessage"}, "early": {"-ask-early", "sampling/createMessage"},
		"icons": {"-tools-file", filepath.Join(p.repo, "served.json")},
	} {
		records[name] = filepath.Join(p.work, "record-"+name)
		entries[name] = map[string]any{"command": "stub-server", "args": append(args, "-record", records[name])}
	}
	text, err := json.Marshal(map[string]any{"mcpServers": entries})
	if err != nil {
		t.Fatal(err)
	}
	p.write(p.userFile(), string(text))
	for name, record := range records {
		for _, route := range [][]string{{}, {"--direct"}} {
			p.mcpctl(append([]string{"call", name, "echo", "--json"}, route...)...)
			p.mcpctl(append([]string{"tools", name, "--json"}, route...)...)
		}
		p.mcpctl("test", name)
		said, err := os.ReadFile(record)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(said), `"tools/call"`) {
			t.Errorf("%s was not called: %s", name, said)
		}
		for _, bad := range []string{`"sampling"`, `"accept"`, `"role"`} {
			if strings.Contains(string(said), bad) {
				t.Errorf("%s was told %s: %s", name, bad, said)
			}
		}
	}
	said, err := os.ReadFile(records["model"])
	if err != nil || !strings.Contains(string(said), "-32601") {
		t.Errorf("sampling is not refused: %v %s", err, said)
	}
	if sent := s.all(); len(sent) > 0 {
		t.Errorf("fetched: %v", sent)
	}
}

// TestF6NothingIsFetched, and F10: what a server writes about itself is shown and never
// followed: schemas, pictures, links.
func TestF6NothingIsFetched(t *testing.T) {
	p := newPlace(t)
	s := newSink(t)
	schema := fmt.Sprintf(`{"type":"object","$schema":"%[1]s/s","properties":{"a":{"$ref":"%[1]s/r"},"b":{"$dynamicRef":"%[1]s/d"},"c":{"type":"string","format":"uri","default":"%[1]s/f"}}}`, s.URL)
	result := fmt.Sprintf(`{"content":[{"type":"resource_link","uri":"%[1]s/l","name":"l"},{"type":"image","data":"","mimeType":"image/png","icons":[{"src":"%[1]s/i"}]}]}`, s.URL)
	entry, err := json.Marshal(map[string]any{"command": "stub-server", "args": []string{"-schema", schema, "-output-schema", schema, "-raw-result", result, "-description", "see " + s.URL + "/x"}})
	if err != nil {
		t.Fatal(err)
	}
	p.write(p.userFile(), `{"mcpServers":{"x":`+string(entry)+`}}`)
	for _, args := range [][]string{{"test", "x"}, {"tools", "x"}, {"tools", "x", "--json"}, {"call", "x", "echo", "a=1", "c=y"}, {"call", "x", "echo", "--json"}, {"list"}} {
		p.exits([]int{0}, args...)
	}
	if sent := s.all(); len(sent) > 0 {
		t.Errorf("fetched: %v", sent)
	}
}

// TestH3ToolsDoNotShadow: a tool is always one of a server; what two share in a name is
// told apart, and a second one of the same name in one server is not offered.
func TestH3ToolsDoNotShadow(t *testing.T) {
	p := newPlace(t)
	p.write(p.userFile(), `{"mcpServers":{"a":{"command":"stub-server","args":["-tools","x,x,y"]},"a__x":{"command":"stub-server","args":["-tools","y"]},"b":{"command":"stub-server","args":["-tools","x"]}}}`)
	var doc struct {
		Servers []struct {
			Name  string
			Tools []struct{ Name, Joined, Unusable string }
		}
	}
	text := p.exits([]int{0}, "tools", "--json").out
	p.decode(text, &doc)
	joined, twice := map[string]bool{}, 0
	for _, sv := range doc.Servers {
		for _, tool := range sv.Tools {
			if tool.Unusable != "" {
				twice++
				if tool.Unusable != "another tool has the same name" {
					t.Errorf("%+v", tool)
				}
				continue
			}
			if joined[tool.Joined] {
				t.Errorf("%s is the name of two", tool.Joined)
			}
			joined[tool.Joined] = true
		}
	}
	if twice != 1 || len(joined) != 4 {
		t.Errorf("%d of one name, %v", twice, joined)
	}
	if again := p.exits([]int{0}, "tools", "--json").out; again != text {
		t.Errorf("another order:\n%s\n%s", text, again)
	}
}
