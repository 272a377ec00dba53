package main

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
	"golang.org/x/sys/unix"
)

// terminal is a pseudo-terminal with a command on it, all three streams.
type terminal struct {
	t     *testing.T
	ctrl  *os.File
	shown strings.Builder
	wait  func() int
}

// onTerminal starts mcpctl on a terminal of its own.
func (p *place) onTerminal(args ...string) *terminal {
	p.t.Helper()
	ctrl, tty, err := openTerminal()
	if err != nil {
		p.t.Skip("there are no pseudo-terminals here: ", err)
	}
	cmd := p.command(p.t.Context(), args...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = tty, tty, tty
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := cmd.Start(); err != nil {
		p.t.Fatal(err)
	}
	_ = tty.Close()
	if err := ctrl.SetReadDeadline(time.Now().Add(patience)); err != nil {
		p.t.Fatal(err)
	}
	p.t.Cleanup(func() { _ = ctrl.Close() })
	return &terminal{t: p.t, ctrl: ctrl, wait: func() int {
		_ = cmd.Wait()
		return cmd.ProcessState.ExitCode()
	}}
}

// openTerminal opens both ends of a new pseudo-terminal.
func openTerminal() (ctrl, tty *os.File, err error) {
	ctrl, err = os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		return nil, nil, err
	}
	n := 0
	conn, err := ctrl.SyscallConn() // Fd would switch off deadlines
	if err != nil {
		return nil, nil, err
	}
	failed := conn.Control(func(fd uintptr) {
		if n, err = unix.IoctlGetInt(int(fd), unix.TIOCGPTN); err == nil {
			err = unix.IoctlSetPointerInt(int(fd), unix.TIOCSPTLCK, 0)
		}
	})
	if err == nil {
		err = failed
	}
	if err == nil {
		tty, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|syscall.O_NOCTTY, 0)
	}
	return ctrl, tty, err
}

// tty [-elsewhere] FILE N CMD ARGS... runs a command on a terminal of its own, types
// what the file holds, and wants exit status N. What the terminal showed is in
// $WORK/tty.out, the streams in tty.stdout and tty.stderr. With -elsewhere stdin is
// not the terminal. (testscript's own ttyout loses the end of what was shown.)
func cmdTTY(ts *testscript.TestScript, neg bool, args []string) {
	elsewhere := args[0] == "-elsewhere"
	if elsewhere {
		args = args[1:]
	}
	keys := ts.ReadFile(args[0])
	want, err := strconv.Atoi(args[1])
	ts.Check(err)
	ctrl, tty, err := openTerminal()
	ts.Check(err)
	defer ctrl.Close()
	var shown, stdout, stderr bytes.Buffer
	cmd := command(ts, args[2], args[3:]...)
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	cmd.ExtraFiles = []*os.File{tty}
	cmd.SysProcAttr.Setctty, cmd.SysProcAttr.Ctty = true, 3
	if !elsewhere {
		cmd.Stdin = tty
	}
	ts.Check(cmd.Start())
	ts.Check(tty.Close())
	ts.Check(ctrl.SetDeadline(time.Now().Add(patience)))
	_, err = io.WriteString(ctrl, keys)
	ts.Check(err)
	_, _ = io.Copy(&shown, ctrl) // to the end: the other side is closed, which is an error
	_ = cmd.Wait()
	for name, b := range map[string]*bytes.Buffer{"tty.out": &shown, "tty.stdout": &stdout, "tty.stderr": &stderr} {
		ts.Check(os.WriteFile(filepath.Join(ts.Getenv("WORK"), name), b.Bytes(), 0o600))
	}
	if got := cmd.ProcessState.ExitCode(); got != want {
		ts.Fatalf("exit status %d, want %d\n%s%s", got, want, &shown, &stderr)
	}
}

// until reads until text was shown and returns all that was.
func (c *terminal) until(text string) string {
	c.t.Helper()
	buf := make([]byte, 64<<10)
	for !strings.Contains(c.shown.String(), text) {
		n, err := c.ctrl.Read(buf)
		c.shown.Write(buf[:n])
		if err != nil {
			c.t.Fatalf("%q was never shown (%v):\n%s", text, err, c.shown.String())
		}
	}
	return c.shown.String()
}

func (c *terminal) enter(keys string) {
	c.t.Helper()
	if _, err := io.WriteString(c.ctrl, keys); err != nil {
		c.t.Fatal(err)
	}
}

