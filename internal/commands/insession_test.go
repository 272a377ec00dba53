package commands

import (
	"testing"

	"github.com/spf13/cobra"
)

// TestSessionless: what is said to have no session is a command, and --session with it
// is refused before it does anything.
func TestSessionless(t *testing.T) {
	verbs := map[string]*cobra.Command{}
	for _, c := range newRoot(&app{}).Commands() {
		verbs[c.Name()] = c
	}
	for name := range sessionless {
		if verbs[name] == nil && name != "help" && name != "completion" {
			t.Errorf("'%s' is no command", name)
		}
	}
	for _, name := range []string{"list", "status", "tools", "call", "reconnect", "reload", "add", "remove", "enable", "disable", "rpc"} {
		if _, refused := sessionless[name]; refused || verbs[name] == nil {
			t.Errorf("'%s' does not go with --session", name)
		}
	}
}
