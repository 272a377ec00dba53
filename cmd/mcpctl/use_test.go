package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestInterruptedCall: an interrupt ends a call with 130, the server is told, and of
// one that was started for the command alone nothing is left.
func TestInterruptedCall(t *testing.T) {
	p := newPlace(t)
	record, ends := filepath.Join(p.work, "record"), filepath.Join(p.work, "ends")
	p.write(p.userFile(), `{"mcpServers":{"s":{"command":"stub-server","args":["-record","`+record+`","-mark-end","`+ends+`","-hang","tools/call"]}}}`)
	for i, args := range [][]string{{"call", "s", "echo"}, {"call", "s", "echo", "--direct", "--json"}} {
		cmd := p.command(t.Context(), args...)
		var out, stderr bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &stderr
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		if err := until(func() error { return recurs(record, `"tools/call"`, i+1) }); err != nil {
			t.Fatal(err)
		}
		wantInterrupted(t, cmd)
		if got := cmd.ProcessState.ExitCode(); got != 130 || out.Len() > 0 {
			t.Errorf("mcpctl %q: exit status %d\n%s%s", args, got, out.String(), stderr.String())
		}
		if err := until(func() error { return recurs(record, "notifications/cancelled", i+1) }); err != nil {
			t.Errorf("mcpctl %q: the server was not told: %v", args, err)
		}
	}
	if err := until(func() error { return recurs(ends, "\n", 1) }); err != nil {
		t.Errorf("the server of --direct did not end: %v", err)
	}
}

// serverText is what a hostile server says of itself, in every place there is.
const serverText = `t\u001b[2J\u001b]0;x\u0007\r\u007f\u009b2J\u202e\u2066\u200b\ufeff\u2028end`

// TestServersWordsAreText: whatever a server calls its tools, arguments, resources and
// prompts, and whatever it answers, nothing of it acts on a terminal or in a shell.
func TestServersWordsAreText(t *testing.T) {
	p := newPlace(t)
	e := serverText
	schema := strings.ReplaceAll(`{"type":"object","required":["`+e+`"],"properties":{"`+e+`":{"type":"string","description":"`+e+`","default":"`+e+`","enum":["`+e+`","$(touch PWNED)"]},"\u0060touch PWNED\u0060":{}}}`, `\`, `\\`)
	plain := strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace
	p.write(p.userFile(), `{"mcpServers":{"s":{"command":"stub-server","args":[
		"-tools","fine,$(touch PWNED),t;touch PWNED","-description","`+e+`","-schema","`+strings.ReplaceAll(schema, `"`, `\"`)+`",
		"-resources","x://$(touch PWNED),x://`+e+`","-templates","x://{`+e+`}","-prompts","`+e+`,$(touch PWNED)","-complete","`+e+`",
		"-raw-result","`+plain(`{"content":[{"type":"resource_link","uri":"`+e+`","name":"`+e+`","mimeType":"`+e+`","description":"`+e+`"},{"type":"image","mimeType":"`+e+`","data":"x"},{"type":"`+e+`"}]}`)+`"]}}}`)
	for _, args := range [][]string{{"tools"}, {"tools", "s", "fine"}, {"tools", "s", "--schema", "--direct"}, {"resources"}, {"prompts"},
		{"call", "s", "fine"}, {"call", "s", "fine", "x=1"}, {"call", "s", "fine", "--no-check"}, {"call", "s", "fine", "--no-check", "--direct"},
		{"complete", "s", "prompt:x", "y="}, {"read", "s", "x://nothing"}, {"prompt", "s", "nothing"}} {
		a := p.mcpctl(args...)
		if a.out+a.err == "" {
			t.Errorf("mcpctl %q says nothing; it proves nothing", args)
		}
		shown := a.out + a.err
		if args[0] == "call" || args[0] == "complete" {
			shown = a.err // what a tool answers passes unchanged to a pipe
		}
		if bad := raw(shown); bad != "" {
			t.Errorf("mcpctl %q sent raw %s:\n%q", args, bad, shown)
		}
	}
	p.exits([]int{0}, "supervisor", "stop")
	for _, args := range [][]string{{"call", "s", ""}, {"tools", "s", ""}, {"call", "s", "fine", ""}, {"read", "s", ""}, {"prompt", "s", ""}, {"complete", "s", ""}} {
		a := p.mcpctl(append([]string{"__complete"}, args...)...)
		for line := range strings.Lines(a.out) {
			word, _, _ := strings.Cut(line, "\t") // what is behind is shown and not typed
			if bad := raw(line); bad != "" || strings.ContainsAny(word, "$`;()") {
				t.Errorf("mcpctl __complete %q gave a shell:\n%q (%s)", args, a.out, bad)
			}
		}
	}
	p.notPwned()
}

// recurs wants a text to stand in a file so many times.
func recurs(file, text string, times int) error {
	data, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	if n := strings.Count(string(data), text); n < times {
		return &os.PathError{Op: "wait for " + text + " in", Path: file, Err: os.ErrNotExist}
	}
	return nil
}