// end reads what is left and returns everything that was shown, with plain
// newlines, and the exit status.
func (c *terminal) end() (shown string, exit int) {
	c.t.Helper()
	_, err := io.Copy(&c.shown, c.ctrl)
	if os.IsTimeout(err) {
		c.t.Fatalf("the command does not end:\n%s", c.shown.String())
	}
	return strings.ReplaceAll(c.shown.String(), "\r\n", "\n"), c.wait() // the terminal makes the carriage returns
}

// TestApproveInterrupted: Ctrl-C at the question is a no to it and to all that was
// to follow.
func TestApproveInterrupted(t *testing.T) {
	p := newPlace(t)
	p.write(".mcp.json", `{"mcpServers":{"a":{"command":"x"},"b":{"command":"x"}}}`)
	c := p.onTerminal("approve", "a", "b")
	c.until("[y/N] ")
	c.enter("\x03")
	shown, exit := c.end()
	if exit != 130 || strings.Contains(shown, "server 'b'") {
		t.Errorf("exit status %d\n%s", exit, shown)
	}
	if got := p.listed("a")["approval"]; got != "pending" {
		t.Errorf("approved: %v", got)
	}
}

// TestNoServers: at a terminal an empty list says what to do; a pipe gets nothing.
func TestNoServers(t *testing.T) {
	p := newPlace(t)
	for _, verb := range []string{"list", "status"} {
		if shown, exit := p.onTerminal(verb).end(); exit != 0 || shown != "no servers; add one with: mcpctl add NAME -- COMMAND\n" {
			t.Errorf("%s: exit status %d\n%s", verb, exit, shown)
		}
		if a := p.exits([]int{0}, verb); a.out+a.err != "" {
			t.Errorf("%s wrote to a pipe: %s%s", verb, a.out, a.err)
		}
		if shown, _ := p.onTerminal(verb, "-q").end(); shown != "" {
			t.Errorf("%s -q: %s", verb, shown)
		}
	}
}

// TestSecretIsNotShown: at a terminal a secret is asked for, and what is typed is
// not shown; Ctrl-C ends the command and writes nothing.
func TestSecretIsNotShown(t *testing.T) {
	p := newPlace(t)
	for _, args := range [][]string{
		{"add", "h", "https://example.com/mcp", "--header-stdin", "X-Key"},
		{"add", "o", "https://example.com/mcp", "--oauth-client-id", "me", "--oauth-client-secret-stdin"},
	} {
		c := p.onTerminal(args...)
		c.until("(not shown): ")
		c.enter("hunter-2\r")
		if shown, exit := c.end(); exit != 0 || strings.Contains(shown, "hunter") {
			t.Errorf("exit status %d\n%s", exit, shown)
		}
		if text := read(t, p.userFile()); !strings.Contains(text, `"hunter-2"`) {
			t.Errorf("not written:\n%s", text)
		}
		p.exits([]int{0}, "remove", args[1])
		c = p.onTerminal(args...)
		c.until("(not shown): ")
		c.enter("\x03")
		if shown, exit := c.end(); exit != 130 {
			t.Errorf("exit status %d\n%s", exit, shown)
		}
		if text := read(t, p.userFile()); strings.Contains(text, "example") {
			t.Errorf("written:\n%s", text)
		}
	}
}

// TestA10EnterIsNo: on a terminal too, doing nothing approves nothing.
func TestA10EnterIsNo(t *testing.T) {
	p := newPlace(t)
	p.env = []string{"CI=true"}
	p.write(".mcp.json", `{"mcpServers":{"evil":`+p.pwn()+`}}`)
	c := p.onTerminal("test", "evil")
	if _, exit := c.end(); exit != 16 {
		t.Errorf("test: exit status %d", exit)
	}
	c = p.onTerminal("approve", "evil")
	c.until("[y/N] ")
	c.enter("\n")
	if shown, exit := c.end(); exit != 16 {
		t.Errorf("approve: exit status %d\n%s", exit, shown)
	}
	p.notPwned()
}

