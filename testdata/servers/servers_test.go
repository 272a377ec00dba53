// Package servers_test proves that the test servers do what the tests of
// mcpctl rely on.
package servers_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/mcpctl/mcpctl/testdata/servers/crash"
	"github.com/mcpctl/mcpctl/testdata/servers/echo"
	"github.com/mcpctl/mcpctl/testdata/servers/http"
	"github.com/mcpctl/mcpctl/testdata/servers/noisy"
	"github.com/mcpctl/mcpctl/testdata/servers/oauth"
	"github.com/mcpctl/mcpctl/testdata/servers/rude"
	"github.com/mcpctl/mcpctl/testdata/servers/slow"
	"github.com/mcpctl/mcpctl/testdata/servers/stub"
)

func TestMain(m *testing.M) {
	// With -race a process sleeps for a second before it ends, unless told not to.
	os.Setenv("GORACE", "atexit_sleep_ms=0")
	testscript.Main(m, map[string]func(){
		"echo-server":  echo.Main,
		"stub-server":  stub.Main,
		"slow-server":  slow.Main,
		"crash-server": crash.Main,
		"noisy-server": noisy.Main,
		"http-server":  http.Main,
		"rude-server":  rude.Main,
		"oauth-server": oauth.Main,
		"fakebrowser":  oauth.Browse,
	})
}

// patience bounds every wait for a server; none of them needs a tenth of it.
const patience = time.Minute

// peer is one running server.
type peer struct {
	t      *testing.T
	cmd    *exec.Cmd
	in     io.WriteCloser
	lines  chan string // of its standard output, closed at the end of it
	other  []string    // lines that were no answer
	stderr bytes.Buffer
	id     int
}

func start(t *testing.T, name string, args ...string) *peer {
	t.Helper()
	p := &peer{t: t, cmd: exec.Command(name, args...), lines: make(chan string, 100)}
	p.cmd.Dir = t.TempDir()
	p.cmd.Stderr = &p.stderr
	p.cmd.WaitDelay = time.Second // a grandchild may hold the pipes
	var err error
	if p.in, err = p.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() { // ends with the server
		defer close(p.lines)
		r := bufio.NewReader(out)
		for {
			line, err := r.ReadString('\n')
			if err != nil {
				return
			}
			p.lines <- strings.TrimSuffix(line, "\n")
		}
	}()
	t.Cleanup(func() {
		p.cmd.Process.Kill()
		p.cmd.Wait()
	})
	return p
}

// reply is an answer, with its result taken apart as far as the tests look.
type reply struct {
	ID     json.RawMessage `json:"id"`
	Result json.RawMessage `json:"result"`
	Error  *struct {
		Code int `json:"code"`
	} `json:"error"`
	line string
}

func (p *peer) send(message string) {
	p.t.Helper()
	if _, err := io.WriteString(p.in, message+"\n"); err != nil {
		p.t.Fatal(err)
	}
}

// request sends a request and returns its id.
func (p *peer) request(method, params string) string {
	p.t.Helper()
	p.id++
	id := fmt.Sprint(p.id)
	p.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":%q,"params":%s}`, id, method, params))
	return id
}

// next reads one line of standard output; false at its end.
func (p *peer) next() (string, bool) {
	p.t.Helper()
	select {
	case line, ok := <-p.lines:
		return line, ok
	case <-time.After(patience):
		p.t.Fatalf("%s said nothing; stderr: %s", p.cmd, &p.stderr)
		return "", false
	}
}

// answer reads up to the answer to the request.
func (p *peer) answer(id string) reply {
	p.t.Helper()
	for {
		line, ok := p.next()
		if !ok {
			p.t.Fatalf("%s closed its output; stderr: %s", p.cmd, &p.stderr)
		}
		r := reply{line: line}
		if json.Unmarshal([]byte(line), &r) == nil && string(r.ID) == id {
			return r
		}
		p.other = append(p.other, line)
	}
}

func (p *peer) call(method, params string) reply {
	p.t.Helper()
	return p.answer(p.request(method, params))
}

const helloParams = `{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"test","version":"1"}}`

// hello does the handshake.
func (p *peer) hello() reply {
	p.t.Helper()
	r := p.call("initialize", helloParams)
	p.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	return r
}

