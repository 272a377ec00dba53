package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// tracedVerbs are the commands that must start no process, make no network
// connection and write nothing outside the state directory, whatever a
// repository says (design §5.3). A new one belongs here.
var tracedVerbs = [][]string{
	{"list"}, {"list", "--json"}, {"list", "--show-origin"}, {"list", "-z"},
	{"list", "--all"}, {"--client", "pi", "list", "--all"}, {"--client", "omp", "list"}, {"--client", "pi", "test", "evil"},
	{"show", "evil"}, {"show", "web", "--json"},
	{"sources"}, {"sources", "--found", "--json"}, {"doctor"}, {"doctor", "--all", "--json"},
	{"status"}, {"status", "--json"}, {"status", "evil"},
	{"fingerprint"}, {"fingerprint", "evil"}, {"fingerprint", "--json"}, {"fingerprint", "web", "--all"},
	{"update", "evil"}, {"update", "nobody", "--timeout", "1s"}, {"rename", "nobody", "x"}, {"disable", "nobody"}, {"__complete", "update", ""}, {"__complete", "rename", "evil", ""},
	{"approve", "--list"}, {"approve", "--list", "--json"}, {"approve", "evil"},
	{"show", "evil", "--reveal"},
	{"approve", "evil", "--fingerprint", "sha256:" + strings.Repeat("0", 64)},
	{"test", "evil"}, {"test", "--all"}, {"test", "web"},
	{"login", "evil"}, {"login", "web", "--start"}, {"login", "nobody"}, {"credentials", "list"}, {"credentials", "list", "--json"}, {"logout", "evil"}, {"credentials", "remove", "x"}, {"__complete", "logout", ""}, {"__complete", "login", ""},
	{"logs"}, {"logs", "evil"}, {"logs", "nobody"},
	{"output"}, {"output", "--list", "--all"}, {"output", strings.Repeat("a", 26), "--json"}, {"__complete", "output", ""},
	{"supervisor", "status"}, {"supervisor", "status", "--json"}, {"supervisor", "stop"}, {"supervisor", "install", "--print"}, {"supervisor", "install", "--launchd", "--print"},
	{"help"}, {"help", "add"}, {"help", "exit-codes"}, {"--help"}, {"add", "--help"}, {"--version"},
	{"history"}, {"history", "--json"}, {"diff"}, {"diff", "evil"}, {"diff", "--project", "--exit-code"}, {"__complete", "undo", "--to", ""},
	{"completion", "bash"}, {"completion", "zsh"}, {"completion", "fish"}, {"completion", "powershell"},
	{"__complete", "approve", ""}, {"__complete", "show", "e"}, {"__complete", ""}, {"__complete", "li"},
	{"__complete", "add", "--scope", ""}, {"__complete", "add", "x", "--transport", ""}, {"__complete", "add", "--exposure="},
	{"__complete", "list", "--client", ""}, {"__complete", "--client="}, {"__complete", "help", ""}, {"__complete", "supervisor", ""},
	{"__complete", "config", ""}, {"__complete", "config", "get", ""}, {"__complete", "config", "set", "discovery.user", ""},
	{"__complete", "session", "close", ""}, {"__complete", "list", "--session="}, {"__complete", "call", "evil", "x", "path=@"},
	{"__complete", "schema", "--output", ""}, {"__completeNoDesc", "call", "e"},
	{"__complete", "call", "evil", ""}, {"__complete", "call", "evil", "tool", ""}, {"__complete", "tools", "evil", ""}, {"__complete", "read", "web", ""}, {"__complete", "prompt", "web", ""}, {"__complete", "complete", "web", ""},
	{"call", "evil", "tool", "--direct"}, {"tools", "--direct"}, {"tools", "evil", "--direct"}, {"resources", "web", "--direct"}, {"read", "web", "x:y", "--direct"}, {"prompts", "--direct"}, {"prompt", "evil", "p", "--direct"},
	{"config", "list"}, {"config", "list", "--json"}, {"config", "get", "client"},
	{"lint"}, {"lint", "--all", "--approvals", "--json"}, {"lint", ".mcp.json", "--format", "sarif"}, {"--client", "omp", "lint", "--format", "github"}, {"lint", "--fix", "--dry-run"}, {"lint", "nowhere.json"},
	{"check", "--offline"}, {"check", "--offline", "evil", "--format", "sarif"}, {"check", "--offline", "--format", "junit"}, {"lock", "evil"}, {"lock", "--dry-run"},
	{"__complete", "check", ""}, {"__complete", "lint", "--format", ""}, {"__complete", "lint", ""},
	{"schema"}, {"schema", "--output", "list"}, {"schema", "--list"}, {"schema", "--file", "config"},
	{"add", "x", "--dry-run", "--", "sh"}, {"add", "x", "--project", "--dry-run", "--", "sh"}, {"add", "x", "--local", "--dry-run", "--json", "https://example.com/"},
	{"update", "evil", "--timeout", "1s", "--dry-run"}, {"remove", "evil", "web", "--dry-run"}, {"rename", "evil", "good", "--dry-run"}, {"disable", "evil", "--dry-run"},
	{"config", "set", "supervisor.idleTimeout", "1h", "--dry-run"}, {"undo", "--dry-run"}, {"share", "evil", "--dry-run"},
	{"nosuch"}, {"list", "--nosuch"}, {"list", "extra"}, {"call"}, {"remove", "nobody"},
}

const tracedProject = `{"mcpServers": {
  "evil": {"command": "/bin/sh", "args": ["-c", "echo x >PWNED"], "env": {"CANARY": "${CANARY}"}},
  "web": {"url": "http://127.0.0.1:9/mcp", "headers": {"X": "${CANARY}"}}
}}`

