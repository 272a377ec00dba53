package commands

import (
	"context"
	"io"
	"strings"
	"testing"
)

// TestUpdateArguments: what is behind -- is the server's; what needs no file to be
// refused is refused before one is read.
func TestUpdateArguments(t *testing.T) {
	for line, want := range map[string]string{
		"a -- cmd --set x -h":                 "a: cmd|--set|x|-h",
		"a --timeout 3s -- cmd":               "a: cmd",
		"--unset env.K a":                     "a: ",
		"a --arg --mark --arg -- --set x=1":   "a: ",
		"":                                    "name the server",
		"a b":                                 "unexpected 'b'",
		"a --":                                "no command behind '--'",
		"a --command x -- y":                  "not both",
		"a --expect-fingerprint sha256:12":    "sha256: and 64 hex digits",
		"a --expect-fingerprint 0 --edit":     "sha256: and 64 hex digits",
		"a --set x --oauth-callback-port abc": "invalid argument",
	} {
		got := ""
		cmd := newUpdateCmdF(&app{}, func(_ context.Context, o *updateOptions) error {
			got = o.name + ": " + strings.Join(o.command, "|")
			return nil
		})
		cmd.SetArgs(strings.Fields(line))
		cmd.SilenceErrors, cmd.SilenceUsage = true, true
		cmd.SetOut(io.Discard)
		if err := cmd.Execute(); err != nil {
			got = err.Error()
		}
		if !strings.Contains(got, want) {
			t.Errorf("update %s: %q, want %q", line, got, want)
		}
	}
}
