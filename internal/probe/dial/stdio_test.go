package dial

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestHandshake(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		server string
		flags  []string
		want   Info
	}{
		{"stub", nil, Info{ProtocolVersion: "2025-11-25", ServerName: "stub", ServerVersion: "1.0.0", Tools: true}},
		{"stub", []string{"-caps", ""}, Info{ProtocolVersion: "2025-11-25", ServerName: "stub", ServerVersion: "1.0.0"}},
		{"stub", []string{"-version", "2024-11-05"}, Info{ProtocolVersion: "2024-11-05", ServerName: "stub", ServerVersion: "1.0.0", Tools: true}},
		{"stub", []string{"-crlf"}, Info{ProtocolVersion: "2025-11-25", ServerName: "stub", ServerVersion: "1.0.0", Tools: true}},
		{"stub", []string{"-silent-before-init"}, Info{ProtocolVersion: "2025-11-25", ServerName: "stub", ServerVersion: "1.0.0", Tools: true}},
		{"stub", []string{"-exit-on-discover"}, Info{ProtocolVersion: "2025-11-25", ServerName: "stub", ServerVersion: "1.0.0", Tools: true}},
		{"stub", []string{"-sleep", "2500ms"}, Info{ProtocolVersion: "2025-11-25", ServerName: "stub", ServerVersion: "1.0.0", Tools: true}},
		{"stub", []string{"-sleep", "2500ms", "-exit-on-discover"}, Info{ProtocolVersion: "2025-11-25", ServerName: "stub", ServerVersion: "1.0.0", Tools: true}},
		{"echo", nil, Info{ProtocolVersion: "2026-07-28", ServerName: "echo", ServerVersion: "1.0.0", Tools: true, Resources: true, Prompts: true, Logging: true}},
		{"odd", []string{"modern"}, Info{ProtocolVersion: "2026-07-28", Tools: true}},
		{"odd", []string{"slow-modern"}, Info{ProtocolVersion: "2026-07-28", Tools: true}},
	} {
		t.Run(c.server+strings.Join(c.flags, ""), func(t *testing.T) {
			t.Parallel()
			conn := newFixture(t, c.server, c.flags...).connect()
			info := conn.Info()
			if c.server != "odd" && !strings.HasPrefix(string(info.Server), `{"name":"`+c.server+`"`) || !strings.HasPrefix(string(info.Capabilities), "{") {
				t.Errorf("%s %s", info.Server, info.Capabilities)
			}
			info.Server, info.Capabilities = nil, nil
			if diff := cmp.Diff(c.want, info); diff != "" {
				t.Error(diff)
			}
			if conn.PID() == 0 {
				t.Error("no process")
			}
		})
	}
}

func TestEraIsRemembered(t *testing.T) {
	t.Parallel()
	f := newFixture(t, "stub", "-exit-on-discover")
	mark := f.path("mark")
	f.entry["args"] = append(f.entry["args"].([]string), "-mark", mark)
	for range 2 {
		f.connect().Close()
	}
	data, err := os.ReadFile(mark)
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Count(string(data), "\n"); got != 3 { // two for the first, one for the second
		t.Errorf("%d starts, want 3", got)
	}
}

func TestPinnedVersion(t *testing.T) {
	t.Parallel()
	f := newFixture(t, "stub", "-exit-on-discover")
	f.entry["protocolVersion"] = "2025-06-18"
	if got := f.connect().Info().ProtocolVersion; got != "2025-06-18" {
		t.Error(got)
	}
}