// TestSystemCalls proves by the kernel's own record that read-only verbs are
// read-only: one execve, no internet socket, no file opened for writing.
func TestSystemCalls(t *testing.T) {
	t.Parallel()
	strace, err := exec.LookPath("strace")
	if err != nil {
		t.Skip("strace is not installed, so system calls cannot be recorded")
	}
	bin, err := exec.LookPath("mcpctl")
	if err != nil {
		t.Fatal(err)
	}
	work := t.TempDir()
	home, repo, run := filepath.Join(work, "home"), filepath.Join(work, "repo"), filepath.Join(work, "run")
	for _, dir := range []string{home, repo, run} {
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(repo, ".mcp.json"), []byte(tracedProject), 0o600); err != nil {
		t.Fatal(err)
	}
	lock := `{"lockfileVersion": 1, "servers": {"evil": {"fingerprint": "sha256:` + strings.Repeat("0", 64) + `", "protocolVersion": "", "server": {"name": "", "version": ""}, "tools": {}}}}`
	if err := os.WriteFile(filepath.Join(repo, "mcp.lock.json"), []byte(lock), 0o600); err != nil {
		t.Fatal(err)
	}
	const canary = "cnry-0123456789abcdef"
	for i, args := range tracedVerbs {
		t.Run(strings.Join(args, "_"), func(t *testing.T) {
			trace := filepath.Join(work, "trace")
			cmd := exec.Command(strace, append([]string{"-f", "-qq", "-y", "-e", "trace=execve,socket,connect,bind,openat,open,creat,mkdirat,mkdir,renameat,renameat2,unlinkat,unlink,symlinkat,linkat", "-o", trace, bin}, args...)...)
			cmd.Dir = repo
			cmd.Env = []string{"HOME=" + home, "XDG_RUNTIME_DIR=" + run, "TMPDIR=" + work, "PATH=" + os.Getenv("PATH"), "CANARY=" + canary, "CI=true"}
			out, err := cmd.CombinedOutput()
			if _, ok := err.(*exec.ExitError); err != nil && !ok {
				t.Fatal(err)
			}
			record, err := os.ReadFile(trace)
			if err != nil {
				t.Fatal(err)
			}
			state := filepath.Join(home, ".local/state/mcpctl")
			if strings.HasPrefix(args[0], "__complete") {
				state = "/no/exception" // nor anything of its own
				if line := connecting.FindString(string(record)); line != "" {
					t.Errorf("mcpctl %s: %s", strings.Join(args, " "), line)
				}
			}
			if slices.Contains(args, "--dry-run") {
				state = "/no/exception" // it writes nothing, locks included
			}
			for _, bad := range violations(string(record), state) {
				t.Errorf("mcpctl %s: %s", strings.Join(args, " "), bad)
			}
			if bytes.Contains(out, []byte(canary)) {
				t.Errorf("the variable's value was printed:\n%s", out)
			}
			if i == 0 && !strings.Contains(string(record), repo+"/.mcp.json") {
				t.Errorf("the trace does not even show the project file; it proves nothing:\n%s", record)
			}
			if _, err := os.Stat(filepath.Join(repo, "PWNED")); err == nil {
				t.Fatal("the project's command ran")
			}
		})
	}
}

var (
	execves    = regexp.MustCompile(`(?m)^\d+ +execve\(`)
	connecting = regexp.MustCompile(`(?m)^\d+ +(?:socket|connect)\(.*$`)

	internet = regexp.MustCompile(`(?m)^.*AF_INET6?\b.*$`)
	writing  = regexp.MustCompile(`(?m)^\d+ +(?:(?:openat|open)\(.*O_(?:WRONLY|RDWR|CREAT)|creat\(|mkdir|rename|unlink|symlink|link|bind\().*$`)
)

// violations lists the lines of a trace that a read-only verb must not have.
func violations(trace, state string) []string {
	var out []string
	if n := len(execves.FindAllString(trace, -1)); n != 1 {
		out = append(out, "execve happened more than once:\n"+trace)
	}
	out = append(out, internet.FindAllString(trace, -1)...)
	for _, line := range writing.FindAllString(trace, -1) {
		if !strings.Contains(line, `"`+state) && !strings.Contains(line, "/dev/null") {
			out = append(out, line)
		}
	}
	return out
}

// TestViolationsAreSeen keeps the test above honest.
func TestViolationsAreSeen(t *testing.T) {
	const first = "1 execve(\"/bin/mcpctl\", ...) = 0\n"
	for _, line := range []string{
		"1 execve(\"/bin/sh\", [\"sh\"]) = 0",
		"1 socket(AF_INET, SOCK_STREAM, IPPROTO_IP) = 3",
		"1 connect(3<socket:[1]>, {sa_family=AF_INET6, ...}) = 0",
		"2 openat(AT_FDCWD</repo>, \"x\", O_WRONLY|O_CREAT|O_CLOEXEC, 0666) = 3",
		"2 mkdirat(AT_FDCWD</repo>, \"/tmp/x\", 0700) = 0",
		"2 unlinkat(3</repo>, \"x\", 0) = 0",
	} {
		if len(violations(first+line+"\n", "/home/.local/state/mcpctl")) == 0 {
			t.Errorf("not seen: %s", line)
		}
	}
	if got := violations(first+"1 openat(AT_FDCWD, \"/repo/.mcp.json\", O_RDONLY|O_CLOEXEC) = 3\n", "/s"); len(got) > 0 {
		t.Errorf("reading is no violation: %v", got)
	}
}
