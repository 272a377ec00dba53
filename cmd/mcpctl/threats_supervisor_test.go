package main

import (
	"context"
	"encoding/json"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/mcpctl/mcpctl/internal/engine/wire"
)

// TestD8NothingOutside: in its whole life, with servers that come, are called, change
// and go, the supervisor makes no file outside its state and its socket's directory,
// and none that others may read, whatever the umask.
func TestD8NothingOutside(t *testing.T) {
	strace, err := exec.LookPath("strace")
	if err != nil {
		t.Skip("strace is not installed, so system calls cannot be recorded")
	}
	mcpctl, err := exec.LookPath("mcpctl")
	if err != nil {
		t.Fatal(err)
	}
	p := newPlace(t)
	p.write(p.userFile(), `{"mcpServers":{"a":{"command":"stub-server","args":["-stderr-text","x"]},"b":{"command":"stub-server","args":["-exit","1"]}}}`)
	trace := filepath.Join(p.work, "trace")
	old := syscall.Umask(0)
	run := p.command(context.Background())
	run.Path = strace
	run.Args = []string{strace, "-f", "-qq", "-y", "-e", "trace=open,openat,creat,mkdir,mkdirat,rename,renameat,renameat2,symlink,symlinkat,link,linkat,bind,mknod,mknodat", "-o", trace, mcpctl, "supervisor", "run"}
	err = run.Start()
	syscall.Umask(old)
	if err != nil {
		t.Fatal(err)
	}
	defer run.Wait()
	if err := until(func() error {
		return exec.Command("test", "-S", filepath.Join(p.run, "mcpctl", "supervisor-1.sock")).Run()
	}); err != nil {
		t.Fatal(err)
	}
	p.exits([]int{0}, "call", "a", "echo", "x=1")
	p.exits([]int{1}, "tools")
	p.exits([]int{0}, "update", "a", "--timeout", "5s")
	p.exits([]int{0}, "call", "a", "echo", `x="</etc/passwd>"`)
	p.exits([]int{0}, "reconnect", "a")
	p.exits([]int{0}, "supervisor", "stop")
	_ = run.Wait()
	record, err := os.ReadFile(trace)
	if err != nil {
		t.Fatal(err)
	}
	state, place := filepath.Join(p.home, ".local"), filepath.Join(p.run, "mcpctl")
	seen := 0
	for _, line := range writing.FindAllString(string(record), -1) {
		switch {
		case strings.Contains(line, `"`+state) || strings.Contains(line, "<"+state) || strings.Contains(line, `"`+place):
			seen++
		case strings.Contains(line, `"/dev/null"`):
		default:
			t.Errorf("outside: %s", line)
		}
	}
	if seen == 0 {
		t.Errorf("not even its own files were seen; the trace proves nothing:\n%s", record)
	}
	for _, dir := range []string{state, place} {
		err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			if info, err := d.Info(); err == nil && path != state && info.Mode().Perm()&0o077 != 0 {
				t.Errorf("%s has mode %v", path, info.Mode())
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
	}
	if left := filesIn(t, filepath.Join(p.work, "tmp")); len(left) > 0 {
		t.Errorf("in the temporary directory there are %v", left)
	}
}

// TestD9NoCore: not even a supervisor that dies of SIGABRT leaves its memory in a
// file, where the system would write one.
func TestD9NoCore(t *testing.T) {
	p := newPlace(t)
	const canary = "cnry-0123456789abcdef0123456789"
	p.env = append(p.env, "TOKEN="+canary)
	p.write(p.userFile(), `{"mcpServers":{"a":{"command":"stub-server","env":{"TOKEN":"${TOKEN}"}}}}`)
	limit := p.command(t.Context(), "supervisor", "start", "--json")
	limit.Args = []string{"sh", "-c", `ulimit -c unlimited; exec mcpctl supervisor start --json`}
	var err error
	if limit.Path, err = exec.LookPath("sh"); err != nil {
		t.Fatal(err)
	}
	out, err := limit.Output()
	var info wire.Info
	if err != nil || json.Unmarshal(out, &info) != nil {
		t.Fatal(err, string(out))
	}
	p.connected(1)
	if err := syscall.Kill(info.PID, syscall.SIGABRT); err != nil {
		t.Fatal(err)
	}
	gone(t, info.PID)
	for _, dir := range []string{p.work, p.run, "/"} { // it works in the last
		names, err := filepath.Glob(filepath.Join(dir, "core*"))
		if err != nil || len(names) > 0 {
			t.Errorf("%v, %v", names, err)
		}
	}
	err = filepath.WalkDir(p.work, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		data, err := os.ReadFile(path)
		if strings.Contains(string(data), canary) {
			t.Errorf("%s holds the secret", path)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}