func TestHandshakeFails(t *testing.T) {
	t.Parallel()
	secret := map[string]any{"KEY": "hunter2-secret-value"}
	for _, c := range []struct {
		name   string
		entry  map[string]any
		code   string
		texts  []string
		hint   string
		within time.Duration
	}{
		{name: "status and stderr", entry: map[string]any{"args": []string{"stub", "-stderr-text", "missing API_KEY", "-exit", "3"}},
			code: CodeConnectFailed, texts: []string{"left with status 3 before it answered; its last words on stderr: missing API_KEY"}},
		{name: "status 0", entry: map[string]any{"args": []string{"stub", "-exit", "0"}},
			code: CodeConnectFailed, texts: []string{"left with status 0 before it answered"}},
		{name: "signal", entry: map[string]any{"args": []string{"stub", "-kill-self"}},
			code: CodeConnectFailed, texts: []string{"killed by signal 9 (killed)"}},
		{name: "secret on stderr", entry: map[string]any{"args": []string{"stub", "-stderr-text", "bad hunter2-secret-value\x1b[2J", "-exit", "1"}, "env": secret},
			code: CodeConnectFailed, texts: []string{`bad ***\x1b[2J`}},
		{name: "silent", entry: map[string]any{"args": []string{"stub", "-stderr-text", "still loading", "-hang", "initialize"}, "timeout": "1s"},
			code: CodeTimeout, texts: []string{"no answer to initialize within 1s; its last words on stderr: still loading"}, hint: "'timeout'"},
		{name: "huge line", entry: map[string]any{"command": "sh", "args": []string{"-c", "head -c 40000000 /dev/zero | tr '\\0' x; sleep 60"}},
			code: CodeConnectFailed, texts: []string{"a message is longer than 16 MiB"}},
		{name: "future version", entry: map[string]any{"args": []string{"odd", "future"}},
			code: CodeConnectFailed, texts: []string{"'2099-01-01'"}},
		{name: "refuses", entry: map[string]any{"args": []string{"stub", "-deny", "initialize"}},
			code: CodeConnectFailed, texts: []string{"the server refused initialize: no method"}},
		{name: "closed output", entry: map[string]any{"command": "sh", "args": []string{"-c", "exec >&-; sleep 60"}},
			code: CodeConnectFailed, texts: []string{"the server closed its output"}},
		{name: "no such program", entry: map[string]any{"command": "npx-not-here"},
			code: CodeConnectFailed, texts: []string{"'npx-not-here' is not on PATH"}},
		{name: "command line", entry: map[string]any{"command": "/bin/echo -n a; touch pwn"},
			code: CodeConnectFailed, hint: "'command' is one program; put the rest into 'args'"},
		{name: "no such folder", entry: map[string]any{"command": "sh", "cwd": "/nowhere"},
			code: CodeConnectFailed, texts: []string{"the working folder '/nowhere' does not exist"}},
		{name: "no folder", entry: map[string]any{"command": "sh", "cwd": "/etc/passwd"},
			code: CodeConnectFailed, texts: []string{"'/etc/passwd' is not a folder"}},
		{name: "a folder", entry: map[string]any{"command": "/etc"},
			code: CodeConnectFailed, texts: []string{"'/etc' is a folder"}},
		{name: "not executable", entry: map[string]any{"command": "/etc/passwd"},
			code: CodeConnectFailed, texts: []string{"'/etc/passwd' is not executable"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			f := newEntry(t, c.entry)
			if c.entry["command"] == nil {
				c.entry["command"] = self(t)
			}
			e := f.refused(c.code, c.texts...)
			if !strings.Contains(e.Hint(), c.hint) || e.Server() != "s" {
				t.Errorf("hint %q, server %q", e.Hint(), e.Server())
			}
		})
	}
}

func TestNoInterpreter(t *testing.T) {
	t.Parallel()
	f := newEntry(t, map[string]any{})
	for text, want := range map[string]string{"#!/no/such\n": "no such file", "\x7fELF": "exec format error"} {
		f.entry["command"] = f.path("srv")
		if err := os.WriteFile(f.path("srv"), []byte(text), 0o700); err != nil {
			t.Fatal(err)
		}
		if e := f.refused(CodeConnectFailed, want); e.Hint() == "" {
			t.Errorf("%q: no hint", text)
		}
	}
}

func TestConfigErrorsPassThrough(t *testing.T) {
	t.Parallel()
	f := newFixture(t, "stub")
	f.entry["env"] = map[string]any{"A": "${NOT_SET_HERE}"}
	_, err := f.open()
	var coded interface{ Code() string }
	if !errors.As(err, &coded) || coded.Code() != "MCP_CONFIG_INVALID" || !strings.Contains(err.Error(), "NOT_SET_HERE") {
		t.Error(err)
	}
}

func TestOpenIsCancelled(t *testing.T) {
	t.Parallel()
	f := newFixture(t, "stub", "-hang", "initialize", "-mark")
	f.entry["args"] = append(f.entry["args"].([]string), f.path("mark"))
	f.options.Env = f.env
	ctx, cancel := context.WithCancel(t.Context())
	admitted := f.admit()
	failed := make(chan error, 1)
	go func() {
		_, err := Open(ctx, admitted, f.options)
		failed <- err
	}()
	var mark struct{ PID int }
	eventually(t, "the server has started", func() bool {
		data, _ := os.ReadFile(f.path("mark"))
		return json.Unmarshal(data, &mark) == nil
	})
	cancel()
	if err := <-failed; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if alive(t, mark.PID) {
		t.Error("the server is still there")
	}
}

