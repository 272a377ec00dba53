package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// pipeFull is more than a pipe holds: who wrote it knows that the other end reads.
const pipeFull = 64<<10 + 4096

// TestInterruptedWhileReading: wherever a command reads stdin, an interrupt ends it
// at once, though the writer at the other end has not finished.
func TestInterruptedWhileReading(t *testing.T) {
	p := newPlace(t)
	p.write(p.userFile(), `{"mcpServers":{"web":{"url":"https://example.com/mcp"}}}`)
	for _, args := range [][]string{
		{"call", "web", "tool", "--args", "-"},
		{"call", "web", "tool", "text=@/dev/stdin"},
		{"add", "x", "--entry", "-"},
		{"add", "x", "https://example.com/mcp", "--header-stdin", "X-Key"},
		{"add", "x", "https://example.com/mcp", "--oauth-client-id", "i", "--oauth-client-secret-stdin"},
		{"update", "web", "--header-stdin", "X-Key"},
		{"apply", "-"},
		{"fingerprint", "-", "--name", "x"},
	} {
		t.Run(strings.Join(args, "_"), func(t *testing.T) {
			cmd := p.command(t.Context(), args...)
			stdin, err := cmd.StdinPipe()
			if err != nil {
				t.Fatal(err)
			}
			var out bytes.Buffer
			cmd.Stdout, cmd.Stderr = &out, &out
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			if _, err := stdin.Write(bytes.Repeat([]byte(" "), pipeFull)); err != nil {
				t.Fatalf("%v: %s", err, out.String())
			}
			wantInterrupted(t, cmd)
			_ = stdin.Close()
			if got := cmd.ProcessState.ExitCode(); got != 130 {
				t.Errorf("exit status %d\n%s", got, out.String())
			}
		})
	}
	if text := read(t, p.userFile()); strings.Contains(text, `"x"`) {
		t.Errorf("something was written:\n%s", text)
	}
}

// wantInterrupted sends SIGINT and waits for the end, but not for ever.
func wantInterrupted(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	if err := cmd.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	wantEnd(t, cmd)
}

// wantEnd waits for a command's end, within patience.
func wantEnd(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	select {
	case <-ended:
	case <-time.After(patience):
		_ = cmd.Process.Kill()
		<-ended
		t.Error("it does not end")
	}
}

// TestInterruptedTests: what was found out before the interrupt is printed.
func TestInterruptedTests(t *testing.T) {
	p := newPlace(t)
	mark := filepath.Join(p.work, "started")
	p.write(p.userFile(), `{"mcpServers":{"slow":{"command":"sh","args":["-c","echo >`+mark+`; sleep 600"]}}}`)
	p.write(".mcp.json", `{"mcpServers":{"theirs":{"command":"echo-server"}}}`)
	for _, args := range [][]string{{"test", "slow", "theirs"}, {"test", "slow", "theirs", "--json"}} {
		_ = os.Remove(mark)
		cmd := p.command(t.Context(), args...)
		var out, stderr bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &stderr
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		if err := until(func() error { _, err := os.Stat(mark); return err }); err != nil {
			t.Error(err)
		}
		wantInterrupted(t, cmd)
		if got := cmd.ProcessState.ExitCode(); got != 130 || !strings.Contains(stderr.String(), "interrupted") {
			t.Errorf("exit status %d\n%s", got, stderr.String())
		}
		if !strings.Contains(out.String(), "theirs") || !strings.Contains(out.String(), "NOT_APPROVED") || strings.Contains(out.String(), "slow") {
			t.Errorf("mcpctl %q printed:\n%s", args, out.String())
		}
	}
}

// TestReaderGone: what writes as things happen ends when nobody reads it any more,
// also while nothing happens.
func TestReaderGone(t *testing.T) {
	p := newPlace(t)
	p.write(p.userFile(), `{"mcpServers":{"off":{"command":"echo-server","enabled":false}}}`)
	p.exits([]int{0}, "supervisor", "start") // makes a line of log
	for _, args := range [][]string{{"status", "--watch"}, {"status", "--watch", "--json"}, {"logs", "-f", "-n", "1"}, {"logs", "-f", "-n", "1", "--json"}} {
		reader, writer, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		cmd := p.command(t.Context(), args...)
		var stderr bytes.Buffer
		cmd.Stdout, cmd.Stderr = writer, &stderr
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		_ = writer.Close()
		if n, err := reader.Read(make([]byte, 1)); n != 1 {
			t.Errorf("mcpctl %q wrote nothing: %v %s", args, err, stderr.String())
		}
		_ = reader.Close()
		wantEnd(t, cmd)
		if got := cmd.ProcessState.ExitCode(); got != 0 || stderr.Len() > 0 {
			t.Errorf("mcpctl %q: exit status %d\n%s", args, got, stderr.String())
		}
	}
}
