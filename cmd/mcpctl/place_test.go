package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// place is a home, a project and a runtime directory for one test of the binary.
type place struct {
	t                     *testing.T
	work, home, repo, run string
	env                   []string // beside the usual
}

// answer is what one command gave back.
type answer struct {
	out, err string
	exit     int
	rss      int64 // KiB at most
}

func newPlace(t *testing.T) *place {
	t.Helper()
	work, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	run, err := os.MkdirTemp("/tmp", "m") // a socket's path must be short
	if err != nil {
		t.Fatal(err)
	}
	p := &place{t: t, work: work, home: filepath.Join(work, "home"), repo: filepath.Join(work, "repo"), run: run}
	for _, dir := range []string{p.home, p.repo, filepath.Join(work, "tmp")} {
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() {
		p.mcpctl("supervisor", "stop")
		// What was opened and not waited for, such as a browser, may be about to end.
		var left []int
		_ = until(func() error {
			if left = leftovers(p.work); len(left) > 0 {
				return errors.New("processes are left")
			}
			return nil
		})
		for _, pid := range left {
			t.Errorf("process %d was left running: %s", pid, commandLine(pid))
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
		_ = os.RemoveAll(run)
	})
	return p
}

func (p *place) userFile() string { return filepath.Join(p.home, ".config/mcp/mcp.json") }

func (p *place) write(path, text string) string {
	p.t.Helper()
	if !filepath.IsAbs(path) {
		path = filepath.Join(p.repo, path)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		p.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		p.t.Fatal(err)
	}
	return path
}

// pwn is the entry of an attacker: run, it leaves a mark.
func (p *place) pwn() string {
	return `{"command":"/bin/sh","args":["-c","echo x >>` + p.work + `/PWNED; sleep 60"]}`
}

func (p *place) notPwned() {
	p.t.Helper()
	if _, err := os.Stat(filepath.Join(p.work, "PWNED")); err == nil {
		p.t.Fatal("the project's command ran")
	}
}

// command is mcpctl in the project, not started yet.
func (p *place) command(ctx context.Context, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, "mcpctl", args...)
	cmd.Dir = p.repo
	cmd.Env = append([]string{"HOME=" + p.home, "XDG_RUNTIME_DIR=" + p.run, "TMPDIR=" + filepath.Join(p.work, "tmp"),
		"PATH=" + os.Getenv("PATH"), "PWD=" + p.repo, "GORACE=atexit_sleep_ms=0"}, p.env...)
	return cmd
}

// mcpctl runs a command to its end, which must come within patience.
func (p *place) mcpctl(args ...string) answer {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	cmd := p.command(ctx, args...)
	var out, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &stderr
	forgetPeak()
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) || ctx.Err() != nil {
		p.t.Fatalf("mcpctl %q: %v\n%s%s", args, err, out.String(), stderr.String())
	}
	a := answer{out: out.String(), err: stderr.String(), exit: cmd.ProcessState.ExitCode()}
	if usage, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage); ok && runtime.GOOS == "linux" { // elsewhere it counts bytes
		a.rss = usage.Maxrss
	}
	return a
}

// forgetPeak lets a child's peak begin at what this process holds now: on Linux it
// inherits its parent's, which earlier tests may have driven up.
func forgetPeak() {
	debug.FreeOSMemory()
	_ = os.WriteFile("/proc/self/clear_refs", []byte("5"), 0) // elsewhere there is no such file, nor the need
}

// exits wants a command to end with one of these numbers.
func (p *place) exits(codes []int, args ...string) answer {
	p.t.Helper()
	a := p.mcpctl(args...)
	if !slices.Contains(codes, a.exit) {
		p.t.Errorf("mcpctl %q: exit status %d, want %v\n%s%s", args, a.exit, codes, a.out, a.err)
	}
	return a
}

// approve gives the user's word by fingerprint, and the entry's approval.
func (p *place) approve(name string) {
	p.t.Helper()
	p.exits([]int{0}, "approve", name, "--fingerprint", p.listed(name)["fingerprint"].(string))
}

// listed is the row of a project entry in approve --list.
func (p *place) listed(name string) map[string]any {
	p.t.Helper()
	var doc struct{ Servers []map[string]any }
	p.decode(p.exits([]int{0}, "approve", "--list", "--json").out, &doc)
	for _, row := range doc.Servers {
		if row["name"] == name {
			return row
		}
	}
	p.t.Fatalf("%s is not listed", name)
	return nil
}

func (p *place) decode(text string, v any) {
	p.t.Helper()
	if err := json.Unmarshal([]byte(text), v); err != nil {
		p.t.Fatalf("%v in:\n%s", err, text)
	}
}

// tree is every file and folder outside the state directory, with its contents.
func (p *place) tree() string {
	p.t.Helper()
	var b strings.Builder
	err := filepath.WalkDir(p.work, func(path string, d os.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case path == filepath.Join(p.home, ".local"):
			return filepath.SkipDir
		}
		b.WriteString(d.Type().String() + " " + path)
		if d.Type().IsRegular() {
			data, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			b.Write(data)
		}
		b.WriteByte('\n')
		return nil
	})
	if err != nil {
		p.t.Fatal(err)
	}
	return b.String()
}

func mkfifo(t *testing.T, path string) {
	t.Helper()
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
}

// quote is text as a JSON string.
func quote(t *testing.T, text string) string {
	t.Helper()
	data, err := json.Marshal(text)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
