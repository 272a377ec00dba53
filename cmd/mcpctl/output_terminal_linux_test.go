package main

import (
	"regexp"
	"strings"
	"testing"
)

// TestOutputOnTerminal: at a terminal `call` shows the two ends of a long text and
// the command for the rest, which `output` prints whole; neither sends anything but
// text (G1), and --raw is refused.
func TestOutputOnTerminal(t *testing.T) {
	p := newPlace(t)
	p.write(p.userFile(), `{"mcpServers":{"s":{"command":"stub-server"}}}`)
	const unit = `unit:="\u001b[2J\u202e😀\u0007"`
	shown, exit := p.onTerminal("call", "s", "echo", "bytes:=30000", unit).end()
	if bad := raw(shown); exit != 0 || bad != "" {
		t.Errorf("exit status %d, raw %s", exit, bad)
	}
	m := regexp.MustCompile(`(?m)^\[\.\.\. (\d+) characters are left out here; the whole text: mcpctl (output [a-z0-9]{26})\]$`).FindStringSubmatch(shown)
	if m == nil {
		t.Fatalf("it does not say how the rest can be had:\n%.300s", shown)
	}
	if n := strings.Count(shown, "😀"); n < 20<<10/12-2 || n > 20<<10/12 {
		t.Errorf("%d of the characters are shown", n)
	}
	shown, exit = p.onTerminal(strings.Fields(m[2])...).end()
	if bad := raw(shown); exit != 0 || bad != "" || strings.Count(shown, `\x1b[2J\u{202e}😀\x07`) != 30000/12 {
		t.Errorf("exit status %d, raw %s, %d bytes", exit, bad, len(shown))
	}
	if shown, exit = p.onTerminal("call", "s", "echo", "bytes:=20480").end(); exit != 0 || shown != strings.Repeat("x", 20480)+"\n" {
		t.Errorf("exactly at the limit: exit status %d, %d bytes", exit, len(shown))
	}
	if shown, exit = p.onTerminal("call", "s", "echo", "bytes:=30000", "--cut=never").end(); exit != 0 || shown != strings.Repeat("x", 30000)+"\n" {
		t.Errorf("--cut=never: exit status %d, %d bytes", exit, len(shown))
	}
	for _, args := range [][]string{{"output", "--raw"}, {"call", "s", "echo", "--raw"}} {
		if _, exit := p.onTerminal(args...).end(); exit != 129 {
			t.Errorf("%q on a terminal: exit status %d", args, exit)
		}
	}
	if shown, _ := p.onTerminal("output", "--list").end(); raw(shown) != "" || strings.Count(shown, "\n") != 4 {
		t.Errorf("the list: %q", shown)
	}
}
