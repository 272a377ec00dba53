package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/internal/engine/wire"
)

// listening are the TCP sockets that a process listens on, by the kernel's table
// (proc_net_tcp(5)).
func listening(t *testing.T, pid int) (found []string) {
	t.Helper()
	const listen, state, inode = "0A", 3, 9
	own := map[string]bool{}
	links, err := filepath.Glob(fmt.Sprintf("/proc/%d/fd/*", pid))
	if err != nil || len(links) == 0 {
		t.Fatalf("process %d has no descriptors: %v", pid, err)
	}
	for _, link := range links {
		name, _ := os.Readlink(link)
		own[strings.TrimSuffix(strings.TrimPrefix(name, "socket:["), "]")] = true
	}
	for _, table := range []string{"/proc/net/tcp", "/proc/net/tcp6"} {
		data, err := os.ReadFile(table)
		if err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(data)) {
			if f := strings.Fields(line); len(f) > inode && f[state] == listen && own[f[inode]] {
				found = append(found, f[1])
			}
		}
	}
	return found
}

// TestD6NoListener: a supervisor with servers that want a sign-in, or have one, listens
// on no port.
func TestD6NoListener(t *testing.T) {
	g := guardedBy(t)
	if len(listening(t, os.Getpid())) == 0 {
		t.Fatal("the test's own server is not found")
	}
	pid := g.info("start").PID
	g.is("o", wire.NeedsSignIn)
	if found := listening(t, pid); len(found) != 0 {
		t.Errorf("it listens on %v", found)
	}
	g.signs("sign-in", "o")
	g.is("o", wire.Connected)
	if found := listening(t, pid); len(found) != 0 {
		t.Errorf("it listens on %v", found)
	}
}