func TestNoise(t *testing.T) {
	t.Parallel()
	f := newFixture(t, "stub", "-noise", "Server running on stdio", "-noise-json", "-noise-each", "tick", "-stderr-text", "INFO 0 errors")
	c := f.connect()
	if tools, err := c.ListTools(t.Context()); err != nil || names(tools) != "echo" {
		t.Error(tools, err)
	}
	if c.Noise() < 4 { // two at the start, one before each answer
		t.Errorf("%d stray lines", c.Noise())
	}
	if got := f.logged("stdout"); !strings.Contains(got, "warning line 1 that is no message: Server running on stdio") ||
		!strings.Contains(got, `{"level":"info","msg":"starting"}`) {
		t.Error(got)
	}
	eventually(t, "stderr in the log", func() bool { return f.logged("stderr") == "info INFO 0 errors" })
}

func TestNoiseIsReportedSparingly(t *testing.T) {
	t.Parallel()
	f := newEntry(t, map[string]any{"command": "sh", "args": []string{"-c", "yes 'not a message' | head -5000; exec \"$0\" stub", self(t)}})
	c := f.connect()
	if c.Noise() != 5000 {
		t.Errorf("%d stray lines", c.Noise())
	}
	if got := strings.Count(f.logged("stdout"), "\n") + 1; got > 40 {
		t.Errorf("%d of them reported", got)
	}
}

func TestLargeAnswer(t *testing.T) {
	t.Parallel()
	c := newFixture(t, "stub", "-pad", "5000000").connect()
	if tools, err := c.ListTools(t.Context()); err != nil || names(tools) != "echo" {
		t.Error(err)
	}
}

func TestChildEnvironment(t *testing.T) {
	t.Parallel()
	f := newEntry(t, map[string]any{"command": "sh", "args": []string{"-c",
		`cat /proc/self/environ >"$HOME/environ"; ls -l /proc/self/fd >"$HOME/fds"; exec "$0" stub`, self(t)}})
	f.entry["env"] = map[string]any{"OWN": "a b=c"}
	f.env["LC_ALL"], f.env["AWS_SECRET_ACCESS_KEY"], f.env["MCPCTL_SERVER"] = "C", "no", "outer"
	f.connect()

	data, err := os.ReadFile(f.path("environ"))
	if err != nil {
		t.Skip(err)
	}
	var got []string
	for kv := range strings.SplitSeq(strings.TrimSuffix(string(data), "\x00"), "\x00") {
		if !strings.HasPrefix(kv, "PWD=") && !strings.HasPrefix(kv, "SHLVL=") && !strings.HasPrefix(kv, "_=") { // sh's own
			got = append(got, kv)
		}
	}
	slices.Sort(got)
	marker := got[slices.IndexFunc(got, func(kv string) bool { return strings.HasPrefix(kv, "MCPCTL_SERVER=") })]
	if !strings.Contains(marker, fmt.Sprintf(".%d.", os.Getpid())) {
		t.Errorf("marker %q does not name this process", marker)
	}
	want := []string{"HOME=" + f.home, "LC_ALL=C", marker, "OWN=a b=c", "PATH=" + os.Getenv("PATH")}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	fds, _ := os.ReadFile(f.path("fds"))
	for line := range strings.SplitSeq(strings.TrimSpace(string(fds)), "\n") {
		fields := strings.Fields(line)
		if n := len(fields); n > 2 && !slices.Contains([]string{"0", "1", "2"}, fields[n-3]) && !strings.Contains(line, "/proc/") {
			t.Errorf("a descriptor too many: %s", line)
		}
	}
}

func TestDeafServer(t *testing.T) {
	t.Parallel()
	c := newFixture(t, "odd", "deaf").connect()
	big, err := json.Marshal(map[string]string{"text": strings.Repeat("x", 1<<20)})
	if err != nil {
		t.Fatal(err)
	}
	// The write cannot end, yet the caller is not held.
	_, err = c.CallTool(t.Context(), "x", big, 200*time.Millisecond)
	wantError(t, err, CodeTimeout)
	began := time.Now()
	c.Close()
	if took := time.Since(began); took > patience {
		t.Errorf("closing took %s", took)
	}
}
