package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// B019: many processes add servers to one file at once. None is lost, no other
// byte is, and whoever reads meanwhile finds a whole document every time.
func TestParallelAdds(t *testing.T) {
	const writers, each = 20, 10
	home := t.TempDir()
	file := filepath.Join(home, ".config/mcp/mcp.json")
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(`{ "keep": "me", "mcpServers": {} }`), 0o600); err != nil {
		t.Fatal(err)
	}
	env := []string{"HOME=" + home, "PATH=" + os.Getenv("PATH"), "GORACE=atexit_sleep_ms=0"}

	stop := make(chan struct{})
	read := make(chan int)
	go func() { read <- readUntil(t, file, stop) }()
	var wg sync.WaitGroup
	for w := range writers {
		wg.Go(func() {
			for i := range each {
				cmd := exec.Command("mcpctl", "add", fmt.Sprintf("s%d-%d", w, i), "--", "sh")
				cmd.Dir, cmd.Env = home, env
				if out, err := cmd.CombinedOutput(); err != nil || len(out) > 0 {
					t.Errorf("add s%d-%d: %v: %s", w, i, err, out)
				}
			}
		})
	}
	wg.Wait()
	close(stop)
	if n := <-read; n < writers {
		t.Errorf("the file was read only %d times while it was written", n)
	}

	doc := parseFile(t, file)
	if doc.Keep != "me" {
		t.Errorf("another key was lost")
	}
	if len(doc.Servers) != writers*each {
		t.Errorf("%d servers are there, want %d", len(doc.Servers), writers*each)
	}
	entries, err := os.ReadDir(filepath.Dir(file))
	if err != nil || len(entries) != 1 {
		t.Errorf("beside the file lie %v (%v)", entries, err)
	}
}

type serversFile struct {
	Keep    string                     `json:"keep"`
	Servers map[string]json.RawMessage `json:"mcpServers"`
}

func parseFile(t *testing.T, file string) (doc serversFile) {
	t.Helper()
	data, err := os.ReadFile(file)
	if err == nil {
		err = json.Unmarshal(data, &doc)
	}
	if err != nil {
		t.Errorf("%v, in:\n%s", err, data)
	}
	return doc
}

// readUntil reads the file over and over. It must parse each time and never have
// fewer servers than the time before. It returns how often it was read.
func readUntil(t *testing.T, file string, stop <-chan struct{}) int {
	last := 0
	pace := time.NewTicker(time.Millisecond) // the writers need the processors, too
	defer pace.Stop()
	for n := 0; ; n++ {
		select {
		case <-stop:
			return n
		case <-pace.C:
		}
		doc := parseFile(t, file)
		if len(doc.Servers) < last || doc.Keep != "me" || t.Failed() {
			t.Errorf("a reader found %d servers after it had found %d", len(doc.Servers), last)
			return n
		}
		last = len(doc.Servers)
	}
}

// The same while others remove: what is added and not removed is there, and a
// writer that loses a race says so by its code and not by a lost entry.
func TestParallelAddsAndRemoves(t *testing.T) {
	const workers, rounds = 8, 5
	home := t.TempDir()
	env := []string{"HOME=" + home, "PATH=" + os.Getenv("PATH"), "GORACE=atexit_sleep_ms=0"}
	run := func(args ...string) int {
		cmd := exec.Command("mcpctl", args...)
		cmd.Dir, cmd.Env = home, env
		_ = cmd.Run()
		return cmd.ProcessState.ExitCode()
	}
	var won, lost int
	var mu sync.Mutex
	var wg sync.WaitGroup
	for w := range workers {
		wg.Go(func() {
			for i := range rounds {
				name := fmt.Sprintf("own%d-%d", w, i)
				added := run("add", name, "--", "sh")
				contested := run("add", fmt.Sprintf("same%d", i), "--", "sh", fmt.Sprint(w))
				removed := run("remove", name)
				mu.Lock()
				switch contested {
				case 0:
					won++
				case 15: // MCP_NAME_TAKEN
					lost++
				default:
					t.Errorf("the contested add exits with %d", contested)
				}
				if added != 0 || removed != 0 {
					t.Errorf("%s: add %d, remove %d", name, added, removed)
				}
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	doc := parseFile(t, filepath.Join(home, ".config/mcp/mcp.json"))
	var names []string
	for name := range doc.Servers {
		names = append(names, name)
	}
	if won != rounds || lost != rounds*(workers-1) || len(names) != rounds || strings.Contains(strings.Join(names, " "), "own") {
		t.Errorf("%d adds won and %d lost; there are %v", won, lost, names)
	}
}