// TestA15NothingIsShortened: however long an entry is and however narrow the
// terminal, all of it is shown before the question.
func TestA15NothingIsShortened(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.env = []string{"COLUMNS=20", "LINES=5"}
	args, env := []string{strings.Repeat("padding ", 12500) + ";payload"}, map[string]string{}
	for i := range 500 {
		args = append(args, fmt.Sprintf("word-%d", i))
	}
	for i := range 300 {
		env[fmt.Sprintf("NAME_%d", i)] = fmt.Sprintf("${FROM_%d}", i)
	}
	entry, err := json.Marshal(map[string]any{"command": "sh", "args": args, "env": env})
	if err != nil {
		t.Fatal(err)
	}
	p.write(".mcp.json", `{"mcpServers":{"x":`+string(entry)+`}}`)
	c := p.onTerminal("approve", "x")
	shown := c.until("[y/N] ")
	c.enter("n\n")
	_, _ = c.end()
	for _, arg := range args {
		if !strings.Contains(shown, `"`+arg+`"`) {
			t.Fatalf("an argument of %d bytes is not shown", len(arg))
		}
	}
	for name, value := range env {
		if !strings.Contains(shown, `"`+name+`": "`+value+`"`) || !strings.Contains(shown, "for env."+name+"\r\n") {
			t.Fatalf("%s is not shown", name)
		}
	}
	if strings.Contains(shown, "…") || strings.Contains(shown, "...") {
		t.Error("something is shortened")
	}
	listed, err := json.Marshal(p.listed("x")["entry"])
	if err != nil {
		t.Fatal(err)
	}
	if string(listed) != string(entry) {
		t.Error("the document does not hold the whole entry")
	}
}

// evilText is what an attacker writes into every field.
const evilText = "t\x1b[2J\x1b]0;x\a\x1b]52;c;eA==\a\x1b]8;;http://h\x1b\\\r\b\x7f\u009b2J\u0090q\u202e\u2066\u200b\ufeff\u2028\u00ad\u061c\u180e\U000e0041end"

// hostileProject has evil text in every field that holds text.
func hostileProject(p *place) string {
	e := strings.Trim(quote(p.t, evilText), `"`)
	return `{"mcpServers":{
	"args":{"command":"sh","args":["` + e + `"],"cwd":"` + e + `","description":"` + e + `","protocolVersion":"` + e + `"},
	"command":{"command":"` + e + `"},
	"env":{"command":"sh","env":{"` + e + `":"${X}","A":"` + e + `"},"inheritEnv":["` + e + `"]},
	"http":{"url":"https://h/\u202e${X}?\u200b","headers":{"A":"` + e + `"},"oauth":{"scope":"` + e + `"}},
	"headers":{"url":"https://h/` + e + `","headers":{"` + e + `":"` + e + `"}},
	"host":{"url":"https://` + e + `/"},
	"words":{"command":"sh","type":"` + e + `","exposure":"` + e + `","lifecycle":"` + e + `","timeout":"` + e + `"},
	"tools":{"command":"sh","toolExposure":{"` + e + `":"direct"}},
	"keys":{"command":"sh","` + e + `":{"` + e + `":["` + e + `"]},"` + e + `":1},
	"over":{"toolExposure":{"` + e + `":"hidden"}},
	"` + e + `":{"command":"sh"}},"` + e + `":{}}`
}

// TestG1TerminalsAreSafe, and G2: whatever stands in a file, no verb sends a
// terminal anything but text.
func TestG1TerminalsAreSafe(t *testing.T) {
	p := newPlace(t)
	p.write(".mcp.json", hostileProject(p))
	for _, name := range []string{"args", "http"} { // so that there is a difference to show
		p.approve(name)
	}
	p.write(".mcp.json", strings.ReplaceAll(hostileProject(p), "end", "END"))
	check := func(args ...string) {
		shown, _ := p.onTerminal(args...).end()
		if bad := raw(shown); bad != "" {
			t.Errorf("mcpctl %q sent raw %s:\n%q", args, bad, shown)
		}
	}
	names := []string{"args", "command", "env", "http", "headers", "host", "words", "tools", "keys", "over", evilText}
	for _, name := range names {
		check("show", name)
		check("show", name, "--reveal")
		check("approve", "--list", name)
	}
	for _, args := range [][]string{{"list"}, {"list", "--show-origin"}, {"status"}, {"approve", "--list"}, {"logs"}, {"logs", evilText},
		{"test", evilText}, {"add", evilText, "--", "x"}, {"add", "x", "--url", evilText}, {"remove", evilText}, {"share", evilText}, {evilText}, {"list", "--" + evilText},
		{"-C", evilText, "list"}, {"--client", evilText, "list"}, {"call", evilText, evilText}, {"deny", evilText}} {
		check(args...)
	}
	for _, name := range []string{"args", "http", "tools", "keys", "over"} {
		c := p.onTerminal("approve", name)
		if shown := c.until("\n"); !strings.HasPrefix(shown, "mcpctl: ") { // an invalid one is refused at once
			c.until("[y/N] ")
			c.enter("n\n")
		}
		shown, _ := c.end()
		if bad := raw(shown); bad != "" {
			t.Errorf("approve %s sent raw %s:\n%q", name, bad, shown)
		}
		if name == "args" && (!strings.Contains(shown, `\u{202e}`) || !strings.Contains(shown, "+    \"")) {
			t.Errorf("hidden characters or the difference are not shown:\n%s", shown)
		}
	}
}