// tools lists the names on one page and returns the cursor as it stands in the
// answer, "" if there is none.
func (p *peer) tools(cursor string) (names []string, next string) {
	p.t.Helper()
	params := "{}"
	if cursor != "" {
		params = `{"cursor":` + cursor + `}`
	}
	var page struct {
		Tools []struct {
			Name string `json:"name"`
		} `json:"tools"`
		NextCursor json.RawMessage `json:"nextCursor"`
	}
	p.decode(p.call("tools/list", params), &page)
	for _, tool := range page.Tools {
		names = append(names, tool.Name)
	}
	return names, string(page.NextCursor)
}

// callTool returns the text of the result and whether it is an error.
func (p *peer) callTool(name, arguments string) (text string, isError bool) {
	p.t.Helper()
	var result struct {
		Content []struct {
			Text string `json:"text"`
		} `json:"content"`
		IsError bool `json:"isError"`
	}
	p.decode(p.call("tools/call", fmt.Sprintf(`{"name":%q,"arguments":%s}`, name, arguments)), &result)
	if len(result.Content) != 1 {
		p.t.Fatalf("tool %s: %d contents", name, len(result.Content))
	}
	return result.Content[0].Text, result.IsError
}

func (p *peer) decode(r reply, into any) {
	p.t.Helper()
	if r.Error != nil {
		p.t.Fatalf("an error: %s", r.line)
	}
	if err := json.Unmarshal(r.Result, into); err != nil {
		p.t.Fatalf("%v: %s", err, r.line)
	}
}

// wait returns the state in which the server ended, by itself.
func (p *peer) wait() *os.ProcessState {
	p.t.Helper()
	timer := time.AfterFunc(patience, func() { p.cmd.Process.Kill() })
	for range p.lines { // Wait must not close the pipe before all is read
	}
	err := p.cmd.Wait()
	if !timer.Stop() {
		p.t.Fatalf("%s did not end", p.cmd)
	}
	if exit := new(exec.ExitError); err != nil && !errors.As(err, &exit) {
		p.t.Fatal(err)
	}
	return p.cmd.ProcessState
}

// end closes standard input and expects the server to leave with status 0.
func (p *peer) end() {
	p.t.Helper()
	p.in.Close()
	if code := p.wait().ExitCode(); code != 0 {
		p.t.Errorf("%s left with status %d; stderr: %s", p.cmd, code, &p.stderr)
	}
}

// read returns the lines of a file that a server wrote.
func read(t *testing.T, path string) []string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSuffix(string(b), "\n"), "\n")
}

func TestHandshake(t *testing.T) {
	for _, name := range []string{"echo-server", "stub-server", "slow-server", "noisy-server"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := start(t, name)
			r := p.hello()
			if !strings.Contains(string(r.Result), `"protocolVersion":"2025-06-18"`) {
				t.Errorf("initialize: %s", r.line)
			}
			if names, next := p.tools(""); !slices.Contains(names, "echo") || next != "" {
				t.Errorf("tools/list: %q, next %s", names, next)
			}
			if text, isError := p.callTool("echo", `{"text":"<hi>"}`); !strings.Contains(text, "<hi>") || isError {
				t.Errorf("tools/call: %q, error %t", text, isError)
			}
			p.end()
		})
	}
}

func TestMarks(t *testing.T) {
	for _, name := range []string{"echo-server", "stub-server"} {
		t.Run(name, func(t *testing.T) {
			started := filepath.Join(t.TempDir(), "started")
			ended := filepath.Join(t.TempDir(), "ended")
			p := start(t, name, "-mark", started, "-mark-end", ended)
			p.hello()
			p.end()
			var s struct {
				PID, PPID int
				Args      []string
				Cwd       string
			}
			if err := json.Unmarshal([]byte(read(t, started)[0]), &s); err != nil {
				t.Fatal(err)
			}
			if s.PID != p.cmd.Process.Pid || s.PPID != os.Getpid() || len(s.Args) != 4 || !sameDir(s.Cwd, p.cmd.Dir) {
				t.Errorf("start: %+v", s)
			}

			p = start(t, name, "-mark-end", ended)
			p.hello()
			p.cmd.Process.Signal(term)
			if code := p.wait().ExitCode(); code != 143 {
				t.Errorf("status %d after SIGTERM", code)
			}
			for i, want := range []string{`"end":"eof"`, `"end":"term"`} {
				if line := read(t, ended)[i]; !strings.Contains(line, want) {
					t.Errorf("end: %s, want %s", line, want)
				}
			}
		})
	}
}

// sameDir compares the folders, not the paths: one may go through a link.
func sameDir(a, b string) bool {
	x, errX := os.Stat(a)
	y, errY := os.Stat(b)
	return errX == nil && errY == nil && os.SameFile(x, y)
}
