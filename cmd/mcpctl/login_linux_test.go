package main

import (
	"strings"
	"testing"
)

// TestLoginAtTheTerminal: the address can be pasted where a browser was opened, too, and
// Ctrl-C ends the sign-in; nothing that acts is shown.
func TestLoginAtTheTerminal(t *testing.T) {
	p := newPlace(t)
	p.signInServer()
	p.env = append(p.env, "BROWSER=fakebrowser", "BROWSE_NOTHING=1")
	const asks = "paste here the address it ends at."
	c := p.onTerminal("login", "o")
	shown := strings.ReplaceAll(c.until(asks), "\r\n", "\n")
	c.enter(landing(t, pageLine.FindString(shown)) + "\n")
	shown, exit := c.end()
	if exit != 0 || !strings.HasSuffix(shown, "signed in; 1 tool\n") || raw(shown) != "" {
		t.Errorf("exit status %d\n%s", exit, shown)
	}
	c = p.onTerminal("login", "o", "--force")
	c.until(asks)
	c.enter("\x03")
	if shown, exit := c.end(); exit != 130 {
		t.Errorf("Ctrl-C: exit status %d\n%s", exit, shown)
	}
}
