package store

import (
	"slices"
	"testing"
)

// TestInheritedIsSecret: what a server gets from the session is masked in what it
// says, whether the entry names it or not; the base set is no secret.
func TestInheritedIsSecret(t *testing.T) {
	for _, inherit := range []string{`true`, `["DEPLOY_NOTE"]`} {
		w := newWorld(t)
		w.env["DEPLOY_NOTE"], w.env["LC_ALL"] = "correct horse", "battery staple"
		w.user(`{"mcpServers":{"x":{"command":"x","inheritEnv":` + inherit + `}}}`)
		admitted, err := w.open().Load().Admit("x")
		if err != nil {
			t.Fatal(err)
		}
		l, err := admitted.Resolve(w.env)
		if err != nil || !slices.Contains(l.Secrets, "correct horse") || slices.Contains(l.Secrets, "battery staple") {
			t.Errorf("inheritEnv %s: secrets %q, %v", inherit, l.Secrets, err)
		}
	}
}
