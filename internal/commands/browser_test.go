package commands

import (
	"slices"
	"testing"

	"github.com/mcpctl/mcpctl/internal/store"
)

// TestE1ArgumentVector: the page is one argument, whatever is in it, and BROWSER is
// words, not a shell line.
func TestE1ArgumentVector(t *testing.T) {
	const page = "https://a.example/?a=$(touch x)&b=`x`;c d"
	for browser, want := range map[string][]string{
		"firefox":                {"firefox", page},
		"firefox --new-window":   {"firefox", "--new-window", page},
		"w3m %s -dump":           {"w3m", page, "-dump"},
		"open-it --url=%s":       {"open-it", "--url=" + page},
		"%s":                     {"%s", page},
		"a; rm -rf $HOME && b |": {"a;", "rm", "-rf", "$HOME", "&&", "b", "|", page},
	} {
		if got := browserWords(browser, page); !slices.Equal(got, want) {
			t.Errorf("BROWSER=%q: %q, want %q", browser, got, want)
		}
	}
	if got := browserWords("  ", page); len(got) != 2 || got[1] != page {
		t.Errorf("no BROWSER: %q", got)
	}
}

// TestBrowserEnv: a browser gets what it needs of the desktop, and nobody's keys.
func TestBrowserEnv(t *testing.T) {
	got := browserEnv(store.NewEnviron([]string{"HOME=/h", "DISPLAY=:0", "DBUS_SESSION_BUS_ADDRESS=unix:path=/run/bus,guid=0123456789abcdef0123456789abcdef",
		"GITHUB_TOKEN=ghp_abcdefghijklmnopqrstuvwxyz0123456789", "DB_PASSWORD=hunter2", "LANG=C.UTF-8"}))
	slices.Sort(got)
	want := []string{"DBUS_SESSION_BUS_ADDRESS=unix:path=/run/bus,guid=0123456789abcdef0123456789abcdef", "DISPLAY=:0", "HOME=/h", "LANG=C.UTF-8"}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
