package main

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
)

// TestServeOddIDs: an id that cannot be answered as it is, is refused under itself, and
// nothing else is answered in its place.
func TestServeOddIDs(t *testing.T) {
	t.Parallel()
	p, s := echoing(t)
	stdio := p.rude().hello("2025-11-25")
	_, _, header := s.post(t, helloMessage, func(*http.Request) {})
	in := func(r *http.Request) { r.Header.Set("Mcp-Session-Id", header.Get("Mcp-Session-Id")) }
	for id, answered := range map[string]bool{
		"0": true, "-1": true, `""`: true, `"0"`: true, "9007199254740991": true, "-9007199254740991": true, "1000": true,
		"1.5": false, "null": false, "9007199254740993": false, "1180591620717411303424": false, "-12345678901234567890": false, "1e400": false, "true": false, "[1]": false, "{}": false,
	} {
		want := `"id":` + id + `,"result"`
		switch {
		case strings.ContainsAny(id, "[{u"): // no type that an answer's id may have
			want = `"id":null,"error":{"code":-32600`
		case !answered:
			want = `"id":` + id + `,"error":{"code":-32600`
		}
		stdio.say(echoCall(id, "the text"))
		stdio.hears(want)
		status, answer, _ := s.post(t, echoCall(id, "the text"), in)
		if !strings.Contains(answer, want) || !answered && status != http.StatusBadRequest {
			t.Errorf("%s: %d %.200s", id, status, answer)
		}
	}
	old := p.rude().hello("2025-03-26")
	old.say("[" + echoCall("1", "one") + "," + echoCall("2.5", "two") + "]")
	old.hears(`"id":null,"error":{"code":-32600`)
	for _, c := range []*rudeClient{stdio, old} {
		c.say(echoCall("7", "still"))
		c.hears(`"id":7`, "still")
	}
}

// TestServeAsksAsAgreed: a client that begins with a version that is not spoken in
// sessions is asked as the version has it that was agreed on.
func TestServeAsksAsAgreed(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.write(p.userFile(), `{"mcpServers":{"a":{"command":"stub-server","args":["-tools","x","-elicit","form"]}}}`)
	for i, version := range []string{"2026-07-28", "9999-01-01"} {
		c := p.rude()
		c.say(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"` + version + `","capabilities":{"elicitation":{}},"clientInfo":{"name":"x","version":"1"}}}`)
		c.hears(`"protocolVersion":"2025-11-25"`)
		c.say(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
		c.say(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"a__x","arguments":{}}}`, 10+i))
		c.lines.Scan()
		if line := c.lines.Text(); !strings.Contains(line, `"elicitation/create"`) {
			t.Errorf("%s: %s", version, line)
		}
	}
}