// TestG6DocumentsStayDocuments: with --json each verb writes one valid document,
// whatever the files hold.
func TestG6DocumentsStayDocuments(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	for _, text := range []string{
		hostileProject(p),
		"{\"mcpServers\":{\"bytes\":{\"command\":\"\xff\xfe\"}}}",
		`{"mcpServers":{"args":{"command":"x","args":["\ud800","\u0000"],"n":1e999,"i":9007199254740993}}}`,
		`{"mcpServers":{"args":NaN}}`, `{"mcpServers":{"args":{"command":"` + strings.Repeat("x", 900000) + `"}}}`, "\xef\xbb\xbf", "{", `[]`,
	} {
		p.write(".mcp.json", text)
		for _, args := range [][]string{{"list"}, {"show", "args"}, {"show", evilText}, {"status"}, {"approve", "--list"}, {"test", "args"}, {"test", "--all"}, {"share", "args"}, {"deny", "args"}, {"nosuch" + evilText}, {"add", "args", "--project", "--dry-run", "--", evilText}} {
			a := p.mcpctl(append([]string{"--json"}, args...)...)
			for _, stream := range []string{a.out, a.err} {
				if stream == "" {
					continue
				}
				var doc struct{ Schema int }
				if err := json.Unmarshal([]byte(stream), &doc); err != nil || doc.Schema != 1 || strings.Count(stream, "\n") != 1 {
					t.Errorf("mcpctl %q: %v\n%.300s", args, err, stream)
				}
				if strings.ToValidUTF8(stream, "") != stream {
					t.Errorf("mcpctl %q: not UTF-8", args)
				}
			}
		}
	}
}

// TestG5SecretsStayIn: a literal, a resolved variable and what a server prints of
// them appear nowhere, in no form, but in the user's own file.
func TestG5SecretsStayIn(t *testing.T) {
	p := newPlace(t)
	const secret = "cnry+9f/8e7d6c5b4a39281706f5e4d3c2b1a0="
	p.env = []string{"FROM_OUTSIDE=" + secret}
	p.write(p.userFile(), `{"mcpServers":{
		"lit":{"command":"stub-server","args":["-stderr-text","token is `+secret+`","-log-text","Authorization: Bearer `+secret+`"],"env":{"API_KEY":"`+secret+`"}},
		"var":{"command":"stub-server","args":["-stderr-text","${FROM_OUTSIDE}"],"env":{"API_KEY":"${FROM_OUTSIDE}"}},
		"fails":{"command":"sh","args":["-c","echo $API_KEY >&2; echo $API_KEY; exit 3"],"env":{"API_KEY":"`+secret+`"}},
		"web":{"url":"http://u:`+url.QueryEscape(secret)+`@127.0.0.1:9/mcp?token=`+url.QueryEscape(secret)+`","headers":{"Authorization":"Bearer `+secret+`"}}}}`)
	forms := []string{secret, base64.StdEncoding.EncodeToString([]byte(secret)), hex.EncodeToString([]byte(secret)), url.QueryEscape(secret), strings.ReplaceAll(secret, "/", `\/`)}
	sweep := func(where, text string) {
		for _, form := range forms {
			if strings.Contains(text, form) {
				t.Errorf("%s holds %q:\n%.2000s", where, form, text)
			}
		}
	}
	for _, args := range [][]string{{"list"}, {"list", "--json"}, {"show", "lit"}, {"show", "lit", "--json"}, {"show", "web"}, {"test", "--all"}, {"test", "--all", "--json"},
		{"tools"}, {"status"}, {"status", "--json"}, {"logs"}, {"logs", "--json"}, {"share", "lit"}, {"share", "web", "--json"}, {"share", "web", "--env-placeholders", "--dry-run"},
		{"add", "lit", "--replace", "--dry-run", "--", "x"}, {"remove", "lit", "--dry-run"}, {"call", "lit", "nosuch"}} {
		a := p.mcpctl(args...)
		sweep("mcpctl "+strings.Join(args, " "), a.out+a.err)
	}
	seen := false
	err := filepath.WalkDir(p.work, func(path string, d os.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() || path == p.userFile() {
			return err
		}
		data, err := os.ReadFile(path)
		sweep(path, string(data))
		seen = seen || strings.HasSuffix(path, "mcp.log") && strings.Contains(string(data), "***")
		return err
	})
	if err != nil || !seen {
		t.Errorf("no log with something hidden was found (%v); the test proves nothing", err)
	}
}
