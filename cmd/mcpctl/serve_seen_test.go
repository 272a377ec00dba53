package main

import (
	"strings"
	"testing"
)

// TestServeIsSeen: session list tells which gateways run, for whom, and how much they run,
// and starts nothing.
func TestServeIsSeen(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	type row struct {
		Kind, Owner, For string
		OwnerPid         int
		Servers, Running int
	}
	var doc struct{ Sessions []row }
	p.decode(p.exits([]int{0}, "session", "list", "--json").out, &doc)
	if len(doc.Sessions) > 0 {
		t.Fatalf("%v", doc)
	}
	p.write(p.userFile(), `{"mcpServers":{"echo":{"command":"echo-server"},"off":{"command":"echo-server","enabled":false},"gone":{"command":"/no/such"}}}`)
	c := p.rude()
	c.say(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"edi\u001b[31mtor\u202e","version":"1.2"}}}`)
	c.hears(`"serverInfo"`)
	c.say(echoCall("2", "up"))
	c.hears("up")
	p.decode(p.exits([]int{0}, "session", "list", "--json").out, &doc)
	if len(doc.Sessions) != 1 {
		t.Fatalf("%v", doc)
	}
	want := row{"connection", "mcpctl serve", `edi\x1b[31mtor\u{202e} 1.2`, c.cmd.Process.Pid, doc.Sessions[0].Servers, 1}
	if got := doc.Sessions[0]; got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	table := p.exits([]int{0}, "session", "list").out
	if !strings.Contains(table, `edi\x1b[31mtor\u{202e} 1.2`) || !strings.Contains(table, "mcpctl serve") {
		t.Error(table)
	}
	c.in.Close()
	if err := c.ends(); err != nil {
		t.Error(err)
	}
}
